# SPDX-License-Identifier: GPL-3.0-or-later
"""The only file of the properties that asks ikmath: it fills the menus from the registries.

What the registries hold stands in `registries.json`, which `tooling/registries.py` writes: the library is
loaded when it is first used, not while Blender starts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

_REGISTRIES: Final[Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("registries.json").read_text(encoding="utf-8")
)

EnumItem = tuple[str, str, str, str, int]

DEFAULT_LIMITS = "projection"
DEFAULT_AVOIDANCE = "velocity_damper"


@dataclass(frozen=True, kw_only=True)
class Described:
    """A parameter of a method, as `ikmath.parameters.Parameter`."""

    name: str
    label: str
    description: str
    default: Any
    minimum: float
    maximum: float
    choices: Sequence[str]

    @property
    def automatic(self) -> bool:
        """Whether the method chooses by itself, unless told."""
        return self.default is None


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
    import ikmath as ik

    goals = tuple(
        ik.GoalRequirement(
            kind=one.ask.title().replace("_", ""),
            name=f"effector '{one.name}'",
            single_axes=one.single_axes,
            part=one.part,
            priority=one.priority,
        )
        for one in asked
    )
    requirements = ik.Requirements(goals=goals, avoidance=ik.AVOIDANCE[avoidance] if avoidance else None)
    objections = {name: method.objection(requirements) for name, method in ik.METHODS.items()}
    return {
        name: f"Method {ik.METHODS[name].label} {text}" if text else "" for name, text in objections.items()
    }


def method_items() -> tuple[EnumItem, ...]:
    """Solving methods, in the order of their registry."""
    return _items("methods")


def weighs(method: str, effort: str = "WEIGHT") -> bool:
    """Whether a method moves light parts before heavy ones, as the solver's setting wants it."""
    return bool(_REGISTRIES["methods"][method]["weighed"]) and effort == "WEIGHT"


def takes_posture_cost(method: str) -> bool:
    """Whether a method takes a cost that chooses among poses."""
    return bool(_REGISTRIES["methods"][method]["posture_costs"])


def limit_items() -> tuple[EnumItem, ...]:
    """Ways to hold joint limits, in the order of their registry."""
    return _items("limits")


def method_parameters() -> dict[str, tuple[Described, ...]]:
    """What a person may set of each method: `ikmath`'s description of its parameters."""
    return _parameters("methods")


def avoidance_parameters() -> dict[str, tuple[Described, ...]]:
    """What a person may set of each way to keep clear of obstacles."""
    return _parameters("avoidance")


def avoidance_items() -> tuple[EnumItem, ...]:
    """Ways to keep clear of obstacles, in the order of their registry."""
    return _items("avoidance")


def default_method() -> str:
    """The method that a new rig starts with: the library's own default."""
    default: str = _REGISTRIES["default"]
    return default


def _parameters(registry: str) -> dict[str, tuple[Described, ...]]:
    return {
        name: tuple(Described(**parameter) for parameter in entry["parameters"])
        for name, entry in _REGISTRIES[registry].items()
    }


def _items(registry: str) -> tuple[EnumItem, ...]:
    # The number is what a .blend stores. It comes from the name, not from the place on the list, so that a
    # new entry of the registry never turns an old file's choice into another one.
    return tuple(
        (name, entry["label"], entry["description"], "NONE", crc32(name.encode()) & 0x7FFFFFFF)
        for name, entry in _REGISTRIES[registry].items()
    )
