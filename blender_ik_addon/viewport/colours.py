# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of the overlay. Red is used for errors only."""

from __future__ import annotations

from typing import Final

from .marks import Miss
from .strokes import Colour

BY_ERROR: Final[dict[Miss, Colour]] = {
    Miss.REACHED: (0.3, 0.85, 0.35, 0.9),
    Miss.SHORT: (1.0, 0.75, 0.15, 0.95),
    Miss.FAR: (1.0, 0.2, 0.15, 1.0),
}
PINS: Final[dict[str, Colour]] = {
    "POSITION": (0.15, 0.75, 1.0, 1.0),
    "ORIENTATION": (0.75, 0.5, 1.0, 1.0),
    "POSE": (1.0, 1.0, 1.0, 1.0),
}
HOLD: Final[Colour] = (0.85, 0.9, 1.0, 0.5)
CHAIN: Final[Colour] = (0.5, 0.6, 1.0, 1.0)
ALONG: Final[Colour] = (0.5, 0.6, 1.0, 0.3)
LIMIT: Final[Colour] = (1.0, 0.45, 0.75, 0.95)
BODY: Final[Colour] = (0.75, 0.75, 0.75, 0.45)
MOBILITY: Final[Colour] = (0.4, 0.95, 0.85, 0.8)
MASS: Final[Colour] = (1.0, 0.95, 0.6, 0.95)
SNAP: Final[Colour] = (1.0, 1.0, 1.0, 1.0)
