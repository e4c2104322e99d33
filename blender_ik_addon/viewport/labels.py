# SPDX-License-Identifier: GPL-3.0-or-later
"""Where labels go so that none covers another one: critical points are often close together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

Box = tuple[float, float, float, float]  # pixels: left, bottom, width, height
_LINES: Final = (0, -1, 1, -2, 2)  # below and above its place, in which a label is tried


def arrange(wanted: Sequence[Box]) -> list[Box | None]:
    """Labels moved up or down by a line or two where they would cover one before; None where all is taken.

    Args:
        wanted: where they would be, the most important first.
    """
    found: list[Box | None] = []
    taken: list[Box] = []
    for left, bottom, width, height in wanted:
        tried = [(left, bottom + line * height, width, height) for line in _LINES]
        free = next((box for box in tried if not any(_meet(box, other) for other in taken)), None)
        found.append(free)
        if free is not None:
            taken.append(free)
    return found


def _meet(a: Box, b: Box) -> bool:
    return all(a[side] < b[side] + b[side + 2] and b[side] < a[side] + a[side + 2] for side in (0, 1))
