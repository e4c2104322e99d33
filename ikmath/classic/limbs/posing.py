# SPDX-License-Identifier: GPL-3.0-or-later
"""The current pose of limbs in a geometric method: rotations and translations of all nodes, and positions.

One frame as floats, or many as arrays (see `arithmetic`). The state consists of tuples of components that are
replaced, never modified, so that the best pose can be kept without a copy.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ...rotation import Array
from .alignment import Turned
from .arithmetic import (
    ARRAYS,
    FLOATS,
    IDENTITY,
    Arithmetic,
    Number,
    Quaternion,
    Vector,
    add,
    alone,
    chosen,
    multiply,
    rotate,
    subtract,
    taken,
)
from .chains import Limbs, Place

_ORIGIN: Vector = (0.0, 0.0, 0.0)
_STILL: Turned = (IDENTITY, ())


class Posing:
    """Rotations, translations and positions of limbs, of one frame or of many.

    Args:
        limbs: of the figure.
        q: (n,) or (B, n) coordinates inside the limits, radians and metres.
        targets: (E, 3) or (B, E, 3) metres, world space.
        moving: indices of the nodes that may move; None for all.

    Attributes:
        m: the arithmetic; limbs; q: initial coordinates;
        turned: rotation of each node; slid: translations x, y, z of each node;
        targets: of each effector; frames: (B,) which rows of the batch these are.
        head, base, frame: of each node its head, the rotation of its rest frame and that of its frame, world
            space;
        tip: position of each effector, world space;
        stride, memory: state of `leaps` between passes.
    """

    def __init__(self, limbs: Limbs, q: Array, targets: Array, moving: Collection[int] | None = None) -> None:
        self.limbs = limbs
        self.moving: Sequence[int] = range(len(limbs.nodes)) if moving is None else sorted(moving)
        self.q = q
        self.m: Arithmetic = FLOATS if q.ndim == 1 else ARRAYS
        columns: list[Any] = q.tolist() if q.ndim == 1 else list(np.ascontiguousarray(q.T))
        self.frames = np.arange(1 if q.ndim == 1 else len(q))
        self.stride: Number = 1.0 if q.ndim == 1 else np.ones(len(q))
        self.memory: tuple[Any, ...] = ()
        self.turned: list[Turned] = []
        self.slid: list[Vector] = []
        for node in limbs.nodes:
            slides: list[Number] = [0.0, 0.0, 0.0]
            for slide in node.slides:
                slides[slide.axis] = columns[slide.column]
            self.slid.append((slides[0], slides[1], slides[2]))
            x, y, z = (columns[c] if c >= 0 else f for c, f in zip(node.columns, node.fixed, strict=True))
            self.turned.append(_STILL if node.turning is None else node.turning.start(self.m, (x, y, z)))
        rows = targets.tolist() if q.ndim == 1 else np.ascontiguousarray(targets.transpose(1, 2, 0))
        self.targets: list[Vector] = [(x, y, z) for x, y, z in rows]
        count = len(limbs.nodes)
        self.head: list[Vector] = [_ORIGIN] * count
        self.base: list[Quaternion] = [IDENTITY] * count
        self.frame: list[Quaternion] = [IDENTITY] * count
        self.tip: list[Vector] = [_ORIGIN] * len(limbs.effectors)
        self.place_all()

    def placed(self, place: Place) -> Vector:
        """World position of a place."""
        if place.node < 0:
            return add(place.socket, place.drift)
        return add(add(self.head[place.node], rotate(self.frame[place.node], place.socket)), place.drift)

    def place(self, index: int) -> None:
        """Update one node from its parent, its translations and its rotation."""
        node = self.limbs.nodes[index]
        head = self.placed(node.place)
        base = multiply(self.frame[node.place.node], node.rest) if node.attached else node.rest
        if node.slides:
            head = add(head, rotate(self.rail(index), self.slid[index]))
        self.head[index], self.base[index] = head, base
        self.frame[index] = multiply(base, self.turned[index][0])

    def rail(self, index: int) -> Quaternion:
        """World rotation of the axes of a node's translations."""
        node = self.limbs.nodes[index]
        return multiply(self.frame[node.place.node], node.rail) if node.railed else node.rail

    def place_tips(self) -> None:
        """Update the effectors from their nodes."""
        self.tip = [self.placed(effector.place) for effector in self.limbs.effectors]

    def place_all(self) -> None:
        """Update all nodes and effectors: forward kinematics of the limbs."""
        for index in range(len(self.limbs.nodes)):
            self.place(index)
        self.place_tips()

    def judge(self, tolerance: float) -> tuple[Number, Number]:
        """The weighted sum of squared distances to the targets, and whether all are within the tolerance."""
        cost: Number = 0.0
        there: Number = True
        for effector, tip, target in zip(self.limbs.effectors, self.tip, self.targets, strict=True):
            x, y, z = subtract(tip, target)
            square = x * x + y * y + z * z
            cost = cost + effector.weight * square
            there = there & (square <= (tolerance + effector.slack) * (tolerance + effector.slack))
        return cost, there

    # ------------------------------------------------------------------ state as a whole
    def state(self) -> Any:
        """Rotations and translations, for `restore`."""
        return tuple(self.turned), tuple(self.slid)

    def restore(self, state: Any) -> None:
        """Set rotations and translations; call `place_all` afterwards."""
        self.turned, self.slid = list(state[0]), list(state[1])

    def prefer(self, condition: Number, a: Any, b: Any) -> Any:
        """State `a` in the frames where the condition holds, elsewhere `b`."""
        if self.m is FLOATS:
            return a if condition else b
        return chosen(self.m, condition, a, b)

    def keep(self, index: Any) -> None:
        """Keep only some of the frames; call `place_all` afterwards."""
        self.q, self.frames = self.q[index], self.frames[index]
        self.turned, self.slid = taken(self.turned, index), taken(self.slid, index)
        self.targets, self.stride = taken(self.targets, index), taken(self.stride, index)
        self.memory = taken(self.memory, index)

    def alone(self, row: int) -> Posing:
        """One of many frames as floats, up to date."""
        other = object.__new__(Posing)
        other.__dict__.update(self.__dict__)
        other.m, other.q, other.frames = FLOATS, self.q[row], self.frames[row : row + 1]
        other.turned, other.slid = alone(self.turned, row), alone(self.slid, row)
        other.targets, other.stride = alone(self.targets, row), alone(self.stride, row)
        other.memory = alone(self.memory, row)
        for name in ("head", "base", "frame", "tip"):
            setattr(other, name, list(getattr(self, name)))
        other.place_all()
        return other

    def coordinates(self, state: Any, rows: Any = None) -> Array:
        """(n,) or (B, n) coordinates of a state or some of its rows; those of other joints are unchanged."""
        start = self.q
        if rows is not None:
            start, state = start[rows], taken(state, rows)
        q = start.copy()
        for node, turned, slid in zip(self.limbs.nodes, state[0], state[1], strict=True):
            for slide in node.slides:
                q[..., slide.column] = slid[slide.axis]
            if node.turning is None:
                continue
            x, y, z = (start[..., c] if c >= 0 else f for c, f in zip(node.columns, node.fixed, strict=True))
            near = (float(x), float(y), float(z)) if self.m is FLOATS else (x, y, z)
            for column, turn in zip(node.columns, node.turning.turns(self.m, turned, near), strict=True):
                if column >= 0:
                    q[..., column] = turn
        return q
