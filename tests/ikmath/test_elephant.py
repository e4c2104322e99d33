# SPDX-License-Identifier: GPL-3.0-or-later
"""The elephant as it stands: bones, limits, hide, table and tree."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.examples.elephant import Elephant, ElephantScene, eyes, hide, leaves, tusks


def test_bones_and_joints_are_at_the_same_places():
    elephant = Elephant(7)
    pose = ik.Pose.forward(elephant.skeleton, elephant.skeleton.rest)
    for bone in elephant.bones:
        joint = elephant.skeleton.index(bone.name)
        assert pose.position[joint] == pytest.approx(bone.head)
        assert pose.rotation[joint] == pytest.approx(bone.axes)
        assert pose.point(bone.name, (0.0, bone.length, 0.0)) == pytest.approx(bone.tail)
    assert pose.point("tip") == pytest.approx(elephant.bones[-1].tail)


def test_thirty_balls_have_the_limits_of_ges_trunk():
    elephant, trunk = Elephant(), ik.figures.trunk()
    assert elephant.skeleton.n == trunk.n == 90
    assert elephant.skeleton.upper == pytest.approx(trunk.upper)
    assert elephant.skeleton.lower == pytest.approx(trunk.lower)


def test_nothing_touches_at_rest_that_could_be_kept_apart():
    scene = ElephantScene()
    problem = scene.problem(2)
    rest = ik.Pose.forward(problem.skeleton, problem.skeleton.rest)
    assert float(problem.scene.clearance(rest)) > 0.0


@pytest.mark.parametrize("segments", [3, 30])
def test_the_hide_of_the_trunk_lies_within_its_capsules(segments):
    elephant = Elephant(segments)
    bones = {bone.name: bone for bone in elephant.bones}
    rods = [(np.array(bones[name].head), np.array(bones[name].tail)) for name in elephant.trunk]
    radius = np.array([bones[name].radius for name in elephant.trunk])
    for solid in hide(elephant)[-segments:]:
        near = []
        for start, end in rods:
            way = end - start
            along = np.clip((solid.vertices - start) @ way / (way @ way), 0.0, 1.0)
            near.append(np.linalg.norm(solid.vertices - start - along[:, None] * way, axis=1))
        assert (np.array(near) - radius[:, None]).min(0).max() < 1e-9


def test_table_and_tree_are_obstacles():
    scene = ElephantScene()
    table = scene.obstacles[0]
    assert table.closed and len(scene.obstacles) == 1 + len(scene.branches) > 15
    assert float(table.nearest((0.95, -2.65, 0.82)).distance) < 0.0, "in the top"
    assert float(table.nearest((0.95, -2.65, 0.40)).distance) > 0.3, "under it"
    assert (scene.branches.start[:, 2] >= 0.0).all()
    again, other = ElephantScene(), ElephantScene(seed=6)
    assert (again.branches.end == scene.branches.end).all()
    assert not np.array_equal(other.branches.end, scene.branches.end)


def test_the_path_is_even_and_closed():
    path = ElephantScene().path(120)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert path[0] == pytest.approx(path[-1])
    assert steps == pytest.approx(np.full(119, steps.mean()), rel=0.2), "but for chords"


def test_what_is_looked_at_is_there():
    scene = ElephantScene()
    assert len(tusks()) == 4 and len(eyes()) == 2
    assert len(leaves(scene)) > 100
    assert (leaves(scene)[0].vertices == leaves(scene)[0].vertices).all()


@pytest.mark.parametrize("segments", [0, -3, 2.5])
def test_a_trunk_of_no_balls_is_refused(segments):
    with pytest.raises(ik.IkError, match="segments"):
        Elephant(segments)


@pytest.mark.parametrize("frame", [45, 60, 90])
def test_a_clip_may_begin_where_the_table_is_between(frame):
    """From rest the trunk slides into a corner under the table; there is a way round from where it began."""
    problem = ElephantScene().problem(300).at(frame)
    answer = ik.solve(problem, problem.skeleton.rest)
    assert answer.status is ik.Status.REACHED, answer.message
    assert answer.clearance > 0.0
