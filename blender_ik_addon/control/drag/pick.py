# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone is under the mouse: by its line from head to tip, and by the shape drawn in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix

from .view import Array, Sight

_REACH: Final = 30.0  # pixels, at a resolution scale of 1: bones farther from the mouse are not meant
_SAME: Final = 1.0  # pixels: what is nearer than that to the nearest is as near

Outlines = tuple[Array, Array, npt.NDArray[np.intp]]
"""(S, 2) and (S, 2) pixels of the ends of lines; (S,) number of the bone that each belongs to."""
NO_OUTLINES: Final[Outlines] = (np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0, dtype=np.intp))


def bone_at(
    context: bpy.types.Context, sight: Sight, pixel: npt.ArrayLike
) -> tuple[bpy.types.PoseBone, float] | None:
    """The visible bone under the mouse, of any armature in Pose Mode; what cannot be selected is not meant.

    Where the view shows no bones, a click selects none in Blender either.

    Args:
        context: for what is visible, and the scale of the interface.
        sight: how the region looks at the world.
        pixel: (2,) where the mouse is in it.

    Returns:
        The bone and where on it, from 0 at its head to 1 at its tip; None if none is near.
    """
    bones: list[Any] = [bone for bone in context.visible_pose_bones or () if not bone.bone.hide_select]
    if not bones or not _shows_bones(context.space_data):
        return None
    places = {bone.id_data: np.array(bone.id_data.matrix_world) for bone in bones}
    world = np.array([places[bone.id_data] for bone in bones])
    ends = np.array([(bone.head, bone.tail) for bone in bones])
    heads, tails = (np.einsum("bij,bj->bi", world[:, :3, :3], ends[:, n]) + world[:, :3, 3] for n in (0, 1))
    radius = _REACH * (context.preferences.system.ui_scale or 1.0)  # 0 without a window
    found = nearest_bone(pixel, sight.pixels(heads), sight.pixels(tails), radius, read_outlines(bones, sight))
    return None if found is None else (bones[found[0]], found[1])


def _shows_bones(view: Any) -> bool:
    """Whether a 3D view shows bones; None where there is none, as in a script."""
    return view is None or (view.overlay.show_overlays and view.overlay.show_bones)


def nearest_bone(
    pixel: npt.ArrayLike,
    heads: npt.ArrayLike,
    tails: npt.ArrayLike,
    radius: float,
    outlines: Outlines = NO_OUTLINES,
) -> tuple[int, float] | None:
    """The bone under the mouse.

    Args:
        pixel: (2,) where the mouse is.
        heads: (B, 2); tails: (B, 2) pixels of the bones' ends, nan where they cannot be seen.
        radius: pixels; a bone farther off is not meant.
        outlines: what else is drawn for bones.

    Returns:
        Number of the bone and where on it, from 0 at its head to 1 at its tip; None if none is near.
    """
    mouse = np.asarray(pixel, dtype=float)
    share, distance = _nearest_on(mouse, np.asarray(heads, dtype=float), np.asarray(tails, dtype=float))
    starts, ends, owner = outlines
    np.minimum.at(distance, owner, _nearest_on(mouse, starts, ends)[1])
    if not len(distance) or not distance.min() <= radius:
        return None
    # Where bones meet, the one whose tip is there is meant: dragging it moves that point.
    near = np.flatnonzero(distance <= distance.min() + _SAME)
    best = int(near[np.argmax(share[near])])
    return best, float(share[best])


def read_outlines(bones: Sequence[Any], sight: Sight) -> Outlines:
    """The edges of the custom shapes that are drawn in place of bones.

    Args:
        bones: that are visible.
        sight: how the region looks at the world.
    """
    read: dict[int, tuple[Array, npt.NDArray[np.intp]]] = {}
    shown: list[tuple[int, Matrix, tuple[Array, npt.NDArray[np.intp]]]] = []
    for number, bone in enumerate(bones):
        shape = bone.custom_shape
        if shape is None or shape.type != "MESH" or not bone.id_data.data.show_bone_custom_shapes:
            continue
        mesh: Any = shape.data
        if mesh.session_uid not in read:
            read[mesh.session_uid] = _read_edges(mesh)
        shown.append((number, bone.id_data.matrix_world @ shape_matrix(bone), read[mesh.session_uid]))
    if not shown:
        return NO_OUTLINES
    # All corners at once: a rig has hundreds of shapes, of few corners each.
    numbers, matrices, shapes = zip(*shown, strict=True)
    counts = np.array([len(corners) for corners, _ in shapes])
    place = np.array(matrices)[np.repeat(np.arange(len(shown)), counts)]
    corners = np.einsum("cij,cj->ci", place[:, :3, :3], np.concatenate([own for own, _ in shapes]))
    pixels = sight.pixels(corners + place[:, :3, 3])
    first = np.cumsum(counts) - counts
    pairs = np.concatenate([own + start for (_, own), start in zip(shapes, first, strict=True)])
    owner = np.repeat(numbers, [len(own) for _, own in shapes])
    return pixels[pairs[:, 0]], pixels[pairs[:, 1]], owner


def shape_matrix(bone: bpy.types.PoseBone) -> Matrix:
    """Where a bone's custom shape is drawn, in the space of the armature."""
    carrier = bone.custom_shape_transform or bone
    place: Any = bone.custom_shape_translation
    size: Any = bone.custom_shape_scale_xyz * (bone.bone.length if bone.use_custom_shape_bone_size else 1.0)
    return carrier.matrix @ Matrix.LocRotScale(place, bone.custom_shape_rotation_euler, size)


def _read_edges(mesh: bpy.types.Mesh) -> tuple[Array, npt.NDArray[np.intp]]:
    """(V, 3) vertices and (E, 2) numbers of those that edges join."""
    corners, pairs = np.empty(3 * len(mesh.vertices), np.float32), np.empty(2 * len(mesh.edges), np.int32)
    mesh.vertices.foreach_get("co", corners)
    mesh.edges.foreach_get("vertices", pairs)
    return corners.reshape(-1, 3).astype(float), pairs.reshape(-1, 2).astype(np.intp)


def _nearest_on(mouse: Array, starts: Array, ends: Array) -> tuple[Array, Array]:
    """Where on each line the mouse is nearest (0 to 1, 1 where it cannot be seen), and how far from it."""
    way = ends - starts
    square = (way * way).sum(-1)
    share = ((mouse - starts) * way).sum(-1) / np.where(square > 0, square, 1.0)
    share = np.clip(share, 0.0, 1.0)
    off = starts + share[:, None] * way - mouse
    seen = np.isfinite(off).all(-1)
    return np.where(seen, share, 1.0), np.where(seen, np.sqrt((off * off).sum(-1)), np.inf)
