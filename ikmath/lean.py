# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are small to send to another process."""

from functools import cached_property
from typing import Any, Self


class Lean:
    """Is pickled and copied without the values of its cached properties, which are evaluated again on use."""

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }


class Remade:
    """Is pickled and copied as the arguments that it was made with, and made anew from them."""

    _arguments: tuple[Any, ...]

    def __new__(cls, *arguments: Any) -> Self:
        self = super().__new__(cls)
        self._arguments = arguments
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), self._arguments
