# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that are a few numbers each, and a formula that works on many of them at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy.typing as npt

from ...rotation import Array
from ..shape_group import RowGroup, ShapeGroup
from .shape import Nearest, SegmentNearest, Shape


class Solid(Shape):
    """Base of the shapes that are given by a formula."""

    @property
    @abstractmethod
    def parameters(self) -> Array:
        """(*frames, m) all numbers of the shape in one row, in the world."""

    @staticmethod
    @abstractmethod
    def point_distance(points: Array, parameters: Array) -> tuple[Array, Array, Array]:
        """Distance (P,), point (P, 3) and normal (P, 3) of points (P, 3) to shapes (P, m), row by row."""

    @staticmethod
    @abstractmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> tuple[Array, Array, Array, Array]:
        """Distance (P,), point (P, 3), parameter (P,) and normal (P, 3) of segments to shapes, row by row."""

    @classmethod
    def group(cls, shapes: Sequence[Self], frames: tuple[int, ...]) -> ShapeGroup:
        """See `Shape.group`."""
        return RowGroup.of(cls.segment_distance, [shape.parameters for shape in shapes], frames)

    def nearest(self, points: npt.ArrayLike, limit: float | None = None) -> Nearest:
        """See `Shape.nearest`."""
        (query,), batch = self._flat(points)
        distance, point, normal = self.point_distance(query, self._per_row(self.parameters, batch))
        return Nearest(distance.reshape(batch), point.reshape(*batch, 3), normal.reshape(*batch, 3))

    def nearest_segment(
        self, a: npt.ArrayLike, b: npt.ArrayLike, limit: float | None = None
    ) -> SegmentNearest:
        """See `Shape.nearest_segment`."""
        (first, last), batch = self._flat(a, b)
        rows = self._per_row(self.parameters, batch)
        distance, point, parameter, normal = self.segment_distance(first, last, rows)
        return SegmentNearest(
            distance.reshape(batch),
            point.reshape(*batch, 3),
            parameter.reshape(batch),
            normal.reshape(*batch, 3),
        )
