# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone a click would select: of any figure in Pose Mode, by the shapes drawn, the nearest first."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import two_arms
from bridge_rigs import chain_rig

picking = installed.module("control.drag.grasp")
under_mouse = installed.module("control.drag.under_mouse")
compat = installed.module("compat")
sight = installed.module("control.drag.view")

WIDTH, HEIGHT, METRE = 800, 600, 100.0
"""A view from the front; the world's origin is in its middle."""
FRONT = sight.Sight(
    projection=np.array(
        [[2 * METRE / WIDTH, 0, 0, 0], [0, 0, 2 * METRE / HEIGHT, 0], [0, 0.01, 0, 0], [0, 0, 0, 1.0]]
    ),
    view=np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]]),
    width=WIDTH,
    height=HEIGHT,
    perspective=False,
)


def under(x: float, z: float, **overlay: bool) -> tuple[str, str, float] | None:
    """Armature, bone and where on it, at a place of the front view, with what is switched off in it."""
    switches = {"show_overlays": True, "show_bones": True, **overlay}
    shading = SimpleNamespace(type="SOLID", show_xray=False, show_xray_wireframe=False)
    view = SimpleNamespace(overlay=SimpleNamespace(**switches), shading=shading)
    bones = [b for rig in bpy.context.objects_in_mode for b in rig.pose.bones if not b.bone.hide]
    context = SimpleNamespace(visible_pose_bones=bones, preferences=bpy.context.preferences, space_data=view)
    pixel = WIDTH / 2 + METRE * x, HEIGHT / 2 + METRE * z
    found = picking.bone_at(context, FRONT, pixel)
    if found is None:
        return None
    along = picking.Grasp((found.name,)).along(found.id_data, FRONT, pixel)
    return found.id_data.name, found.name, along


def ring(bone: bpy.types.PoseBone, radius: float) -> None:
    """A circle about the middle of a bone, across it, as control rigs have it."""
    turns = np.linspace(0.0, 2 * np.pi, 33)[:-1]
    mesh = bpy.data.meshes.new("Ring")
    edges = [(n, (n + 1) % 32) for n in range(32)]
    mesh.from_pydata([(np.cos(turn), 0.0, np.sin(turn)) for turn in turns], edges, [])
    bone.custom_shape = bpy.data.objects.new("Ring", mesh)
    bone.custom_shape_scale_xyz = (radius,) * 3
    bone.custom_shape_translation = (0.0, bone.length / 2, 0.0)
    bone.use_custom_shape_bone_size = False


def pose(*rigs: bpy.types.Object) -> None:
    for rig in rigs:
        rig.select_set(True)
    bpy.context.view_layer.objects.active = rigs[0]
    bpy.ops.object.mode_set(mode="POSE")


@pytest.fixture
def rig() -> bpy.types.Object:
    """A straight chain upwards, in Pose Mode."""
    made = chain_rig(4)
    pose(made)
    return made


def lines(*ends: tuple[tuple[float, float, float], tuple[float, float, float]]) -> object:
    """Bones that are drawn as lines, in pixels and depth."""
    numbers = np.arange(2 * len(ends)).reshape(-1, 2)
    none = np.zeros((0, 3), np.intp)
    thin = np.zeros(len(ends))
    return under_mouse.DrawnBones(
        np.array(ends).reshape(-1, 3), none, numbers, thin, none[:, 0], np.arange(len(ends))
    )


def found(pixel: tuple[float, float], *ends) -> int | None:
    drawn = lines(*ends)
    return under_mouse.nearest_drawn(drawn, drawn.corners, pixel)


def test_of_bones_under_the_mouse_the_nearest_to_the_viewer_is_meant():
    far, near = ((100, 100, 0.9), (200, 100, 0.9)), ((100, 103, 0.1), (200, 103, 0.1))
    assert found((150, 100), far, near) == 1
    assert found((150, 96), far, near) == 0, "Only the far one is within 5 pixels."
    assert found((150, 112), far, near) == 1
    assert found((150, 125), far, near) is None
    assert found((150, 100)) is None


def test_the_last_pixel_of_a_square_counts_by_its_middle_and_lines_are_as_thick_as_drawn():
    bone = ((100, 100, 0.5), (200, 100, 0.5))
    assert found((150, 113), bone) == 0 and found((150, 114), bone) is None
    thick = replace(lines(bone), half_widths=np.array([2.5]))
    for scale, reach in ((1.0, 16), (2.0, 18.5)):
        inside, beyond = ((150, 100 + reach - off) for off in (0.1, -0.1))
        assert under_mouse.nearest_drawn(thick, thick.corners, inside, scale) == 0
        assert under_mouse.nearest_drawn(thick, thick.corners, beyond, scale) is None


def test_a_stick_ends_in_discs(rig):
    rig.data.display_type = "STICK"
    disc, bar = ((13.5 + wide * compat.PICK_STICK) / METRE for wide in (5.0, 2.5))
    for off, meant in ((-1e-3, "b3"), (1e-3, None)):
        assert (under(0.0, 4.0 + disc + off) or (None, None))[1] == meant
        assert (under(bar + off, 3.5) or (None, None))[1] == meant


def test_depth_counts_where_the_mouse_is():
    rising, level = ((100, 100, 0.0), (200, 100, 1.0)), ((100, 100, 0.5), (200, 100, 0.5))
    assert found((120, 100), rising, level) == 0
    assert found((180, 100), rising, level) == 1


def test_what_is_behind_the_eye_is_not_meant():
    assert found((150, 100), ((np.nan,) * 3, (150, 100, 0.5))) is None


def test_an_area_covers_what_is_behind_it(rig):
    """A bone's body is filled: of two that overlap the one in front is meant, also far from its edges."""
    bpy.ops.object.mode_set(mode="OBJECT")
    behind = chain_rig(1)
    behind.location.y = 1.0
    for thing in (rig, behind):
        thing.data.display_type = "BBONE"
        for bone in thing.data.bones:
            bone.bbone_x = bone.bbone_z = 0.4
    bpy.context.view_layer.update()
    pose(rig, behind)
    assert under(0.0, 0.5)[:2] == ("Rig", "b0")
    rig.location.y = 2.0
    bpy.context.view_layer.update()
    assert under(0.0, 0.5)[:2] == (behind.name, "b0")


def test_a_shape_counts_where_it_is_drawn_and_only_there(rig):
    bone = rig.pose.bones["b1"]
    assert under(1.2, 1.5) is None
    ring(bone, 1.2)
    assert under(1.2, 1.5) == ("Rig", "b1", pytest.approx(0.5))
    assert under(0.0, 1.5) == ("Rig", "b1", pytest.approx(0.5)), "The bone itself is meant, too."
    rig.data.show_bone_custom_shapes = False
    assert under(1.2, 1.5) is None
    rig.data.show_bone_custom_shapes = True
    bone.custom_shape_translation.y += 0.4
    assert under(1.2, 1.9)[1] == "b1" and under(1.2, 1.5) is None
    bone.custom_shape_rotation_euler.x = np.pi / 2  # it now faces the view
    assert under(-0.85, 2.75)[1] == "b1"
    assert under(0.7, 1.9) is None, "It is drawn hollow: what is within is not meant."
    bone.custom_shape_rotation_euler.x = 0.0
    bone.custom_shape_transform = rig.pose.bones["b3"]
    assert under(1.2, 3.9)[1] == "b1" and under(1.2, 1.9) is None


def test_shapes_are_scaled_with_the_bone_where_blender_does_so(rig):
    bone = rig.pose.bones["b1"]
    ring(bone, 1.2)
    bone.use_custom_shape_bone_size = True
    assert under(1.2, 1.5)[1] == "b1"  # of 1 m
    rig.scale = (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    assert under(0.6, 0.75)[1] == "b1" and under(1.2, 1.5) is None


def test_of_several_figures_in_pose_mode_each_can_be_meant(rig):
    bpy.ops.object.mode_set(mode="OBJECT")
    other = two_arms()
    other.location.x = 3.0
    bpy.context.view_layer.update()
    pose(rig, other)
    assert under(0.0, 0.5)[:2] == ("Rig", "b0")
    assert under(3.0, 0.5)[:2] == (other.name, "root")


def test_what_cannot_be_selected_is_not_meant(rig):
    rig.data.bones["b1"].hide_select = True
    assert under(0.0, 1.5) is None
    assert under(0.0, 0.9)[1] == "b0"


@pytest.mark.parametrize("switch", ["show_overlays", "show_bones"])
def test_where_the_view_shows_no_bones_none_is_meant(rig, switch: str):
    assert under(0.0, 0.9)[1] == "b0"
    assert under(0.0, 0.9, **{switch: False}) is None
