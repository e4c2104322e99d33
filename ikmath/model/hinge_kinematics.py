# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of figures whose joints have one turn each: robots, and balls made of three hinges.

A hinge costs less than a ball: its rotation is linear in the cosine and sine of its one angle, and its axis
is an axis of its own frame. Up to three hinges in a row are one node of the tree, so the path from the root
is a third as long. Most of the cost of a chain are the products along this path. The result is that of
`forward_kinematics`, and a test compares both.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from ..arrays import Index
from ..rotation import (
    Array,
    multiply_quaternions,
    quaternion_from_matrix,
    sine_and_cosine,
    skew,
    swing_twist_matrix,
)
from .forward_kinematics import Constants, ManyFrames, OneFrame, chain, many_frames, offsets, slides
from .topology import Topology, entries, jumps, levels

_NODE: Final = 3  # hinges in a node at most
_TURN: Final = 3  # the first of a joint's six coordinates that is a turn


class Nodes:
    """Which hinges make up the nodes of a tree, worked out once for its structure.

    Args:
        topology: of a figure in which no joint has more than one free turn.

    Attributes:
        count: N; members: (3, N) joints of each node from the root on, J where there are fewer;
        parent: (N,) node above, N for the world; where: (J + 1,) where, in the members' rotations (3 N + 1)
            one after another, a joint's stands, that of the world last.
    """

    def __init__(self, topology: Topology) -> None:
        joints = topology.count
        children = np.bincount(topology.turn_parent, minlength=joints + 1)
        node_of: list[int] = []
        members: list[list[int]] = []
        parent: list[int] = []
        for joint, above in enumerate(topology.turn_parent.tolist()):
            if above < joints and children[above] == 1 and len(members[node_of[above]]) < _NODE:
                node_of.append(node_of[above])
                members[node_of[above]].append(joint)
            else:
                node_of.append(len(members))
                members.append([joint])
                parent.append(node_of[above] if above < joints else -1)
        count = self.count = len(members)
        self.parent = np.array([count if node < 0 else node for node in parent])
        self.members = np.full((_NODE, count), joints)
        self.where = np.full(joints + 1, _NODE * count)
        for node, own in enumerate(members):
            self.members[: len(own), node] = own
            self.where[own] = np.arange(len(own)) * count + node
        self.jumps, self.entries = jumps(self.parent), entries(self.parent)
        self.levels = levels(self.parent)


class Hinges:
    """The kernels, bound to a figure's constants.

    Args:
        topology: the structure; nodes: of it; constants: of the figure;
        owner, slot: (n,) joint and which of its six, of each coordinate.
    """

    def __init__(
        self,
        topology: Topology,
        nodes: Nodes,
        constants: Constants,
        owner: Index,
        slot: Index,
    ) -> None:
        self.topology, self.nodes = topology, nodes
        self.constants, fixed = constants, constants.fixed
        turns = np.flatnonzero(slot >= _TURN)
        self.turns, self.hinges, axis = turns, owner[turns], slot[turns] - _TURN
        self.axis = np.zeros(topology.count, dtype=int)
        self.axis[self.hinges] = axis
        start = swing_twist_matrix(fixed[:, _TURN:])  # of joints that cannot turn; of hinges the identity
        start = np.concatenate([start, np.eye(3)[None]])
        start = start if constants.rest is None else np.matmul(constants.rest, start)
        unit = np.zeros((topology.count + 1, 3))
        unit[self.hinges, axis] = 1.0
        along = unit[:, :, None] * unit[:, None, :]
        across = np.zeros_like(start)
        across[self.hinges] = np.eye(3) - along[self.hinges]
        # rotation = still + cos * across + sin * square, joints innermost in memory
        self.cosine = np.ascontiguousarray(np.matmul(start, across).T)
        self.still = np.ascontiguousarray(start.T) - self.cosine
        self.sine = np.ascontiguousarray(np.matmul(start, skew(unit)).T)
        self._start, self._unit = start, unit
        # of hinges in one place only the first is away from its parent
        away = constants.translation.any(1)
        away[topology.sliding] = True
        self.moved = np.flatnonzero(away)
        self._carriers = entries(topology.parent[self.moved])
        self._above = np.ascontiguousarray(topology.above[:, self.moved])
        self._axis_entries = 9 * np.arange(topology.count)[:, None] + 3 * np.arange(3) + self.axis[:, None]

    @cached_property
    def _halves(self) -> tuple[Array, Array]:
        """(J + 1, 4, 1) each: local quaternions are the first by the cosine of half the angle, and so on."""
        first = quaternion_from_matrix(self._start)
        axis = np.concatenate([np.zeros((len(self._unit), 1)), self._unit], 1)
        return first[:, :, None], multiply_quaternions(first, axis)[:, :, None]

    def one(self, q: Array) -> OneFrame:
        """One pose, q (n,)."""
        topology, nodes = self.topology, self.nodes
        count, hinges = nodes.count, nodes.members
        angles = np.zeros(topology.count + 1)
        angles[self.hinges] = q.take(self.turns)
        local = self.cosine * np.cos(angles)
        local += self.sine * np.sin(angles)
        local += self.still
        own = np.empty((_NODE, count, 3, 3))
        own[0] = local.take(hinges[0], 2).T
        np.matmul(own[0], local.take(hinges[1], 2).T, out=own[1])
        np.matmul(own[1], local.take(hinges[2], 2).T, out=own[2])
        rotation = np.empty((count + 1, 3, 3))
        rotation[:count], rotation[count] = own[2], _IDENTITY
        for jump in nodes.jumps:
            rotation = np.matmul(rotation.take(jump).T, rotation)
        world = np.empty((_NODE * count + 1, 3, 3))
        above = rotation.take(nodes.entries).T
        np.matmul(above, own, out=world[:-1].reshape(_NODE, count, 3, 3))
        world[-1] = _IDENTITY
        rotation = world.take(nodes.where, 0)
        moved = self.moved
        way = np.matmul(rotation.take(self._carriers).T, offsets(topology, self.constants, q)[moved, :, None])
        position = self._above.dot(way[:, :, 0])
        axes = rotation.take(self._axis_entries)[:, None]
        return OneFrame(rotation, position, axes, slides(topology, self.constants, rotation))

    def many(self, q: Array) -> ManyFrames:
        """Many poses, q (n, B)."""
        topology, nodes = self.topology, self.nodes
        frames = q.shape[1]
        half = np.zeros((topology.count + 1, 1, frames))
        half[self.hinges, 0] = q.take(self.turns, 0)
        half *= 0.5
        sine, cosine = sine_and_cosine(half)
        local = self._halves[0] * cosine
        local += self._halves[1] * sine
        own = np.empty((_NODE, nodes.count, 4, frames))
        own[0] = local.take(nodes.members[0], 0)
        _multiply(own[0], local.take(nodes.members[1], 0), own[1])
        _multiply(own[1], local.take(nodes.members[2], 0), own[2])
        world = chain(nodes.levels, own[2].swapaxes(0, 1))
        every = np.empty((_NODE * nodes.count + 1, 4, frames))
        inner = every[: 2 * nodes.count].reshape(2, nodes.count, 4, frames)
        _multiply(world.take(nodes.parent, 0)[None], own[:2], inner)
        every[2 * nodes.count :] = world
        return many_frames(topology, self.constants, every.take(nodes.where, 0), q, self._axes)

    def _axes(self, rotation: Array) -> Array:
        """(3, J, 1, B) the axes of the joints, out of their rotations (3, 3, J, B)."""
        return rotation[:, self.axis, np.arange(self.topology.count)][:, :, None]


def nodes_of(topology: Topology, owner: Index, slot: Index) -> Nodes | None:
    """The nodes of a figure of hinges; None if some joint has more than one free turn."""
    turns = owner[slot >= _TURN]
    return Nodes(topology) if len(turns) and len(np.unique(turns)) == len(turns) else None


def still(fixed: Array, hinges: Index) -> bool:
    """Whether the constant turns of hinges are all zero: others are no hinges, though one turn is free."""
    return not fixed[hinges, _TURN:].any()


def _multiply(a: Array, b: Array, out: Array) -> None:
    """Products of quaternions (..., 4, B), into `out`."""
    (aw, ax, ay, az), (bw, bx, by, bz) = (np.moveaxis(q, -2, 0) for q in (a, b))
    terms = (
        ((aw, bw), (ax, bx), (ay, by), (az, bz)),
        ((aw, bx), (ax, bw), (ay, bz), (az, by)),
        ((aw, by), (ay, bw), (az, bx), (ax, bz)),
        ((aw, bz), (az, bw), (ax, by), (ay, bx)),
    )
    for row, (first, second, third, last) in enumerate(terms):
        part = out[..., row, :]
        np.multiply(*first, out=part)
        add = np.add if row else np.subtract
        add(part, second[0] * second[1], out=part)
        add(part, third[0] * third[1], out=part)
        part -= last[0] * last[1]


_IDENTITY: Final = np.eye(3)
