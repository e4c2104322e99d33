# SPDX-License-Identifier: GPL-3.0-or-later
"""The narrow phase: exact distances of the pairs that the broad phase leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Index
from .shape_group import ShapeGroup


class PairBatch(NamedTuple):
    """Measured pairs; P rows.

    Attributes:
        pair: (P,) their numbers in the broad phase.
        frame: (P,) their poses in the flattened batch, None for a single pose.
        distance, point, parameter, normal: measured from the link's axis, see `Nearest`.
    """

    pair: Index
    frame: Index | None
    distance: Array
    point: Array
    parameter: Array
    normal: Array

    def take(self, rows: Index) -> PairBatch:
        """Some of the rows."""
        return PairBatch._make(None if array is None else array.take(rows, 0) for array in self)

    @classmethod
    def joined(cls, batches: Sequence[PairBatch]) -> PairBatch:
        """One batch out of several, also out of none; the rows of one pose become neighbours."""
        if len(batches) == 1:
            return batches[0]
        if not batches:
            return cls(np.zeros(0, dtype=np.intp), None, *(np.zeros((0, 3)[:k]) for k in (1, 2, 1, 2)))
        one = cls._make(
            None if columns[0] is None else np.concatenate(columns) for columns in zip(*batches, strict=True)
        )
        return one if one.frame is None else one.take(one.frame.argsort(kind="stable"))


class NarrowPhaseQuery(NamedTuple):
    """Pairs to be measured, of links with obstacles of one kind or of links with links; P rows.

    Attributes:
        group: the shapes that the links are measured against.
        pair: (P,) numbers of the pairs in the broad phase.
        frame: (P,) pose of the batch, None for a single one.
        axes: (P, 3, 3) ends and middle of the links' axes, as rows.
        which: (P,) the shape, counted within the group.
        shape_frame: (P,) frame of the obstacles' motion, None for obstacles without motion.
    """

    group: ShapeGroup
    pair: Index
    frame: Index | None
    axes: Array
    which: Index
    shape_frame: Index | None

    def measure(self, limit: Array, reach: Array) -> PairBatch:
        """All rows, measured; see `ShapeGroup.segments` for both limits."""
        a, b = self.axes[:, 0], self.axes[:, 1]
        measured = self.group.segments(a, b, self.which, self.shape_frame, limit, reach)
        return PairBatch(self.pair, self.frame, *measured)
