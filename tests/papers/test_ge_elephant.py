# SPDX-License-Identifier: GPL-3.0-or-later
"""Ge's scene: what the default has to reach there, judged without the library's own distances."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath.examples.elephant import LENGTH, Elephant, ElephantScene
from tests.papers.experiments import ge_elephant


@pytest.fixture(scope="module")
def found():
    return ge_elephant.measure(ElephantScene())


def test_the_trunk_goes_through_nothing(found):
    assert found.clearance.min() > -1e-6
    assert found.own.min() > -1e-6


def test_the_tip_is_there_wherever_it_has_room(found):
    assert found.free.sum() > 280, "most of the path is free, but the trunk is asked into the table too"
    assert not found.free.all()
    assert found.errors[found.free].max() < 0.01 * LENGTH


def test_no_bone_turns_more_than_ten_degrees_a_frame(found):
    assert found.turn.max() < 10.0
    assert found.world.max() < 10.0, "nor in the world"


def test_the_path_comes_near_table_and_tree(found):
    """Otherwise the scene would ask for nothing."""
    assert (found.clearance < 0.01).mean() > 0.2
    touched = ge_elephant.distance(ElephantScene(), ElephantScene().path(300))
    assert (touched < 0.25).mean() > 0.2


@pytest.mark.parametrize("segments", [3, 12, 60])
def test_the_number_of_balls_can_be_chosen(segments):
    elephant = Elephant(segments)
    assert len(elephant.trunk) == segments
    assert elephant.skeleton.n == 3 * segments
    bones = {bone.name: bone for bone in elephant.bones}
    assert sum(bones[name].length for name in elephant.trunk) == pytest.approx(LENGTH)
    assert np.ptp([bones[name].radius for name in elephant.trunk]) > 0.05, "it tapers"
