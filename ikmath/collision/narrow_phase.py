# SPDX-License-Identifier: GPL-3.0-or-later
"""The narrow phase: exact distances of the pairs that the broad phase leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Index
from .shape_group import ShapeGroup


class PairBatch(NamedTuple):
    """Measured pairs of links with obstacles, or of links with links; P rows.

    Attributes:
        frame: (P,) pose of the flattened batch, None for a single pose.
        link: (P,) index of the link.
        obstacle: (P,) obstacle in the order of the broad phase; None for pairs of links.
        other: (P,) the other link; None for obstacles.
        distance, point, parameter, normal: measured from the link's axis, see `Nearest`.
    """

    frame: Index | None
    link: Index
    obstacle: Index | None
    other: Index | None
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
            none = np.zeros(0, dtype=np.intp)
            return cls(None, none, None, None, *(np.zeros((0, 3)[:k]) for k in (1, 2, 1, 2)))
        frames = [batch.frame for batch in batches if batch.frame is not None]
        one = cls(
            np.concatenate(frames) if frames else None,
            np.concatenate([batch.link for batch in batches]),
            _with_absent([batch.obstacle for batch in batches], batches),
            _with_absent([batch.other for batch in batches], batches),
            np.concatenate([batch.distance for batch in batches]),
            np.concatenate([batch.point for batch in batches]),
            np.concatenate([batch.parameter for batch in batches]),
            np.concatenate([batch.normal for batch in batches]),
        )
        return one if one.frame is None else one.take(one.frame.argsort(kind="stable"))


def _with_absent(columns: Sequence[Index | None], batches: Sequence[PairBatch]) -> Index | None:
    """Columns one after the other, with -1 for the rows of those that are None; None if all are."""
    if all(column is None for column in columns):
        return None
    full = [
        np.full(len(batch.link), -1) if column is None else column
        for column, batch in zip(columns, batches, strict=True)
    ]
    joined: Index = np.concatenate(full)
    return joined


class NarrowPhaseQuery(NamedTuple):
    """Pairs to be measured, of links with obstacles of one kind or of links with links; P rows.

    Attributes:
        group: the shapes that the links are measured against.
        start: number of the group's first obstacle.
        axes: (P, 3, 3) ends and middle of the links' axes, as rows.
        frame: (P,) pose of the batch, None for a single one.
        shape_frame: (P,) frame of the obstacles' motion, None for obstacles without motion.
        link: (P,) the link.
        shape: (P,) the obstacle, or the row of the group if `other` is given.
        other: (P,) the other link, None for obstacles.
        thickness: (P,) radius of the link and margin of the obstacle, metres.
        pair: (P,) numbers of the pairs in the broad phase.
    """

    group: ShapeGroup
    start: int
    axes: Array
    frame: Index | None
    shape_frame: Index | None
    link: Index
    shape: Index
    other: Index | None
    thickness: Array
    pair: Index

    def take(self, rows: Index) -> NarrowPhaseQuery:
        """Some of the rows."""
        return self._replace(
            axes=self.axes.take(rows, 0),
            frame=None if self.frame is None else self.frame.take(rows),
            shape_frame=None if self.shape_frame is None else self.shape_frame.take(rows),
            link=self.link.take(rows),
            shape=self.shape.take(rows),
            other=None if self.other is None else self.other.take(rows),
            thickness=self.thickness.take(rows),
            pair=self.pair.take(rows),
        )

    def measure(self, limit: Array, reach: Array) -> PairBatch:
        """All rows, measured; see `ShapeGroup.segments` for both limits."""
        a, b = self.axes[:, 0], self.axes[:, 1]
        own = self.shape - self.start if self.start else self.shape
        measured = self.group.segments(a, b, own, self.shape_frame, limit, reach)
        obstacle = self.shape if self.other is None else None
        return PairBatch(self.frame, self.link, obstacle, self.other, *measured)
