# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits by projection: what would leave its limit is put there, and the others take over its part.

Ge's projection onto the active limits (thesis, 2.5.3 and 5.1). Clipping loses what a clipped joint would
have done; here the other joints take it over, which needs 2.5 to 4 times fewer iterations. A joint at its
limit is free again in the next step, so nothing locks. In a swing region a joint that would leave is held
only across the boundary and may still slide along it.
"""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from ..region import Bounds, Region
from ..rotation import Array
from .base import LimitMethod, Propose

_ROUNDS: Final = 3


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
        bounds = region.leaving(q, dq)
        if bounds is None:
            return q + dq
        hold = _OneHold(region, jacobian) if q.ndim == 1 else _ManyHold(region, jacobian)
        for _ in range(_ROUNDS):
            hold.add(bounds)
            dq = hold.keep(propose(error + hold.shift(), hold.free))
            bounds = region.leaving(q, dq)
            if bounds is None:
                return q + dq
        return region.project_first(q + dq)


class _OneHold:
    """What is held in one frame: coordinates altogether, swing pairs across their boundary.

    Few are, so they are dealt with one by one; the rows are rebuilt only where something changed.

    Attributes:
        free: (k, n) the rows with what is held taken out of them.
    """

    def __init__(self, region: Region, jacobian: Array) -> None:
        self.jacobian, self.free = jacobian, jacobian.copy(order="K")
        self.pairs = region.pairs.tolist()
        self.held: list[int] = []
        self.across: dict[int, tuple[int, int, float, float]] = {}
        self.fixed = np.zeros(jacobian.shape[1])

    def add(self, bounds: Bounds) -> None:
        """Hold what left; a pair that left along its tangent too is held altogether."""
        for column in bounds.held.nonzero()[0].tolist():
            self._hold(column, float(bounds.shift[column]))
        for pair in bounds.leaving.nonzero()[0].tolist():
            x, z = self.pairs[pair]
            a, b = bounds.way[:, pair].tolist()
            if pair in self.across:
                del self.across[pair]
                self._hold(x, a)
                self._hold(z, b)
                continue
            u, v = bounds.normal[:, pair].tolist()
            self.across[pair] = x, z, u, v
            self.fixed[x], self.fixed[z] = (u * a + v * b) * u, (u * a + v * b) * v
            part = self.free[:, x] * u + self.free[:, z] * v
            self.free[:, x] -= part * u
            self.free[:, z] -= part * v

    def _hold(self, column: int, way: float) -> None:
        self.held.append(column)
        self.fixed[column] = way
        self.free[:, column] = 0.0

    def shift(self) -> Array:
        """(k,) what the way of the held ones to their limits does to the rows."""
        return np.asarray(self.jacobian.dot(self.fixed))

    def keep(self, dq: Array) -> Array:
        """The step with the held ones going their own way; in place."""
        dq[self.held] = 0.0
        for x, z, u, v in self.across.values():
            part = float(dq[x]) * u + float(dq[z]) * v
            dq[x] -= part * u
            dq[z] -= part * v
        dq += self.fixed
        return dq


class _ManyHold:
    """The same for a batch, all frames at once; arrays with frames innermost."""

    def __init__(self, region: Region, jacobian: Array) -> None:
        self.x, self.z = region.pairs.T
        self.jacobian, self.free = jacobian, jacobian
        self.held = np.zeros(jacobian.shape[1:], dtype=bool)
        self.fixed = np.zeros(jacobian.shape[1:])
        self.across = np.zeros((2, len(self.x), *jacobian.shape[2:]))

    def add(self, bounds: Bounds) -> None:
        """As in `_OneHold`."""
        self.held |= bounds.held
        self.fixed = np.where(bounds.held, bounds.shift, self.fixed)
        again = bounds.leaving & (self.across != 0.0).any(0)
        first = bounds.leaving & ~again
        self.across = np.where(first, bounds.normal, self.across)
        along = (bounds.normal * bounds.way).sum(0) * bounds.normal
        for column, axis in ((self.x, 0), (self.z, 1)):
            self.fixed[column] = np.where(
                again, bounds.way[axis], np.where(first, along[axis], self.fixed[column])
            )
            self.held[column] |= again
        self.free = np.where(self.held, 0.0, self.jacobian)
        _remove(self.free, self.x, self.z, self.across)

    def shift(self) -> Array:
        """(k, B)."""
        return np.asarray(np.einsum("knb,nb->kb", self.jacobian, self.fixed))

    def keep(self, dq: Array) -> Array:
        """As in `_OneHold`."""
        dq = np.where(self.held, 0.0, dq)
        _remove(dq[None], self.x, self.z, self.across)
        dq += self.fixed
        return dq


def _remove(rows: Array, x: npt.NDArray[np.intp], z: npt.NDArray[np.intp], across: Array) -> None:
    """Take the direction `across` (2, P, ...) out of the swing columns of rows (k, n, ...), in place."""
    if not len(x):
        return
    part = rows[:, x] * across[0] + rows[:, z] * across[1]
    rows[:, x] -= part * across[0]
    rows[:, z] -= part * across[1]
