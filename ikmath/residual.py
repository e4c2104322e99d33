# SPDX-License-Identifier: GPL-3.0-or-later
"""The common currency: rows that should vanish, with their derivative.

Goals make them, limit methods add to them, every solving method eats them. The last look of a solve asks for
errors only, so a Jacobian may be worked out when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .rotation import Array


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
        self.error = error
        self._jacobian = jacobian

    @property
    def jacobian(self) -> Array:
        """(*batch, k, n), the derivative of the error by the coordinates."""
        if callable(self._jacobian):
            self._jacobian = self._jacobian()
        return self._jacobian

    def __iter__(self) -> Iterator[Array]:
        yield self.error
        yield self.jacobian
