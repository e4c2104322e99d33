# SPDX-License-Identifier: GPL-3.0-or-later
"""Ge's scene in Blender: an elephant whose trunk follows a target around a table and a tree."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from ikmath.examples.elephant import Elephant, ElephantScene, eyes, hide, leaves, tusks
from ikmath.examples.skinning import bone_weights
from ikmath.examples.solids import Solid, together

from ...bridge.armature import Array, read_all
from ...bridge.curves import new_keys, write_curve
from ...compat import ensure_bag, new_curve, play
from ...properties.access import rig_of
from ..collision.obstacles import add_obstacles
from .effectors import NewEffector, add_effectors

_Paint = tuple[str, tuple[float, float, float], float]
"""Name of a material, linear RGB, and roughness from 0 for a mirror to 1."""
_HIDE: Final[_Paint] = "Elephant Hide", (0.30, 0.31, 0.34), 0.75
_IVORY: Final[_Paint] = "Elephant Ivory", (0.80, 0.74, 0.60), 0.35
_EYE: Final[_Paint] = "Elephant Eye", (0.02, 0.015, 0.01), 0.1
_WOOD: Final[_Paint] = "Elephant Table", (0.42, 0.24, 0.125), 0.45
_BARK: Final[_Paint] = "Elephant Bark", (0.20, 0.12, 0.07), 0.9
_LEAF: Final[_Paint] = "Elephant Leaves", (0.13, 0.30, 0.06), 0.8
_VOXEL: Final = 0.028  # metres
_TWIG: Final = 0.014
_TARGET: Final = 0.06  # metres, radius of the target
_SMOOTHING: Final = 0.5
_TOGETHER: Final = 1e-6  # Blender units between the end of a bone and the head of a connected one


def make_elephant(
    context: bpy.types.Context,
    *,
    segments: int,
    surroundings: bool,
    obstacles: bool,
    seed: int,
    frames: int,
) -> bpy.types.Object:
    """Add the scene at the 3D cursor, in Object Mode; the armature becomes the active object.

    Args:
        segments, seed: of the trunk and of the tree.
        surroundings: whether to add table and tree; obstacles: whether the elephant avoids them.
        frames: length of the target's animation; 1 or less for a static target.
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
    """The armature at the origin, with the limits of its trunk and its capsules."""
    data = bpy.data.armatures.new("Elephant")
    armature = bpy.data.objects.new("Elephant", data)
    context.collection.objects.link(armature)
    for other in context.view_layer.objects.selected:
        other.select_set(False)
    context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        for bone in elephant.bones:
            new = data.edit_bones.new(bone.name)
            head, tail = np.array(bone.head), np.array(bone.tail)
            new.head, new.tail = head.tolist(), tail.tolist()
            new.align_roll(bone.axes[:, 2].tolist())
            if bone.parent:
                new.parent = data.edit_bones[bone.parent]
                new.use_connect = bool(float(np.linalg.norm(head - np.array(new.parent.tail))) < _TOGETHER)
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    for name in elephant.trunk:
        for axis, degrees in (("x", elephant.bend), ("y", elephant.twist), ("z", elephant.bend)):
            most, joint = float(np.radians(degrees)), armature.pose.bones[name]
            setattr(joint, f"use_ik_limit_{axis}", True)
            setattr(joint, f"ik_min_{axis}", -most)
            setattr(joint, f"ik_max_{axis}", most)
    body = rig_of(armature).body
    for link in elephant.body.links:
        item = body.links.add()
        item.name, item.a, item.b, item.radius = link.joint, link.a, link.b, link.radius
    body.self_collision = True
    return armature


def _dress(context: bpy.types.Context, armature: bpy.types.Object, elephant: Elephant) -> None:
    collection, depsgraph = context.collection, context.evaluated_depsgraph_get()
    skin = _make_object("Elephant Hide", hide(elephant), _HIDE, collection)
    _melt(skin, depsgraph, _VOXEL, smooth=6, floor=0.0)
    bones = elephant.bones
    _hang(skin, armature, [bone.name for bone in bones], [bone.radius for bone in bones], soft=0.03)
    for name, solids, paint in (("Elephant Tusks", tusks(), _IVORY), ("Elephant Eyes", eyes(), _EYE)):
        part = _make_object(name, solids, paint, collection)
        part.data.shade_smooth()
        _hang(part, armature, ["head"], [1.0], soft=1.0)


def _surround(context: bpy.types.Context, scene: ElephantScene) -> list[bpy.types.Object]:
    """Table and tree. Leaves are not an obstacle."""
    collection = context.collection
    table = _make_object("Table", [scene.table], _WOOD, collection)
    tree = _make_object("Tree", scene.tree, _BARK, collection)
    _melt(tree, context.evaluated_depsgraph_get(), _TWIG, smooth=2)
    foliage = _make_object("Leaves", leaves(scene), _LEAF, collection)
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
    (effector,) = add_effectors(armature, [new], context.evaluated_depsgraph_get())
    target: Any = effector.target
    target.empty_display_type, target.empty_display_size = "SPHERE", _TARGET
    rig.solver.posture, rig.solver.effort = 0.0, "EVEN"  # a trunk has no posture, and bends evenly
    if frames > 1:
        _animate_location(target, scene.path(frames) + np.array(context.scene.cursor.location))
        rig.bake.use_range, rig.bake.frame_start, rig.bake.frame_end = True, 1, frames
        context.view_layer.update()


def _make_object(
    name: str, solids: Iterable[Solid], paint: _Paint, collection: bpy.types.Collection
) -> bpy.types.Object:
    solid = together(solids)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(solid.vertices.tolist(), [], solid.faces)
    mesh.materials.append(_material(paint))
    thing = bpy.data.objects.new(name, mesh)
    collection.objects.link(thing)
    return thing


def _melt(
    thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph, voxel: float, smooth: int, floor: float = -np.inf
) -> None:
    """Replace the overlapping solids of an object by one smooth skin, not below a floor.

    The smallest details have the size of a voxel, Blender units. `smooth` is the number of iterations.
    """
    remesh: Any = thing.modifiers.new("Melt", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", voxel
    rounds: Any = thing.modifiers.new("Smooth", "SMOOTH")
    rounds.factor, rounds.iterations = _SMOOTHING, smooth
    depsgraph.update()
    skin = bpy.data.meshes.new_from_object(thing.evaluated_get(depsgraph))
    thing.modifiers.clear()
    old: Any = thing.data
    skin.materials.clear()
    for material in old.materials:
        skin.materials.append(material)
    places = read_all(skin.vertices, "co", 3)
    places[:, 2] = np.maximum(places[:, 2], floor)
    skin.vertices.foreach_set("co", places.ravel())
    skin.shade_smooth()
    name, thing.data = old.name, skin
    bpy.data.meshes.remove(old)
    skin.name = name


def _hang(
    thing: bpy.types.Object,
    armature: bpy.types.Object,
    bones: Sequence[str],
    radius: npt.ArrayLike,
    soft: float,
) -> None:
    """Skin a mesh in armature space to the bones that it surrounds at rest, at radius (B,).

    The weights of neighbouring bones blend over the distance `soft`, Blender units.
    """
    rest: Any = armature.data
    heads, tails = (
        [tuple(getattr(rest.bones[name], end)) for name in bones] for end in ("head_local", "tail_local")
    )
    weight = bone_weights(read_all(thing.data.vertices, "co", 3), heads, tails, radius, soft)
    for name, row in zip(bones, weight, strict=True):
        group = thing.vertex_groups.new(name=name)
        for step in np.unique(row[row > 0.0]):  # one call for all vertices with the same weight
            group.add(np.flatnonzero(row == step).tolist(), float(step), "REPLACE")
    thing.parent = armature
    modifier: Any = thing.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature


def _animate_location(thing: bpy.types.Object, places: Array) -> None:
    """Key an object's location in each frame (F, 3), from frame 1 on, with linear interpolation."""
    play(thing.animation_data_create(), bpy.data.actions.new(f"{thing.name}Action"))
    bag = ensure_bag(thing)
    frames = np.arange(1, 1 + len(places))
    for axis in range(3):
        curve = new_curve(bag, "location", axis, "Object Transforms")
        write_curve(curve, new_keys(frames, places[:, axis], "LINEAR"))
    thing.location = places[0].tolist()


def _material(paint: _Paint) -> bpy.types.Material:
    name, colour, roughness = paint
    found = bpy.data.materials.get(name)
    if found is not None and found.library is None:
        return found
    material: Any = bpy.data.materials.new(name)
    material.diffuse_color, material.roughness = (*colour, 1.0), roughness
    if material.node_tree is None:  # from 5.0 on it always exists
        material.use_nodes = True
    shader = material.node_tree.nodes.get("Principled BSDF")
    if shader is not None:
        shader.inputs["Base Color"].default_value = (*colour, 1.0)
        shader.inputs["Roughness"].default_value = roughness
    return material
