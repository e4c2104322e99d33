# SPDX-License-Identifier: GPL-3.0-or-later
"""The structure of a tree of joints, for the kernels of forward kinematics.

It is computed once for a figure: ancestors, the order of products from the root, and the index of each
coordinate in the kernels' results. It contains no names and no positions.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Array, Index, Mask
from ..lean import Remade

Span = Index | slice


class Topology(Remade):
    """The structure of a tree, prepared for the kernels.

    Args:
        parents: (J,) parents first, -1 for roots; inherits: (J,) whether rotation is inherited;
        owner, slot: (n,) joint of each coordinate, and its index among the joint's six coordinates.
    """

    def __init__(self, parents: Index, inherits: Mask, owner: Index, slot: Index) -> None:
        count = self.count = len(parents)
        self.parent = np.where(parents < 0, count, parents)  # the world is at the index after the last joint
        self.turn_parent = np.where(inherits, self.parent, count)
        self.cuts = np.flatnonzero(self.turn_parent != self.parent)  # joints that do not turn along
        self.owner, self.slot, self.flat = owner, slot, owner * 6 + slot
        self.sliding = np.unique(owner[slot < 3])  # joints with translations
        self.carriers = self.parent[self.sliding]  # their parents
        self.on_ground = bool((self.carriers == count).all())  # whether all of these are the world
        self.slide_columns = np.flatnonzero(slot < 3)
        self.slid = span(self.slide_columns)
        self.first_turn = 3 * len(self.sliding)
        # whether the coordinates are all translations, then all rotations of ball joints
        slides = 3 * np.searchsorted(self.sliding, owner) + slot
        row = np.where(slot >= 3, self.first_turn + 3 * owner + slot - 3, slides)
        self.in_order = np.array_equal(row, np.arange(self.first_turn + 3 * count))
        self.jumps = _jumps(self.turn_parent)

    def is_like(self, other: Topology) -> bool:
        """Whether another tree has the same structure."""
        return self is other or all(map(np.array_equal, self._arguments, other._arguments))

    @cached_property
    def above(self) -> Array:
        """(J, J) 1 if j is i or an ancestor of i: world positions are `above @ offsets`."""
        return _ancestors(self.parent)

    @cached_property
    def turned_along(self) -> Array:
        """(J, J) 1 if j is i, or an ancestor with all rotations between them inherited."""
        return _ancestors(self.turn_parent)

    @cached_property
    def coordinates_above(self) -> Mask:
        """(n, n) [i, j]: i is a rotation that turns the axis of j, and belongs to another joint."""
        carriers = np.where(self.slot >= 3, self.turn_parent[self.owner], self.parent[self.owner])
        along = np.concatenate([self.turned_along, np.zeros((1, self.count))]) > 0.0
        return np.asarray(along[carriers][:, self.owner].T & (self.slot >= 3)[:, None])

    @cached_property
    def coordinates_beside(self) -> Pairs:
        """The pairs of rotations of one joint."""
        return Pairs(self.owner, self.slot)

    @cached_property
    def inputs(self) -> Index:
        """(10, J + 1) inputs of the joints' and the world's frames: rotations, translations, position, 1.

        These are indices into [coordinates | (J, 3) fixed rotations | (J, 3) positions | 0 | 1]; positions
        are in the joints' own rest frames.
        """
        n, count = len(self.flat), self.count
        zero = n + 6 * count
        six, place = np.full((count + 1, 6), zero), np.full((count + 1, 3), zero)
        six[:count, 3:], place[:count] = n + np.arange(6 * count).reshape(2, count, 3)
        six.ravel()[self.flat] = np.arange(n)
        x, y, z = six[:, 3:].T
        return np.concatenate([[y, x, z], six[:, :3].T, place.T, np.full((1, count + 1), zero + 1)])

    @cached_property
    def screws(self) -> Index:
        """(n, 6) indices of the coordinates' screws in [w of J rotations and positions | v | shifts]."""
        axis, half = np.arange(3), 12 * self.count
        turns = 3 * (4 * self.owner + self.slot - 3)[:, None] + np.concatenate([axis, half + axis])
        slides = 2 * half + 6 * (3 * np.searchsorted(self.sliding, self.owner) + self.slot)
        return np.where(self.slot[:, None] >= 3, turns, slides[:, None] + np.arange(6))

    @cached_property
    def every(self) -> Columns:
        """All coordinates."""
        return Columns(self, np.arange(len(self.owner)))

    @cached_property
    def levels(self) -> list[tuple[Span, Index]]:
        """For each depth in the tree of inherited rotations: its joints, and their parents."""
        count = self.count
        depth = np.zeros(count + 1, dtype=int)
        for i, above in enumerate(self.turn_parent.tolist()):
            depth[i] = depth[above] + 1 if above < count else 1
        by_depth = [np.flatnonzero(depth[:-1] == level) for level in range(1, int(depth.max()) + 1)]
        return [(span(there), self.turn_parent[there]) for there in by_depth]


class Pairs:
    """The pairs of rotations of one joint, each rotation with itself too.

    Args:
        owner, slot: (n,), see `Topology`.

    Attributes:
        rows, columns: (p,) the coordinates; swapped: (p,) the index of the pair the other way round;
        twisted: (t,) pairs of a swing and the twist; swing_of_twist, twist: (t,) their coordinates;
        swung: (s,) pairs of two swings, or of one with itself; swinging: (m,) the joints of these;
        entries: (s,) where their coordinates are in (m, 3, 3).
    """

    def __init__(self, owner: Index, slot: Index) -> None:
        turns = slot >= 3
        self.rows, self.columns = np.nonzero((owner[:, None] == owner) & turns & turns[:, None])
        self.swapped = np.lexsort((self.rows, self.columns))
        axis, other = slot[self.rows] - 3, slot[self.columns] - 3
        self.twisted = np.flatnonzero((axis == 1) != (other == 1))
        first_is_twist = axis[self.twisted] == 1
        self.twist = np.where(first_is_twist, self.rows[self.twisted], self.columns[self.twisted])
        self.swing_of_twist = np.where(first_is_twist, self.columns[self.twisted], self.rows[self.twisted])
        self.swung = np.flatnonzero((axis != 1) & (other != 1))
        joints = owner[self.rows[self.swung]]
        self.swinging = np.unique(joints)
        self.entries = 9 * np.searchsorted(self.swinging, joints) + 3 * axis[self.swung] + other[self.swung]


class Columns:
    """Some of a figure's coordinates, and the indices of their axes in the kernels' results for many poses.

    Args:
        topology: the figure's structure; which: (c,) the coordinates, in order.

    Attributes:
        count: c; which: the coordinates as a `span`, like all other attributes except `heads`;
        turning, sliding: which of them are rotations, and which are translations;
        heads: the joints of the rotations; axes: indices of their axes in (3 J,); slide_axes: the same for
            translations, in (3 S,).
    """

    def __init__(self, topology: Topology, which: Index) -> None:
        self.count, self.which = len(which), span(which)
        owner, slot = topology.owner[which], topology.slot[which]
        turning, sliding = np.flatnonzero(slot >= 3), np.flatnonzero(slot < 3)
        self.turning, self.sliding = span(turning), span(sliding)
        self.heads = owner[turning]
        self.axes = span(3 * self.heads + slot[turning] - 3)
        self.slide_axes = span(3 * np.searchsorted(topology.sliding, owner[sliding]) + slot[sliding])


def span(numbers: Index) -> Span:
    """Increasing indices as a slice if they are evenly spaced, because numpy does not copy slices."""
    if not len(numbers):
        return slice(0, 0)
    steps = np.diff(numbers)
    step = int(steps[0]) if len(steps) else 1
    return slice(int(numbers[0]), int(numbers[-1]) + 1, step) if (steps == step).all() else numbers


def _ancestors(parent: Index) -> Array:
    """(J, J) 1 if j is i or above i; parents (J,), before their children, J for none."""
    above = np.eye(len(parent) + 1)
    for i, parent_of_i in enumerate(parent.tolist()):
        above[i] += above[parent_of_i]
    return above[:-1, :-1].copy()


def _jumps(parent: Index) -> list[Index]:
    """Ancestors one, two, four, ... up, as far as some joint has one; parents (J,), J for none."""
    count, out = len(parent), []
    jump = np.append(parent, count)
    while (jump != count).any():
        out.append(jump)
        jump = jump[jump]
    return out
