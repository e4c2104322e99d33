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


class Remade:
    """Pickled and copied as the arguments of its constructor."""

    _arguments: tuple[Any, ...]

    def __new__(cls, *arguments: Any) -> Self:
        self = super().__new__(cls)
        self._arguments = arguments
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), self._arguments
