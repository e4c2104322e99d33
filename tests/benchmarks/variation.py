# SPDX-License-Identifier: GPL-3.0-or-later
"""The constants of a dataclass, each halved and doubled, for tables of what they are good for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

FACTORS = (0.5, 2.0)


def variations(defaults: Any, only: str = "") -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """(name, [(value as text, the constants with it), ...]) of each constant, or of one."""
    for entry in fields(defaults):
        if only in ("", entry.name):
            values = [_changed(getattr(defaults, entry.name), factor) for factor in FACTORS]
            yield entry.name, [(_shown(one), replace(defaults, **{entry.name: one})) for one in values]


def _changed(value: Any, factor: float) -> Any:
    """A constant times a factor; counts stay whole, and at least one."""
    if isinstance(value, tuple):
        return tuple(factor * one for one in value)
    return max(1, round(factor * value)) if isinstance(value, int) else factor * value


def _shown(value: Any) -> str:
    return ", ".join(f"{one:.3g}" for one in (value if isinstance(value, tuple) else (value,)))
