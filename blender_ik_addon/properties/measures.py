# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths and angles as a person reads them."""

from __future__ import annotations

from math import degrees


def length(metres: float) -> str:
    """Millimetres with one decimal, metres from one metre on."""
    return f"{metres * 1e3:.1f} mm" if abs(metres) < 1.0 else f"{metres:.2f} m"


def angle(radians: float) -> str:
    """Degrees with one decimal."""
    return f"{degrees(radians):.1f}°"
