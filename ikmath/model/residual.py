# SPDX-License-Identifier: GPL-3.0-or-later
"""Residual rows: errors that should vanish, with their derivative.

Goals make them, limit methods add to them, and every solving method uses them. The last evaluation of a solve
needs errors only, so a Jacobian may be evaluated lazily.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..arrays import Array


class Residual:
    """Rows of a goal; unpacks as `error, jacobian`.

    Args:
        error: (*batch, k), in the goal's unit.
        jacobian: (*batch, k, n), its derivative by the coordinates, or what gives it.

    Attributes:
        error: as given.
    """

    __slots__ = ("_jacobian", "error")

    def __init__(self, error: Array, jacobian: Array | Callable[[], Array]) -> None:
        self.error, self._jacobian = error, jacobian

    @property
    def jacobian(self) -> Array:
        """(*batch, k, n), the derivative of the error by the coordinates."""
        if callable(self._jacobian):
            self._jacobian = self._jacobian()
        return self._jacobian

    def __iter__(self) -> Iterator[Array]:
        yield self.error
        yield self.jacobian
