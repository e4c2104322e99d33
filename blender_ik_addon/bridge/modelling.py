# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes Blender objects from solids and bones of ikmath: meshes, one skin for several solids, armatures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from ikmath.examples.skinning import bone_weights
from ikmath.examples.solids import Solid, together

from ..compat import ensure_bag, new_curve, play
from .armature import AXES, Array
from .curves import new_keys, write_curve

_SMOOTHING: Final = 0.5
_TOGETHER: Final = 1e-6  # Blender units between the end of a bone and the head of a connected one


@dataclass(frozen=True, kw_only=True)
class Paint:
    """A material.

    Attributes:
        name: of the material; colour: linear RGB; roughness: from 0 for a mirror to 1.
    """

    name: str
    colour: tuple[float, float, float]
    roughness: float = 0.6


def make_object(
    name: str, solids: Iterable[Solid], paint: Paint, collection: bpy.types.Collection
) -> bpy.types.Object:
    """Make a mesh object from solids."""
    solid = together(solids)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(solid.vertices.tolist(), [], solid.faces)
    mesh.materials.append(_material(paint))
    thing = bpy.data.objects.new(name, mesh)
    collection.objects.link(thing)
    return thing


def melt(
    thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph, voxel: float, smooth: int, floor: float = -np.inf
) -> None:
    """Replace the overlapping solids of an object by one smooth skin.

    Args:
        thing: a mesh object in the depsgraph's scene.
        depsgraph: updated by this.
        voxel: size of the smallest details, Blender units.
        smooth: iterations of smoothing.
        floor: minimum height, in the object's space.
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
    places = _places(skin)
    places[:, 2] = np.maximum(places[:, 2], floor)
    skin.vertices.foreach_set("co", places.ravel())
    shade_smooth(skin)
    name, thing.data = old.name, skin
    bpy.data.meshes.remove(old)
    skin.name = name


def shade_smooth(mesh: Any) -> None:
    """Shade all faces smooth."""
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), dtype=bool))


def make_armature(
    name: str, bones: Sequence[tuple[str, str, Array, Array, Array]], context: bpy.types.Context
) -> bpy.types.Object:
    """Make an armature object at the origin; it becomes the active object, in Object Mode.

    Args:
        name: of object and armature.
        bones: name, parent ("" for none), head (3,), tail (3,) and Z axis (3,) of each, parents first. A bone
            that begins at its parent's tail is connected.
        context: with a scene and a view layer, in Object Mode.
    """
    armature = bpy.data.armatures.new(name)
    owner = bpy.data.objects.new(name, armature)
    context.collection.objects.link(owner)
    for other in context.view_layer.objects.selected:
        other.select_set(False)
    context.view_layer.objects.active = owner
    owner.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        for bone, parent, head, tail, up in bones:
            new = armature.edit_bones.new(bone)
            new.head, new.tail = head.tolist(), tail.tolist()
            new.align_roll(up.tolist())
            if parent:
                new.parent = armature.edit_bones[parent]
                new.use_connect = bool(float(np.linalg.norm(head - np.array(new.parent.tail))) < _TOGETHER)
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    return owner


def limit_bone(bone: bpy.types.PoseBone, degrees: Mapping[str, float]) -> None:
    """Set symmetric IK limits of a bone about its axes x, y and z, degrees."""
    for axis in AXES:
        most = float(np.radians(degrees[axis]))
        setattr(bone, f"use_ik_limit_{axis}", True)
        setattr(bone, f"ik_min_{axis}", -most)
        setattr(bone, f"ik_max_{axis}", most)


def hang(
    thing: bpy.types.Object,
    armature: bpy.types.Object,
    bones: Sequence[str],
    radius: npt.ArrayLike,
    soft: float,
) -> None:
    """Skin a mesh to the bones that it surrounds at rest.

    Args:
        thing: a mesh in armature space.
        armature: its object.
        bones: names; radius: (B,) of the mesh around each.
        soft: distance over which the weights of neighbouring bones blend, Blender units.
    """
    rest: Any = armature.data
    heads, tails = (
        [tuple(getattr(rest.bones[name], end)) for name in bones] for end in ("head_local", "tail_local")
    )
    weight = bone_weights(_places(thing.data), heads, tails, radius, soft)
    for name, row in zip(bones, weight, strict=True):
        group = thing.vertex_groups.new(name=name)
        for step in np.unique(row[row > 0.0]):  # one call for all vertices with the same weight
            group.add(np.flatnonzero(row == step).tolist(), float(step), "REPLACE")
    thing.parent = armature
    modifier: Any = thing.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature


def animate_location(thing: bpy.types.Object, places: Array) -> None:
    """Key an object's location in each frame (F, 3), from frame 1 on, with linear interpolation."""
    play(thing.animation_data_create(), bpy.data.actions.new(f"{thing.name}Action"))
    bag = ensure_bag(thing)
    frames = np.arange(1, 1 + len(places))
    for axis in range(3):
        curve = new_curve(bag, "location", axis, "Object Transforms")
        write_curve(curve, new_keys(frames, places[:, axis], "LINEAR"))
    thing.location = places[0].tolist()


def _material(paint: Paint) -> bpy.types.Material:
    found = bpy.data.materials.get(paint.name)
    if found is not None and found.library is None:
        return found
    material: Any = bpy.data.materials.new(paint.name)
    material.diffuse_color, material.roughness = (*paint.colour, 1.0), paint.roughness
    if material.node_tree is None:  # from 5.0 on it always exists
        material.use_nodes = True
    shader = material.node_tree.nodes.get("Principled BSDF")
    if shader is not None:
        shader.inputs["Base Color"].default_value = (*paint.colour, 1.0)
        shader.inputs["Roughness"].default_value = paint.roughness
    return material


def _places(mesh: Any) -> npt.NDArray[np.float32]:
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)
