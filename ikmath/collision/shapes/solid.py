# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes that are described by a few numbers, with a formula that works on many of them at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

from ...rotation import Array
from ..shape_group import RowGroup, ShapeGroup
from .shape import Shape


class Solid(Shape):
    """Base of the shapes that are given by a formula."""

    @property
    @abstractmethod
    def parameters(self) -> Array:
        """(*frames, m) all numbers of the shape in one row, in the world."""

    @staticmethod
    @abstractmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> tuple[Array, Array, Array, Array]:
        """Distance (P,), point (P, 3), parameter (P,) and normal (P, 3) of segments to shapes, row by row."""

    @classmethod
    def group(cls, shapes: Sequence[Self], frames: tuple[int, ...]) -> ShapeGroup:
        """See `Shape.group`."""
        return RowGroup.of(cls.segment_distance, [shape.parameters for shape in shapes], frames)
