# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes from frame to frame under a bake, and what a bake owes to everything else."""

from __future__ import annotations

from contextlib import nullcontext

import bpy
import installed
import pytest
from addon_scenes import animate, arm, miss, reach, snapshot


def reaching() -> bpy.types.Object:
    rig = arm()
    animate(reach(rig, "b3", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 8: (1.0, 1.0, 2.0)})
    bpy.context.scene.frame_set(1)
    return rig


def empty(name: str) -> bpy.types.Object:
    made = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(made)
    return made


def constrain(rig: bpy.types.Object, kind: str, influences: dict[int, float]) -> bpy.types.Constraint:
    """A constraint on b2 that comes or goes with the frames."""
    made = rig.pose.bones["b2"].constraints.new(kind)
    if hasattr(made, "target"):
        made.target = empty("Other")
    for frame, value in influences.items():
        made.influence = value
        made.keyframe_insert("influence", frame=frame)
    return made


def worst_shown(rig: bpy.types.Object, frames: range) -> float:
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(miss(rig, "b3"))
    return max(found)


@pytest.mark.parametrize("kind", ["COPY_ROTATION", "IK"])
def test_a_constraint_that_comes_on_in_a_later_frame_is_refused_with_that_frame(kind: str) -> None:
    rig = reaching()
    constrain(rig, kind, {1: 0.0, 4: 0.0, 5: 1.0})
    bpy.context.scene.frame_set(1)
    before = snapshot(rig)
    with pytest.raises(RuntimeError, match=r"frame 5.*Constraint .* of bone 'b2' .*override"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    assert snapshot(rig) == before
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=4) == {"FINISHED"}


def test_a_constraint_that_is_off_in_the_range_is_no_reason_to_refuse() -> None:
    rig = reaching()
    constrain(rig, "COPY_ROTATION", {1: 0.0, 8: 0.0, 9: 1.0})
    bpy.context.scene.frame_set(12)
    bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    assert worst_shown(rig, range(1, 9)) < 1e-3


def test_errors_are_those_that_blender_shows_where_a_limit_acts_in_some_frames() -> None:
    rig = reaching()
    limit = constrain(rig, "LIMIT_ROTATION", {1: 0.0, 4: 0.0, 5: 1.0})
    limit.use_limit_x = limit.use_limit_z = True
    limit.owner_space = "LOCAL"
    bpy.context.scene.frame_set(1)
    bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    shown, row = worst_shown(rig, range(1, 9)), rig.articulate.report["effectors"]["b3"]
    assert shown > 0.05 and row["worst"] == pytest.approx(shown, abs=1e-4)
    assert row["worst_frame"] >= 5 and "Limit Rotation" in row["message"]


def test_an_animated_rotation_mode_is_refused_where_it_changes() -> None:
    rig = reaching()
    bone = rig.pose.bones["b1"]
    for frame, mode in ((1, "QUATERNION"), (6, "XYZ")):
        bone.rotation_mode = mode
        bone.keyframe_insert("rotation_mode", frame=frame)
    bpy.context.scene.frame_set(1)
    before = snapshot(rig)
    with pytest.raises(RuntimeError, match=r"frame 6.*'b1'.*XYZ.*QUATERNION"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    assert snapshot(rig) == before
    bpy.ops.articulate.bake(frame_start=1, frame_end=5)
    assert worst_shown(rig, range(1, 6)) < 1e-3


def test_what_only_selected_bones_leave_short_is_reported() -> None:
    rig = reaching()
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == "b3"
    bpy.ops.articulate.bake(frame_start=1, frame_end=8, only_selected=True)
    shown, row = worst_shown(rig, range(1, 9)), rig.articulate.report["effectors"]["b3"]
    assert shown > 0.1 and row["worst"] == pytest.approx(shown, abs=1e-4)
    assert "'b0' and 2 more" in rig.articulate.report["message"] and "selected" in row["message"]


@pytest.mark.parametrize("fails", [True, False])
def test_a_bake_gives_back_what_was_moved_by_hand_and_not_keyed(fails: bool) -> None:
    rig = reaching()
    rig.keyframe_insert("scale", frame=4)
    rig.scale = (1, 2 if fails else 1, 1)
    rig.keyframe_insert("scale", frame=5)
    target = rig.articulate.effectors["b3"].target
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.collection.objects.link(camera)
    marked = empty("Marked")
    marked['a "mark"'] = 1.0
    material = bpy.data.materials.new("Skin")
    if material.node_tree is None:
        material.use_nodes = True
    shade = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED").inputs[0]
    keyed = (
        (camera, "location"),
        (marked, '["a \\"mark\\""]'),
        (camera.data, "lens"),
        (shade, "default_value"),
    )
    for thing, path in keyed:
        thing.keyframe_insert(path, frame=1)
    camera.data.lens = 80.0
    camera.data.keyframe_insert("lens", frame=8)
    bpy.context.scene.frame_set(1)
    target.location.x += 0.3
    camera.location = (1.0, 2.0, 3.0)
    marked['a "mark"'] = 7.0
    camera.data.lens = 99.0
    shade.default_value = (0.1, 0.2, 0.3, 1.0)

    def by_hand() -> list[float]:
        held = (
            *target.location,
            *camera.location,
            marked['a "mark"'],
            camera.data.lens,
            *shade.default_value,
        )
        return [float(value) for value in held]

    follower = empty("Follower")
    driver = follower.driver_add("location", 0).driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = marked, '["a \\"mark\\""]'
    bpy.context.view_layer.update()
    before = by_hand()
    with pytest.raises(RuntimeError, match=r"frame 5.*scale") if fails else nullcontext():
        bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    assert by_hand() == before
    bpy.context.view_layer.update()
    assert follower.matrix_world.translation.x == 7.0
    bpy.context.scene.frame_set(8)
    assert camera.data.lens == 80.0


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_failure_while_writing_gives_back_a_pose_that_was_set_by_hand(
    monkeypatch: pytest.MonkeyPatch, overwrite: bool
) -> None:
    rig = reaching()
    for bone in rig.pose.bones:
        bone.keyframe_insert("rotation_quaternion", frame=1)
    rig.pose.bones["b1"].rotation_quaternion = (0.5, 0.5, 0.5, 0.5)
    before = snapshot(rig)
    action = installed.module("bridge.action")
    write = action._write

    def fail(armature: bpy.types.Object, curve: object, *rest: object) -> None:
        if curve.bone == "b2":  # type: ignore[attr-defined]
            raise OSError("no more room")
        write(armature, curve, *rest)

    monkeypatch.setattr(action, "_write", fail)
    control = installed.module("control.bake.bake")
    options = control.BakeOptions(frame_start=1, frame_end=8, use_current_action=overwrite)
    with pytest.raises(OSError, match="no more room"):
        control.Bake(rig, bpy.context, options).run(bpy.context)
    bpy.context.view_layer.update()
    assert snapshot(rig) == before
