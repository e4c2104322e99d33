# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths, angles and counts as a person reads them."""

from __future__ import annotations

from contextlib import redirect_stderr
from io import StringIO
from math import degrees, isfinite
from typing import Any, Final

import bpy

_SEEN_SHARE: Final = 5e-4  # of the figure: half a pixel where it is 1000 pixels high
_SEEN_TURN: Final = 2e-3  # radians, a tenth of a degree

# Units of length that a scene may prefer, as they are typed. Of the others, numbers are in the base unit.
_SYMBOLS: Final = {
    "KILOMETERS": "km",
    "CENTIMETERS": "cm",
    "MILLIMETERS": "mm",
    "MICROMETERS": "um",
    "MILES": "mi",
    "FEET": "ft",
    "INCHES": "in",
    "THOU": "thou",
}


def is_seen(armature: bpy.types.Object, distance: float, turn: float) -> bool:
    """Whether anybody can see that a bone is so far from where it is to be.

    Args:
        armature: for the size of the figure; distance: Blender units; turn: radians.
    """
    size: Any = armature.dimensions
    return distance > _SEEN_SHARE * max(size) or turn > _SEEN_TURN


def counted(count: int, what: str) -> str:
    """A number of things, such as "1 bone" or "3 bones".

    Args:
        count: of them; what: one of them is called, a noun whose plural ends in s.
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def metre(scene: bpy.types.Scene) -> float:
    """How many metres a Blender unit is in a scene, by its Unit Scale."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else float(units.scale_length)


def typed_length(text: str) -> float | None:
    """Blender units that a typed expression means, in the scene's unit of length where it names none."""
    units: Any = bpy.context.scene.unit_settings
    found = _typed(text, "LENGTH", _SYMBOLS.get(units.length_unit, ""))
    return None if found is None else found / metre(bpy.context.scene)


def typed_angle(text: str) -> float | None:
    """Radians that a typed expression means, in degrees where it names no unit and the scene says so."""
    units: Any = bpy.context.scene.unit_settings
    return _typed(text, "ROTATION", "r" if units.system_rotation == "RADIANS" else "")


def _typed(text: str, category: str, unit: str) -> float | None:
    """As Blender's fields evaluate it; None if it is no number, as while it is being typed."""
    system: Any = bpy.context.scene.unit_settings.system
    try:
        with redirect_stderr(StringIO()):  # to which Blender prints what is wrong with each unfinished one
            found = bpy.utils.units.to_value(system, category, text, str_ref_unit=unit or None)
    except ValueError:
        return None
    return float(found) if isfinite(found) else None


def length(units: float, *, short: bool = False) -> str:
    """Millimetres with one decimal, metres from one metre on; short: from a centimetre on without.

    Args:
        units: Blender's, of the scene that is open; short: where there is little room.
    """
    return in_metres(units * metre(bpy.context.scene), short=short)


def in_metres(metres: float, *, short: bool = False) -> str:
    """As `length`, of what is metres already."""
    if abs(metres) >= 1.0:
        return f"{metres:.2f} m"
    return f"{metres * 1e3:.{_decimals(metres * 1e3, short)}f} mm"


def angle(radians: float, *, short: bool = False) -> str:
    """Degrees with one decimal; short: from ten on without."""
    return f"{degrees(radians):.{_decimals(degrees(radians), short)}f}°"


def _decimals(value: float, short: bool) -> int:
    return 0 if short and abs(value) >= 10.0 else 1
