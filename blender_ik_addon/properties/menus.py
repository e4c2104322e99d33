# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the menus from the registries of `ikmath`.

The contents of the registries are in `registries.json`, which `tooling/registries.py` writes. So the library
is loaded at its first use, not while Blender starts.
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

EnumItem = tuple[str, str, str, int]

DEFAULT_LIMITS = "projection"
DEFAULT_AVOIDANCE = "velocity_damper"


@dataclass(frozen=True, kw_only=True)
class Described:
    """A parameter of a method, see `ikmath.parameters.Parameter`."""

    name: str
    label: str
    description: str
    default: Any
    minimum: float
    maximum: float
    choices: Sequence[str]

    @property
    def automatic(self) -> bool:
        """Whether the method chooses the value by default."""
        return self.default is None


def method_objections(asked: Sequence[Mapping[str, Any]], avoidance: str) -> dict[str, str]:
    """Why each solving method cannot solve some effectors, as one sentence; "" if it can.

    Args:
        asked: the fields of an `ikmath.GoalRequirement` for each goal.
        avoidance: name of the avoidance method, "" without obstacles and self-collision.
    """
    import ikmath as ik

    goals = tuple(ik.GoalRequirement(**one) for one in asked)
    requirements = ik.Requirements(goals=goals, avoidance=ik.AVOIDANCE[avoidance] if avoidance else None)
    objections = {name: method.objection(requirements) for name, method in ik.METHODS.items()}
    return {
        name: f"Method {ik.METHODS[name].label} {text}" if text else "" for name, text in objections.items()
    }


def weighs(method: str, effort: str = "WEIGHT") -> bool:
    """Whether a method uses inertia weights with the given setting of Effort."""
    return bool(_REGISTRIES["methods"][method]["weighed"]) and effort == "WEIGHT"


def takes_posture_cost(method: str) -> bool:
    """Whether a method takes a posture cost."""
    return bool(_REGISTRIES["methods"][method]["posture_costs"])


def parameters(registry: str) -> dict[str, tuple[Described, ...]]:
    """The parameters that users can set, of each entry of the registry "methods" or "avoidance"."""
    return {
        name: tuple(Described(**parameter) for parameter in entry["parameters"])
        for name, entry in _REGISTRIES[registry].items()
    }


def _items(registry: str) -> tuple[EnumItem, ...]:
    """The entries of a registry, in its order, as items of an enum property.

    A .blend file stores the number. It is computed from the name, not the position, so that new entries do
    not change the meaning of old files.
    """
    return tuple(
        (name, entry["label"], entry["description"], crc32(name.encode()) & 0x7FFFFFFF)
        for name, entry in _REGISTRIES[registry].items()
    )


METHODS: Final = _items("methods")
LIMITS: Final = _items("limits")
AVOIDANCE: Final = _items("avoidance")
DEFAULT_METHOD: Final[str] = _REGISTRIES["default"]
"""The method of new rigs: the library's default."""
