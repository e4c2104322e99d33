# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits by projection: what would leave its limit is put there, and the others take over its part.

Ge's projection onto the active limits (thesis, 2.5.3 and 5.1). Clipping loses what a clipped joint would
have done; here the other joints take it over, which needs 2.5 to 4 times fewer iterations. A joint at its
limit is free again in the next step, so nothing locks. In a swing region a joint that would leave is held
only across the boundary and may still slide along it; what it leaves a curved boundary by is taken off in the
end.
"""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from ..blocks import Blocks
from ..exits import Bounds, ExitsOfOne
from ..region import Region
from ..rotation import Array
from .base import LimitMethod, Propose, ProposeMany

_ROUNDS: Final = 3
_CURVED: Final = 0.1  # share of a step that ending it on the boundary may take off, without another round

_MOST: Final = 0.75  # share of frames up to which it is worth to leave out those that are done


class Projection(LimitMethod):
    """See the module."""

    name: ClassVar[str] = "projection"
    label: ClassVar[str] = "Projection"
    description: ClassVar[str] = (
        "A joint that would leave its limit is held there and the others take over its part."
    )
    source: ClassVar[str] = "Ge 2000, sections 2.5.3 and 5.1"
    exact: ClassVar[bool] = True

    def step(self, region: Region, q: Array, error: Array, jacobian: Array, propose: Propose) -> Array:
        dq = propose(error, jacobian)
        exits = region.exits_of_one(q, dq)
        if exits is None:
            return q + dq
        hold = _OneHold(region, jacobian)
        for _ in range(_ROUNDS):
            hold.add(exits)
            dq = hold.keep(propose(error + hold.shift(), hold.free))
            left = region.exits_of_one(q, dq)
            if left is None:
                return q + dq
            exits = left
            if not hold.serious(exits, dq):
                break
        return region.landing(q, dq, exits)

    def step_many(
        self, region: Region, q: Array, error: Array, jacobian: Blocks, propose: ProposeMany
    ) -> Array:
        dq = propose(error, jacobian)
        to, bounds = q + dq, region.leaving(q, dq)
        if bounds is None:
            return to
        hold, left, frames, at = _ManyHold(region.pairs, bounds), bounds.frames(), np.arange(q.shape[1]), to
        for _ in range(_ROUNDS):
            if left.mean() < _MOST:
                to[:, frames] = at
                own = left.nonzero()[0]
                frames, left, hold, propose = frames[own], left[own], hold.take(own), propose.of(own)
                q, at, error = (array.take(own, 1) for array in (q, at, error))
                jacobian = jacobian.take(own)
            free = jacobian.without(hold.held, hold.across)
            dq = hold.keep(propose(error + jacobian.times(hold.ways), free))
            bounds, ends = region.leaving(q, dq), q + dq
            if bounds is not None:
                np.copyto(ends, region.landing(q, dq, bounds), where=bounds.frames())
            np.copyto(at, ends, where=left)
            if bounds is None:
                break
            left &= hold.serious(bounds, dq)
            if not left.any():
                break
            hold.add(bounds)
        to[:, frames] = at
        return to


class _OneHold:
    """What is held in one frame: coordinates altogether, swing pairs across their boundary.

    Each is a unit direction of the coordinates, at right angles to all others; the rows that are left to the
    step are the given ones without their part along these directions.

    Attributes:
        free: (k, n) the rows with what is held taken out of them.
    """

    def __init__(self, region: Region, jacobian: Array) -> None:
        self._columns = jacobian.T
        self._pairs = region.pair_columns
        self._held: dict[int, float] = {}  # column -> its way
        self._across: dict[int, tuple[float, float, float]] = {}  # pair -> normal, way along it
        self.free = jacobian

    def add(self, exits: ExitsOfOne) -> None:
        """Hold what left; a pair that left along its tangent too is held altogether."""
        self._held.update(exits.columns)
        for pair, u, v, a, b in exits.pairs:
            x, z = self._pairs[pair]
            if pair in self._across or x in self._held:
                self._across.pop(pair, None)
                self._held[x], self._held[z] = a, b
            else:
                self._across[pair] = u, v, u * a + v * b
        directions = np.zeros((len(self._held) + len(self._across), len(self._columns)))
        ways = []
        for row, (column, way) in enumerate(self._held.items()):
            directions[row, column] = 1.0
            ways.append(way)
        for row, (pair, (u, v, way)) in enumerate(self._across.items(), len(ways)):
            x, z = self._pairs[pair]
            directions[row, x], directions[row, z] = u, v
            ways.append(way)
        self._directions, self._ways = directions, np.array(ways)
        self._moved = directions.dot(self._columns)
        self.free = (self._columns - directions.T.dot(self._moved)).T

    def serious(self, exits: ExitsOfOne, dq: Array) -> bool:
        """Whether it would change the step to end it on the boundary where it leaves."""
        return exits.off(dq, self._pairs) > _CURVED * float(np.abs(dq).max())

    def shift(self) -> Array:
        """(k,) what the way of the held ones to their limits does to the rows."""
        return np.asarray(self._ways.dot(self._moved))

    def keep(self, dq: Array) -> Array:
        """The step with the held ones going their own way."""
        return np.asarray(dq - self._directions.T.dot(self._directions.dot(dq) - self._ways))


class _ManyHold:
    """The same for a batch, all frames at once; arrays with frames innermost.

    Args:
        pairs: (P, 2) of the region; bounds: what leaves and is held.

    Attributes:
        held: (n, B) bool, coordinates held altogether; across: (2, P, B) normals of pairs that are held
            across their boundary, 0 of others; ways: (n, B) what the held ones go.
    """

    def __init__(self, pairs: npt.NDArray[np.intp], bounds: Bounds) -> None:
        self._pairs = pairs
        self.held, self.across, self.ways = bounds.held, bounds.normal, bounds.shift
        if len(pairs):
            self.ways[pairs.T] = (bounds.normal * bounds.way).sum(0) * bounds.normal

    def take(self, frames: npt.NDArray[np.intp]) -> _ManyHold:
        """What is held in some of the frames."""
        other = object.__new__(_ManyHold)
        other._pairs = self._pairs
        other.held, other.ways = self.held.take(frames, 1), self.ways.take(frames, 1)
        other.across = self.across.take(frames, 2)
        return other

    def add(self, bounds: Bounds) -> None:
        """As in `_OneHold`."""
        self.held |= bounds.held
        np.copyto(self.ways, bounds.shift, where=bounds.held)
        which = bounds.leaving.any(1).nonzero()[0]
        if not len(which):
            return
        pairs, (x, z) = bounds.leaving[which], self._pairs[which].T
        normal, way, across = bounds.normal[:, which], bounds.way[:, which], self.across[:, which]
        again = pairs & (across.any(0) | self.held[x])
        self.held[x] |= again
        self.held[z] |= again
        along = np.where(again, way, (normal[0] * way[0] + normal[1] * way[1]) * normal)
        for columns, part in zip((x, z), along, strict=True):
            self.ways[columns] = np.where(pairs, part, self.ways[columns])
        self.across[:, which] = np.where(again, 0.0, np.where(pairs, normal, across))

    def serious(self, bounds: Bounds, dq: Array) -> npt.NDArray[np.bool_]:
        """As in `_OneHold`, of each frame (B,)."""
        beyond = np.where(bounds.held, bounds.shift - dq, 0.0)
        most = _CURVED * np.abs(dq).max(0)
        out: npt.NDArray[np.bool_] = np.abs(beyond).max(0) > most
        if len(self._pairs):
            beyond = np.where(bounds.leaving, bounds.way - dq[self._pairs.T], 0.0)
            out |= np.abs(beyond).max((0, 1)) > most
        return out

    def keep(self, dq: Array) -> Array:
        """As in `_OneHold`."""
        dq = np.where(self.held, 0.0, dq)
        if len(self._pairs):
            (x, z), (u, v) = self._pairs.T, self.across
            part = dq[x] * u + dq[z] * v
            dq[x] -= part * u
            dq[z] -= part * v
        dq += self.ways
        return dq
