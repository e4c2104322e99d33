# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joints are taken for knees and elbows, on figures of all makes, and how they bend in drags."""

from __future__ import annotations

from typing import Any

import bpy
import drag_ways
import metarig_clips
import numpy as np
import pytest
import standing_figures
from bridge_rigs import make_rig, map_of
from figures_of_tools import FIGURES
from installed import module

pytestmark = pytest.mark.solver

# The bones above and below each middle joint, of one side. Besides the knee the hock; horses and cats are
# drawn with shoulder blades that fold with the leg.
METARIGS = {
    "human": {"upper_arm.L forearm.L", "thigh.L shin.L"},
    "basic_human": {"upper_arm.L forearm.L", "thigh.L shin.L"},
    "basic_quadruped": {"front_thigh.L front_shin.L", "thigh.L shin.L", "shin.L foot.L"},
    "wolf": {"front_thigh.L front_shin.L", "thigh.L shin.L", "shin.L foot.L"},
    "cat": {"shoulder.L upper_arm.L", "upper_arm.L forearm.L", "thigh.L shin.L", "shin.L foot.L"},
    "horse": {
        "shoulder.L upper_arm.L", "upper_arm.L forearm.L", "thigh.L lower_leg.L", "lower_leg.L hind_foot.L",
    },
    "bird": {"Wing.L Wing.001.L", "thigh.L shin.L"},
    "shark": {"side_fin.L side_fin.L.001"},
}  # fmt: skip
OTHERS = {
    "unreal": {"upperarm_l lowerarm_l", "thigh_l calf_l"},
    "capture": {"LeftArm LeftForeArm", "LeftUpLeg LeftLeg"},
    "makehuman": {"upperarm02.L lowerarm01.L", "upperleg02.L lowerleg01.L"},
    "anime": {"L_UpperArm L_LowerArm", "L_UpperLeg L_LowerLeg"},
    "dancer": {"L_arm_twist L_forearm", "L_thigh L_shin"},
    "avatar": {"L_UpperArm L_LowerArm", "L_UpperLeg L_LowerLeg"},
    "twisting": {"arm2.L forearm.L", "thigh2.L shin.L"},
    "insect": {f"femur{number}.L tibia{number}.L" for number in range(3)},
    "octopus": set(),
    "building_crane": set(),
    "wading_bird": {"femur.L tibia.L", "tibia.L tarsus.L", "humerus.L ulna.L"},
}
SIDES = ((".L", ".R"), ("_l", "_r"), ("Left", "Right"), ("L_", "R_"))


def found(rig: bpy.types.Object) -> set[str]:
    """The bones above and below each middle joint."""
    bones = module("bridge.armature").read_bones(rig)
    limbs = module("bridge.limbs").find_limbs(bones, map_of(rig, bones).kinds)
    return {f"{bones.names[limb.upper]} {bones.names[limb.lower]}" for limb in limbs}


def both(left: set[str]) -> set[str]:
    """The same on the right, too."""
    right = set()
    for pair in left:
        mark, other = next(side for side in SIDES if side[0] in pair)
        right.add(pair.replace(mark, other))
    return left | right


@pytest.mark.parametrize("name", METARIGS)
def test_metarigs(name: str):
    assert found(metarig_clips.metarig(name)) == both(METARIGS[name])


@pytest.mark.parametrize("name", OTHERS)
def test_figures_of_other_tools_and_creatures(name: str):
    assert found(standing_figures.build(FIGURES[name]())) == both(OTHERS[name])


def test_game_figures():
    assert found(drag_ways.figure("t_pose")) == both({"LeftArm LeftForeArm", "LeftUpLeg LeftLeg"})


def test_spiders_and_snakes():
    spider = found(standing_figures.build(standing_figures.spider()))
    assert spider == {f"l{number}.2 l{number}.3" for number in range(8)}
    assert not found(standing_figures.build(standing_figures.snake()))


def test_a_knee_with_limits_leaves_the_other_one_found():
    rig = drag_ways.figure("t_pose")
    rig.pose.bones["LeftLeg"].use_ik_limit_x = True
    assert found(rig) == both({"LeftArm LeftForeArm"}) | {"RightUpLeg RightLeg"}


def test_necks_and_tails_of_like_bones_are_no_limbs():
    rows = [("hips", None, (0, 0, 1), (0, -0.2, 1)), ("chest", "hips", (0, -0.2, 1), (0, -0.4, 1))]
    for name, parent, way in (("neck", "chest", -1.0), ("tail", "hips", 1.0)):
        y = -0.4 if way < 0 else 0.0
        rows += [
            (f"{name}1", parent, (0, y, 1), (0, y + 0.2 * way, 1.1)),
            (f"{name}2", f"{name}1", (0, y + 0.2 * way, 1.1), (0, y + 0.4 * way, 1.1)),
        ]
    assert not found(make_rig(rows))


@pytest.mark.parametrize(
    ("name", "bone", "ways"),
    [
        ("unreal", "foot_l", ("lift", "back", "forward")),
        ("twisting", "foot.L", ("lift", "back", "up")),
        pytest.param(
            "horse",
            "forefoot.L",
            ((0.0, -0.15, -0.6),),
            marks=pytest.mark.xfail(strict=False, reason="the other shoulder comes to 108 of 95 degrees"),
        ),
        ("cat", "foot.L", ("lift", "kick aside")),
        ("bird", "Wing.002.L", ((0.0, -0.15, -0.6),)),
    ],
)
def test_no_joint_goes_backwards_in_a_drag(name: str, bone: str, ways: tuple[str | tuple[float, ...], ...]):
    build = FIGURES.get(name)
    for way in ways:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rig = standing_figures.build(build()) if build else metarig_clips.metarig(name)
        bones = module("bridge.armature").read_bones(rig)
        limbs = module("bridge.limbs").find_limbs(bones, map_of(rig, bones).kinds)
        step = drag_ways.WAYS["foot"][way] if isinstance(way, str) else way
        felt = drag_ways.lead(module("control.drag.drag"), rig, bone, step, 0.02)
        assert felt.error < 5e-3
        for pose in felt.poses:
            for limb in limbs:
                assert off(pose, bones.names[limb.upper], bones.names[limb.lower], limb) < 95.0


def off(pose: dict[str, np.ndarray], upper: str, lower: str, limb: Any) -> float:
    """Degrees between the axis about which a limb is bent and its own; 0 where it is all but straight."""
    first, second = pose[upper] @ limb.first, pose[lower] @ limb.second
    across = np.cross(first, second)
    sine = float(np.linalg.norm(across))
    if np.degrees(np.arctan2(sine, first @ second)) < 5.0:
        return 0.0
    return float(np.degrees(np.arccos(np.clip(across @ (pose[upper] @ limb.axis) / sine, -1.0, 1.0))))
