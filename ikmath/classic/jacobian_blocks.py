# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobian of many frames without its zeros.

A limb moves its own effectors only, so that most of a figure's Jacobian is zero. The coordinates that move
the same effectors are a block: of a person with five of them a third of the numbers is left, and a sixth of
their products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Index, Mask
from ..goals import Goal
from ..goals.stack import TaskStack
from ..model.active_directions import HeldOfMany
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..model.topology import Columns, Span, Topology, span
from ..rotation import Array

_STRIP: Final = 3  # rows whose products are worked out together; only the upper triangle is wanted


class Share(NamedTuple):
    """What a goal has in a block.

    Attributes:
        goal: its number; effectors: (e,) which of its own; rows: where they stand in the block.
    """

    goal: int
    effectors: Index
    rows: slice


class Block(NamedTuple):
    """Where a block stands, and what is in it.

    Attributes:
        rows: (r,) rows of the stack; columns: c coordinates; shares: the goals' parts, one below the other.
        strips: of a few rows side by side: the first of them in the block, which rows of the stack they are,
            and which those from there on are;
        place: (n,) where in the block each coordinate is, -1 for all others.
    """

    rows: Span
    columns: Columns
    shares: tuple[Share, ...]
    strips: tuple[tuple[int, slice, Span], ...]
    place: Index


def blocks_of(topology: Topology, moved: Sequence[Mask], rows: Sequence[int]) -> list[Block]:
    """The blocks of a stack of goals.

    Args:
        topology: of the figure;
        moved: (n, E) of each goal, which coordinates move which of its effectors; rows: of an effector.
    """
    starts = np.cumsum([0, *(own.shape[1] * each for own, each in zip(moved, rows, strict=True))])
    kinds, kind = np.unique(np.concatenate(moved, 1), axis=0, return_inverse=True)
    out = []
    for number in range(len(kinds)):
        which = np.flatnonzero(kind.reshape(-1) == number)
        place = np.full(len(kind), -1)
        place[which] = np.arange(len(which))
        shares, stand = [], [np.zeros(0, dtype=int)]
        for goal, (own, each) in enumerate(zip(moved, rows, strict=True)):
            effectors = np.flatnonzero(own[which[0]])
            if len(effectors):
                first = sum(map(len, stand))
                stand.append((starts[goal] + each * effectors[:, None] + np.arange(each)).ravel())
                shares.append(Share(goal, effectors, slice(first, first + len(stand[-1]))))
        if shares:
            stack = np.concatenate(stand)
            columns, strips = Columns(topology, which), tuple(_strips(stack))
            out.append(Block(span(stack), columns, tuple(shares), strips, place))
    return out


def _strips(rows: Index) -> Iterator[tuple[int, slice, Span]]:
    """See `Block`."""
    first = 0
    while first < len(rows):
        last = first + 1
        while last < len(rows) and last < first + _STRIP and rows[last] == rows[last - 1] + 1:
            last += 1
        yield first, slice(int(rows[first]), int(rows[last - 1]) + 1), span(rows[first:])
        first = last


class Blocks:
    """Rows (k, n, B) of many frames, zero outside of blocks that share no column.

    Args:
        shape: k, n, B; layout: the blocks; values: (r, c, B) of each.
    """

    def __init__(self, shape: tuple[int, int, int], layout: Sequence[Block], values: list[Array]) -> None:
        self.shape, self.layout, self.values = shape, layout, values

    def take(self, frames: Index) -> Blocks:
        """The rows of some of the frames."""
        values = [values.take(frames, 2) for values in self.values]
        return Blocks((*self.shape[:2], len(frames)), self.layout, values)

    def replace(self, frames: Mask, other: Blocks) -> None:
        """Put other rows of the same frames in the place of some (B,)."""
        for values, others in zip(self.values, other.values, strict=True):
            np.copyto(values, others, where=frames)

    def products(self, metric: Array | None) -> Array:
        """`J W J^T` (k, k, B), the upper triangles only, for the metric's diagonal W (n, 1), or none."""
        out = np.zeros((self.shape[0], self.shape[0], self.shape[2]))
        for block, values in zip(self.layout, self.values, strict=True):
            weighed = values if metric is None else values * metric[block.columns.which]
            for first, rows, beside in block.strips:
                strip = weighed[first : first + rows.stop - rows.start]
                out[rows, beside] += np.einsum("anb,cnb->acb", strip, values[first:])
        return out

    def times(self, step: Array) -> Array:
        """`J dq` (k, B) of steps (n, B)."""
        out = np.zeros((self.shape[0], self.shape[2]))
        for block, values in zip(self.layout, self.values, strict=True):
            out[block.rows] += np.einsum("anb,nb->ab", values, step[block.columns.which])
        return out

    def back(self, y: Array) -> Array:
        """`J^T y` (n, B) of (k, B)."""
        out = np.zeros(self.shape[1:])
        for block, values in zip(self.layout, self.values, strict=True):
            out[block.columns.which] = np.einsum("anb,ab->nb", values, y[block.rows])
        return out

    def without(self, held: HeldOfMany, systems: Array) -> None:
        """Take out of normal equations what held directions can do, and put into them what they do.

        Args:
            held: the directions; systems: (k, k + 1, B), `products` with the errors behind; changed.
        """
        for block, values in zip(self.layout, self.values, strict=True):
            place = block.place.take(held.first)
            own = (place >= 0).nonzero()[0]
            if not len(own):
                continue
            lone = len(held.first) - len(held.second)
            part = values.take(place[own], 1)
            part *= held.along[0].take(own, 0)
            pairs = own[own >= lone] - lone
            if len(pairs):
                other = values.take(block.place.take(held.second.take(pairs)), 1)
                part[:, len(own) - len(pairs) :] += other * held.along[1].take(pairs, 0)
            systems[block.rows, -1] += np.einsum("ahb,hb->ab", part, held.way.take(own, 0))
            for first, rows, beside in block.strips:
                strip = part[first : first + rows.stop - rows.start]
                systems[rows, beside] -= np.einsum("ahb,chb->acb", strip, part[first:])


def layout_of(skeleton: Skeleton, goals: Sequence[Goal]) -> list[Block]:
    """The blocks of a problem's tasks."""
    moved = [goal.moved(skeleton) for goal in goals]
    return blocks_of(skeleton.topology, moved, [goal.rows for goal in goals]) if goals else []


def evaluate_many(
    stack: TaskStack, layout: Sequence[Block], goals: Sequence[Goal], pose: Pose
) -> tuple[Array, Callable[[], Blocks]]:
    """Errors (B, rows) of many frames, unscaled, and a function for their Jacobian, scaled.

    Args:
        stack: of the goals; layout: see `layout_of`.
    """
    parts = [goal.evaluate(pose) for goal in goals]
    frames = prod(pose.batch)
    errors = [part.error.reshape(frames, part.error.shape[-1]) for part in parts]

    def jacobian() -> Blocks:
        values = []
        for block in layout:
            scale = stack.scale[block.rows, None, None]
            out = np.empty((len(scale), block.columns.count, frames))
            for share in block.shares:
                parts[share.goal].block(share.effectors, block.columns, out[share.rows])
            out *= scale
            values.append(out)
        return Blocks((stack.rows, pose.skeleton.n, frames), layout, values)

    return np.concatenate(errors, 1) if errors else np.zeros((frames, 0)), jacobian
