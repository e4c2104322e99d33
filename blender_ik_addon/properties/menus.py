# SPDX-License-Identifier: GPL-3.0-or-later
"""Menus and properties from the registries of `ikmath`: its methods and their parameters.

The contents of the registries are in `registries.json`, which `tooling/registries.py` writes. So the library
is loaded at its first use, not while Blender starts.

Each parameter of each method has its own property, so that a method's settings are kept while another method
is chosen. Parameters of new methods appear automatically. Only tooltips of choices are added here.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final
from zlib import crc32

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from . import saved

_REGISTRIES: Final[Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("registries.json").read_text(encoding="utf-8")
)

EnumItem = tuple[str, str, str, int]

DEFAULT_LIMITS = "projection"
DEFAULT_AVOIDANCE = "velocity_damper"
DEFAULT_METHOD: Final[str] = _REGISTRIES["default"]
"""The method of new rigs: the library's default."""

_LARGEST = 1e6
_FINE = 1e-3  # values below this one are shown with all digits
_AUTOMATIC = "; 0: the method chooses"
# Tooltips of the choices, by the parameter's name.
_CHOICES: Final[Mapping[str, Mapping[str, str]]] = {
    "svd": {
        "lapack": "The routine of LAPACK, which is the fastest",
        "column_givens": "Givens rotations of pairs of columns",
        "row_givens": "Givens rotations of pairs of rows",
    },
    "objective": {
        "posture": "The distance from the pose that the frame starts from",
        "limits": "The distance from the middle of the joint limits",
    },
    "form": {
        "reduced": "Eliminate the multipliers before solving the system",
        "full": "Solve the whole system with its multipliers",
    },
    "bounds": {
        "method": "By the setting Joint Limits",
        "active": "By trying every combination of coordinates at their limits",
        "slack": "By a slack variable for each limit",
    },
    "influence": {
        "polynomial": "By its distance",
        "pourazady": "By the time left to brake, after Pourazady and Ho",
    },
}


def method_objections(asked: Sequence[Mapping[str, Any]], avoidance: str) -> dict[str, str]:
    """Why each solving method cannot solve some effectors, as one sentence; "" if it can.

    `asked` has the fields of an `ikmath.GoalRequirement` for each goal. The avoidance method is "" without
    obstacles and self-collision.
    """
    import ikmath as ik

    goals = tuple(ik.GoalRequirement(**one) for one in asked)
    requirements = ik.Requirements(goals=goals, avoidance=ik.AVOIDANCE[avoidance] if avoidance else None)
    objections = {name: method.objection(requirements) for name, method in ik.METHODS.items()}
    return {
        name: f"Method {ik.METHODS[name].label} {text}" if text else "" for name, text in objections.items()
    }


def takes_posture_cost(method: str) -> bool:
    """Whether a method takes a posture cost."""
    return bool(_REGISTRIES["methods"][method]["posture_costs"])


def _number(name: str) -> int:
    """The number of an item of an enum property, which a .blend file stores.

    It is computed from the name, not the position, so that new items do not change the meaning of old files.
    """
    return crc32(name.encode()) & 0x7FFFFFFF


def _items(registry: str) -> tuple[EnumItem, ...]:
    """The entries of a registry, in its order, as items of an enum property."""
    entries = _REGISTRIES[registry].items()
    return tuple((name, entry["label"], entry["description"], _number(name)) for name, entry in entries)


METHODS: Final = _items("methods")
LIMITS: Final = _items("limits")
AVOIDANCE: Final = _items("avoidance")


class _Parameters(bpy.types.PropertyGroup):
    """Parameters of all entries of a registry; see `names` for those of one entry.

    Attributes:
        entries: of the registry; those of their "parameters" are of `ikmath.parameters.Parameter`. If the
            default is None, the method chooses the value.
    """

    __slots__ = ()

    entries: ClassVar[Mapping[str, Any]]

    @classmethod
    def names(cls, entry: str) -> list[str]:
        """The properties of an entry, in the order of its parameters."""
        return [_attribute(entry, parameter["name"]) for parameter in cls.entries[entry]["parameters"]]

    def options(self, entry: str) -> dict[str, Any]:
        given = {}
        for parameter in self.entries[entry]["parameters"]:
            value = getattr(self, _attribute(entry, parameter["name"]))
            given[parameter["name"]] = None if parameter["default"] is None and value == 0.0 else value
        return given


class ArticulateParameters(_Parameters):
    """Parameters of the solving methods."""

    __slots__ = ()

    entries = _REGISTRIES["methods"]


class ArticulateAvoidanceParameters(_Parameters):
    """Parameters of the avoidance methods."""

    __slots__ = ()

    entries = _REGISTRIES["avoidance"]


def _attribute(entry: str, name: str) -> str:
    return f"{entry}_{name.replace('.', '_')}"


def _property(parameter: Mapping[str, Any]) -> Any:
    default, description = parameter["default"], parameter["description"]
    told: dict[str, Any] = {
        "name": parameter["label"],
        "description": description,
        "override": saved.OVERRIDE,
        "update": saved.moved,
    }
    if parameter["choices"]:
        tooltips = _CHOICES.get(parameter["name"], {})
        items = [
            (word, word.replace("_", " ").capitalize(), tooltips.get(word, description), _number(word))
            for word in parameter["choices"]
        ]
        return EnumProperty(items=items, default=default, **told)
    if isinstance(default, bool):
        return BoolProperty(default=default, **told)
    bounds: dict[str, Any] = {"min": parameter["minimum"], "max": min(parameter["maximum"], _LARGEST)}
    if isinstance(default, int):
        whole: dict[str, Any] = {key: int(value) for key, value in bounds.items()}
        return IntProperty(default=default, **whole, **told)
    if default is None:
        told["description"] += _AUTOMATIC
    precision = 6 if 0.0 < abs(default or 0.0) < _FINE else 4
    return FloatProperty(default=default or 0.0, precision=precision, **bounds, **told)


for _group in (ArticulateParameters, ArticulateAvoidanceParameters):
    _group.__annotations__ = {
        _attribute(entry, parameter["name"]): _property(parameter)
        for entry, own in _group.entries.items()
        for parameter in own["parameters"]
    }
