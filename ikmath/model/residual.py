# SPDX-License-Identifier: GPL-3.0-or-later
"""Residual rows: errors that should vanish, with their derivative.

Goals make them, limit methods add to them, and every solving method uses them. The last evaluation of a solve
needs errors only, so a Jacobian may be evaluated lazily.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..arrays import Array, Index
from .topology import Columns

WriteBlock = Callable[[Index, Columns, Array], None]


class Residual:
    """Rows of a goal; unpacks as `error, jacobian`.

    Args:
        error: (*batch, k), in the goal's unit.
        jacobian: (*batch, k, n), its derivative by the coordinates, or what gives it.
        block: a function for a part of it, see `block`; only for many frames, and goals that support it.

    Attributes:
        error: as given.
    """

    __slots__ = ("_block", "_jacobian", "error")

    def __init__(
        self, error: Array, jacobian: Array | Callable[[], Array], block: WriteBlock | None = None
    ) -> None:
        self.error = error
        self._jacobian, self._block = jacobian, block

    @property
    def jacobian(self) -> Array:
        """(*batch, k, n), the derivative of the error by the coordinates."""
        if callable(self._jacobian):
            self._jacobian = self._jacobian()
        return self._jacobian

    def block(self, effectors: Index, columns: Columns, out: Array) -> None:
        """A part of the Jacobian of many frames: rows of e effectors by c coordinates, into out (r, c, B)."""
        if self._block is not None:
            self._block(effectors, columns, out)
            return
        each = len(out) // len(effectors)
        rows = (each * effectors[:, None] + np.arange(each)).ravel()
        whole = self.jacobian
        frames_last = np.moveaxis(whole.reshape(-1, *whole.shape[-2:]), 0, -1)
        out[...] = frames_last.take(rows, 0)[:, columns.which]

    def __iter__(self) -> Iterator[Array]:
        yield self.error
        yield self.jacobian
