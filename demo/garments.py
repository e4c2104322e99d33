# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces on the bones of a figure: capsules and lofts, melted into one skin by Blender's voxel remesher.

Every vertex is hung on the bones that it lies on, by how near it is to each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ikmath.examples.skinning import bone_weights
from ikmath.examples.solids import Solid, mirrored, together
from ikmath.rotation import Array

Bone = tuple[Array, Array]  # head and tail at rest, armature space


@dataclass(frozen=True)
class Garment:
    """One surface of the figure.

    Attributes:
        name: of the object and its material.
        solids: what it is melted from.
        bones: it hangs on, without ".L" and ".R" where there are two.
        voxel: metres; the size of the smallest thing that survives.
        soft: over which distance the pull of one bone gives way to that of the next, metres.
        smooth: rounds of smoothing after melting.
    """

    name: str
    solids: tuple[Solid, ...]
    bones: tuple[str, ...]
    voxel: float
    soft: float = 0.012
    smooth: int = 3


def rest_bones(armature: bpy.types.Object) -> dict[str, Bone]:
    """The bones by name."""
    return {bone.name: (np.array(bone.head_local), np.array(bone.tail_local)) for bone in armature.data.bones}


def hang(
    garments: Iterable[Garment],
    armature: bpy.types.Object,
    materials: Mapping[str, bpy.types.Material],
    flesh: Mapping[str, float],
) -> list[bpy.types.Object]:
    """Model garments on an armature in rest pose and hang them on its bones.

    Args:
        materials: by the garments' names.
        flesh: radius around each bone, metres, without ".L" and ".R": who owns a vertex is judged by the
            distance to this.
    """
    bones = rest_bones(armature)
    return [_hang(garment, armature, bones, materials[garment.name], flesh) for garment in garments]


def shifted(place: Array, x: float, y: float, z: float) -> Array:
    """The place, shifted (metres)."""
    return place + np.array((x, y, z))


def both(solid: Solid) -> tuple[Solid, Solid]:
    """A solid and its mirror image."""
    return solid, mirrored(solid)


def _hang(
    garment: Garment,
    armature: bpy.types.Object,
    bones: Mapping[str, Bone],
    material: bpy.types.Material,
    flesh: Mapping[str, float],
) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(garment.name)
    solid = together(garment.solids)
    mesh.from_pydata(solid.vertices.tolist(), [], solid.faces)
    thing = bpy.data.objects.new(garment.name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    _melt(thing, garment)
    mesh = thing.data
    mesh.materials.clear()
    mesh.materials.append(material)
    mesh.shade_smooth()
    names = [n for bone in garment.bones for n in ([bone] if bone in bones else [f"{bone}.L", f"{bone}.R"])]
    radius = [flesh[name.removesuffix(".L").removesuffix(".R")] for name in names]
    _weigh(thing, names, bones, radius, garment.soft)
    thing.parent = armature
    thing.modifiers.new("Armature", "ARMATURE").object = armature
    return thing


def _melt(thing: bpy.types.Object, garment: Garment) -> None:
    """Replace the overlapping solids by one smooth skin around them."""
    remesh = thing.modifiers.new("Melt", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", garment.voxel
    smooth = thing.modifiers.new("Smooth", "SMOOTH")
    smooth.factor, smooth.iterations = 0.5, garment.smooth
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    skin = bpy.data.meshes.new_from_object(evaluated)
    thing.modifiers.clear()
    old, thing.data = thing.data, skin
    skin.name = garment.name
    bpy.data.meshes.remove(old)
    places = np.empty(3 * len(skin.vertices), np.float32)
    skin.vertices.foreach_get("co", places)
    places[2::3] = np.maximum(places[2::3], 0.0)  # soles are flat
    skin.vertices.foreach_set("co", places)


def _weigh(
    thing: bpy.types.Object,
    names: Sequence[str],
    bones: Mapping[str, Bone],
    radius: Sequence[float],
    soft: float,
) -> None:
    """Vertex groups: each vertex follows the bones whose flesh is nearest, at most four of them."""
    mesh = thing.data
    places = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", places)
    heads, tails = ([bones[name][end] for name in names] for end in (0, 1))
    weight = bone_weights(places.reshape(-1, 3), heads, tails, radius, soft)
    for name, row in zip(names, weight, strict=True):
        group = thing.vertex_groups.new(name=name)
        for step in np.unique(row[row > 0.0]):  # one call for all vertices of one weight
            group.add(np.flatnonzero(row == step).tolist(), float(step), "REPLACE")
