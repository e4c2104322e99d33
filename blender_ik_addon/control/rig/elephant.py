# SPDX-License-Identifier: GPL-3.0-or-later
"""Ge's scene in Blender: an elephant whose trunk follows a target around a table and a tree."""

from __future__ import annotations

from typing import Final

import bpy
import numpy as np

from ikmath.examples.elephant import Elephant, ElephantScene, eyes, hide, leaves, tusks

from ...bridge.modelling import (
    Paint,
    animate_location,
    hang,
    limit_bone,
    make_armature,
    make_object,
    melt,
    shade_smooth,
)
from ...properties.access import rig_of
from ..collision.obstacles import add_obstacles
from .effectors import NewEffector, add_effectors
from .target_empties import TargetLook

_HIDE: Final = Paint(name="Elephant Hide", colour=(0.30, 0.31, 0.34), roughness=0.75)
_IVORY: Final = Paint(name="Elephant Ivory", colour=(0.80, 0.74, 0.60), roughness=0.35)
_EYE: Final = Paint(name="Elephant Eye", colour=(0.02, 0.015, 0.01), roughness=0.1)
_WOOD: Final = Paint(name="Elephant Table", colour=(0.42, 0.24, 0.125), roughness=0.45)
_BARK: Final = Paint(name="Elephant Bark", colour=(0.20, 0.12, 0.07), roughness=0.9)
_LEAF: Final = Paint(name="Elephant Leaves", colour=(0.13, 0.30, 0.06), roughness=0.8)
_VOXEL: Final = 0.028  # metres
_TWIG: Final = 0.014


def make_elephant(
    context: bpy.types.Context,
    *,
    segments: int,
    surroundings: bool,
    obstacles: bool,
    seed: int,
    frames: int,
) -> bpy.types.Object:
    """Add the scene at the 3D cursor; the armature becomes the active object.

    Args:
        context: in Object Mode.
        segments: of the trunk.
        surroundings: whether to add table and tree; obstacles: whether the elephant avoids them.
        seed: of the tree.
        frames: length of the target's animation; 1 or less for a static target.

    Raises:
        IkError: a trunk without segments.
    """
    scene = ElephantScene(elephant=Elephant(segments), seed=seed)
    armature = _make_figure(context, scene.elephant)
    _dress(context, armature, scene.elephant)
    armature.location = context.scene.cursor.location
    context.view_layer.update()
    _direct(context, armature, scene, frames)
    if surroundings:
        things = _surround(context, scene)
        if obstacles:
            add_obstacles(armature, things)
    return armature


def _make_figure(context: bpy.types.Context, elephant: Elephant) -> bpy.types.Object:
    rows = [
        (bone.name, bone.parent, np.array(bone.head), np.array(bone.tail), bone.axes[:, 2])
        for bone in elephant.bones
    ]
    armature = make_armature("Elephant", rows, context)
    for name in elephant.trunk:
        limit_bone(armature.pose.bones[name], {"x": elephant.bend, "y": elephant.twist, "z": elephant.bend})
    body = rig_of(armature).body
    for link in elephant.body.links:
        item = body.links.add()
        item.name, item.a, item.b, item.radius = link.joint, link.a, link.b, link.radius
    body.self_collision = True
    return armature


def _dress(context: bpy.types.Context, armature: bpy.types.Object, elephant: Elephant) -> None:
    collection, depsgraph = context.collection, context.evaluated_depsgraph_get()
    skin = make_object("Elephant Hide", hide(elephant), _HIDE, collection)
    melt(skin, depsgraph, _VOXEL, smooth=6, floor=0.0)
    bones = elephant.bones
    hang(skin, armature, [bone.name for bone in bones], [bone.radius for bone in bones], soft=0.03)
    for name, solids, paint in (("Elephant Tusks", tusks(), _IVORY), ("Elephant Eyes", eyes(), _EYE)):
        part = make_object(name, solids, paint, collection)
        shade_smooth(part.data)
        hang(part, armature, ["head"], [1.0], soft=1.0)


def _surround(context: bpy.types.Context, scene: ElephantScene) -> list[bpy.types.Object]:
    """Table and tree. Leaves are not an obstacle."""
    collection = context.collection
    table = make_object("Table", [scene.table], _WOOD, collection)
    tree = make_object("Tree", scene.tree, _BARK, collection)
    melt(tree, context.evaluated_depsgraph_get(), _TWIG, smooth=2)
    foliage = make_object("Leaves", leaves(scene), _LEAF, collection)
    foliage.parent = tree
    for thing in (table, tree):
        thing.location = context.scene.cursor.location
    context.view_layer.update()
    return [table, tree]


def _direct(
    context: bpy.types.Context, armature: bpy.types.Object, scene: ElephantScene, frames: int
) -> None:
    """Let the tip of the trunk follow a target, animated if there is more than one frame."""
    elephant, rig = scene.elephant, rig_of(armature)
    new = NewEffector(bone=elephant.tip, settings={"chain_root": elephant.trunk[0]})
    (effector,) = add_effectors(
        armature, [new], context.evaluated_depsgraph_get(), TargetLook(size=0.06 * elephant.segments / 2.5)
    )
    rig.solver.posture = 0.0  # a trunk has no posture
    if frames > 1:
        animate_location(effector.target, scene.path(frames) + np.array(context.scene.cursor.location))
        rig.bake.use_range, rig.bake.frame_start, rig.bake.frame_end = True, 1, frames
        context.view_layer.update()
