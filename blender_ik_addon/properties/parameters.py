# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods' own parameters, made from what the methods say of themselves.

One property for each parameter of each method, so that a method's settings survive a look at another one.
A new
method brings its parameters with it: nothing here names any.
"""

from __future__ import annotations

from typing import Any, Protocol
from zlib import crc32

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from .effector import OVERRIDE
from .menus import method_parameters

_LARGEST = 1e6
_AUTOMATIC = "; 0 lets the method choose"


class _Parameter(Protocol):
    """As `ikmath` describes one."""

    name: str
    label: str
    description: str
    default: Any
    minimum: float
    maximum: float
    choices: tuple[str, ...]
    automatic: bool


class ArticulateParameters(bpy.types.PropertyGroup):
    """Parameters of all methods; those of one method are `names(method)`."""

    @staticmethod
    def names(method: str) -> list[str]:
        """The properties that belong to a method, in the order in which it names them."""
        return [_attribute(method, parameter.name) for parameter in method_parameters()[method]]

    def options(self, method: str) -> dict[str, Any]:
        """What to give to the method."""
        given = {}
        for parameter in method_parameters()[method]:
            value = getattr(self, _attribute(method, parameter.name))
            given[parameter.name] = None if parameter.automatic and value == 0.0 else value
        return given


def _attribute(method: str, name: str) -> str:
    return f"{method}_{name}"


def _property(parameter: _Parameter) -> Any:
    told: dict[str, Any] = {
        "name": parameter.label,
        "description": parameter.description,
        "override": OVERRIDE,
    }
    if parameter.choices:
        # As in the menus: a number made of the word, so that a new choice does not change what files mean.
        items = [
            (word, word.replace("_", " ").capitalize(), "", "NONE", crc32(word.encode()) & 0x7FFFFFFF)
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
    return FloatProperty(default=parameter.default or 0.0, precision=4, **bounds, **told)


def _annotations() -> dict[str, Any]:
    return {
        _attribute(method, parameter.name): _property(parameter)
        for method, parameters in method_parameters().items()
        for parameter in parameters
    }


ArticulateParameters.__annotations__ = _annotations()
