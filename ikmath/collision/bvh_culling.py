# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH culling: the triangles that can be nearer to segments than a known triangle.

If the previous nearest triangle is known, no search is needed, only a proof that nothing else is nearer now.
What is within a length of a segment lies within a sphere about the segment's middle; and along any direction
it reaches as far as the segment's end less that length. For a node's sphere with centre c and radius r both
conditions are linear in (c, r, |c|^2 - r^2, 1). So all nodes of a level are tested in one product of
matrices, the first two levels at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..arrays import Array, Index
from .vectors import ONES

WIDE: Final = 16  # children of a node, a power of two
_FAR: Final = 1e60  # square of the distance of what is nowhere
_AIR: Final = 1e-12  # relative slack of the comparisons, far above rounding
_TERMS: Final = 6


@dataclass(frozen=True)
class Level:
    """The nodes of one level; those of the lowest level are the triangles.

    Attributes:
        center: (N, 3), radius: (N,) a ball around all that is below; its centre is the middle of a
            triangle.
        first: (N,) index of the first of a node's sixteen children in the next level.
    """

    center: Array
    radius: Array
    first: Index


class BvhCulling:
    """The nodes of a tree, or of several side by side, as columns; those with one parent together.

    Args:
        levels: from the top down to the triangles, see `Bvh`.
        size: largest coordinate, metres.
    """

    def __init__(self, levels: tuple[Level, ...], size: float) -> None:
        self._size = size
        above = levels[0]
        roots = len(above.center) // WIDE
        blocks = [_columns(level) for level in levels]
        self._node = np.arange(len(above.center)).reshape(roots, -1)
        self._top = blocks[0]
        if len(levels) > 1:
            own = above.first // WIDE
            self._node = (above.first[:, None] + np.arange(WIDE)).reshape(roots, -1)
            top = blocks[1].take(own, 0)
            top[above.center[:, 0] * above.center[:, 0] >= _FAR, 4] = _FAR  # filling nodes have no children
            top = top.reshape(roots, WIDE, _TERMS, WIDE).swapaxes(1, 2)
            self._top = np.ascontiguousarray(top).reshape(roots, _TERMS, -1)
        self._below = [
            (level.first // WIDE, block) for level, block in zip(levels[1:], blocks[2:], strict=False)
        ]

    def within(
        self, a: Array, b: Array, gap: Array, ahead: Array, reach: Array, root: Index
    ) -> tuple[Index, Index]:
        """Pairs (P,) of segments a-b, ascending, and triangles that may be within a reach and reach that far.

        Args:
            a, b: (Q, 3).
            gap: (Q, 3) directions, no longer than one.
            ahead: (Q,) how far along them a triangle has to reach, infinite where none is wanted.
            reach: (Q,) metres.
            root: (Q,) the tree of each query.
        """
        middle, half = 0.5 * (a + b), 0.5 * (b - a)
        most = np.sqrt((half * half).dot(ONES))
        most += reach
        square = (middle * middle).dot(ONES)
        tests = np.zeros((len(a), 2, _TERMS))
        np.negative(gap, out=tests[:, 0, :3])
        tests[:, 0, 3] = -1.0
        size = self._size + float(np.sqrt(square.max(initial=0.0))) + float(most.max(initial=0.0))
        tests[:, 0, 5] = ahead - _AIR * size
        np.multiply(middle, -2.0, out=tests[:, 1, :3])
        np.multiply(most, -2.0, out=tests[:, 1, 3])
        tests[:, 1, 4] = 1.0
        most *= most
        square -= most
        square -= _AIR * size * size
        tests[:, 1, 5] = square
        return self._descend(tests, root)

    def _descend(self, tests: Array, root: Index) -> tuple[Index, Index]:
        """Pairs (P,) of queries and triangles for which all tests (Q, T, 6) are below zero."""
        most = np.maximum.reduce(np.matmul(tests, self._top.take(root, 0)), 1)
        query, place = (most < 0.0).nonzero()
        node = self._node[root.take(query), place]
        for first, blocks in self._below:
            block = first.take(node)
            most = np.maximum.reduce(np.matmul(tests.take(query, 0), blocks.take(block, 0)), 1)
            row, place = (most < 0.0).nonzero()
            query, node = query.take(row), block.take(row) * WIDE + place
        return query, node

    def guess(self, points: Array, root: Index) -> Index:
        """(Q,) triangles that are near to points (Q, 3), if not the nearest."""
        node = self._node[root, _nearest(points, self._top.take(root, 0))]
        for first, blocks in self._below:
            block = first.take(node)
            node = block * WIDE + _nearest(points, blocks.take(block, 0))
        return np.asarray(node)


def _nearest(points: Array, blocks: Array) -> Index:
    """(Q,) which centre of a block (Q, 6, N) is nearest to each point (Q, 3)."""
    gap = blocks[:, :3] - points[:, :, None]
    gap *= gap
    square: Array = gap.sum(1)
    # a filling node has the centre of a real one
    square[blocks[:, 4] >= _FAR] = np.inf
    nearest: Index = square.argmin(1)
    return nearest


def _columns(level: Level) -> Array:
    """(N / WIDE, 6, WIDE) of a level's nodes."""
    center, radius = level.center, level.radius
    rows = np.ones((len(center), _TERMS))
    rows[:, :3], rows[:, 3] = center, radius
    rows[:, 4] = (center * center).dot(ONES) - radius * radius
    return np.ascontiguousarray(rows.reshape(-1, WIDE, _TERMS).swapaxes(1, 2))
