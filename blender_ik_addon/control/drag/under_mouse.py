# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone a click would select, worked out from the shapes: for what is shown before the click.

Blender looks into a square about the mouse, then into smaller ones while there are several bones in them, and
of those it takes the one that comes nearest to the viewer there. Meshes hide none, whatever the shading.
"""

from __future__ import annotations

from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from .drawn_bones import DrawnBones, read_drawn
from .view import Array, Sight

_HALF_SIDES: Final = (13.5, 8.5, 4.5)  # from the mouse to the middle of the last pixel, whatever the scale


def bone_under_mouse(
    context: bpy.types.Context, sight: Sight, pixel: npt.ArrayLike
) -> bpy.types.PoseBone | None:
    """The visible bone that a click would select, of any armature in Pose Mode.

    Args:
        context: for what is visible, and how.
        sight: how the region looks at the world.
        pixel: (2,) where the mouse is in it.
    """
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
    """The bone that Blender's rule finds.

    Args:
        drawn: what is drawn for bones.
        corners_screen: (C, 3) its corners, as `Sight.screen` tells; nan where they cannot be seen.
        pixel: (2,) where the mouse is.
        scale: pixels of the window for one of the interface, by which lines are thicker.

    Returns:
        Number of the bone, None if none is near.
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
    """Which of (F, n, 3) lines or triangles, wider by (F,) pixels, may be in the largest square."""
    reach = (_HALF_SIDES[0] + wide)[:, None]
    inside = (figures[..., :2].min(1) <= reach) & (figures[..., :2].max(1) >= -reach)
    return np.flatnonzero(inside.all(-1))


def _on_lines(lines: Array, owner: npt.NDArray[np.intp], half: Array) -> list[tuple[int, float]]:
    """Bone and least depth of each line (L, 2, 3) within a square of its own (L,)."""
    start, way = lines[:, 0], lines[:, 1] - lines[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):  # a line along an axis meets two sides nowhere
        sides = (np.stack([-half, half])[..., None] - start[:, :2]) / way[:, :2]
    enters, leaves = np.clip(sides.min(0).max(-1), 0.0, None), np.clip(sides.max(0).min(-1), None, 1.0)
    hit = np.flatnonzero(enters <= leaves)
    depth = start[hit, 2] + np.minimum(enters[hit] * way[hit, 2], leaves[hit] * way[hit, 2])
    return list(zip(owner[hit].tolist(), depth.tolist(), strict=True))


def _in_areas(areas: Array, owner: npt.NDArray[np.intp], half: float) -> list[tuple[int, float]]:
    """Bone and depth of each triangle (T, 3, 3) at those corners of the square that it covers."""
    corners = half * np.array([(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)])
    first, one, other = areas[:, 0], areas[:, 1] - areas[:, 0], areas[:, 2] - areas[:, 0]
    off = corners - first[:, None, :2]
    with np.errstate(divide="ignore", invalid="ignore"):  # a triangle that is seen edge-on covers nothing
        area = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
        u = (off[..., 0] * other[:, None, 1] - off[..., 1] * other[:, None, 0]) / area[:, None]
        v = (off[..., 1] * one[:, None, 0] - off[..., 0] * one[:, None, 1]) / area[:, None]
    triangle, corner = np.nonzero((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0))
    depth = first[triangle, 2] + u[triangle, corner] * one[triangle, 2]
    depth += v[triangle, corner] * other[triangle, 2]
    return list(zip(owner[triangle].tolist(), depth.tolist(), strict=True))


def _shows_bones(view: Any) -> bool:
    """Whether a 3D view shows bones; None where there is none, as in a script."""
    return view is None or (view.overlay.show_overlays and view.overlay.show_bones)


def is_opaque(view: Any) -> bool:
    """Whether a 3D view hides what is behind a surface; None where there is none, as in a script."""
    if view is None:
        return True
    shading = view.shading
    if shading.type == "WIREFRAME":
        return not shading.show_xray_wireframe
    return not (shading.type == "SOLID" and shading.show_xray)
