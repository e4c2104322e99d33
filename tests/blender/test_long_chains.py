# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes of hundreds of bones: no matrix of all coordinates by all coordinates is made."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import miss, reach
from bridge_rigs import chain_rig, map_of

_ROPE = 210


def rope(monkeypatch: pytest.MonkeyPatch) -> bpy.types.Object:
    """A rope whose solves fail where they factorise a matrix of all coordinates."""
    rig = chain_rig(_ROPE, length=3.0 / _ROPE)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    plain = np.linalg.cholesky

    def small(matrix: np.ndarray) -> np.ndarray:
        assert matrix.shape[-1] < 3 * _ROPE
        return plain(matrix)

    monkeypatch.setattr(np.linalg, "cholesky", small)
    return rig


@pytest.mark.parametrize("place", [(0.8, 0.4, 1.5), (0.5, 1.5, 4.5)], ids=["reach", "far"])
def test_a_rope_is_solved_without_dense_matrices(place, monkeypatch):
    rig = rope(monkeypatch)
    name = rig.data.bones[-1].name
    reach(rig, name, place)
    bpy.ops.articulate.solve()
    base = np.array(rig.matrix_world @ rig.pose.bones[0].head)
    short = max(0.0, float(np.linalg.norm(np.array(place) - base)) - 3.0)
    assert miss(rig, name) < 1.02 * short + 1e-3


def test_it_follows_live(monkeypatch):
    rig = rope(monkeypatch)
    name = rig.data.bones[-1].name
    target = reach(rig, name, (0.8, 0.4, 1.5))
    rig.articulate.live = True
    for step in range(1, 4):
        target.location = (0.8, 0.4 - 0.1 * step, 1.5)
        bpy.context.view_layer.update()
        assert miss(rig, name) < 1e-3


def test_its_feet_are_sought_along_a_few_ways_to_the_root(monkeypatch):
    armature, feet = installed.module("bridge.armature"), installed.module("bridge.feet")
    rig, plain, seen = chain_rig(_ROPE), armature.Bones.ancestors, 0
    bones = armature.read_bones(rig)
    whole = map_of(rig, bones)

    def counted(self, bone):
        nonlocal seen
        way = plain(self, bone)
        seen += len(way)
        return way

    monkeypatch.setattr(armature.Bones, "ancestors", counted)
    feet.footing(whole, bones.rest)
    assert seen < 10 * _ROPE


def test_bones_between_are_found_as_before():
    """Joints are the solved bones, those between them, and those between a solved and a carried one."""
    chains = installed.module("bridge.chains")
    bones = installed.module("bridge.armature").read_bones(chain_rig(9))
    found = chains.figure_bones(bones, np.array([2, 5]), np.array([7, 0]))
    assert sorted(found.tolist()) == [0, 2, 3, 4, 5, 6, 7]
