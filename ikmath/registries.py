# SPDX-License-Identifier: GPL-3.0-or-later
"""How a family of interchangeable things is looked up: by name, with an error that knows the names."""

from collections.abc import Iterator, Mapping
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


Registered = TypeVar("Registered")


class Registry(Mapping[str, Registered]):
    """Name -> entry, read-only. An entry given as "package.module:Class" is imported when first looked up."""

    def __init__(self, entries: Mapping[str, Registered | str]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Registered:
        entry = self._entries[name]
        if isinstance(entry, str):
            module, _, kind = entry.partition(":")
            made: Registered = getattr(import_module(module), kind)()
            self._entries[name] = entry = made
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<Registry of {', '.join(self)}>"


def choose(entries: Mapping[str, Registered], kind: str, name: str) -> Registered:
    """The entry of that name; kind: what the entries are, for the message.

    Raises:
        UnknownName: there is none.
    """
    try:
        return entries[name]
    except (KeyError, TypeError):
        raise UnknownName(kind, name, tuple(entries)) from None
