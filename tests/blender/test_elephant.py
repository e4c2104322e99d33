# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > Armature > Articulate: Elephant: what it makes, and that it can be solved and baked as it stands."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import evaluated, miss
from mathutils import Vector
from mathutils.bvhtree import BVHTree


def add(**options: object) -> bpy.types.Object:
    assert bpy.ops.articulate.elephant_add(**options) == {"FINISHED"}
    return bpy.context.object


def surface(thing: bpy.types.Object) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """World places of the vertices that Blender shows, and the polygons."""
    shown = evaluated(thing)
    mesh = shown.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    matrix = np.array(shown.matrix_world)
    places = flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    faces = [tuple(face.vertices) for face in mesh.polygons]
    shown.to_mesh_clear()
    return places, faces


def test_it_stands_between_table_and_tree_ready_to_be_solved():
    rig = add(segments=12)
    assert rig.type == "ARMATURE" and rig.mode == "OBJECT" and rig.select_get()
    trunk = [bone for bone in rig.pose.bones if bone.name.startswith("trunk")]
    assert len(trunk) == 12
    for bone in trunk:
        assert bone.use_ik_limit_x and bone.use_ik_limit_y and bone.use_ik_limit_z
        assert np.degrees([bone.ik_max_x, -bone.ik_min_z, bone.ik_max_y]) == pytest.approx([75, 75, 37.5])
        assert bone.parent.name == "head" or bone.bone.use_connect
    settings = rig.articulate
    assert [obstacle.name for obstacle in settings.obstacles] == ["Table", "Tree"]
    assert settings.body.self_collision and len(settings.body.links) == len(rig.pose.bones)
    (effector,) = settings.effectors
    assert effector.bone == trunk[-1].name and effector.chain_root == trunk[0].name
    assert effector.target.animation_data.action is not None
    assert (settings.bake.use_range, settings.bake.frame_end) == (True, 300)
    assert miss(rig, effector.name) < 1e-4, "its way begins where the tip is"


def test_the_hide_is_whole_and_hangs_on_the_bones():
    rig = add(segments=12)
    places, faces = surface(bpy.data.objects["Elephant Hide"])
    assert len(faces) > 10000 and -1e-6 < places[:, 2].min() < 0.02
    edges = [(face[i - 1], face[i]) for face in faces for i in range(len(face))]
    assert set(edges) == {(b, a) for a, b in edges}, "closed"
    for name in ("Elephant Hide", "Elephant Tusks", "Elephant Eyes"):
        skin = bpy.data.objects[name]
        assert skin.parent == rig and skin.modifiers["Armature"].object == rig
        assert all(vertex.groups for vertex in skin.data.vertices)
    rig.pose.bones["trunk.000"].rotation_mode = "XYZ"
    rig.pose.bones["trunk.000"].rotation_euler.z = 0.5
    moved, _ = surface(bpy.data.objects["Elephant Hide"])
    far = np.linalg.norm(moved - places, axis=1)
    assert far.max() > 0.3 and (far < 1e-5).mean() > 0.5, "the trunk swings, the body stands"


@pytest.mark.solver
def test_a_bake_goes_around_table_and_tree():
    """The hide is measured by Blender alone, frame by frame."""
    rig = add()
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=61, step=3) == {"FINISHED"}
    report = rig.articulate.report
    assert report["clearance"] > -1e-6 and not report["ignored"]
    hide = bpy.data.objects["Elephant Hide"]
    groups = {group.index for group in hide.vertex_groups if group.name.startswith("trunk")}
    of_trunk = [any(g.group in groups for g in vertex.groups) for vertex in hide.data.vertices]
    trees = []
    for name in ("Table", "Tree"):
        places, faces = surface(bpy.data.objects[name])
        trees.append(BVHTree.FromPolygons(places.tolist(), faces))
    least = np.inf
    for frame in range(1, 62, 3):
        bpy.context.scene.frame_set(frame)
        for point in map(Vector, surface(hide)[0][of_trunk][::5].tolist()):
            for tree in trees:
                place, normal, _face, far = tree.find_nearest(point, 0.2)
                if place is not None:
                    least = min(least, far if (point - place).dot(normal) > -1e-3 * far else -far)
    assert 0.0 < least < 0.03, "it comes near, and does not go in"


@pytest.mark.solver
def test_a_bake_that_begins_at_the_tables_edge_finds_the_way_round():
    rig = add()
    assert bpy.ops.articulate.bake(frame_start=120, frame_end=124) == {"FINISHED"}
    report = rig.articulate.report
    assert report["status"] == "REACHED" and report["clearance"] > -1e-6
    (effector,) = rig.articulate.effectors
    for frame in range(120, 125):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, effector.name) < 2e-3


def test_what_is_wanted_is_made_and_no_more():
    bpy.context.scene.cursor.location = (3.0, -2.0, 1.0)
    rig = add(segments=5, surroundings=False, frames=0)
    assert "Table" not in bpy.data.objects and not len(rig.articulate.obstacles)
    assert tuple(rig.location) == (3.0, -2.0, 1.0)
    target = rig.articulate.effectors[0].target
    assert target.animation_data is None and not rig.articulate.bake.use_range
    assert miss(rig, rig.articulate.effectors[0].name) < 1e-4
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    other = add(segments=5, obstacles=False)
    assert other != rig and not len(other.articulate.obstacles)
    assert tuple(bpy.data.objects["Tree"].location) == (3.0, -2.0, 1.0)
    assert miss(other, other.articulate.effectors[0].name) < 1e-4


def test_it_is_one_undo_step():
    bpy.ops.ed.undo_push(message="set-up")
    assert bpy.ops.articulate.elephant_add("EXEC_DEFAULT", True, segments=4) == {"FINISHED"}
    names = {thing.name for thing in bpy.data.objects}
    assert len(names) == 8
    bpy.ops.ed.undo()
    assert not len(bpy.data.objects)
    bpy.ops.ed.redo()
    assert {thing.name for thing in bpy.data.objects} == names
    assert len(bpy.data.objects["Elephant"].articulate.effectors) == 1


def test_it_is_on_the_menu_and_only_in_object_mode():
    drawn: list[str] = []
    menu = SimpleNamespace(layout=SimpleNamespace(operator=lambda name, **_options: drawn.append(name)))
    installed.module("ui.menu").draw_elephant(menu, bpy.context)
    assert drawn == ["articulate.elephant_add"]
    entries = bpy.types.VIEW3D_MT_armature_add._dyn_ui_initialize()
    assert any(draw.__name__ == "draw_elephant" for draw in entries)
    add(segments=3)
    bpy.ops.object.mode_set(mode="POSE")
    assert not bpy.ops.articulate.elephant_add.poll()
