# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a tree can be nearer to segments than something of it that is known already.

Who knows what was nearest a moment ago needs no search, but a proof that nothing else is nearer now. What is
within a length of a segment lies within a ball about the segment's middle; and along any direction it reaches
as far as the segment's end less that length. For a node's ball with its centre c and radius r both are
linear in (c, r, |c|^2 - r^2, 1). So all nodes of a level are tested in one product of matrices, the first two
levels at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ..arrays import Array, Index
from .vectors import ONES

if TYPE_CHECKING:
    from .bvh import Level

_FAR: Final = 1e60  # square of the distance of what is nowhere
_AIR: Final = 1e-12  # relative slack of the comparisons, far above rounding
_TERMS: Final = 6


class Sieve:
    """The nodes of a tree, or of several side by side, as columns; those with one parent together.

    Args:
        levels: from the top down to the triangles, see `Tree`.
        wide: children of a node.
        size: largest coordinate, metres.
    """

    def __init__(self, levels: tuple[Level, ...], wide: int, size: float) -> None:
        self._wide, self._size = wide, size
        above = levels[0]
        roots = len(above.center) // wide
        blocks = [_columns(level, wide) for level in levels]
        self._node = np.arange(len(above.center)).reshape(roots, -1)
        self._top = blocks[0]
        if len(levels) > 1:
            own = above.first // wide
            self._node = (above.first[:, None] + np.arange(wide)).reshape(roots, -1)
            top = blocks[1].take(own, 0)
            top[above.center[:, 0] * above.center[:, 0] >= _FAR, 4] = (
                _FAR  # who stands for nobody has no children
            )
            top = top.reshape(roots, wide, _TERMS, wide).swapaxes(1, 2)
            self._top = np.ascontiguousarray(top).reshape(roots, _TERMS, -1)
        self._below = [
            (level.first // wide, block) for level, block in zip(levels[1:], blocks[2:], strict=False)
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
            root: (Q,) the tree that each asks.
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
            query, node = query.take(row), block.take(row) * self._wide + place
        return query, node

    def guess(self, points: Array, root: Index) -> Index:
        """(Q,) triangles that are near to points (Q, 3), if not the nearest."""
        node = self._node[root, _nearest(points, self._top.take(root, 0))]
        for first, blocks in self._below:
            block = first.take(node)
            node = block * self._wide + _nearest(points, blocks.take(block, 0))
        return np.asarray(node)


def _nearest(points: Array, blocks: Array) -> Index:
    """(Q,) which centre of a block (Q, 6, N) is nearest to each point (Q, 3)."""
    gap = blocks[:, :3] - points[:, :, None]
    gap *= gap
    square: Array = gap.sum(1)
    # who is nowhere has the centre of somebody
    square[blocks[:, 4] >= _FAR] = np.inf
    nearest: Index = square.argmin(1)
    return nearest


def _columns(level: Level, wide: int) -> Array:
    """(N / wide, 6, wide) of a level's nodes."""
    center, radius = level.center, level.radius
    rows = np.ones((len(center), _TERMS))
    rows[:, :3], rows[:, 3] = center, radius
    rows[:, 4] = (center * center).dot(ONES) - radius * radius
    return np.ascontiguousarray(rows.reshape(-1, wide, _TERMS).swapaxes(1, 2))
