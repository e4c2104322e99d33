# SPDX-License-Identifier: GPL-3.0-or-later
"""The only file of the properties that asks ikmath: it fills the menus from the registries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import ikmath as ik

EnumItem = tuple[str, str, str, str, int]

DEFAULT_LIMITS = "projection"
DEFAULT_AVOIDANCE = "velocity_damper"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What one effector asks of a solving method.

    Attributes:
        ask: as in `Kind.asks`; name: of the effector.
        single_axes: some axes of its place do not count; part: it may move a part of the figure only.
        priority: its level.
    """

    ask: str
    name: str
    single_axes: bool
    part: bool
    priority: int


def method_objections(asked: Sequence[Asked], avoidance: str) -> dict[str, str]:
    """Why each solving method cannot take what is asked, as one sentence; "" for those that can.

    Args:
        asked: what the effectors ask for.
        avoidance: name of the way to keep clear, "" where there is nothing to keep clear of.
    """
    wishes = tuple(
        ik.Wish(
            kind=one.ask.title().replace("_", ""),
            name=f"effector '{one.name}'",
            single_axes=one.single_axes,
            part=one.part,
            priority=one.priority,
        )
        for one in asked
    )
    demand = ik.Demand(wishes=wishes, avoidance=ik.AVOIDANCE[avoidance] if avoidance else None)
    objections = {name: method.objection(demand) for name, method in ik.METHODS.items()}
    return {
        name: f"Method {ik.METHODS[name].label} {text}" if text else "" for name, text in objections.items()
    }


def method_items() -> tuple[EnumItem, ...]:
    """Solving methods, in the order of their registry."""
    return _items(ik.METHODS)


def weighs(method: str, effort: str = "WEIGHT") -> bool:
    """Whether a method moves light parts before heavy ones, as the solver's setting wants it."""
    return ik.METHODS[method].weighed and effort == "WEIGHT"


def limit_items() -> tuple[EnumItem, ...]:
    """Ways to hold joint limits, in the order of their registry."""
    return _items(ik.LIMITS)


def method_parameters() -> dict[str, tuple[Any, ...]]:
    """What a person may set of each method: `ikmath`'s description of its parameters."""
    return {name: method.parameters for name, method in ik.METHODS.items()}


def avoidance_parameters() -> dict[str, tuple[Any, ...]]:
    """What a person may set of each way to keep clear of obstacles."""
    return {name: way.parameters for name, way in ik.AVOIDANCE.items()}


def avoidance_items() -> tuple[EnumItem, ...]:
    """Ways to keep clear of obstacles, in the order of their registry."""
    return _items(ik.AVOIDANCE)


def default_method() -> str:
    """The method that a new rig starts with: the library's own default."""
    return ik.DEFAULT


def _items(registry: Mapping[str, Any]) -> tuple[EnumItem, ...]:
    # The number is what a .blend stores. It comes from the name, not from the place on the list, so that a
    # new entry of the registry never turns an old file's choice into another one.
    return tuple(
        (name, entry.label, entry.description, "NONE", crc32(name.encode()) & 0x7FFFFFFF)
        for name, entry in registry.items()
    )
