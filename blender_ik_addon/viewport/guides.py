# SPDX-License-Identifier: GPL-3.0-or-later
"""The axis constraints of a drag, in Blender's axis colours, and the snap point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import bpy
import numpy as np

from ..properties.session import ArticulateSession
from .colours import SNAP
from .strokes import Colour, Strokes

_REACH: Final = 1e3  # Blender units in both directions, beyond the visible range


@dataclass(frozen=True)
class Guide:
    """The guides of a drag.

    Attributes:
        lines: direction of each axis in world space, and its colour; anchor: (3,) their common point.
        snapped: (3,) the snap point; None for none.
    """

    lines: tuple[tuple[tuple[float, ...], Colour], ...]
    anchor: tuple[float, ...]
    snapped: tuple[float, ...] | None


def read_guide(session: ArticulateSession) -> Guide:
    """The guides that the present drag has stored in the session."""
    theme: Any = bpy.context.preferences.themes[0].user_interface
    lines = []
    for letter in session.locked:
        red, green, blue = getattr(theme, f"axis_{letter.lower()}")[:3]
        lines.append((tuple(session.axes)["XYZ".index(letter) :: 3], (red, green, blue, 1.0)))
    snapped = tuple(session.snapped) if session.is_snapped else None
    return Guide(tuple(lines), tuple(session.anchor), snapped)


def draw_guide(strokes: Strokes, guide: Guide) -> None:
    """Draw a line along each axis, and the snap point."""
    for axis, colour in guide.lines:
        way = _REACH * np.array(axis)
        strokes.segments(colour, [np.array(guide.anchor) - way, np.array(guide.anchor) + way])
    if guide.snapped is not None:
        strokes.point(SNAP, guide.snapped)
