# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of bones that a user corrects: what is recognised, what is told, and what follows from it."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bridge_rigs import make_rig, map_of
from installed import module

SIDES = (("L", 1), ("R", -1))
STUBS = [
    # name, parent, head, tail; a person whose legs are no limbs, as their shins are far too short
    ("hips", None, (0, 0, 0.95), (0, 0, 1.1)),
    ("chest", "hips", (0, 0, 1.1), (0, 0, 1.48)),
    ("head", "chest", (0, 0, 1.55), (0, 0, 1.8)),
    *(
        row
        for side, s in SIDES
        for row in (
            (f"arm.{side}", "chest", (0.18 * s, 0.01, 1.45), (0.46 * s, 0.03, 1.45)),
            (f"forearm.{side}", f"arm.{side}", (0.46 * s, 0.03, 1.45), (0.72 * s, 0.0, 1.45)),
            (f"hand.{side}", f"forearm.{side}", (0.72 * s, 0, 1.45), (0.84 * s, -0.01, 1.45)),
            (f"thigh.{side}", "hips", (0.1 * s, 0, 0.93), (0.1 * s, -0.02, 0.5)),
            (f"shin.{side}", f"thigh.{side}", (0.1 * s, -0.02, 0.5), (0.1 * s, -0.02, 0.47)),
        )
    ),
]


def kinds(rig) -> dict[str, str]:
    """What each bone is taken for."""
    bones = module("bridge.armature").read_bones(rig)
    found = module("bridge.bone_map").bone_map(rig, bones, np.array([0, 0, 1.0])).kinds
    return dict(zip(bones.names, map(str, found.kinds), strict=True))


@pytest.fixture
def rig():
    return make_rig(STUBS)


def test_a_corrected_thigh_makes_a_leg_on_both_sides(rig):
    assert kinds(rig)["thigh.L"] != "hip"
    rig.pose.bones["thigh.L"].articulate.kind = "hip"
    found = kinds(rig)
    assert found["thigh.L"] == found["thigh.R"] == "hip" and found["shin.L"] == found["shin.R"] == "knee"
    assert found["arm.L"] == "shoulder" and found["hips"] == "root"
    rig.pose.bones["thigh.R"].articulate.kind = "other"
    assert kinds(rig)["thigh.R"] == "other", "a side that is set itself is as it is set"
    rig.pose.bones["thigh.L"].articulate.kind = rig.pose.bones["thigh.R"].articulate.kind = "FIGURE"
    assert kinds(rig)["thigh.L"] != "hip"


def test_the_stubs_of_formats_without_lengths_are_no_obstacle():
    rows = [
        (name, parent, head, (*tail[:2], 0.499) if name.startswith("shin") else tail)
        for name, parent, head, tail in STUBS
    ]
    found = kinds(make_rig(rows))
    assert found["thigh.L"] == "hip" and found["shin.R"] == "knee"


def test_a_solve_follows_the_correction(rig):
    """Live notices it too: the plan is read again."""
    bpy.ops.articulate.effector_add(bone="hand.L")
    settings = module("properties.settings")
    before = settings.other_settings(rig.articulate)
    rig.pose.bones["thigh.L"].articulate.kind = "hip"
    assert settings.other_settings(rig.articulate) != before
    plan = module("control.frame.plan").read_plan(rig, bpy.context)
    names = plan.bones.names
    assert {names[limb.joints[0]] for limb in plan.bone_map.kinds.limbs} >= {"thigh.L", "thigh.R"}


def test_a_knee_that_is_told_bends_like_one(rig):
    bones = module("bridge.armature").read_bones(rig)

    def knees() -> set[str]:
        found = module("bridge.limbs").find_limbs(bones, map_of(rig, bones).kinds)
        return {bones.names[limb.lower] for limb in found}

    assert "shin.L" not in knees()
    rig.pose.bones["thigh.L"].articulate.kind = "hip"
    assert {"shin.L", "shin.R"} <= knees()


def test_the_operator_says_what_bones_are_taken_for(rig):
    assert bpy.ops.articulate.bone_kinds(bone="forearm.L") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="no bone 'elbow'"):
        bpy.ops.articulate.bone_kinds(bone="elbow")


def test_every_kind_of_the_library_can_be_told():
    from ikmath.model.figure_map import Kind

    told = [item[0] for item in module("properties.bone").KINDS]
    assert told[0] == "FIGURE" and set(told[1:]) == {str(kind) for kind in Kind}
