# SPDX-License-Identifier: GPL-3.0-or-later
"""How a family of interchangeable things is looked up: by name, with an error that knows the names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import ClassVar, TypeVar

from .errors import UnknownName


class Entry:
    """What every registered thing tells about itself; menus and the manual's tables are made of it.

    Attributes:
        name: identifier; label: for a menu; description: one or two sentences; source: where it comes from.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]


Registered = TypeVar("Registered", bound=Entry)
Chosen = TypeVar("Chosen")


class LazyRegistry(Mapping[str, Registered]):
    """Name -> entry, read-only; entries that are seldom used are imported when first looked up.

    Args:
        loaded: entries at hand, first in the order.
        places: name -> "package.module:Class" of the others.
    """

    def __init__(self, loaded: Iterable[Registered], places: Mapping[str, str]) -> None:
        self._found = {entry.name: entry for entry in loaded}
        self._places = dict(places)
        self._names = (*self._found, *self._places)

    def __getitem__(self, name: str) -> Registered:
        if name not in self._found:
            module, _, kind = self._places[name].partition(":")
            self._found[name] = getattr(import_module(module), kind)()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


def choose(entries: Mapping[str, Chosen], kind: str, name: str) -> Chosen:
    """The entry of that name; kind: what the entries are, for the message.

    Raises:
        UnknownName: there is none.
    """
    try:
        return entries[name]
    except (KeyError, TypeError):
        raise UnknownName(kind, name, tuple(entries)) from None
