# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone a click would select, computed from the drawn shapes; for highlights before the click.

Blender searches a square around the mouse, then smaller squares while these contain several bones, and
selects the bone that is nearest to the viewer there. Meshes do not hide bones, whatever the shading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix

from ...bridge.armature import Array, Indices, pose_matrices, read_all
from ...compat import PICK_STICK
from .view import Sight

_HALF_SIDES: Final = (13.5, 8.5, 4.5)  # pixels from the mouse to the middle of the last pixel, at any scale


def bone_under_mouse(
    context: bpy.types.Context, sight: Sight, pixel: npt.ArrayLike
) -> bpy.types.PoseBone | None:
    """The visible bone that a click at a pixel (2,) would select, of any armature in Pose Mode."""
    bones: list[Any] = [bone for bone in context.visible_pose_bones or () if not bone.bone.hide_select]
    view: Any = context.space_data  # None for a script
    if not bones or not (view is None or (view.overlay.show_overlays and view.overlay.show_bones)):
        return None
    drawn = read_drawn(bones, filled=is_opaque(view))
    scale = context.preferences.system.pixel_size
    number = nearest_drawn(drawn, sight.screen(drawn.corners), pixel, scale)
    return None if number is None else bones[number]


def nearest_drawn(
    drawn: DrawnBones, corners_screen: Array, pixel: npt.ArrayLike, scale: float = 1.0
) -> int | None:
    """Index of the bone that Blender's selection rule finds at a pixel (2,), None if none is near.

    `corners_screen` (C, 3) are the corners of the shapes, see `Sight.screen`; NaN if not visible. `scale` is
    the number of window pixels per interface pixel, which scales the line widths.
    """
    about = corners_screen - (*np.asarray(pixel, dtype=float), 0.0)
    lines, areas, wide = about[drawn.lines], about[drawn.triangles], scale * drawn.half_widths
    found = None
    for half in _HALF_SIDES:
        depth: dict[int, float] = {}
        hit = _on_lines(lines, drawn.line_owner, half + wide)
        for owner, value in (*hit, *_in_areas(areas, drawn.triangle_owner, half)):
            depth[owner] = min(value, depth.get(owner, np.inf))
        if not depth:
            break
        found = min(depth, key=depth.__getitem__)
        if len(depth) == 1:
            break
    return found


def _on_lines(lines: Array, owner: npt.NDArray[np.intp], half: Array) -> list[tuple[int, float]]:
    """Bone and smallest depth of each line (L, 2, 3) within its square (L,)."""
    start, way = lines[:, 0], lines[:, 1] - lines[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):  # axis-parallel lines do not cross two sides
        sides = (np.stack([-half, half])[..., None] - start[:, :2]) / way[:, :2]
    enters, leaves = np.clip(sides.min(0).max(-1), 0.0, None), np.clip(sides.max(0).min(-1), None, 1.0)
    hit = np.flatnonzero(enters <= leaves)
    depth = start[hit, 2] + np.minimum(enters[hit] * way[hit, 2], leaves[hit] * way[hit, 2])
    return list(zip(owner[hit].tolist(), depth.tolist(), strict=True))


def _in_areas(areas: Array, owner: npt.NDArray[np.intp], half: float) -> list[tuple[int, float]]:
    """Bone and depth of each triangle (T, 3, 3) at the corners of the square that it covers."""
    corners = half * np.array([(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)])
    first, one, other = areas[:, 0], areas[:, 1] - areas[:, 0], areas[:, 2] - areas[:, 0]
    off = corners - first[:, None, :2]
    with np.errstate(divide="ignore", invalid="ignore"):  # triangles seen edge-on cover nothing
        area = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
        u = (off[..., 0] * other[:, None, 1] - off[..., 1] * other[:, None, 0]) / area[:, None]
        v = (off[..., 1] * one[:, None, 0] - off[..., 0] * one[:, None, 1]) / area[:, None]
        triangle, corner = np.nonzero((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0))
    depth = first[triangle, 2] + u[triangle, corner] * one[triangle, 2]
    depth += v[triangle, corner] * other[triangle, 2]
    return list(zip(owner[triangle].tolist(), depth.tolist(), strict=True))


def is_opaque(view: Any) -> bool:
    """Whether a 3D view hides things behind surfaces; None for a script without a view."""
    if view is None:
        return True
    shading = view.shading
    if shading.type == "WIREFRAME":
        return not shading.show_xray_wireframe
    return not (shading.type == "SOLID" and shading.show_xray)


# ------------------------------------------------- the shapes that Blender draws for bones
@dataclass(frozen=True)
class DrawnShape:
    """Corners, triangles and lines of a drawn shape.

    Attributes:
        corners: (C, 3) positions.
        triangles: (T, 3) indices of corners; filled areas.
        lines: (L, 2) indices of corners; edges of the areas, and separate lines.
        half_widths: (L,) half the width of each line, pixels at a pixel size of 1.
    """

    corners: Array
    triangles: Indices
    lines: Indices
    half_widths: Array

    def outline(self) -> DrawnShape:
        """The shape without its areas."""
        return DrawnShape(self.corners, self.triangles[:0], self.lines, self.half_widths)


@dataclass(frozen=True)
class DrawnBones(DrawnShape):
    """The shapes of many bones, in world space.

    Attributes:
        triangle_owner: (T,) index of the bone of each triangle.
        line_owner: (L,) index of the bone of each line.
    """

    triangle_owner: Indices
    line_owner: Indices


def read_drawn(bones: Sequence[Any], *, filled: bool) -> DrawnBones:
    """The shapes of the visible pose bones; `filled`: whether the view draws areas besides lines."""
    read: dict[int, DrawnShape] = {}
    shown = list(_shown(bones, read))
    shapes = [shape if filled else shape.outline() for _, _, shape in shown]
    owner = np.array([number for number, _, _ in shown], dtype=np.intp)
    whole = _together(_NOTHING, *shapes)
    # All corners at once: a rig has hundreds of shapes with few corners each.
    sizes = np.array([(len(s.corners), len(s.triangles), len(s.lines)) for s in shapes], np.intp).reshape(
        -1, 3
    )
    place = np.array([matrix for _, matrix, _ in shown]).reshape(-1, 4, 4).repeat(sizes[:, 0], axis=0)
    corners = np.einsum("cij,cj->ci", place[:, :3, :3], whole.corners) + place[:, :3, 3]
    owners = owner.repeat(sizes[:, 1]), owner.repeat(sizes[:, 2])
    return DrawnBones(corners, whole.triangles, whole.lines, whole.half_widths, *owners)


def shape_matrix(bone: bpy.types.PoseBone) -> Matrix:
    """Transform of a bone's custom shape, in armature space."""
    carrier = bone.custom_shape_transform or bone
    place: Any = bone.custom_shape_translation
    size: Any = bone.custom_shape_scale_xyz * (bone.bone.length if bone.use_custom_shape_bone_size else 1.0)
    return carrier.matrix @ Matrix.LocRotScale(place, bone.custom_shape_rotation_euler, size)


def _shown(bones: Sequence[Any], read: dict[int, DrawnShape]) -> Iterator[tuple[int, Array, DrawnShape]]:
    """Index of the bone, (4, 4) world matrix and shape of everything that is drawn for bones."""
    worlds, matrices = {}, {}
    for rig in {bone.id_data for bone in bones}:
        worlds[rig] = np.array(rig.matrix_world)
        places = worlds[rig] @ pose_matrices(rig).astype(float)
        matrices[rig] = dict(zip(rig.pose.bones.keys(), places, strict=True))
    for number, bone in enumerate(bones):
        rig, custom = bone.id_data, bone.custom_shape
        if custom is not None and rig.data.show_bone_custom_shapes:
            if custom.type == "MESH":  # other types are rare; only the pose bones of these can be clicked
                mesh: Any = custom.data
                if mesh.session_uid not in read:
                    read[mesh.session_uid] = _of_mesh(mesh)
                shape = read[mesh.session_uid]
                if bone.bone.show_wire:
                    shape = shape.outline()
                yield number, worlds[rig] @ np.array(shape_matrix(bone)), shape
            continue
        for size, shape in _shapes(bone, rig.data.display_type):
            yield number, matrices[rig][bone.name] * (*size, 1.0), shape


def _shapes(bone: Any, display: str) -> Iterator[tuple[tuple[float, float, float], DrawnShape]]:
    """Scale along the bone's axes, and shape, of a bone without a custom shape."""
    own = getattr(bone.bone, "display_type", "ARMATURE_DEFINED")  # from 4.3 on, per bone
    display = display if own == "ARMATURE_DEFINED" else own
    length = bone.bone.length
    if display == "BBONE":
        yield (bone.bone.bbone_x, length, bone.bone.bbone_z), _BOX
    elif display == "OCTAHEDRAL":
        connected = bone.parent is not None and bone.bone.use_connect
        yield (length, length, length), _OCTAHEDRON if connected else _OCTAHEDRON_WITH_HEAD
    elif display == "STICK":
        yield (length, length, length), _STICK
    else:  # wires, and the axis of envelopes
        yield (length, length, length), _LINE


def _of_mesh(mesh: bpy.types.Mesh) -> DrawnShape:
    """The shape of a custom shape's mesh."""
    mesh.calc_loop_triangles()
    triangles = read_all(mesh.loop_triangles, "vertices", 3, np.int32).astype(np.intp)
    lines = read_all(mesh.edges, "vertices", 2, np.int32).astype(np.intp)
    corners = read_all(mesh.vertices, "co", 3).astype(float)
    return DrawnShape(corners, triangles, lines, np.full(len(lines), _THIN))


def _filled(corners: Array, triangles: npt.ArrayLike) -> DrawnShape:
    """A shape with filled triangles and their edges."""
    numbers = np.asarray(triangles, dtype=np.intp)
    pairs = np.sort(np.concatenate([numbers[:, [0, 1]], numbers[:, [1, 2]], numbers[:, [2, 0]]]), axis=1)
    edges = np.unique(pairs, axis=0)
    return DrawnShape(corners, numbers, edges, np.full(len(edges), _OUTLINE))


def _double_pyramid(bottom: Array, ring: Array, top: Array) -> DrawnShape:
    """Triangles between a ring (R, 3) and two apexes."""
    count = len(ring)
    sides = [(n, (n + 1) % count, tip) for n in range(count) for tip in (count, count + 1)]
    return _filled(np.concatenate([ring, [bottom, top]]), sides)


def _together(*shapes: DrawnShape) -> DrawnShape:
    first = np.cumsum([0, *(len(shape.corners) for shape in shapes[:-1])])
    return DrawnShape(
        np.concatenate([shape.corners for shape in shapes]),
        np.concatenate([shape.triangles + n for shape, n in zip(shapes, first, strict=True)]),
        np.concatenate([shape.lines + n for shape, n in zip(shapes, first, strict=True)]),
        np.concatenate([shape.half_widths for shape in shapes]),
    )


def _ball(radius: float, y: float) -> DrawnShape:
    """A coarse sphere around a point of the bone."""
    poles, turns = np.array([[0.0, y - radius, 0.0], [0.0, y + radius, 0.0]]), 0.25 * np.pi * np.arange(8)
    ring = np.stack([radius * np.cos(turns), np.full(8, y), radius * np.sin(turns)], axis=-1)
    return _double_pyramid(poles[0], ring, poles[1])


# Half widths in pixels: of an outline, a wire, and the bar and discs of a stick.
_OUTLINE: Final = 0.75
_THIN: Final = 0.5
_BAR: Final = 2.5 * PICK_STICK
_DISC: Final = 5.0 * PICK_STICK
# Blender's own proportions, for a bone of length 1 along Y.
_WAIST: Final = 0.1
_JOINT: Final = 0.05
_BODY: Final = _double_pyramid(
    np.zeros(3),
    _WAIST * np.array([(1.0, 1.0, 1.0), (1.0, 1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, 1.0, 1.0)]),
    np.array([0.0, 1.0, 0.0]),
)
_OCTAHEDRON: Final = _together(_BODY, _ball(_JOINT, 1.0))
_OCTAHEDRON_WITH_HEAD: Final = _together(_OCTAHEDRON, _ball(_JOINT, 0.0))
_CUBE: Final = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (0.0, 1.0) for z in (-1.0, 1.0)])
_QUADS: Final = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
_BOX: Final = _filled(_CUBE, [t for a, b, c, d in _QUADS for t in ((a, b, c), (a, c, d))])
_ENDS: Final = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_NO_AREAS: Final = np.zeros((0, 3), np.intp)
_NOTHING: Final = DrawnShape(np.zeros((0, 3)), _NO_AREAS, np.zeros((0, 2), np.intp), np.zeros(0))
_LINE: Final = DrawnShape(_ENDS, _NO_AREAS, np.array([[0, 1]], np.intp), np.array([_THIN]))
_STICK: Final = DrawnShape(  # a bar with a disc at each end
    _ENDS, _NO_AREAS, np.array([[0, 1], [0, 0], [1, 1]], np.intp), np.array([_BAR, _DISC, _DISC])
)
