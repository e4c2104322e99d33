# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits by projection: what would leave its limit is put there, and the step is worked out again for the rest.

Ge's projection onto the active limits (thesis, 2.5.3 and 5.1). Clipping loses what a clipped joint would have done;
here the other joints take it over, which needs 2.5 to 4 times fewer iterations. A joint at its limit is free again
in the next step, so nothing locks. In a swing region a joint that would leave is held only across the boundary
and may still slide along it.
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
    description: ClassVar[str] = "A joint that would leave its limit is held there and the others take over its part."
    source: ClassVar[str] = "Ge 2000, sections 2.5.3 and 5.1"

    def step(self, region: Region, q: Array, error: Array, jacobian: Array, propose: Propose) -> Array:
        dq = propose(error, jacobian)
        bounds = region.leaving(q, dq)
        if bounds is None:
            return q + dq
        fixed = np.zeros_like(q)
        held = np.zeros(len(q), dtype=bool)
        across = np.zeros((len(region.pairs), 2))  # normal along which a swing pair is held; zero where it is free
        free = jacobian.T.copy()  # (n, k), what may still move
        for _ in range(_ROUNDS):
            fixed[bounds.columns] = bounds.shift
            held[bounds.columns] = True
            if len(bounds.pairs):
                again = across[bounds.pairs].any(1)  # left along the tangent too: held altogether
                self._hold_across(region, bounds, ~again, fixed, across, free)
                columns = region.pairs[bounds.pairs[again]]
                fixed[columns] = region.project_first(q + dq)[columns] - q[columns]
                held[columns] = True
            free[held] = 0.0
            dq = propose(error + jacobian.dot(fixed), free.T)
            dq[held] = 0.0
            pair_steps = dq[region.pairs]
            pair_steps -= across * (across * pair_steps).sum(1, keepdims=True)
            dq[region.pairs] = pair_steps
            dq += fixed
            more = region.leaving(q, dq)
            if more is None:
                break
            bounds = more
        return region.project_first(q + dq)

    @staticmethod
    def _hold_across(
        region: Region, bounds: Bounds, which: npt.NDArray[np.bool_], fixed: Array, across: Array, free: Array
    ) -> None:
        """Hold those pairs of `bounds` along their normals, and take the normals out of the free rows."""
        pairs, normal = bounds.pairs[which], bounds.normal[which]
        columns = region.pairs[pairs]
        fixed[columns] = bounds.pair_shift[which, None] * normal
        across[pairs] = normal
        rows = free[columns]
        free[columns] = rows - normal[:, :, None] * (normal[:, :, None] * rows).sum(1, keepdims=True)
