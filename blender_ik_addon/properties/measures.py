# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths, angles and counts as a person reads them."""

from __future__ import annotations

from math import degrees
from typing import Any, Final

import bpy

_SEEN_SHARE: Final = 5e-4  # of the figure: half a pixel where it is 1000 pixels high
_SEEN_TURN: Final = 2e-3  # radians, a tenth of a degree


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
