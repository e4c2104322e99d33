# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobians of many frames without their zeros.

A limb only moves its own effectors, so most of a figure's Jacobian is zero. The coordinates that move the
same effectors form a block. For a person with five effectors, a third of the numbers remains, and a sixth of
their products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from math import prod
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Index, Mask
from ..goals import Goal, Orientation, Position
from ..goals.stack import TaskStack
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..model.topology import Columns, Span, Topology, span
from ..rotation import Array, log_and_derivative
from .active_directions import HeldOfMany

WriteBlock = Callable[[Index, Columns, Array], None]
"""Writes the rows of e effectors by c coordinates into an array (r, c, B)."""

_STRIP: Final = 3  # rows whose products are computed together; only the upper triangle is needed


class Share(NamedTuple):
    """The rows of a goal in a block.

    Attributes:
        goal: its index; effectors: (e,) indices of the goal's effectors; rows: of the block.
    """

    goal: int
    effectors: Index
    rows: slice


class Block(NamedTuple):
    """The position and the content of a block.

    Attributes:
        rows: (r,) rows of the stack; columns: c coordinates; shares: the parts of the goals, one below the
            other.
        strips: of a few consecutive rows: the index of the first in the block, their rows of the stack, and
            those of all rows from there on;
        place: (n,) column in the block of each coordinate, -1 for none.
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
        moved: for each goal (n, E), which coordinates move which of its effectors; rows: per effector of each
            goal.
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
    """The strips of a block, see `Block`."""
    first = 0
    while first < len(rows):
        last = first + 1
        while last < len(rows) and last < first + _STRIP and rows[last] == rows[last - 1] + 1:
            last += 1
        yield first, slice(int(rows[first]), int(rows[last - 1]) + 1), span(rows[first:])
        first = last


class Blocks:
    """Rows (k, n, B) of many frames, zero outside of blocks that share no columns.

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
        """Replace the rows of some frames (B,) by others."""
        for values, others in zip(self.values, other.values, strict=True):
            np.copyto(values, others, where=frames)

    def products(self, metric: Array | None) -> Array:
        """`J W J^T` (k, k, B), upper triangles only, for the diagonal W (n, 1) of the metric, or None."""
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
        """Remove held directions from normal equations, and add their effects to the right sides.

        Args:
            held: the directions; systems: (k, k + 1, B), `products` and the errors as last column; modified.
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
    parts = [_rows(goal, pose) for goal in goals]
    frames = prod(pose.batch)
    errors = [error.reshape(frames, error.shape[-1]) for error, _ in parts]

    def jacobian() -> Blocks:
        values = []
        for block in layout:
            scale = stack.scale[block.rows, None, None]
            out = np.empty((len(scale), block.columns.count, frames))
            for share in block.shares:
                _, write = parts[share.goal]
                write(share.effectors, block.columns, out[share.rows])
            out *= scale
            values.append(out)
        return Blocks((stack.rows, pose.skeleton.n, frames), layout, values)

    return np.concatenate(errors, 1) if errors else np.zeros((frames, 0)), jacobian


def _rows(goal: Goal, pose: Pose) -> tuple[Array, WriteBlock]:
    """Errors (*batch, k) of a goal in many frames, and what writes a part of their Jacobian.

    Of whole places and turns no more than that part is computed.
    """
    if isinstance(goal, Position) and goal.plain:
        points = goal.points_at(pose)
        x = pose.points(points)
        error = (x - goal.target).reshape(*pose.batch, 3 * points.count)
        return error, partial(pose.point_block, points, x)
    if isinstance(goal, Orientation) and goal.plain:
        return _turned_rows(goal, pose)
    residual = goal.evaluate(pose)

    def write(effectors: Index, columns: Columns, out: Array) -> None:
        each = len(out) // len(effectors)
        rows = (each * effectors[:, None] + np.arange(each)).ravel()
        whole = residual.jacobian
        frames_last = np.moveaxis(whole.reshape(-1, *whole.shape[-2:]), 0, -1)
        out[...] = frames_last.take(rows, 0)[:, columns.which]

    return residual.error, write


def _turned_rows(goal: Orientation, pose: Pose) -> tuple[Array, WriteBlock]:
    """As `_rows`, of whole turns."""
    points = goal.points_at(pose)
    turn = np.matmul(pose.frames(points), goal.target.swapaxes(-1, -2))
    vectors, slopes = log_and_derivative(turn.reshape(-1, 3, 3))
    derivative = cache(slopes)  # blocks of coordinates use it one after another

    def write(effectors: Index, columns: Columns, out: Array) -> None:
        rows = derivative().reshape(-1, points.count, 3, 3).take(effectors, 1)
        pose.turned_block(rows.reshape(-1, len(out), 3), columns, out)

    return vectors.reshape(*pose.batch, 3 * points.count), write
