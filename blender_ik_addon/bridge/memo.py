# SPDX-License-Identifier: GPL-3.0-or-later
"""The last result of a computation, kept while what it depends on stays equal."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Memo(Generic[T]):
    """One result and the key that it was made for."""

    def __init__(self) -> None:
        self._known: tuple[Any, T] | None = None

    def get(self, key: Any, make: Callable[[], T]) -> T:
        """The result for a key of plain values or of objects that are compared by identity."""
        if self._known is None or self._known[0] != key:
            self._known = key, make()
        return self._known[1]
