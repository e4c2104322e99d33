# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules for the bones of an armature, from its skin or from the bones alone."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bridge_rigs import chain_rig
from installed import module

from ikmath.collision import Body

skin = module("bridge.skin")
read_bones = module("bridge.armature").read_bones
read_space = module("bridge.space").read_space


def tube(rig: bpy.types.Object, radius: float = 0.2) -> bpy.types.Object:
    """A tube around a chain of two bones, each half with the weight of its bone."""
    bpy.ops.mesh.primitive_cylinder_add(radius=radius, depth=2.0, vertices=24, location=(0, 0, 1))
    obj = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=7)
    bpy.ops.object.mode_set(mode="OBJECT")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    for name, chosen in (("b0", lambda z: z <= 0), ("b1", lambda z: z >= 0)):
        group = obj.vertex_groups.new(name=name)
        group.add([v.index for v in obj.data.vertices if chosen(v.co.z)], 1.0, "REPLACE")
    obj.vertex_groups.new(name="not a bone").add([0, 1], 1.0, "REPLACE")
    return obj


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize("posed", [False, True])
def test_a_tube_gives_capsules_of_its_radius(scale, posed) -> None:
    rig = chain_rig(2)
    tube(rig)
    if posed:
        rig.pose.bones["b0"].rotation_mode = "XYZ"
        rig.pose.bones["b0"].rotation_euler.x = 1.0
    for obj in (rig, bpy.data.objects["Cylinder"]):
        obj.matrix_world = obj.matrix_world.copy()
    root = bpy.data.objects.new("Root", None)
    bpy.context.collection.objects.link(root)
    for obj in (rig, bpy.data.objects["Cylinder"]):
        obj.parent = root
    root.scale, root.location = [scale] * 3, (3, 1, 2)
    bpy.context.view_layer.update()
    bones, space = read_bones(rig), read_space(rig)
    meshes = skin.skinned_meshes(rig, bpy.context.scene.objects)
    assert [obj.name for obj in meshes] == ["Cylinder"]
    flesh = skin.read_skin(rig, meshes, bones, space)
    links = skin.fit_body(bones, ["b0", "b1"], space, flesh, cover=1.0)
    for link in links:
        assert link.radius == pytest.approx(0.2 * scale, rel=0.1)
        assert np.asarray(link.a)[1] == pytest.approx(0.2 * scale, abs=0.03 * scale)
        assert np.asarray(link.b)[1] == pytest.approx(0.8 * scale, abs=0.03 * scale)
    Body(links)
    (only,) = skin.fit_body(bones, ["b1"], space, flesh, cover=1.0)
    assert only == links[1]


def test_without_a_skin_bones_decide() -> None:
    rig = chain_rig(3)
    bones, space = read_bones(rig), read_space(rig)
    assert skin.read_skin(rig, [], bones, space) is None
    links = skin.fit_body(bones, ["b0", "b2"], space, None)
    assert [link.joint for link in links] == ["b0", "b2"]
    assert links[0].radius == pytest.approx(0.1)
