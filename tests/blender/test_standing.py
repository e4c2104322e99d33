# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds under figures of all kinds and in all poses: what carries them, whatever it is called."""

from __future__ import annotations

import bpy
import figures_of_tools
import installed
import metarig_clips
import numpy as np
import pytest
import standing_figures as figures
from addon_scenes import tip
from bridge_rigs import map_of
from mathutils import Matrix

pytestmark = pytest.mark.solver

drag = installed.module("control.drag.drag")
armature = installed.module("bridge.armature")
holds = installed.module("bridge.feet")

METARIGS = {
    "human": {"foot"},
    "basic_human": {"foot"},
    "basic_quadruped": {"front_toe", "toe"},
    "bird": {"foot"},
    "cat": {"hand", "r_toe"},
    "horse": {"f_hoof", "r_toe"},
    "shark": set(),
    "wolf": {"front_toe", "toe"},
}
UNNAMED = {
    "person": ("c.3", "e.3"),
    "game_person": ("c.3", "e.3"),
    "centaur": ("c.3", "d.3", "f.3", "g.3"),
    "kangaroo": ("c.3", "e.3"),
    "spider": tuple(f"l{leg}.3" for leg in range(8)),
    "robot_arm": (),
    "snake": (),
    "palm": (),
}
FEET, HANDS = ("c.3", "e.3"), ("b.5", "d.5")
IN_POSES = {
    "standing": (FEET, True),
    "knees bent": (FEET, True),
    "one leg lifted": (FEET, True),
    "running": (FEET, True),
    "sitting on a chair": (FEET, True),
    "hanging by the hands": (FEET, True),
    "on all fours": (FEET + HANDS, True),
    "on the hands": (HANDS, True),
    "lying on the back": (FEET, False),
    "lying on the belly": (FEET, False),
    "sitting on the ground": (FEET, False),
    "somersault": (FEET, False),
}


def stand(rig: bpy.types.Object) -> tuple[set[str], bool]:
    bones = armature.read_bones(rig)
    found = holds.footing(map_of(rig, bones), armature.pose_matrices(rig))
    return {bones.names[number] for number in found.feet}, found.upright


@pytest.mark.parametrize("rig", METARIGS)
def test_metarigs_stand_on_all_their_legs(rig):
    wanted = {f"{name}.{side}" for name in METARIGS[rig] for side in "LR"}
    assert stand(metarig_clips.metarig(rig)) == (wanted, bool(wanted))


@pytest.mark.parametrize("kind", UNNAMED)
@pytest.mark.parametrize("place", ["moved", "centimetres", "lying in its own axes"])
def test_what_no_name_tells_the_bones_tell(kind, place):
    rows, turned = getattr(figures, kind)(), Matrix.Rotation(np.pi / 2, 4, "X")
    if place == "moved":
        rig = figures.build(rows)
        rig.matrix_world = Matrix.Translation((3, -2, 5)) @ Matrix.Rotation(1.0, 4, "Z")
    elif place == "centimetres":
        rig = figures.build(rows, Matrix.Scale(100, 4))
        rig.scale = (0.01,) * 3
    else:  # as many imports have it: Y is up in the armature, and the object is turned
        rig = figures.build(rows, turned.inverted())
        rig.matrix_world = turned
    bpy.context.view_layer.update()
    assert stand(rig) == (set(UNNAMED[kind]), bool(UNNAMED[kind]))


def test_an_octopus_holds_on_by_the_tips_of_its_arms_and_its_body_can_be_moved():
    rig = figures.build(figures_of_tools.octopus())
    tips = {f"arm{number}_9" for number in range(8)}
    assert stand(rig) == (tips, True)
    before = {name: tip(rig, name) for name in tips}
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="mantle"), budget=1e6)
    assert held.move_to(held.anchor + np.array((0.02, 0.0, -0.15))).status == "REACHED"
    held.finish(bpy.context)
    for name, place in before.items():
        assert tip(rig, name) == pytest.approx(place, abs=1e-4)


def test_marks_for_feet_on_the_ground_are_none():
    """Unreal's figures have them beside their feet, on a bone on the ground above the hips."""
    rig = figures.build(figures_of_tools.unreal())
    assert stand(rig) == ({"foot_l", "foot_r"}, True)
    before = {name: np.array(rig.data.bones[name].head_local) for name in ("foot_l", "foot_r", "root")}
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="pelvis"), budget=1e6)
    assert held.move_to(held.anchor + np.array((0.0, 0.0, -0.2))).status == "REACHED"
    held.finish(bpy.context)
    bpy.context.view_layer.update()
    for name, place in before.items():
        assert np.array(rig.pose.bones[name].head) == pytest.approx(place, abs=1e-3)


def test_hanging_fingers_are_no_feet():
    assert stand(figures.build(figures.robot_arm(down=True))) == (set(), False)


def test_what_lies_without_names_is_held_by_its_root_and_with_names_by_its_feet():
    rig = figures.build(figures.person())
    rig.rotation_euler.x = np.pi / 2
    bpy.context.view_layer.update()
    assert stand(rig) == (set(), False)
    for bone, name in zip(FEET, ("Foot.L", "Foot.R"), strict=True):
        rig.data.bones[bone].name = name
    assert stand(rig) == ({"Foot.L", "Foot.R"}, False)


@pytest.mark.parametrize("pose", IN_POSES)
def test_a_person_in_a_pose(pose):
    rig = figures.build(figures.person())
    figures.take_pose(rig, pose)
    assert stand(rig) == (set(IN_POSES[pose][0]), IN_POSES[pose][1])


@pytest.mark.parametrize("named", [(), ("hind",)])
@pytest.mark.parametrize("height", [0.0, 0.13])
def test_all_legs_count_whichever_are_named_and_whether_they_reach_the_ground(named, height):
    """Many bones end above a hoof or a pad."""
    rows, ends = figures.quadruped(height), {"fore": [], "hind": []}
    rig = figures.build(rows)
    for which, found in ends.items():
        for side in "ab":
            bone = rig.data.bones[f"{which}{side}.3"]
            bone.name = f"{which} {'foot' if which in named else 'end'} {side}"
            found.append(bone.name)
    assert stand(rig) == ({*ends["fore"], *ends["hind"]}, True)


def test_one_named_foot_does_not_leave_out_the_other():
    rig = figures.build(figures.person())
    rig.data.bones["c.3"].name = "Foot"
    assert stand(rig)[0] == {"Foot", "e.3"}


def taken(rig: bpy.types.Object, bone: str, move: tuple[float, float, float], steps: int = 20):
    """A bone dragged; how far each bone's tip has come, and the drag."""
    bpy.context.view_layer.update()
    before = {each.name: tip(rig, each.name) for each in rig.pose.bones}
    held = drag.Drag(rig, bpy.context, drag.Grip(bone=bone))
    start = held.anchor.copy()
    for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
        moved = held.move_to(start + share * np.array(move))
    assert moved.status == "REACHED", moved
    return {name: float(np.linalg.norm(tip(rig, name) - place)) for name, place in before.items()}, held


@pytest.mark.parametrize(
    ("rig", "bone", "move", "body"),
    [
        ("human", "shin.L", (0.0, -0.2, 0.2), "spine"),
        ("human", "foot.L", (0.0, -0.2, 0.2), "spine"),
        ("wolf", "front_foot.L", (0.0, -0.15, 0.2), "spine.004"),
        ("cat", "foot.L", (0.0, 0.0, 0.05), "spine"),
        ("cat", "hand.L", (0.0, -0.08, 0.08), "spine"),
        ("horse", "f_hoof.L", (0.0, -0.1, 0.3), "spine.001"),
    ],
)
@pytest.mark.parametrize("steps", [1, 40])
def test_for_a_leg_that_is_lifted_no_body_moves(rig, bone, move, body, steps):
    figure = metarig_clips.metarig(rig)
    ways, _ = taken(figure, bone, move, steps)
    size = max(figure.dimensions)
    assert ways[body] < 2e-3 * size
    others = [f"{name}.{side}" for name in METARIGS[rig] for side in "LR"]
    for other in others:
        if figure.data.bones[bone] not in figure.data.bones[other].parent_recursive and other != bone:
            assert ways[other] < 2e-3 * size


def test_a_spider_bends_its_legs_and_keeps_its_tips():
    rig = figures.build(figures.spider())
    ways, _ = taken(rig, "body.1", (0.2, 0.0, -0.1))
    assert max(ways[f"l{leg}.3"] for leg in range(8)) < 1e-3
    assert ways["body.1"] > 0.2


def test_who_takes_the_root_of_what_does_not_stand_moves_all_of_it():
    ways, held = taken(metarig_clips.metarig("shark"), "spine.003", (0.3, 0.0, 0.3))
    assert held.root == "FREE"
    assert min(ways.values()) > 0.25


def test_a_fin_of_what_does_not_stand_leaves_the_root():
    _, held = taken(metarig_clips.metarig("shark"), "side_fin.L", (0.0, 0.0, 0.2))
    assert held.root == "PINNED"


def test_on_all_fours_the_hands_hold_and_in_the_air_on_the_hands_the_feet_do_not():
    rig = figures.build(figures.person())
    figures.take_pose(rig, "on all fours")
    ways, _ = taken(rig, "a.1", (0.05, 0.0, -0.05))
    assert max(ways[name] for name in FEET + HANDS) < 1e-3
    figures.take_pose(rig, "standing")
    rig = figures.build(figures.person())
    figures.take_pose(rig, "on the hands")
    ways, _ = taken(rig, "a.1", (0.05, 0.0, -0.05))
    assert max(ways[name] for name in HANDS) < 1e-3 < min(ways[name] for name in FEET)
