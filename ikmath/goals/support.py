# SPDX-License-Identifier: GPL-3.0-or-later
"""The area that points of contact span, as half planes: what a standing figure balances over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from ..errors import BadShape
from ..rotation import Array
from .base import Frame

_FLAT: Final = 1e-9  # metres; an area thinner than this has no inside
Point = tuple[float, float]


@dataclass(frozen=True)
class Support:
    """Half planes `normals @ x >= offsets` whose intersection is the area.

    Attributes:
        normals: (*batch, K, 2) unit, inward; offsets: (*batch, K) metres, the margin added.
    """

    normals: Array
    offsets: Array

    @classmethod
    def of(cls, points: Array, margin: float, what: str) -> Self:
        """The area that points span.

        Args:
            points: (*batch, K, 2) in the level plane, finite, metres.
            margin: metres, zero or more, by which the area is narrowed; a line or a point has no room for it
                and stays.
            what: for messages.

        Raises:
            BadShape: no points.
        """
        if not points.shape[-2]:
            raise BadShape(f"support of {what}", "(..., K, 2) or (..., K, 3), K at least 1", points.shape)
        *batch, count, _ = points.shape
        edges = [_half_planes(hull(corners.tolist()), margin) for corners in points.reshape(-1, count, 2)]
        most = max((len(normals) for normals, _ in edges), default=0)
        # areas of fewer edges are filled up with half planes that hold everywhere
        all_normals, all_offsets = np.zeros((len(edges), most, 2)), np.full((len(edges), most), -1.0)
        for i, (normals, offsets) in enumerate(edges):
            all_normals[i, : len(normals)], all_offsets[i, : len(offsets)] = normals, offsets
        return cls(all_normals.reshape(*batch, most, 2), all_offsets.reshape(*batch, most))

    @property
    def rows(self) -> int:
        """Number of half planes."""
        return int(self.normals.shape[-2])

    def at(self, frame: Frame) -> Self:
        """The area of one frame, or of several."""
        return type(self)(self.normals[frame], self.offsets[frame])


def hull(points: list[list[float]]) -> list[Point]:
    """Corners of the convex hull, counter-clockwise (Andrew's monotone chain); one or two if it is flat."""
    ordered = sorted({(x, y) for x, y in points})

    # No tolerance here: of points that are as good as in line it would throw away the outermost one.
    def chain(way: list[Point]) -> list[Point]:
        out: list[Point] = []
        for point in way:
            while len(out) > 1 and _turn(out[-2], out[-1], point) <= 0.0:
                out.pop()
            out.append(point)
        return out[:-1]

    if len(ordered) < 3:
        return ordered
    corners = chain(ordered) + chain(ordered[::-1])
    before = corners[-1:] + corners[:-1]
    corners = [at for last, at in zip(before, corners, strict=True) if _length(last, at) > _FLAT]
    if not corners:
        return ordered[:1]
    far = max(corners, key=lambda corner: _length(corners[0], corner))
    wide = max(abs(_turn(corners[0], far, corner)) for corner in corners)
    return corners if wide > _FLAT * _length(corners[0], far) else [corners[0], far]


def _half_planes(corners: list[Point], margin: float) -> tuple[Array, Array]:
    """Inward unit normals (K, 2) and offsets (K,) of a hull; a line and a point are boxes without room."""
    place = np.array(corners)
    if len(corners) > 2:
        way = np.roll(place, -1, 0) - place
        normals = np.stack([-way[:, 1], way[:, 0]], -1) / np.linalg.norm(way, axis=1)[:, None]
        return normals, (normals * place).sum(1) + margin
    along = place[-1] - place[0]
    length = float(np.linalg.norm(along))
    along = along / length if length > _FLAT else np.array([1.0, 0.0])
    across = np.array([-along[1], along[0]])
    inset = min(margin, 0.5 * length)
    normals = np.array([across, -across, along, -along])
    ends = np.array([place[0], place[0], place[0], place[-1]])
    return normals, (normals * ends).sum(1) + np.array([0.0, 0.0, inset, inset])


def _turn(a: Point, b: Point, c: Point) -> float:
    """Twice the area of a triangle, positive if it runs counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _length(a: Point, b: Point) -> float:
    return float(np.hypot(b[0] - a[0], b[1] - a[1]))
