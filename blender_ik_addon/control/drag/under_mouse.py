# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone a click would select, computed from the drawn shapes; for highlights before the click.

Blender searches a square around the mouse, then smaller squares while these contain several bones, and
selects the bone that is nearest to the viewer there. Meshes do not hide bones, whatever the shading.
"""

from __future__ import annotations

from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from ...bridge.armature import Array
from .drawn_bones import DrawnBones, read_drawn
from .view import Sight

_HALF_SIDES: Final = (13.5, 8.5, 4.5)  # pixels from the mouse to the middle of the last pixel, at any scale


def bone_under_mouse(
    context: bpy.types.Context, sight: Sight, pixel: npt.ArrayLike
) -> bpy.types.PoseBone | None:
    """The visible bone that a click at a pixel (2,) would select, of any armature in Pose Mode."""
    bones: list[Any] = [bone for bone in context.visible_pose_bones or () if not bone.bone.hide_select]
    if not bones or not _shows_bones(context.space_data):
        return None
    drawn = read_drawn(bones, filled=is_opaque(context.space_data))
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
    wide = scale * drawn.half_widths
    near = _near(about[drawn.lines], wide)
    lines, line_owner, wide = about[drawn.lines[near]], drawn.line_owner[near], wide[near]
    near = _near(about[drawn.triangles], np.zeros(len(drawn.triangles)))
    areas, area_owner = about[drawn.triangles[near]], drawn.triangle_owner[near]
    found = None
    for half in _HALF_SIDES:
        depth: dict[int, float] = {}
        for owner, value in (*_on_lines(lines, line_owner, half + wide), *_in_areas(areas, area_owner, half)):
            depth[owner] = min(value, depth.get(owner, np.inf))
        if not depth:
            break
        found = min(depth, key=depth.__getitem__)
        if len(depth) == 1:
            break
    return found


def _near(figures: Array, wide: Array) -> npt.NDArray[np.intp]:
    """Indices of (F, n, 3) lines or triangles, widened by (F,) pixels, that may be in the largest square."""
    reach = (_HALF_SIDES[0] + wide)[:, None]
    inside = (figures[..., :2].min(1) <= reach) & (figures[..., :2].max(1) >= -reach)
    return np.flatnonzero(inside.all(-1))


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


def _shows_bones(view: Any) -> bool:
    """Whether a 3D view shows bones; None for a script without a view."""
    return view is None or (view.overlay.show_overlays and view.overlay.show_bones)


def is_opaque(view: Any) -> bool:
    """Whether a 3D view hides things behind surfaces; None for a script without a view."""
    if view is None:
        return True
    shading = view.shading
    if shading.type == "WIREFRAME":
        return not shading.show_xray_wireframe
    return not (shading.type == "SOLID" and shading.show_xray)
