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

from ..region import Region
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

    def step(self, region: Region, q: Array, error: Array, jacobian: Array, propose: Propose) -> Array:
        dq = propose(error, jacobian)
        bounds = region.leaving(q, dq)
        if bounds is None:
            return q + dq
        x, z = region.pairs.T
        held, fixed = bounds.held, bounds.shift.copy()
        across = np.zeros_like(bounds.normal)  # along which a swing pair is held; zero where it is free
        for _ in range(_ROUNDS):
            again = bounds.leaving & (across != 0.0).any(0)  # left along the tangent too: held altogether
            first = bounds.leaving & ~again
            across = np.where(first, bounds.normal, across)
            along = (bounds.normal * bounds.way).sum(0) * bounds.normal
            for column, axis in ((x, 0), (z, 1)):
                fixed[column] = np.where(again, bounds.way[axis], np.where(first, along[axis], fixed[column]))
                held[column] |= again
            free = np.where(held, 0.0, jacobian)
            _remove(free, x, z, across)
            dq = propose(error + (jacobian * fixed).sum(1), free)
            dq = np.where(held, 0.0, dq)
            _remove(dq[None], x, z, across)
            dq += fixed
            more = region.leaving(q, dq)
            if more is None:
                return q + dq
            held = held | more.held
            fixed = np.where(more.held, more.shift, fixed)
            bounds = more
        return region.project_first(q + dq)


def _remove(rows: Array, x: npt.NDArray[np.intp], z: npt.NDArray[np.intp], across: Array) -> None:
    """Take the direction `across` (2, P, ...) out of the swing columns of rows (k, n, ...), in place."""
    if not len(x):
        return
    part = rows[:, x] * across[0] + rows[:, z] * across[1]
    rows[:, x] -= part * across[0]
    rows[:, z] -= part * across[1]
