# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of Rigify's person by one solve, chosen by the posture objective: as a body would take them."""

from __future__ import annotations

import bpy
import metarig_clips
import numpy as np
import pytest
from installed import module
from mathutils import Quaternion, Vector

menus = module("properties.menus")
METHOD = next(item[0] for item in menus.METHODS if menus.takes_posture_cost(item[0]))
FEET = ("foot.L", "foot.R")


def person(**solver):
    rig = metarig_clips.metarig("human")
    rig.articulate.solver.method, rig.articulate.solver.root = METHOD, "FREE"
    for name, value in solver.items():
        setattr(rig.articulate.solver, name, value)
    return rig


def ends(rig, *names):
    """(2 k, 3) heads and tails of bones in the world, as Blender shows them."""
    bpy.context.view_layer.update()
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return np.array([rig.matrix_world @ place for n in names for place in (bones[n].head, bones[n].tail)])


def hold(rig, *names):
    for name in names:
        bpy.ops.articulate.effector_add(bone=name, kind="POSE")


def pull(rig, bone, place, point="TIP"):
    bpy.ops.articulate.effector_add(bone=bone, kind="POSITION")
    effector = next(e for e in rig.articulate.effectors if e.bone == bone)
    effector.point = point
    bpy.context.view_layer.update()
    effector.target.location = place
    bpy.context.view_layer.update()


def solve(rig):
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED", rig.articulate.message


def bend(rig, upper, lower):
    a, b, _, c = ends(rig, upper, lower)
    first, second = b - a, c - b
    return np.degrees(np.arccos(first @ second / np.linalg.norm(first) / np.linalg.norm(second)))


def trunk(rig):
    """Degrees from the vertical, of the way from the hips to the neck."""
    low, _, high, _ = ends(rig, "spine", "spine.004")
    return np.degrees(np.arccos((high - low)[2] / np.linalg.norm(high - low)))


def overhang(rig):
    """Level distance of the centre of mass from the middle of the feet."""
    bones = module("bridge.armature").read_bones(rig)
    mass = module("bridge.bone_map").bone_map(rig, bones, np.array([0, 0, 1.0])).mass
    middle = ends(rig, *bones.names).reshape(-1, 2, 3).mean(1)
    return float(np.linalg.norm((mass @ middle - ends(rig, *FEET).mean(0))[:2]))


def moved(rig, before, name):
    return float(np.linalg.norm(ends(rig, name)[0] - before[name]))


def standing(rig):
    return {bone.name: ends(rig, bone.name)[0] for bone in rig.pose.bones}


def test_a_hand_goes_up_by_the_arm_alone():
    rig = person()
    was = standing(rig)
    hold(rig, *FEET)
    pull(rig, "hand.L", was["upper_arm.L"] + [0.1, 0, 0.45])
    solve(rig)
    assert moved(rig, was, "spine") < 0.05 and moved(rig, was, "spine.006") < 0.12
    assert bend(rig, "upper_arm.L", "forearm.L") > 60


def test_a_hand_to_the_mouth_leaves_the_hips():
    rig = person()
    was = standing(rig)
    hold(rig, *FEET)
    pull(rig, "hand.L", was["spine.006"] + [0.02, -0.14, 0.02])
    solve(rig)
    assert moved(rig, was, "spine") < 0.03


@pytest.mark.parametrize("place", [(0.12, -0.45, 0.08), (0.15, -0.85, 0.8)], ids=["floor", "far forward"])
def test_far_down_and_forward_the_trunk_bows_over_the_feet(place):
    rig = person()
    hold(rig, *FEET)
    pull(rig, "hand.L", place)
    solve(rig)
    assert 40 < trunk(rig) < 85 and overhang(rig) < 0.1
    assert bend(rig, "thigh.L", "shin.L") < 130


@pytest.mark.parametrize("place", [("shin.L", (0, 0, 0.1)), ("foot.L", (0.0, -0.05, 0.15))])
def test_seated_the_hips_do_not_slide(place):
    rig = person()
    for side in "LR":
        for bone, degrees in ((f"thigh.{side}", -85), (f"shin.{side}", 85)):
            rig.pose.bones[bone].rotation_quaternion = Quaternion((1, 0, 0), np.radians(degrees))
    was = standing(rig)
    hold(rig, *FEET)
    pull(rig, "hand.L", was[place[0]] + np.array(place[1]))
    solve(rig)
    assert moved(rig, was, "spine") < 0.05


def test_hips_go_down_with_the_knees_over_the_toes():
    rig = person()
    was = standing(rig)
    hold(rig, *FEET)
    pull(rig, "spine", was["spine"] - [0, 0, 0.35], point="HEAD")
    solve(rig)
    knee, toe = ends(rig, "shin.L")[0], ends(rig, "foot.L")[1]
    assert abs(knee[0] - toe[0]) < 0.05 and knee[1] < toe[1]
    assert trunk(rig) < 25


@pytest.mark.parametrize("unit", ["turned", "moved", "large", "renamed"])
def test_it_does_not_matter_where_how_large_and_how_named_the_figure_is(unit):
    turns = []
    for change in (False, True):
        rig = person()
        if change and unit == "turned":
            rig.rotation_euler.z = 2.0
        if change and unit == "moved":
            rig.location = (30.0, -4.0, 1.0)
        if change and unit == "large":
            rig.scale = (10.0,) * 3
        bpy.context.view_layer.update()
        names = ["foot.L", "foot.R", "hand.L"]
        place = rig.matrix_world @ Vector((0.25, -0.6, 0.7))
        if change and unit == "renamed":
            for number, bone in enumerate(list(rig.data.bones)):
                names = [f"b{number}" if name == bone.name else name for name in names]
                bone.name = f"b{number}"
        hold(rig, *names[:2])
        pull(rig, names[2], place)
        solve(rig)
        turns.append([np.array(bone.matrix_basis.to_quaternion()) for bone in rig.pose.bones])
    np.testing.assert_allclose(turns[1], turns[0], atol=2e-3)


def test_balance_and_keep_hips_are_switched_off_by_their_settings():
    leaned = []
    for balance in (True, False):
        rig = person(balance=balance)
        hold(rig, *FEET)
        pull(rig, "hand.L", (0.15, -0.85, 0.8))
        solve(rig)
        leaned.append(overhang(rig))
    assert leaned[1] > leaned[0] + 0.03
    slid = []
    for keep in (True, False):
        rig = person(keep_hips=keep)
        for side in "LR":
            for bone, degrees in ((f"thigh.{side}", -85), (f"shin.{side}", 85)):
                rig.pose.bones[bone].rotation_quaternion = Quaternion((1, 0, 0), np.radians(degrees))
        was = standing(rig)
        hold(rig, *FEET)
        pull(rig, "hand.L", was["foot.L"] + [0.0, -0.05, 0.15])
        solve(rig)
        slid.append(moved(rig, was, "spine"))
    assert slid[1] > slid[0] + 0.03


def test_even_effort_does_without_the_objective():
    rig = person(effort="EVEN")
    plan = module("control.frame.plan").read_plan
    hold(rig, "hand.L")
    assert plan(rig, bpy.context).natural is False
    rig.articulate.solver.effort = "WEIGHT"
    assert plan(rig, bpy.context).natural is True


def test_stiffness_and_keep_posture_of_a_bone_count_on_top():
    bends = []
    for stiff, keep in ((0.0, 1.0), (0.95, 1.0), (0.95, 0.05)):
        rig = person()
        bone = rig.pose.bones["forearm.L"]
        bone.ik_stiffness_x = bone.ik_stiffness_y = bone.ik_stiffness_z = stiff
        bone.articulate.posture = keep
        was = bend(rig, "upper_arm.L", "forearm.L")
        hold(rig, *FEET)
        pull(rig, "hand.L", ends(rig, "hand.L")[1] + [-0.15, -0.15, 0.1])
        solve(rig)
        bends.append(abs(bend(rig, "upper_arm.L", "forearm.L") - was))
    assert bends[1] < bends[0] - 10 and abs(bends[2] - bends[0]) < 2


@pytest.mark.parametrize("degrees", [5, 30])
def test_a_bake_follows_targets_that_spin(degrees):
    """Five targets turn about the vertical and walk: the hips keep up, whatever the figure starts from."""
    rig = person()
    bones = ["hand.L", "hand.R", "foot.L", "foot.R", "spine.006"]
    pivot = np.array(rig.pose.bones["spine"].head)
    for bone in bones:
        place = ends(rig, bone)[1]
        bpy.ops.articulate.effector_add(bone=bone, kind="POSITION")
        target = next(e for e in rig.articulate.effectors if e.bone == bone).target
        for frame in range(1, 13):
            angle = np.radians(degrees * frame)
            turned = np.array(Quaternion((0, 0, 1), angle) @ Vector(place - pivot)) + pivot
            target.location = turned + np.array([0.02 * frame, 0, 0])
            target.keyframe_insert("location", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=12)
    rest = np.array(rig.data.bones["spine"].matrix_local.to_3x3())
    for frame in range(1, 13):
        bpy.context.scene.frame_set(frame)
        hips = np.array(rig.pose.bones["spine"].matrix.to_3x3())
        true = np.array(Quaternion((0, 0, 1), np.radians(degrees * frame)).to_matrix()) @ rest
        off = np.degrees(np.arccos(np.clip((np.trace(true.T @ hips) - 1) / 2, -1, 1)))
        assert off < 1.0, frame
    misses = [effector["worst"] for effector in rig.articulate.report["effectors"].values()]
    assert max(misses) < 2e-3


def test_a_relaxed_stance_is_one_click():
    rig = person()
    bpy.ops.articulate.relaxed_stance()
    for side in "LR":
        shoulder, elbow, _, wrist = ends(rig, f"upper_arm.{side}", f"forearm.{side}")
        arm = elbow - shoulder
        assert np.degrees(np.arcsin(-arm[2] / np.linalg.norm(arm))) == pytest.approx(70, abs=1)
        assert bend(rig, f"upper_arm.{side}", f"forearm.{side}") == pytest.approx(15, abs=1)
        assert wrist[1] < elbow[1]
        assert bend(rig, f"thigh.{side}", f"shin.{side}") == pytest.approx(14, abs=1)
        foot = rig.pose.bones[f"foot.{side}"]
        rest = rig.data.bones[foot.name].matrix_local
        np.testing.assert_allclose(foot.matrix.to_3x3(), rest.to_3x3(), atol=1e-3)


@pytest.mark.parametrize("name", ["wolf", "shark"])
def test_what_does_not_stand_on_two_legs_has_no_relaxed_stance(name):
    rig = metarig_clips.metarig(name)
    before = [bone.matrix_basis.copy() for bone in rig.pose.bones]
    with pytest.raises(RuntimeError, match="two legs"):
        bpy.ops.articulate.relaxed_stance()
    assert [bone.matrix_basis for bone in rig.pose.bones] == before


def test_a_relaxed_stance_that_would_not_be_shown_is_refused():
    rig = person()
    rig.data.pose_position = "REST"
    with pytest.raises(RuntimeError, match="'metarig' is shown in its rest position"):
        bpy.ops.articulate.relaxed_stance()


@pytest.mark.parametrize("source", ["AUTO", "POSE"])
def test_a_figure_in_rest_pose_is_baked_as_it_stands_at_ease(source):
    """The targets are those of a relaxed stance elsewhere: only that posture gives it back."""
    rig = person(posture_from=source)
    bpy.ops.articulate.relaxed_stance()
    bones = ["hand.L", "hand.R", *FEET, "spine.006"]
    places = {bone: ends(rig, bone)[1] + [0.3, -0.2, 0.0] for bone in bones}
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    for bone, place in places.items():
        pull(rig, bone, place)
    bpy.ops.articulate.bake(frame_start=1, frame_end=2)
    bpy.context.scene.frame_set(2)
    assert (abs(bend(rig, "upper_arm.L", "forearm.L") - 15) < 2) == (source == "AUTO")


def _reach_from_rest(rig):
    """The rest pose, with hands that should come to where they are; the ends of the arms there."""
    true = ends(rig, "forearm.L", "hand.L", "forearm.R", "hand.R")
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    hold(rig, *FEET)
    pull(rig, "hand.L", true[3])
    pull(rig, "hand.R", true[7])
    return true


def _swing(rig, share):
    """Elbows out and up, as this character always holds them: from the side to the front."""
    for side, sign in (("L", 1), ("R", -1)):
        arm, fore = (rig.pose.bones[f"{bone}.{side}"] for bone in ("upper_arm", "forearm"))
        arm.rotation_quaternion = Quaternion((0, 0, 1), sign * (0.2 + 0.7 * share)) @ Quaternion(
            (0, 1, 0), sign * 1.0
        )
        fore.rotation_quaternion = Quaternion((1, 0, 0), 0.7 + 0.8 * share)


def _take(rig, name, *, moves=True):
    rig.animation_data_create().action = bpy.data.actions.new(name)
    for frame in range(1, 13):
        if moves:
            _swing(rig, (frame - 1) / 11)
        for bone in ("upper_arm.L", "upper_arm.R", "forearm.L", "forearm.R"):
            rig.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=frame)
    rig.animation_data.action = None
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()


@pytest.mark.parametrize("how", ["solve", "bake", "live"])
def test_a_posture_from_actions_bends_the_elbows_as_the_character_does(how):
    off = {}
    for source in ("AUTO", "ACTIONS"):
        rig = person(posture_from="AUTO")
        _take(rig, "Acting")
        _swing(rig, 0.55)
        true = _reach_from_rest(rig)
        rig.articulate.solver.posture_from = source
        if how == "live":
            rig.articulate.live = True
            bpy.context.scene.frame_set(3)
        elif how == "bake":
            bpy.ops.articulate.bake(frame_start=1, frame_end=3)
            bpy.context.scene.frame_set(3)
        else:
            solve(rig)
        now = ends(rig, "forearm.L", "hand.L", "forearm.R", "hand.R")
        assert np.linalg.norm((now - true)[[3, 7]], axis=1).max() < 1e-3
        off[source] = np.linalg.norm((now - true)[[0, 4]], axis=1).mean()
    assert off["ACTIONS"] < 0.5 * off["AUTO"], off


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"posture_from": "ACTIONS"}, "no other action poses"),
        ({"posture_from": "LIBRARY"}, "no pose asset poses"),
        ({"posture_from": "ACTIONS", "posture_actions": "walk, run"}, "'walk, run' in its name"),
    ],
)
def test_a_posture_from_actions_needs_some(told, message):
    rig = person(**told)
    if "posture_actions" in told:
        _take(rig, "Acting")
    hold(rig, *FEET)
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.articulate.solve()


@pytest.mark.parametrize(
    "chosen", [{"posture_from": "LIBRARY"}, {"posture_from": "ACTIONS", "posture_actions": "run, ACT"}]
)
def test_only_chosen_actions_make_the_posture(chosen):
    """The action that is a pose asset, or that is named, decides; the other holds the arms down."""
    off = {}
    for source in ({"posture_from": "AUTO"}, chosen):
        rig = person(**source)
        _take(rig, "Acting")
        bpy.data.actions["Acting"].asset_mark()
        _take(rig, "Resting", moves=False)
        _swing(rig, 0.55)
        true = _reach_from_rest(rig)
        solve(rig)
        now = ends(rig, "forearm.L", "hand.L", "forearm.R", "hand.R")
        off[source["posture_from"]] = np.linalg.norm((now - true)[[0, 4]], axis=1).mean()
    assert off[chosen["posture_from"]] < 0.5 * off["AUTO"], off
    found = module("bridge.animation").other_actions(
        rig, chosen.get("posture_actions", ""), assets=chosen["posture_from"] == "LIBRARY"
    )
    assert [action.name for action in found] == ["Acting"]


def test_the_slots_of_an_action_are_poses_by_themselves():
    rig, actions = person(), []
    bone, animated = rig.pose.bones["upper_arm.L"], rig.animation_data_create()
    for name, turn in (("A", 0.5), ("B", -0.5)):
        if not actions or not hasattr(animated, "action_slot"):  # Blender 4.2 needs an action each
            actions.append(bpy.data.actions.new(name))
            animated.action = actions[-1]
        if hasattr(animated, "action_slot"):
            animated.action_slot = actions[0].slots.new("OBJECT", name)
        for each in rig.pose.bones:
            each.rotation_mode, each.rotation_quaternion = "QUATERNION", (1.0, 0.0, 0.0, turn)
            each.keyframe_insert("rotation_quaternion", frame=1)
    bones = module("bridge.armature").read_bones(rig)
    poses = module("bridge.animation").action_poses(actions, bones)
    turns = poses["rotation_quaternion"][:, bones.index[bone.name], 3]
    np.testing.assert_allclose(np.sort(turns), [-0.5, 0.5])
