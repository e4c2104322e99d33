# SPDX-License-Identifier: GPL-3.0-or-later
"""Root at Automatic: it moves where the figure is held from several sides, or where its hips are placed."""

from __future__ import annotations

from pathlib import Path

import addon_utils
import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, miss, place, solve_by
from bridge_rigs import metarig
from standing_figures import build, game_person, robot_arm, snake, spider

drag = installed.module("control.drag.drag")
FEET = ("foot.L", "foot.R")


def head(rig: bpy.types.Object, bone: str) -> np.ndarray:
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(shown.matrix_world @ shown.pose.bones[bone].head)


def solved(rig: bpy.types.Object, bone: str) -> float:
    """Metres by which a solve moves the head of a bone."""
    before = head(rig, bone)
    bpy.ops.articulate.solve()
    return float(np.linalg.norm(head(rig, bone) - before))


def said() -> str:
    """What the button beside Root says."""
    return installed.module("control.frame.root").describe_root(bpy.context.object)


def test_effectors_on_feet_and_hips_let_the_hips_move():
    rig = metarig()
    assert rig.articulate.solver.root == "AUTO"
    for foot in FEET:
        place(rig, foot)
    place(rig, "spine", (0.0, 0.0, -0.3))
    assert solved(rig, "spine") > 0.25
    assert rig.articulate.report["status"] == "REACHED"
    assert max(miss(rig, bone) for bone in (*FEET, "spine")) < 1e-3
    assert "root" not in rig.articulate.message


@pytest.mark.parametrize(
    ("bones", "by"),
    [
        (("hand.L",), (0.3, -0.8, 0.5)),
        (("hand.L",), (3.0, 0.0, 0.0)),
        (("hand.L", "hand.R"), (0.0, -1.0, 0.3)),
        (("hand.L", "f_index.01.L"), (0.0, -0.3, 0.0)),
        (("hand.L", "hand.R", "spine.006"), (0.0, -0.6, 0.0)),
    ],
)
def test_limbs_that_hang_together_do_not_slide_the_figure(bones: tuple[str, ...], by: tuple):
    rig = metarig()
    for bone in bones:
        place(rig, bone, by)
    assert solved(rig, "spine") < 1e-6
    assert "stays" in said()


def lowered(rig: bpy.types.Object, by: float) -> None:
    """Lower the hips by some metres, as an animator does."""
    hips = rig.pose.bones["spine"]
    matrix = hips.matrix.copy()
    matrix.translation.z -= by
    hips.matrix = matrix
    bpy.context.view_layer.update()


@pytest.mark.parametrize("placed", [FEET, FEET[:1]])
@pytest.mark.parametrize("low", [0.0, 0.3])
def test_feet_alone_leave_the_hips_where_they_are_while_the_legs_reach(placed: tuple, low: float):
    rig = metarig()
    for foot in placed:
        place(rig, foot, (0.0, -0.2, 0.1))
    lowered(rig, low)
    assert solved(rig, "spine") < 1e-3
    assert rig.articulate.report["status"] == "REACHED"
    assert "stays as far as the legs reach" in said()


@pytest.mark.solver
@pytest.mark.parametrize("way", ["solve", "live", "bake"])
@pytest.mark.parametrize("step", [(0.0, -0.6, 0.0), (0.4, 0.0, 0.0), (0.0, 0.7, 0.0)])
@pytest.mark.parametrize("placed", [FEET, FEET[:1]])
def test_a_step_too_far_for_the_legs_takes_the_hips_along_upright(placed: tuple, step: tuple, way: str):
    rig = metarig()
    for foot in placed:
        place(rig, foot, step if foot == "foot.L" else (0.0, 0.0, 0.0))
    solve_by(rig, way)
    assert max(miss(rig, foot) for foot in placed) < 1e-3
    trunk = head(rig, "spine.006") - head(rig, "spine")
    assert trunk[2] > np.cos(np.radians(25.0)) * np.linalg.norm(trunk)
    across = head(rig, "thigh.L") - head(rig, "thigh.R")
    assert across[0] > np.cos(np.radians(15.0)) * np.linalg.norm(across), "the hips keep their heading"


def test_a_method_without_posture_objective_leaves_the_hips_to_feet_alone():
    rig = metarig("basic")
    rig.articulate.solver.method = "damped"
    for foot in FEET:
        place(rig, foot, (0.0, -0.2, 0.1))
    assert solved(rig, "spine") < 1e-6
    assert said().startswith("The root stays: ")


@pytest.mark.parametrize("pair", [("hand.L", "foot.R"), ("spine.006", "foot.L")])
def test_limbs_that_part_at_the_hips_let_them_move(pair: tuple[str, str]):
    rig = metarig()
    place(rig, pair[0], (0.0, 0.0, 0.1))
    place(rig, pair[1], (0.0, -0.7, 0.1))
    assert solved(rig, "spine") > 0.01
    assert said().startswith(f"The root moves: {pair[0]} and {pair[1]} ")


def test_pins_count_as_effectors_do():
    rig = metarig()
    for foot in FEET:
        bpy.ops.articulate.pin(bone=foot)
    place(rig, "hand.L", (0.0, -1.0, -0.6))
    assert solved(rig, "spine") > 0.05
    assert max(np.abs(rig.articulate.effectors[foot].error) for foot in FEET) < 1e-3


def test_what_has_no_influence_does_not_count_unless_it_is_animated():
    rig = metarig()
    place(rig, "hand.L", (1.0, -1.0, 0.0))
    place(rig, "foot.L")
    foot = rig.articulate.effectors["foot.L"]
    for switch, off, on in (("enabled", False, True), ("influence", 0.0, 1.0), ("weight", 0.0, 1.0)):
        setattr(foot, switch, off)
        assert "stays" in said(), switch
        setattr(foot, switch, on)
        assert "moves" in said(), switch
    foot.chain_root = "thigh.L"
    assert "stays" in said(), "it places no more than its leg"
    foot.chain_root = ""
    foot.keyframe_insert("influence", frame=1)
    assert "stays" in said(), "where it lets go, the hand would slide the figure"
    place(rig, "spine")
    rig.articulate.effectors["spine"].influence = 0.0
    assert "stays" in said()
    rig.articulate.effectors["spine"].keyframe_insert("influence", frame=1)
    assert "moves" in said()


def test_only_what_has_a_place_counts():
    rig = metarig()
    place(rig, "hand.L", (0.0, -1.0, 0.0))
    add("spine", "ORIENTATION")
    add("foot.L", "ORIENTATION")
    assert solved(rig, "spine") < 1e-6


@pytest.mark.parametrize("down", [False, True])
def test_a_robot_arm_stays_on_its_foundation(down: bool):
    rig = build(robot_arm(down))
    for finger in ("f1.2", "f-1.2"):
        place(rig, finger, (0.5, 0.4, 0.0))
    assert solved(rig, "link.1") < 1e-6


def test_a_snake_held_at_its_head_only_stays_and_follows_an_effector_at_its_root():
    rig = build(snake())
    place(rig, "s.16", (2.0, 3.0, 0.0))
    assert solved(rig, "s.1") < 1e-6
    place(rig, "s.1", (0.5, 0.0, 0.0))
    assert solved(rig, "s.1") > 0.1


def test_animals_on_many_legs():
    rig = build(spider())
    place(rig, "body.2")
    assert "stays" in said()
    place(rig, "l0.3")
    assert "moves" in said()
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_wolf_metarig_add()
    wolf = bpy.context.object
    place(wolf, "spine.011", (0.0, -0.2, -0.3))
    assert solved(wolf, "spine.004") < 1e-6, "it grazes where it stands"
    for paw in ("front_foot.L", "foot.R"):
        place(wolf, paw)
    assert "moves" in said()


def test_a_game_character_moves_by_its_hips_and_keeps_the_bone_on_the_ground():
    rig = build(game_person())
    names = [bone.name for bone in rig.data.bones]
    top = rig.data.bones[0].name
    for foot in ("c.3", "e.3"):
        assert foot in names
        place(rig, foot)
    place(rig, "a.1", (0.0, 0.0, -0.2))
    before = head(rig, top)
    assert solved(rig, "a.1") > 0.15
    assert np.linalg.norm(head(rig, top) - before) < 1e-6


def test_live_and_bake_move_the_hips_as_solve_does():
    poses = []
    for way in ("solve", "live", "bake"):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        rig = metarig("basic")
        for foot in FEET:
            place(rig, foot)
        place(rig, "spine", (0.0, 0.0, -0.2))
        solve_by(rig, way)
        assert max(miss(rig, bone) for bone in (*FEET, "spine")) < 1e-3
        poses.append(head(rig, "spine"))
    assert all(pose[2] < 0.85 for pose in poses)
    assert np.abs(poses[1] - poses[2]).max() < 1e-3


def test_a_live_figure_notices_that_an_effector_counts():
    rig = metarig("basic")
    place(rig, "hand.L", (0.0, -1.5, 0.0))
    place(rig, "spine", (0.0, -0.3, 0.0))
    rig.articulate.effectors["spine"].influence = 0.0
    rig.articulate.live = True
    bpy.context.view_layer.update()
    before = head(rig, "spine")
    rig.articulate.effectors["spine"].influence = 1.0
    bpy.context.view_layer.update()
    assert np.linalg.norm(head(rig, "spine") - before) > 0.2


def test_feet_that_are_held_step_by_step_leave_the_hips_their_motion():
    """As a clip is mended: the influence of the feet is keyed, and that of a hand is not."""
    rig = metarig("basic")
    for foot in FEET:
        place(rig, foot)
    for frame, way in ((1, 0.0), (20, 0.2)):
        rig.pose.bones["spine"].location.z = way
        rig.pose.bones["spine"].keyframe_insert("location", frame=frame)
    place(rig, "hand.L", (0.0, -0.2, 0.0))
    for frame, value in ((4, 0.0), (8, 1.0), (12, 1.0), (16, 0.0)):
        for foot in FEET:
            rig.articulate.effectors[foot].influence = value
            rig.articulate.effectors[foot].keyframe_insert("influence", frame=frame)
    before = []
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        before.append(head(rig, "spine"))
    bpy.ops.articulate.bake(frame_start=1, frame_end=20)
    for frame, place_before in enumerate(before, 1):
        bpy.context.scene.frame_set(frame)
        assert np.abs(head(rig, "spine") - place_before).max() < 1e-5


def test_drags_keep_their_own_rule():
    rig = metarig("basic")
    bpy.context.view_layer.update()
    assert drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L")).root == "FREE", "it stands on its feet"
    rig.articulate.solver.hold = "ROOT"
    assert drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L")).root == "PINNED"
    assert drag.Drag(rig, bpy.context, drag.Grip(bone="spine")).root == "FREE"
    arm = build(robot_arm())
    bpy.context.view_layer.objects.active = arm
    assert drag.Drag(arm, bpy.context, drag.Grip(bone="link.3")).root == "PINNED"


@pytest.mark.parametrize("root", ["PINNED", "FREE"])
def test_what_a_script_sets_counts(root: str):
    rig = metarig("basic")
    rig.articulate.solver.root = root
    place(rig, "spine", (0.0, 0.0, -0.2))
    assert (solved(rig, "spine") > 0.1) is (root == "FREE")


def test_undo_takes_the_root_along():
    metarig("basic")
    bpy.ops.ed.undo_push(message="set-up")
    bpy.ops.articulate.effector_add("EXEC_DEFAULT", True, bone="spine")
    bpy.ops.ed.undo()
    rig = bpy.context.object
    assert not rig.articulate.effectors and rig.articulate.solver.root == "AUTO"
    bpy.ops.ed.redo()
    rig = bpy.context.object
    assert rig.articulate.solver.root == "AUTO" and "moves" in said()


def reopened(path: Path) -> bpy.types.Object:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")


def test_a_new_rig_is_automatic_after_loading_too(tmp_path: Path):
    rig = metarig("basic")
    path = tmp_path / "new.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert reopened(path).articulate.solver.root == "AUTO", "nothing is set up"
    rig = bpy.context.object
    effector = rig.articulate.effectors.add()  # as a script may
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert reopened(path).articulate.solver.root == "AUTO"
    assert effector is not None


def older(armature: bpy.types.Object) -> None:
    """Make of a rig what a file from before Automatic has: no stored Root."""
    armature.articulate.solver.property_unset("root")


def saved_before(path: Path) -> Path:
    """A file from before Automatic, with an effector."""
    rig = metarig("basic")
    bpy.ops.articulate.effector_add(bone="spine")
    older(rig)
    # what stores Root today is no part of that version
    handlers = list(bpy.app.handlers.save_pre)
    bpy.app.handlers.save_pre.clear()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.app.handlers.save_pre.extend(handlers)
    return path


def test_a_file_from_before_stays_pinned(tmp_path: Path):
    path = saved_before(tmp_path / "older.blend")
    assert reopened(path).articulate.solver.root == "PINNED"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert reopened(path).articulate.solver.root == "PINNED"


def test_a_linked_or_appended_rig_from_before_stays_pinned(tmp_path: Path):
    path = saved_before(tmp_path / "older.blend")
    for link in (False, True):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        with bpy.data.libraries.load(str(path), link=link) as (there, here):
            here.objects = [name for name in there.objects if name in ("metarig", "Metarig")]
        bpy.context.scene.collection.objects.link(here.objects[0])
        bpy.context.view_layer.update()
        assert here.objects[0].articulate.solver.root == "PINNED"


def test_what_a_rig_is_set_up_with_is_stored_at_once():
    """An autosave calls no handler."""
    rig = metarig("basic")
    bpy.ops.articulate.effector_add(bone="spine")
    assert rig.articulate.solver.is_property_set("root")
