# SPDX-License-Identifier: GPL-3.0-or-later
"""A bounding volume hierarchy of spheres around triangles, built and queried in whole arrays.

With numpy, few wide levels are fastest: each level costs about twenty calls, whatever its width. So the
triangles are sorted along Hilbert's curve and every sixteen neighbours make a node, again and again, until
sixteen nodes are left. A query descends level by level with all its (query, node) pairs at once, and drops
the pairs that cannot contain the nearest triangle. Nodes are balls, because the distance from a segment to a
ball has a closed form. Several trees can be combined into one forest, which is queried at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from ..arrays import Array, Index
from .closest_points import TriangleCache
from .vectors import ONES, TINY, clamp

Numbers = TypeVar("Numbers", Array, Index)
WIDE: Final = 16  # children of a node, a power of two
_NOWHERE: Final = 1e30  # centre of the nodes that fill the last sixteen: far from everything
_BITS: Final = 10  # of Hilbert's curve: cells a side, as a power of two
_AIR: Final = 1e-12  # relative slack of a comparison, far above rounding


@dataclass(frozen=True)
class Level:
    """The nodes of one level, balls around all that is below; those of the lowest level are the triangles."""

    center: Array  # (N, 3), each the middle of a triangle
    radius: Array  # (N,)
    first: Index  # (N,) index of the first of a node's sixteen children in the next level


@dataclass(frozen=True)
class Bvh:
    """One tree, or several side by side."""

    levels: tuple[Level, ...]  # from the top, sixteen nodes a tree, down to the triangles
    corners: Array  # (N, 3, 3) of the lowest level's triangles
    face: Index  # (N,) which face of its mesh each of them is
    size: float  # largest coordinate, metres

    @classmethod
    def build(cls, corners: Array, faces: Index | None = None) -> Bvh:
        """A tree over triangles (F, 3, 3), F > 0. A million triangles take less than a second.

        Args:
            faces: (F,) which face of its mesh each triangle is; their numbers in order if None.
        """
        middle = corners[:, 0] + corners[:, 1]
        middle += corners[:, 2]
        middle /= 3.0
        order = hilbert_order(middle)
        order = _padded(order, order[-1])  # repeated triangles do no harm
        corners, center = corners.take(order, 0), middle.take(order, 0)
        spread = corners - center[:, None]
        square = (spread * spread).reshape(-1, 3).dot(ONES)
        radius = np.sqrt(np.maximum(np.maximum(square[0::3], square[1::3]), square[2::3]))
        levels = [Level(center, radius * (1.0 + 1e-14), np.zeros(len(center), dtype=np.intp))]
        low = np.minimum(np.minimum(corners[:, 0], corners[:, 1]), corners[:, 2])
        high = np.maximum(np.maximum(corners[:, 0], corners[:, 1]), corners[:, 2])
        size = float(np.maximum(-low, high).max())
        while len(levels[0].center) > WIDE:
            low, high = _folded(np.minimum, low), _folded(np.maximum, high)
            levels.insert(0, _parents(levels[0], low, high))
            low, high = _padded(low, _NOWHERE), _padded(high, -_NOWHERE)
        return cls(tuple(levels), corners, order if faces is None else faces.take(order), size)

    @classmethod
    def side_by_side(cls, trees: Sequence[Bvh]) -> Bvh:
        """A forest; `roots` of a query are the number of its tree."""
        if len(trees) == 1:
            return trees[0]
        depth = max(len(tree.levels) for tree in trees)
        raised = [_raised(tree, depth) for tree in trees]
        levels = []
        for rank in range(depth):
            here = [levels_of[rank] for levels_of in raised]
            below = [len(levels_of[rank + 1].center) if rank + 1 < depth else 0 for levels_of in raised]
            start = np.cumsum([0, *below[:-1]])
            levels.append(
                Level(
                    np.concatenate([level.center for level in here]),
                    np.concatenate([level.radius for level in here]),
                    np.concatenate([level.first + s for level, s in zip(here, start, strict=True)]),
                )
            )
        return cls(
            tuple(levels),
            np.concatenate([tree.corners for tree in trees]),
            np.concatenate([tree.face for tree in trees]),
            max(tree.size for tree in trees),
        )

    @cached_property
    def facets(self) -> TriangleCache:
        """The triangles of the lowest level, with the quantities for distance queries."""
        return TriangleCache(self.corners)

    def near_segments(
        self, a: Array, b: Array, limit: Array, root: Index | None = None
    ) -> tuple[Index, Index]:
        """Pairs (query, triangle) that hold the nearest triangle of every segment, if within the limit.

        Args:
            a, b: (Q, 3) ends of the segments; the same array for points, which is quicker.
            limit: (Q,) metres, infinite where there is none.
            root: (Q,) the tree of each query, in a forest.

        Returns:
            (P,) query, ascending, and (P,) index into `corners`.
        """
        d, points = b - a, a is b
        inverse = 1.0 / np.maximum((d * d).dot(ONES), TINY)
        bound = limit.copy()
        air = _AIR * (max(float(np.abs(ends).max(initial=0.0)) for ends in (a, b)) + self.size)
        query = np.arange(len(a))
        node = first = np.zeros(len(a), dtype=np.intp) if root is None else root * WIDE
        children = _CHILDREN[: len(self.levels[0].center)]
        for level in self.levels:
            if not len(query):
                break
            # a query's pairs are together, so where they begin is seen among their parents, which are fewer
            begin = starts_of(query)
            active, starts = query.take(begin), begin * len(children)
            query, node = query.repeat(len(children)), (first[:, None] + children).ravel()
            away = level.center.take(node, 0) - a.take(query, 0)
            if not points:
                along = d.take(query, 0)
                along *= clamp((away * along).dot(ONES) * inverse.take(query))[:, None]
                away -= along
            away *= away
            gap = np.sqrt(away.dot(ONES))
            nearest = np.minimum.reduceat(gap, starts)  # the centre of a ball is a place on the surface
            bound[active] = np.minimum(bound.take(active), nearest)
            gap -= level.radius.take(node)
            keep = (gap <= (bound * (1.0 + _AIR) + air).take(query)).nonzero()[0]
            query, node = query.take(keep), node.take(keep)
            first, children = level.first.take(node), _CHILDREN
        return query, node


_CHILDREN: Final = np.arange(WIDE)


def starts_of(query: Index) -> Index:
    """Where the rows of each query begin, in an ascending list."""
    first = np.ones(len(query), dtype=bool)
    np.not_equal(query[1:], query[:-1], out=first[1:])
    return first.nonzero()[0]


def _folded(fold: np.ufunc, values: Array) -> Array:
    """Every sixteen rows folded into one, in halves: much quicker than a reduction over a short axis."""
    for _ in range(WIDE.bit_length() - 1):
        values = fold(values[0::2], values[1::2])
    return values


def _padded(values: Numbers, filler: float) -> Numbers:
    """The rows, and filler up to a multiple of sixteen."""
    missing = -len(values) % WIDE
    rest = np.full((missing, *values.shape[1:]), filler, values.dtype)
    return np.concatenate([values, rest]) if missing else values


def _parents(below: Level, low: Array, high: Array) -> Level:
    """The level above, whose boxes are `low` to `high`, padded with nodes far from everything."""
    # the centre of a node is that of the child nearest to its middle, and so always the middle of a triangle
    middle = 0.5 * (low + high)
    half = high - middle
    gap = below.center - middle.repeat(WIDE, 0)
    gap *= gap
    central = gap.dot(ONES).reshape(-1, WIDE).argmin(1) + np.arange(0, len(below.center), WIDE)
    center = below.center.take(central, 0)
    gap = below.center - center.repeat(WIDE, 0)
    gap *= gap
    reach = np.sqrt(gap.dot(ONES)) + below.radius
    reach[below.center[:, 0] == _NOWHERE] = 0.0
    middle -= center
    box = np.sqrt((half * half).dot(ONES)) + np.sqrt((middle * middle).dot(ONES))
    first = np.arange(0, len(center) * WIDE, WIDE)
    radius = np.minimum(box, _folded(np.maximum, reach)) * (1.0 + 1e-14)
    return Level(_padded(center, _NOWHERE), _padded(radius, 0.0), _padded(first, 0))


def _raised(tree: Bvh, depth: int) -> list[Level]:
    """The levels of a tree with sixteen nodes at the top, and with more levels on top up to a depth."""
    levels = list(tree.levels)
    while len(levels) < depth:
        top = levels[0]
        real = top.center[:, 0] != _NOWHERE
        low = (top.center - top.radius[:, None])[real].min(0)
        high = (top.center + top.radius[:, None])[real].max(0)
        levels.insert(0, _parents(top, low[None], high[None]))
    return levels


def hilbert_order(points: Array) -> Index:
    """(N,) indices that sort places (N, 3) along Hilbert's curve; equal places keep their order.

    Neighbours in the list are neighbours in space: cutting it into equal pieces gives a tree of boxes without
    building one (the way of packed R-trees).

    Skilling's transform ("Programming the Hilbert curve", 2004) on all places at once.
    """
    bits = min(_BITS, max(4, int(np.ceil(np.log2(len(points)) / 2)) + 1))  # a surface in a few cells each
    columns = np.ascontiguousarray(points.T)
    low, high = columns.min(1, keepdims=True), columns.max(1, keepdims=True)
    span = float((high - low).max())
    x, y, z = ((columns - low) * ((2**bits - 1) / span if span > 0 else 0.0)).astype(np.uint32)
    axes = (x, y, z)
    zero = np.uint32(0)
    for k in range(bits - 1, 0, -1):
        below = np.uint32((1 << k) - 1)
        for axis in axes:
            # all ones where the bit is set: there the lower bits of x are inverted, elsewhere swapped with x
            set_ = zero - ((axis >> np.uint32(k)) & np.uint32(1))
            swap = (x ^ axis) & ~set_ & below
            x ^= swap | (set_ & below)
            if axis is not x:
                axis ^= swap
    y ^= x
    z ^= y
    turn = np.zeros(len(points), dtype=np.uint32)
    for k in range(bits - 1, 0, -1):
        turn ^= (zero - ((z >> np.uint32(k)) & np.uint32(1))) & np.uint32((1 << k) - 1)
    x, y, z = x ^ turn, y ^ turn, z ^ turn
    fine, coarse = (_spread(x, s) << 2 | _spread(y, s) << 1 | _spread(z, s) for s in (0, 5))
    # the number of a place in the lower bits keeps equal ones in order
    ranked = np.sort(coarse.astype(np.int64) << 47 | fine.astype(np.int64) << 32 | np.arange(len(points)))
    return np.asarray(ranked & (1 << 32) - 1, dtype=np.intp)


def _spread(cells: npt.NDArray[np.uint32], shift: int) -> npt.NDArray[np.uint32]:
    """Five bits from `shift` on, with two zeros before each."""
    table = np.zeros(32, dtype=np.uint32)
    for k in range(5):
        table |= ((np.arange(32, dtype=np.uint32) >> np.uint32(k)) & np.uint32(1)) << np.uint32(3 * k)
    return table.take((cells >> np.uint32(shift)) & np.uint32(31))
