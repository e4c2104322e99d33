# SPDX-License-Identifier: GPL-3.0-or-later
"""Base classes for objects that are small when pickled."""

from functools import cached_property
from typing import Any, Self


class Lean:
    """Pickled and copied without the values of its cached properties, which are evaluated again when used."""

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def _without(self, *derived: str) -> Self:
        """A copy for its class to change, with all cached results but these."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        for name in derived:
            other.__dict__.pop(name, None)
        return other


class Remade:
    """Pickled and copied as the arguments of its constructor."""

    _arguments: tuple[Any, ...]

    def __new__(cls, *arguments: Any) -> Self:
        self = super().__new__(cls)
        self._arguments = arguments
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), self._arguments
