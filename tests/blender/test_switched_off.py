# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender does not keep track of what is switched off: nothing is solved from where it was before that."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from addon_scenes import animate, arm, miss, reach
from installed import module

refusal = module("properties.refusal")
evaluated = module("bridge.evaluated")

PLACE = (1.0, 1.0, 2.0)


def put_away(thing: bpy.types.Object) -> bpy.types.Collection:
    """Move an object into a collection of its own."""
    made = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(made)
    for each in thing.users_collection:
        each.objects.unlink(thing)
    made.objects.link(thing)
    bpy.context.view_layer.update()
    return made


def switch_off(thing: bpy.types.Object, how: str) -> None:
    """In one of the ways in which Blender shows an object no longer."""
    layer = bpy.context.view_layer
    if how == "monitor":
        thing.hide_viewport = True
    elif how == "eye":
        thing.hide_set(True)
    else:
        away = put_away(thing)
        if how == "excluded":
            layer.layer_collection.children[away.name].exclude = True
        elif how == "collection's eye":
            layer.layer_collection.children[away.name].hide_viewport = True
        else:
            away.hide_viewport = True


@pytest.mark.parametrize("how", ["monitor", "excluded", "collection's monitor"])
def test_a_target_that_blender_does_not_move_is_refused(how: str) -> None:
    rig = arm()
    target = reach(rig, "b3", PLACE)
    switch_off(target, how)
    target.location.z += 0.2
    with pytest.raises(RuntimeError, match="'Target b3' is switched off in the scene"):
        bpy.ops.articulate.solve()
    with pytest.raises(RuntimeError, match="'Target b3' is switched off in the scene"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=3)


@pytest.mark.parametrize("how", ["eye", "collection's eye"])
def test_what_the_eye_hides_is_followed(how: str) -> None:
    rig = arm()
    target = reach(rig, "b3", PLACE)
    switch_off(target, how)
    target.location.z += 0.2
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-3
    assert rig.articulate.report["status"] == "REACHED"


@pytest.mark.parametrize("needs", ["parent", "constraint", "bone's constraint"])
def test_what_something_shown_follows_is_followed_though_switched_off(needs: str) -> None:
    rig = arm()
    target = reach(rig, "b3", PLACE)
    if needs == "bone's constraint":
        rig.pose.bones["b0"].constraints.new("COPY_SCALE").target = target
    else:
        follower = bpy.data.objects.new("Follower", None)
        bpy.context.scene.collection.objects.link(follower)
        if needs == "parent":
            follower.parent = target
        else:
            follower.constraints.new("COPY_LOCATION").target = target
    switch_off(target, "collection's monitor")
    target.location.z += 0.2
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-3


@pytest.mark.parametrize("how", ["monitor", "collection's monitor"])
def test_an_armature_that_blender_does_not_pose_is_refused(how: str) -> None:
    rig = arm()
    reach(rig, "b3", PLACE)
    switch_off(rig, how)
    with pytest.raises(refusal.Refused, match="Armature 'Rig' is switched off in the scene"):
        module("control.frame.solve").solve_now(rig, bpy.context)


def test_an_armature_that_is_hidden_while_its_skin_is_shown_is_posed() -> None:
    rig = arm()
    reach(rig, "b3", PLACE)
    bpy.ops.mesh.primitive_cube_add()
    skin = bpy.context.object
    skin.vertex_groups.new(name="b3").add(range(8), 1.0, "ADD")
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    rig.hide_viewport = True
    rig.location.x = 0.3
    module("control.frame.solve").solve_now(rig, bpy.context)
    rig.hide_viewport = False
    assert miss(rig, "b3") < 1e-3


@pytest.mark.parametrize(
    ("moves", "hidden", "kept_up"), [(True, True, False), (True, False, True), (False, True, True)]
)
def test_in_renders_the_switches_of_renders_count(
    tmp_path: Path, moves: bool, hidden: bool, kept_up: bool
) -> None:
    rig = arm()
    target = reach(rig, "b3", PLACE)
    if moves:
        animate(target, {1: PLACE, 10: (0.0, 1.0, 2.5)})
    target.hide_render = hidden
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene = bpy.context.scene
    scene.collection.objects.link(camera)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.device = 1, False, "CPU"
    scene.render.resolution_x = scene.render.resolution_y = 4
    scene.frame_start = scene.frame_end = 5
    scene.render.filepath = str(tmp_path / "frame_")
    seen = []

    def handler(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        if depsgraph.mode == "RENDER":
            place = np.array(target.evaluated_get(depsgraph).matrix_world.translation)
            seen.append((evaluated.is_kept_up(target, depsgraph), place))

    before = np.array(target.matrix_world.translation)
    bpy.app.handlers.frame_change_post.append(handler)
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(handler)
    assert [told for told, _ in seen] == [kept_up]
    # and so it is: what is told to be of the moment has moved if it moves, the other one has not
    assert np.allclose(seen[0][1], before) == (not (moves and kept_up))
