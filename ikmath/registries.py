# SPDX-License-Identifier: GPL-3.0-or-later
"""How a family of interchangeable things is looked up: by name, with an error that knows the names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol, TypeVar

from .errors import UnknownName


class Entry(Protocol):
    """What every registered thing tells about itself; menus and the manual's tables are made of it.

    Attributes:
        name: identifier; label: for a menu; description: one or two sentences; source: where it comes from.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def source(self) -> str: ...


Registered = TypeVar("Registered", bound=Entry)


def registry(entries: Iterable[Registered]) -> Mapping[str, Registered]:
    """Name -> entry, in the given order, read-only."""
    return MappingProxyType({entry.name: entry for entry in entries})


def choose(entries: Mapping[str, Registered], kind: str, name: str) -> Registered:
    """The entry of that name.

    Raises:
        UnknownName: there is none.
    """
    try:
        return entries[name]
    except (KeyError, TypeError):
        raise UnknownName(kind, name, tuple(entries)) from None
