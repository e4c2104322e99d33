# SPDX-License-Identifier: GPL-3.0-or-later
"""The structure of a tree of joints, for the kernels of forward kinematics.

It is computed once for a figure: ancestors, the order of products from the root, and where the kernels'
results have each coordinate. It contains no names and no positions.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Index, Mask
from ..lean import Remade
from ..rotation import Array

Span = Index | slice
Levels = list[tuple[Span, Index]]


class Topology(Remade):
    """The structure of a tree as the kernels need it, computed once.

    Args:
        parents: (J,) parents first, -1 for roots; inherits: (J,) whether rotation is inherited;
        owner, slot: (n,) joint and which of its six coordinates.
    """

    def __init__(self, parents: Index, inherits: Mask, owner: Index, slot: Index) -> None:
        count = self.count = len(parents)
        self.parent = np.where(parents < 0, count, parents)  # the world stands behind the last joint
        self.turn_parent = np.where(inherits, self.parent, count)
        self.cut = bool((self.turn_parent != self.parent).any())
        self.flat = owner * 6 + slot
        self.sliding = np.unique(owner[slot < 3])  # joints with slides
        self.carriers = self.parent[self.sliding]  # whom they slide on,
        self.on_ground = bool((self.carriers == count).all())  # or whether all of them slide on the world
        self.slide_columns = np.flatnonzero(slot < 3)
        self.slid = span(self.slide_columns)
        self.owner, self.slot = owner, slot
        self.first_turn = 3 * len(self.sliding)
        # whether the coordinates are all slides, then all turns of balls
        slides = 3 * np.searchsorted(self.sliding, owner) + slot
        row = np.where(slot >= 3, self.first_turn + 3 * owner + slot - 3, slides)
        self.in_order = np.array_equal(row, np.arange(self.first_turn + 3 * count))
        # the first jump is made from what has the axes and the place beside the rotation
        self.first_jump = entries(np.append(self.turn_parent, count), 7)
        self.further_jumps = jumps(self.turn_parent)[1:]
        self.parent_entries, self.turn_entries = entries(self.parent), entries(self.turn_parent)
        self._parents = parents

    @cached_property
    def above(self) -> Array:
        """(J, J) 1 where j is i or above i: world positions are `above @ offsets`."""
        above = np.eye(self.count)
        for i, parent in enumerate(self._parents.tolist()):
            if parent >= 0:
                above[i] += above[parent]
        return above

    @cached_property
    def inputs(self) -> Index:
        """(10, J + 1) what makes up the frames of joints and of the world: turns y, x, z, slides, place, 1.

        As indices into [coordinates | (J, 3) turns that are not free | (J, 3) places | 0 | 1];
        places are seen from the joints' own rest frames.
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
        """(n, 6) where the coordinates' screws stand in [w of J turns and places | v | screws of slides]."""
        return self._screws(4 * self.owner + self.slot - 3, 4)

    @cached_property
    def hinge_screws(self) -> Index:
        """(n, 6) the same where each joint has one turn, in [w of J turns | v | screws of slides]."""
        return self._screws(self.owner, 1)

    def _screws(self, turn: Index, each: int) -> Index:
        axis, half = np.arange(3), 3 * each * self.count
        turns = 3 * turn[:, None] + np.concatenate([axis, half + axis])
        slides = 2 * half + 6 * (3 * np.searchsorted(self.sliding, self.owner) + self.slot)
        return np.where(self.slot[:, None] >= 3, turns, slides[:, None] + np.arange(6))

    @cached_property
    def every(self) -> Columns:
        """All coordinates."""
        return Columns(self, np.arange(len(self.owner)))

    @cached_property
    def levels(self) -> Levels:
        """The joints by their depth, as rotations are inherited."""
        return levels(self.turn_parent)


class Columns:
    """Some of a figure's coordinates, and where their axes stand in what the kernels give for many poses.

    Args:
        topology: the figure's structure; which: (c,) the coordinates, in order.

    Attributes:
        count: c; which: as given, as a `span`, like all but `heads`;
        turning, sliding: which of them are turns, and which are slides;
        heads: the joints of the turns; axes: where in (J, 3) their axes stand; slide_axes: the same of slides
            in (S, 3).
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
    """Rising numbers as a slice where they are evenly spaced: what it picks out, numpy does not copy."""
    if not len(numbers):
        return slice(0, 0)
    steps = np.diff(numbers)
    step = int(steps[0]) if len(steps) else 1
    return slice(int(numbers[0]), int(numbers[-1]) + 1, step) if (steps == step).all() else numbers


def jumps(parent: Index) -> list[Index]:
    """To the parent, two up, four up ...: from parents (J,), J for none, to the `entries` of each."""
    count = len(parent)
    jump = np.append(parent, count)
    out = []
    while (jump != count).any():
        out.append(entries(jump))
        jump = jump[jump]
    return out


def levels(parent: Index) -> Levels:
    """For each depth: its joints (a slice if they are contiguous), and their parents."""
    count = len(parent)
    depth = np.zeros(count + 1, dtype=int)
    for i, above in enumerate(parent.tolist()):
        depth[i] = depth[above] + 1 if above < count else 1
    out: Levels = []
    for level in range(1, int(depth.max()) + 1):
        there = np.flatnonzero(depth[:-1] == level)
        out.append((span(there), parent[there]))
    return out


def entries(joints: Index, wide: int = 3) -> Index:
    """(3, 3, K) where the rotations of K joints stand in (J + 1, 3, 3): `rotation.take(...).T` is (K, 3, 3).

    That leaves the joints innermost in memory, of which BLAS can make nothing. It is meant so: numpy's own
    loop multiplies a stack of small matrices twice as quickly as one call of BLAS for each of them.

    Args:
        joints: (K,); wide: columns of the array, of which the rotations are the first three.
    """
    corner = np.arange(3)
    return np.asarray(3 * wide * joints + wide * corner[:, None] + corner[:, None, None])
