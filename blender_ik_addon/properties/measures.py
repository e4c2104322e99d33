# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths, angles and counts as text for users."""

from contextlib import redirect_stderr
from io import StringIO
from math import degrees, isfinite
from typing import Any, Final

import bpy
import numpy as np

_SEEN_SHARE: Final = 5e-4  # share of the figure's size: half a pixel if it is 1000 pixels high
_SEEN_TURN: Final = 2e-3  # radians, a tenth of a degree


def is_seen(armature: bpy.types.Object, distance: float, turn: float) -> bool:
    """Whether an error, in Blender units and radians, is large enough on a figure to be visible."""
    bones: Any = armature.data.bones  # its `dimensions` include the shapes of controls
    ends = np.empty((2, 3 * len(bones)), dtype=np.float32)
    bones.foreach_get("head_local", ends[0])
    bones.foreach_get("tail_local", ends[1])
    size = float(np.ptp(ends.reshape(-1, 3), axis=0).max()) * armature.matrix_world.median_scale
    return distance > _SEEN_SHARE * size or turn > _SEEN_TURN


def counted(count: int, what: str) -> str:
    """A number with a noun whose plural ends in s, for example "1 bone" or "3 bones"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def metre(scene: bpy.types.Scene) -> float:
    """Metres per Blender unit in a scene, from its Unit Scale."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else float(units.scale_length)


def typed(text: str, *, turn: bool) -> float | None:
    """Blender units or radians of an expression, as in Blender's own fields; None if it is not valid yet.

    Without a unit, the scene's unit of lengths or angles is used.
    """
    units: Any = bpy.context.scene.unit_settings
    category, unit = ("ROTATION", units.system_rotation) if turn else ("LENGTH", units.length_unit)
    try:
        with redirect_stderr(StringIO()):  # Blender prints an error for each incomplete expression
            found = bpy.utils.units.to_value(units.system, category, text, str_ref_unit=unit.lower())
    except ValueError:
        return None
    return found / (1.0 if turn else metre(bpy.context.scene)) if isfinite(found) else None


def length(units: float, *, short: bool = False) -> str:
    """A length in Blender units as text: millimetres with one decimal, from one metre on metres.

    If `short`, without the decimal from 10 mm on.
    """
    return in_metres(units * metre(bpy.context.scene), short=short)


def in_metres(metres: float, *, short: bool = False) -> str:
    """The same as `length`, for metres."""
    if abs(metres) >= 1.0:
        return f"{metres:.2f} m"
    return f"{metres * 1e3:.{_decimals(metres * 1e3, short)}f} mm"


def angle(radians: float, *, short: bool = False) -> str:
    """An angle as text: degrees with one decimal; `short` omits it from 10 degrees on."""
    return f"{degrees(radians):.{_decimals(degrees(radians), short)}f}°"


def _decimals(value: float, short: bool) -> int:
    return 0 if short and abs(value) >= 10.0 else 1
