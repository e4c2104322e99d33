# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of joints that are found on rigs of all makes, none of which is told by its names."""

from __future__ import annotations

import math

import bpy
import metarig_clips
import numpy as np
import pytest
import standing_figures
from figures_of_tools import FIGURES
from installed import module

ARM = ("shoulder", "elbow", "wrist")
LEG = ("hip", "knee", "ankle")
# kind of each of some bones; of those with a side the left one
METARIGS = {
    "human": {
        "spine": "root",
        "spine.001": "spine",
        "spine.003": "spine",
        "spine.004": "neck",
        "spine.006": "head",
        "shoulder.L": "clavicle",
        "toe.L": "paw",
        "f_index.02.L": "finger",
    }
    | dict(
        zip(("upper_arm.L", "forearm.L", "hand.L", "thigh.L", "shin.L", "foot.L"), ARM + LEG, strict=True)
    ),
    "basic_human": dict(
        zip(("upper_arm.L", "forearm.L", "hand.L", "thigh.L", "shin.L", "foot.L"), ARM + LEG, strict=True)
    ),
    "basic_quadruped": {"spine.006": "spine", "spine.009": "neck", "spine.011": "head", "spine.002": "tail"}
    | dict(
        zip(
            ("front_thigh.L", "front_shin.L", "front_foot.L", "thigh.L", "shin.L", "foot.L"),
            ARM + LEG,
            strict=True,
        )
    ),
    "wolf": {
        "spine.006": "spine",
        "spine.010": "neck",
        "spine.011": "head",
        "face": "head",
        "spine.002": "tail",
        "shoulder.L": "clavicle",
        "toe.L": "paw",
    }
    | dict(
        zip(
            ("front_thigh.L", "front_shin.L", "front_foot.L", "thigh.L", "shin.L", "foot.L"),
            ARM + LEG,
            strict=True,
        )
    ),
    "cat": {"shoulder.L": "clavicle", "tail.002": "tail", "spine.006": "head"}
    | dict(
        zip(("upper_arm.L", "forearm.L", "hand.L", "thigh.L", "shin.L", "foot.L"), ARM + LEG, strict=True)
    ),
    "horse": {"shoulder.L": "clavicle", "tail.002": "tail", "neck.002": "neck", "skull": "head"}
    | dict(
        zip(
            ("upper_arm.L", "forearm.L", "forefoot.L", "thigh.L", "lower_leg.L", "hind_foot.L"),
            ARM + LEG,
            strict=True,
        )
    ),
    "bird": {"spine.001": "tail", "head": "head"}
    | dict(
        zip(("Wing.L", "Wing.001.L", "Wing.002.L", "thigh.L", "shin.L", "foot.L"), ARM + LEG, strict=True)
    ),
}
OTHERS = {
    "unreal": {
        "root": "root",
        "pelvis": "root",
        "spine_02": "spine",
        "neck_01": "neck",
        "head": "head",
        "clavicle_l": "clavicle",
        "upperarm_l": "shoulder",
        "hand_l": "wrist",
        "calf_l": "knee",
        "ball_l": "paw",
        "upperarm_twist_01_l": "other",
        "ik_hand_root": "other",
    },
    "capture": {
        "Hips": "root",
        "LowerBack": "spine",
        "Neck1": "neck",
        "LeftUpLeg": "hip",
        "LeftForeArm": "elbow",
        "LeftShoulder": "clavicle",
        "LeftFoot": "ankle",
    },
    "makehuman": {
        "clavicle.L": "clavicle",
        "shoulder01.L": "clavicle",
        "upperarm01.L": "shoulder",
        "upperarm02.L": "other",
        "lowerarm01.L": "elbow",
        "wrist.L": "wrist",
        "metacarpal2.L": "other",
        "finger1-2.L": "finger",
        "finger3-1.L": "finger",
        "upperleg01.L": "hip",
        "lowerleg01.L": "knee",
        "foot.L": "ankle",
        "special05.L": "appendage",
        "head": "head",
    },
    "anime": {
        "upperChest": "spine",
        "head": "head",
        "L_UpperArm": "shoulder",
        "L_Foot": "ankle",
        "ear1L": "appendage",
        "hair2L": "appendage",
        "skirt0_1": "appendage",
    },
    "creator": {
        "Hip": "root",
        "Spine01": "spine",
        "Head": "head",
        "Clavicle_L": "clavicle",
        "Upperarm_L": "shoulder",
        "Forearm_L": "elbow",
        "Hand_L": "wrist",
        "Thigh_L": "hip",
        "Calf_L": "knee",
        "Foot_L": "ankle",
        "Calf_LTwist01": "other",
        "Mid_L_1": "finger",
    },
    "dancer": {
        "waist": "root",
        "upper": "spine",
        "neck": "neck",
        "head": "head",
        "L_raise": "clavicle",
        "L_clavicle": "clavicle",
        "L_arm": "shoulder",
        "L_arm_twist": "other",
        "L_forearm": "elbow",
        "L_hand": "wrist",
        "L_thigh": "hip",
        "L_shin": "knee",
        "L_foot": "ankle",
        "L_ik": "other",
        "L_skin_shin": "other",
        "L_lock2": "appendage",
        "skirt0_1": "appendage",
        "tie2": "appendage",
    },
    "avatar": {
        "neck": "neck",
        "head": "head",
        "L_UpperArm": "shoulder",
        "L_LowerArm": "elbow",
        "L_Hand": "wrist",
        "L_finger2_1": "finger",
        "L_sleeve1": "other",
        "L_UpperLeg": "hip",
        "L_LowerLeg": "knee",
        "L_skirt1_2": "appendage",
        "L_lock2": "appendage",
    },
    "twisting": {
        "thigh.L": "hip",
        "shin.L": "knee",
        "foot.L": "ankle",
        "arm.L": "shoulder",
        "hand.L": "wrist",
        "thigh2.L": "other",
    },
    "insect": {"femur1.L": "hip", "tibia1.L": "knee", "tarsus1.L": "ankle", "antenna3.L": "appendage"},
    "octopus": {"mantle": "root", "arm3_4": "other"},
    "building_crane": {"base": "root", "jib": "other"},
    "wading_bird": {
        "femur.L": "hip",
        "tibia.L": "knee",
        "tarsus.L": "ankle",
        "ulna.L": "elbow",
        "neck3": "neck",
        "head": "head",
    },
}
FOUR_LEGS = ("basic_quadruped", "wolf", "cat", "horse")


def _map(rig: bpy.types.Object, scale: float = 1.0):
    from ikmath.model.figure_map import map_figure

    bones = module("bridge.armature").read_bones(rig)
    order = np.concatenate(bones.levels)
    place = np.append(np.argsort(order), -1)
    heads = bones.rest[order, :3, 3]
    tails = heads + bones.rest[order, :3, 1] * bones.length[order, None]
    found = map_figure(place[bones.parents[order]], scale * heads, scale * tails)
    return found, [bones.names[j] for j in order]


def _check(rig, expected):
    found, names = _map(rig)
    kinds = {name: str(kind) for name, kind in zip(names, found.kinds, strict=True)}
    assert {name: kinds[name] for name in expected} == expected
    sides = ((".L", ".R"), ("_l", "_r"), ("Left", "Right"), ("L_", "R_"))
    for name in expected:
        for left, right in sides:
            other = name.replace(left, right)
            if other != name and other in kinds:
                assert kinds[other] == kinds[name]
    return found, names


@pytest.mark.parametrize("name", METARIGS)
def test_metarigs(name):
    found, names = _check(metarig_clips.metarig(name), METARIGS[name])
    np.testing.assert_allclose(found.forward, [0, -1, 0], atol=0.05)
    feet = {names[j] for j in found.feet}
    assert len(feet) == (4 if name in FOUR_LEGS else 2)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_of_other_tools(name):
    _check(standing_figures.build(FIGURES[name]()), OTHERS[name])


@pytest.mark.parametrize("name", ["unreal", "anime", "wading_bird"])
def test_size_and_names_do_not_matter(name):
    rig = standing_figures.build(FIGURES[name]())
    one, names = _map(rig)
    for number, bone in enumerate(rig.data.bones):
        bone.name = f"b{len(names) - number:03d}"
    other, _ = _map(rig, 40.0)
    assert other.kinds == one.kinds and other.limbs == one.limbs


def test_a_head_whose_length_is_not_known_is_the_head():
    """Arms hang from the neck, and the root carries a control on the ground."""
    rows = [
        (name, "NeckTwist02" if name.startswith("Clavicle") else above, head, tail)
        for name, above, head, tail in FIGURES["creator"]()
        if name != "Head"
    ]
    rows.append(("Head", "NeckTwist02", (0, -0.02, 1.67), (0, -0.02, 1.69)))
    rows.append(("Footsteps", "BoneRoot", (0, 0, 0), (0, 0, 0.5)))
    _check(standing_figures.build(rows), {"Spine01": "spine", "Head": "head", "Upperarm_L": "shoulder"})


def test_bones_that_point_anywhere_have_the_ends_and_kinds_of_bones_that_point_on():
    rows = FIGURES["unreal"]()
    maps = []
    for points_on in (True, False):
        own = [
            (name, above, head, tail if points_on else (head[0], head[1] + math.dist(head, tail), head[2]))
            for name, above, head, tail in rows
        ]
        rig = standing_figures.build(own)
        bones = module("bridge.armature").read_bones(rig)
        maps.append((bones, module("bridge.bone_map").bone_map(rig, bones, np.array([0.0, 0.0, 1.0]))))
    (bones, one), (_, other) = maps
    for name, kind in OTHERS["unreal"].items():
        assert str(other.kinds.kinds[bones.number(name)]) == kind, name
    for name in ("spine_02", "upperarm_l", "lowerarm_l", "thigh_r", "calf_r"):
        number = bones.number(name)
        np.testing.assert_allclose(other.kinds.tails[number], one.kinds.tails[number], atol=1e-5)
        assert np.linalg.norm(other.ends[number]) == pytest.approx(np.linalg.norm(one.ends[number]), rel=1e-4)
