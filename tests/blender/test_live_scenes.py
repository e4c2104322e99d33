# SPDX-License-Identifier: GPL-3.0-or-later
"""Live goes on whatever happens to the armature, its data, its scene and its view layers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from addon_scenes import animate, arm, miss, reach

LEFT, RIGHT = (2.5, 0.5, 3.0), (-1.5, 2.0, 3.0)
OFF = "switched off in the scene"


@pytest.fixture
def rig() -> bpy.types.Object:
    return live("Figure")


def live(name: str) -> bpy.types.Object:
    rig = arm(5)
    rig.name = name
    animate(reach(rig, "b4", LEFT), {1: LEFT, 12: RIGHT})
    rig.articulate.live = True
    follows(rig)
    return rig


def follows(rig: bpy.types.Object) -> None:
    """Whether it is at its target in every frame, and says nothing."""
    for frame in (2, 7, 4):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "b4") < 1e-3
    assert rig.articulate.message == ""


def into_collection(rig: bpy.types.Object) -> bpy.types.Collection:
    collection = bpy.data.collections.new("Apart")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(rig)
    bpy.context.scene.collection.objects.unlink(rig)
    bpy.context.view_layer.update()
    return collection


def exclude(rig: bpy.types.Object, off: bool) -> None:
    bpy.context.view_layer.layer_collection.children["Apart"].exclude = off


def hide_collection(rig: bpy.types.Object, off: bool) -> None:
    bpy.data.collections["Apart"].hide_viewport = off


def hide_object(rig: bpy.types.Object, off: bool) -> None:
    rig.hide_viewport = off


@pytest.mark.parametrize("switch", [exclude, hide_collection, hide_object])
def test_switched_off_and_on_again(rig, switch: Callable[[bpy.types.Object, bool], None]):
    into_collection(rig)
    follows(rig)
    switch(rig, True)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(3)
    assert OFF in rig.articulate.message
    switch(rig, False)
    bpy.context.view_layer.update()
    follows(rig)


def test_hidden_by_the_eye_it_goes_on(rig):
    rig.hide_set(True)
    follows(rig)


def test_renamed_with_its_target(rig):
    other = arm(2)
    rig.name, other.name = "Somebody", "Figure"  # the name passes to another one
    rig.articulate.effectors["b4"].target.name = "Goal"
    follows(rig)


def test_taken_out_of_the_scene_and_put_back(rig):
    bpy.context.scene.collection.objects.unlink(rig)
    bpy.context.scene.frame_set(3)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.update()
    follows(rig)


def test_two_objects_of_one_armature(rig):
    twin = rig.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.location = (4.0, 0.0, 0.0)
    target = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(target)
    twin.articulate.effectors["b4"].target = target
    animate(target, {1: (6.0, 0.5, 3.0), 12: (3.0, 2.0, 3.0)})
    follows(rig)
    follows(twin)
    twin.data = twin.data.copy()
    bpy.context.view_layer.update()
    follows(twin)
    follows(rig)


def test_edit_mode_while_live(rig):
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.scene.frame_set(5)
    assert "Edit Mode" in rig.articulate.message
    bone = rig.data.edit_bones["b4"]
    bone.tail = bone.tail + 0.5 * (bone.tail - bone.head)
    more = rig.data.edit_bones.new("more")
    more.head, more.tail = (0.0, 0.0, 9.0), (0.0, 0.0, 10.0)
    bpy.context.scene.frame_set(6)
    bpy.ops.object.mode_set(mode="OBJECT")
    follows(rig)


def test_rest_position_and_back(rig):
    rig.data.pose_position = "REST"
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(5)
    assert "rest position" in rig.articulate.message
    rig.data.pose_position = "POSE"
    bpy.context.view_layer.update()
    follows(rig)


def test_another_armature_in_its_place(rig):
    was, rig.data = rig.data, arm(3).data
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(5)
    assert "no bone 'b4'" in rig.articulate.message
    rig.data = was
    bpy.context.view_layer.update()
    follows(rig)


def test_a_target_that_is_no_number_for_a_while(rig):
    target = rig.articulate.effectors["b4"].target
    target.animation_data_clear()
    target.location.x = float("nan")
    bpy.context.view_layer.update()
    assert "must consist of finite numbers" in rig.articulate.message
    target.location = (1.0, 1.0, 2.0)
    bpy.context.view_layer.update()
    follows(rig)


def test_two_scenes(rig):
    other = bpy.data.scenes.new("Other")
    for thing in (rig, rig.articulate.effectors["b4"].target):
        other.collection.objects.link(thing)
    other.frame_set(9)
    follows(rig)
    bpy.ops.scene.new(type="FULL_COPY")
    (copy,) = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]
    assert copy != rig
    follows(copy)


def test_a_view_layer_without_it(rig, tmp_path: Path):
    """Where it is not, nobody misses it, and the others are solved there all the same; so in renders."""
    into_collection(rig)
    lacking = bpy.context.scene.view_layers.new("Without")
    lacking.layer_collection.children["Apart"].exclude = True
    follows(rig)
    other = live("Later")
    follows(rig)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    scene, render = bpy.context.scene, bpy.context.scene.render
    scene.camera, render.engine, render.filepath = camera, "CYCLES", str(tmp_path / "f")
    render.resolution_x = render.resolution_y = 8
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    seen: list[tuple[str, float]] = []

    def look(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        if depsgraph.mode == "RENDER":
            depsgraph.update()
            one = bpy.data.objects["Later"].evaluated_get(depsgraph)
            wanted = one.articulate.effectors["b4"].target.evaluated_get(depsgraph).matrix_world.translation
            end = one.matrix_world @ one.pose.bones["b4"].tail
            seen.append((depsgraph.view_layer.name, (end - wanted).length))

    bpy.app.handlers.frame_change_post.append(look)
    try:
        scene.frame_start = scene.frame_end = 6
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    assert {name for name, _ in seen} == {"ViewLayer", "Without"} and max(off for _, off in seen) < 1e-3
    follows(rig)
    follows(other)


def test_one_that_cannot_be_solved_holds_up_no_other(rig, capfd):
    """In a render, where the sentence goes to the console."""
    bad = live("A bad one")
    bad.data.bones["b4"].name = "kept"
    bad.articulate.effectors[0].bone = "gone"
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(3)
    assert "gone" in bad.articulate.message
    assert miss(rig, "b4") < 1e-3
    seen: list[float] = []

    def look(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        if depsgraph.mode == "RENDER":
            depsgraph.update()
            one = bpy.data.objects["Figure"].evaluated_get(depsgraph)
            wanted = one.articulate.effectors["b4"].target.evaluated_get(depsgraph).matrix_world.translation
            seen.append((one.matrix_world @ one.pose.bones["b4"].tail - wanted).length)

    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    scene, render = bpy.context.scene, bpy.context.scene.render
    scene.camera, render.engine = camera, "CYCLES"
    render.resolution_x = render.resolution_y = 8
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    bpy.app.handlers.frame_change_post.append(look)
    try:
        bpy.ops.render.render()
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    assert seen and max(seen) < 1e-3
    said = capfd.readouterr()
    assert "gone" in said.out + said.err


def test_live_takes_no_keys(rig):
    with pytest.raises(TypeError):
        rig.articulate.keyframe_insert("live")
