# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapping of a drag, with the snapping settings of the 3D view.

The snap target is under the mouse, as in Blender's own tools. The figure and objects attached to it are
ignored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log10
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ... import compat
from ...bridge.armature import Array
from ...bridge.obstacles import surface_of
from ...properties.access import is_shown
from ...properties.obstacle import SURFACES
from ..collision.obstacles import is_worn
from .under_mouse import is_opaque
from .view import Sight

_NEAR: Final = 30.0  # pixels at a resolution scale of 1, Blender's search radius for vertices and edges
_BEHIND: Final = 1e-3  # share of the distance to the eye; smaller depth differences count as on the surface
_TRIED: Final = 8  # number of nearest candidates that are tested for visibility
_LEAST_STEP: Final = 6.0  # pixels, the smallest grid step to which Blender snaps
_FINER: Final = 0.1  # factor of the step while Shift is pressed
_FACES: Final = {"FACE", "FACE_PROJECT"}
_GEOMETRY: Final = {"VERTEX", "EDGE", "EDGE_MIDPOINT", *_FACES}


def read_snapping(
    context: bpy.types.Context, *, turning: bool, inverted: bool, fine: bool
) -> tuple[float, bool, frozenset[str]]:
    """Read the snapping settings; `inverted` is whether Ctrl is pressed, `fine` whether Shift is.

    Returns:
        Blender units of an increment, or radians, 0 for none; whether positions snap to the world grid,
            otherwise displacements snap to increments; names of Blender's geometric snap elements.
    """
    settings = context.scene.tool_settings
    concerned = settings.use_snap_rotate if turning else settings.use_snap_translate
    if (settings.use_snap and concerned) == inverted:
        return 0.0, False, frozenset()
    if turning:
        angle = settings.snap_angle_increment_3d
        return settings.snap_angle_increment_3d_precision if fine else angle, False, frozenset()
    elements = set(settings.snap_elements)
    grid = compat.snaps_to_grid(settings)
    step = _step(context) if grid or "INCREMENT" in elements else 0.0
    return _FINER * step if fine else step, grid, frozenset(elements & _GEOMETRY)


def _step(context: bpy.types.Context) -> float:
    """Blender units between grid lines; in an axis-aligned view, between the lines that are drawn."""
    view: Any = context.space_data
    shown, region = context.region_data, context.region
    step: float = view.overlay.grid_scale_unit
    if shown.is_orthographic_side_view:
        pixel = 2.0 / (region.width * shown.window_matrix[0][0])
        step *= 10.0 ** ceil(log10(_LEAST_STEP * pixel / step))
    return step


@dataclass(frozen=True, eq=False)
class _Surface:
    """A mesh in world space: BVH tree, vertices (V, 3), edges (E, 2)."""

    tree: Any
    vertices: Array
    edges: npt.NDArray[np.int32]


class Snapper:
    """The objects around a figure, read at the first query of each frame."""

    def __init__(self, armature: bpy.types.Object) -> None:
        self._name = armature.name
        self._frame: float | None = None
        self._surfaces: list[_Surface] = []

    def place(
        self, context: bpy.types.Context, sight: Sight, pixel: npt.ArrayLike, elements: frozenset[str]
    ) -> Array | None:
        """(3,) world, the snap target at a pixel (2,): a vertex, else an edge, else a face; None if none."""
        if not elements:
            return None
        self._read(context)
        reach = _NEAR * context.preferences.system.pixel_size
        candidates = []
        if "VERTEX" in elements:
            candidates.append(_points([s.vertices for s in self._surfaces], sight, pixel))
        if "EDGE_MIDPOINT" in elements:
            middles = [s.vertices[s.edges].mean(1) for s in self._surfaces]
            candidates.append(_points(middles, sight, pixel))
        if "EDGE" in elements:
            candidates.append(_on_edges(self._surfaces, sight, pixel, reach))
        for distance, places in candidates:
            order = np.argsort(distance)[:_TRIED]
            for place in places[order[distance[order] < reach]]:
                if not is_opaque(context.space_data) or not self._is_hidden(sight, place):
                    return np.array(place)
        return self._hit(*sight.ray(pixel)) if elements & _FACES else None

    def _read(self, context: bpy.types.Context) -> None:
        frame = context.scene.frame_current_final
        if frame != self._frame:
            self._frame = frame
            self._surfaces = list(_surfaces(context, self._name))

    def _hit(self, start: Array, along: Array) -> Array | None:
        """(3,) the first intersection of a ray with a surface."""
        ray = Vector(start.tolist()), Vector(along.tolist())
        rays = (one.tree.ray_cast(*ray) for one in self._surfaces)
        hits = [(distance, place) for place, _, _, distance in rays if place is not None]
        return np.array(min(hits, key=lambda hit: hit[0])[1]) if hits else None

    def _is_hidden(self, sight: Sight, place: Array) -> bool:
        """Whether a surface is in front of a point."""
        start, along = sight.ray(sight.pixels(place))
        hit = self._hit(start, along)
        far = float(along @ (place - start))
        return hit is not None and float(along @ (hit - start)) < (1.0 - _BEHIND) * far


def _surfaces(context: bpy.types.Context, name: str) -> Iterator[_Surface]:
    """The visible surfaces that do not belong to the figure, including instances."""
    armature = bpy.data.objects[name]
    for shown in context.evaluated_depsgraph_get().object_instances:
        thing: Any = shown.object
        owner = (shown.parent or thing).original
        if thing.type not in SURFACES or not shown.show_self or is_worn(owner, armature):
            continue
        if not is_shown(context, owner):
            continue
        found = surface_of(thing)
        if len(found.faces):
            matrix = np.array(shown.matrix_world)
            vertices = found.vertices @ matrix[:3, :3].T + matrix[:3, 3]
            tree = BVHTree.FromPolygons(vertices.tolist(), found.faces.tolist(), all_triangles=True)
            yield _Surface(tree, vertices, found.arrays[1])


def _points(places: list[Array], sight: Sight, pixel: npt.ArrayLike) -> tuple[Array, Array]:
    """Distances (N,) from a pixel, inf behind the eye, and points (N, 3)."""
    every = np.concatenate([np.zeros((0, 3)), *places])
    distance = np.linalg.norm(sight.pixels(every) - np.asarray(pixel), axis=1)
    return np.nan_to_num(distance, nan=np.inf), every


def _on_edges(
    surfaces: list[_Surface], sight: Sight, pixel: npt.ArrayLike, reach: float
) -> tuple[Array, Array]:
    """The same as `_points` for the nearest points on edges."""
    ends = np.concatenate([np.zeros((0, 2, 3)), *(one.vertices[one.edges] for one in surfaces)])
    first, last = np.moveaxis(sight.pixels(ends), 1, 0)
    way = last - first
    with np.errstate(invalid="ignore", divide="ignore"):  # edges seen end-on
        share = ((np.asarray(pixel) - first) * way).sum(1) / (way * way).sum(1)
    nearest = first + np.clip(np.nan_to_num(share), 0.0, 1.0)[:, None] * way
    distance = np.nan_to_num(np.linalg.norm(nearest - np.asarray(pixel), axis=1), nan=np.inf)
    rows = np.argsort(distance)[:_TRIED]
    rows = rows[distance[rows] < reach]
    return distance[rows], np.array([_along(sight, nearest[row], *ends[row]) for row in rows]).reshape(-1, 3)


def _along(sight: Sight, pixel: Array, start: Array, end: Array) -> Array:
    """(3,) the point between two points that is nearest to a pixel's line of sight."""
    length = float(np.linalg.norm(end - start))
    axis = (end - start) / (length or 1.0)
    return np.asarray(start + np.clip(sight.along_axis(pixel, start, axis), 0.0, length) * axis)
