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

from ..exits import Exits, ExitsOfOne, Where
from ..region import Region
from ..rotation import Array
from .base import LimitMethod, Propose, ProposeMany

_ROUNDS: Final = 3
_CURVED: Final = 0.1  # share of a step that ending it on the boundary may take off, without another round


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
        self, region: Region, q: Array, error: Array, jacobian: Array, propose: ProposeMany
    ) -> Array:
        dq = propose(error, jacobian)
        exits = region.exits(q, dq)
        to = q + dq
        if exits is None:
            return to
        left = exits.frames(q.shape[1])
        frames, exits = left.nonzero()[0], exits.of(left)
        hold = _ManyHold(region.pairs, jacobian if left.all() else jacobian.take(frames, 2))
        for _ in range(_ROUNDS):
            hold.add(exits)
            here = q.take(frames, 1)
            dq = hold.keep(propose.of(frames)(error.take(frames, 1) + hold.shift(), hold.free))
            found = region.exits(here, dq)
            to[:, frames] = here + dq
            if found is None:
                break
            left = found.frames(len(frames))
            to[:, frames[left]] = region.landing(here, dq, found)[:, left]
            left = hold.serious(found, dq)
            if not left.any():
                break
            frames, exits, hold = frames[left], found.of(left), hold.of(left)
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
        step: list[float] = dq.tolist()
        most = _CURVED * max(map(abs, step))
        if any(abs(way - step[column]) > most for column, way in exits.columns):
            return True
        for pair, _, _, a, b in exits.pairs:
            x, z = self._pairs[pair]
            if abs(a - step[x]) > most or abs(b - step[z]) > most:
                return True
        return False

    def shift(self) -> Array:
        """(k,) what the way of the held ones to their limits does to the rows."""
        return np.asarray(self._ways.dot(self._moved))

    def keep(self, dq: Array) -> Array:
        """The step with the held ones going their own way."""
        return np.asarray(dq - self._directions.T.dot(self._directions.dot(dq) - self._ways))


class _ManyHold:
    """The same for a batch, all frames at once; arrays with frames innermost."""

    def __init__(self, pairs: npt.NDArray[np.intp], jacobian: Array) -> None:
        self._pairs = pairs
        self._jacobian, self.free = jacobian, jacobian.copy()
        self._held = np.zeros(jacobian.shape[1:], dtype=bool)
        self._fixed = np.zeros(jacobian.shape[1:])
        self._across = np.zeros((2, len(pairs), *jacobian.shape[2:]))

    def of(self, frames: npt.NDArray[np.bool_]) -> _ManyHold:
        """What is held in some of the frames (B,)."""
        if frames.all():
            return self
        other = object.__new__(_ManyHold)
        other._pairs = self._pairs
        # numpy's indexing by a mask would leave frames outermost in memory
        other._jacobian, other.free = self._jacobian.compress(frames, 2), self.free.compress(frames, 2)
        other._held, other._fixed = self._held.compress(frames, 1), self._fixed.compress(frames, 1)
        other._across = self._across.compress(frames, 2)
        return other

    def add(self, exits: Exits) -> None:
        """As in `_OneHold`."""
        self._hold(exits.columns, exits.shift)
        pairs, frames = exits.pairs
        if not len(pairs):
            return
        x, z = self._pairs[pairs].T
        again = (self._across[:, pairs, frames] != 0.0).any(0) | self._held[x, frames]
        self._hold((x[again], frames[again]), exits.way[0, again])
        self._hold((z[again], frames[again]), exits.way[1, again])
        self._across[:, pairs[again], frames[again]] = 0.0
        x, z, frames = x[~again], z[~again], frames[~again]
        (u, v), (a, b) = exits.normal[:, ~again], exits.way[:, ~again]
        self._across[:, pairs[~again], frames] = u, v
        along = u * a + v * b
        self._fixed[x, frames], self._fixed[z, frames] = along * u, along * v
        before, beside = self.free[:, x, frames], self.free[:, z, frames]
        part = before * u
        part += beside * v
        before -= part * u
        beside -= part * v
        self.free[:, x, frames], self.free[:, z, frames] = before, beside

    def _hold(self, where: Where, way: Array) -> None:
        column, frame = where
        self._held[column, frame] = True
        self._fixed[column, frame] = way
        self.free[:, column, frame] = 0.0

    def serious(self, exits: Exits, dq: Array) -> npt.NDArray[np.bool_]:
        """As in `_OneHold`, of each frame (B,)."""
        most = _CURVED * np.abs(dq).max(0)
        frames = np.zeros(len(most), dtype=bool)
        column, frame = exits.columns
        frames[frame[np.abs(exits.shift - dq[column, frame]) > most[frame]]] = True
        pair, frame = exits.pairs
        beyond = np.abs(exits.way - dq[self._pairs[pair].T, frame]).max(0, initial=0.0)
        frames[frame[beyond > most[frame]]] = True
        return frames

    def shift(self) -> Array:
        """(k, B)."""
        return np.asarray(np.einsum("knb,nb->kb", self._jacobian, self._fixed))

    def keep(self, dq: Array) -> Array:
        """As in `_OneHold`."""
        dq = np.where(self._held, 0.0, dq)
        if len(self._pairs):
            (x, z), (u, v) = self._pairs.T, self._across
            part = dq[x] * u + dq[z] * v
            dq[x] -= part * u
            dq[z] -= part * v
        dq += self._fixed
        return dq
