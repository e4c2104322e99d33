# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths and angles as a person reads them."""

from __future__ import annotations

from math import degrees


def length(metres: float, *, short: bool = False) -> str:
    """Millimetres with one decimal, metres from one metre on; short: from a centimetre on without."""
    if abs(metres) >= 1.0:
        return f"{metres:.2f} m"
    return f"{metres * 1e3:.{_decimals(metres * 1e3, short)}f} mm"


def angle(radians: float, *, short: bool = False) -> str:
    """Degrees with one decimal; short: from ten on without."""
    return f"{degrees(radians):.{_decimals(degrees(radians), short)}f}°"


def _decimals(value: float, short: bool) -> int:
    return 0 if short and abs(value) >= 10.0 else 1
