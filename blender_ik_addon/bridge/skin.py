# SPDX-License-Identifier: GPL-3.0-or-later
"""The thickness of a figure: capsules around its bones, fitted to the meshes that the armature deforms.

They are fitted in the rest pose, from undeformed vertices and rest bones. So the result does not depend on
the present frame.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ikmath.collision import Link, Skin, fit_links
from ikmath.collision.body_fit import COVER

from .armature import Bones, read_all
from .space import Space


def skinned_meshes(armature: bpy.types.Object, objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Those of some objects that are meshes and deformed by an armature."""
    return [obj for obj in objects if obj.type == "MESH" and is_deformed(obj, armature)]


def is_deformed(obj: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether an armature deforms an object, by a modifier or as its parent."""
    modifiers: Any = obj.modifiers
    return any(m.type == "ARMATURE" and m.object == armature for m in modifiers) or (
        obj.parent == armature and obj.parent_type == "ARMATURE"
    )


def read_skin(
    armature: bpy.types.Object, meshes: Sequence[bpy.types.Object], bones: Bones, space: Space
) -> Skin | None:
    """Read vertices and weights of `skinned_meshes`, armature space, metres; None if no bone has weights."""
    into = np.linalg.inv(np.array(armature.matrix_world, dtype=float))
    points, vertices, numbers, weights = [], [], [], []
    start = 0
    for obj in meshes:
        local = read_all(obj.data.vertices, "co", 3)
        place = into @ np.array(obj.matrix_world, dtype=float)
        points.append((local @ place[:3, :3].T + place[:3, 3]) * space.scale)
        bone_of = {
            group.index: bones.index[group.name] for group in obj.vertex_groups if group.name in bones.index
        }
        for vertex in obj.data.vertices:
            total = sum(element.weight for element in vertex.groups if element.group in bone_of)
            for element in vertex.groups:
                number = bone_of.get(element.group)
                if number is not None and element.weight > 0:
                    vertices.append(start + vertex.index)
                    numbers.append(number)
                    weights.append(element.weight / max(total, 1.0))
        start += len(local)
    if not vertices:
        return None
    return Skin(
        np.concatenate(points),
        np.array(vertices, dtype=np.intp),
        np.array(numbers, dtype=np.intp),
        np.array(weights),
    )


def fit_body(
    bones: Bones, which: Sequence[str], space: Space, skin: Skin | None, cover: float = COVER
) -> list[Link]:
    """Fit capsules to some bones, in the frames of the bones, metres; to a skin from `read_skin`."""
    chosen = np.array([bones.number(name) for name in which], dtype=np.intp)
    rest = bones.rest[chosen]
    if skin is not None:
        place = np.full(len(bones), -1)
        place[chosen] = np.arange(len(chosen))
        own = place[skin.bone]
        mine = own >= 0
        skin = Skin(skin.points, skin.vertex[mine], own[mine], skin.weight[mine])
    return fit_links(
        list(which),
        rest[:, :3, :3],
        bones.heads[chosen] * space.scale,
        bones.length[chosen] * space.scale,
        skin,
        cover,
    )
