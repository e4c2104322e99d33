# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of methods as properties, made from the methods' own descriptions.

Each parameter of each method has its own property, so that a method's settings are kept while another method
is chosen. Parameters of new methods appear automatically. Only tooltips of choices are added here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from zlib import crc32

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from . import saved
from .menus import Described, parameters

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


class _Parameters(bpy.types.PropertyGroup):
    """Parameters of all entries of a registry; see `names` for those of one entry."""

    __slots__ = ()

    described: ClassVar[Mapping[str, tuple[Described, ...]]]

    @classmethod
    def names(cls, entry: str) -> list[str]:
        """The properties of an entry, in the order of its parameters."""
        return [_attribute(entry, parameter.name) for parameter in cls.described[entry]]

    def options(self, entry: str) -> dict[str, Any]:
        """The options of an entry."""
        given = {}
        for parameter in self.described[entry]:
            value = getattr(self, _attribute(entry, parameter.name))
            given[parameter.name] = None if parameter.automatic and value == 0.0 else value
        return given


class ArticulateParameters(_Parameters):
    """Parameters of the solving methods."""

    __slots__ = ()

    described = parameters("methods")


class ArticulateAvoidanceParameters(_Parameters):
    """Parameters of the avoidance methods."""

    __slots__ = ()

    described = parameters("avoidance")


def _attribute(entry: str, name: str) -> str:
    return f"{entry}_{name.replace('.', '_')}"


def _property(parameter: Described) -> Any:
    told: dict[str, Any] = {
        "name": parameter.label,
        "description": parameter.description,
        "override": saved.OVERRIDE,
        "update": saved.moved,
    }
    if parameter.choices:
        # As in the menus, the number is computed from the word, so that new choices do not change old files.
        tooltips = _CHOICES.get(parameter.name, {})
        items = [
            (
                word,
                word.replace("_", " ").capitalize(),
                tooltips.get(word, parameter.description),
                crc32(word.encode()) & 0x7FFFFFFF,
            )
            for word in parameter.choices
        ]
        return EnumProperty(items=items, default=parameter.default, **told)
    if isinstance(parameter.default, bool):
        return BoolProperty(default=parameter.default, **told)
    bounds: dict[str, Any] = {"min": parameter.minimum, "max": min(parameter.maximum, _LARGEST)}
    if isinstance(parameter.default, int):
        whole: dict[str, Any] = {key: int(value) for key, value in bounds.items()}
        return IntProperty(default=parameter.default, **whole, **told)
    if parameter.automatic:
        told["description"] += _AUTOMATIC
    precision = 6 if 0.0 < abs(parameter.default or 0.0) < _FINE else 4
    return FloatProperty(default=parameter.default or 0.0, precision=precision, **bounds, **told)


for _group in (ArticulateParameters, ArticulateAvoidanceParameters):
    _group.__annotations__ = {
        _attribute(entry, parameter.name): _property(parameter)
        for entry, own in _group.described.items()
        for parameter in own
    }
