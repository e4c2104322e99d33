# SPDX-License-Identifier: GPL-3.0-or-later
"""Places labels without overlap, because critical points are often close together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

Box = tuple[float, float, float, float]  # pixels: left, bottom, width, height
_LINES: Final = (0, -1, 1, -2, 2)  # vertical offsets that are tried, in lines


def arrange(wanted: Sequence[Box]) -> list[Box | None]:
    """Move labels up or down by some lines so that none overlaps an earlier one; None if there is no space.

    Args:
        wanted: preferred boxes, the most important first.
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
