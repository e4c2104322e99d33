# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints that are free in both swing turns, and limits that exclude all swings."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Array, Index, Mask

_ROOM: Final = 1e-6  # in squares of half-angle sines; limits nearer than this to half a turn leave no room


def swing_pairs(owner: Index, slot: Index) -> list[tuple[int, int]]:
    """Columns (x, z) of the swing turns of every joint that is free in both."""
    slots = list(enumerate(zip(owner.tolist(), slot.tolist(), strict=True)))
    x_of = {joint: c for c, (joint, k) in slots if k == 3}
    return [(x_of[joint], c) for c, (joint, k) in slots if k == 5 and joint in x_of]


def without_swing(owner: Index, slot: Index, lower: Array, upper: Array) -> Mask:
    """(n,) the swing turns of joints whose limits exclude all swings below half a turn.

    A swing of half a turn has half-angle sines of length 1, and none is longer. The limits leave no room if
    the point of theirs that is nearest to rest is there or beyond.
    """
    pairs = np.array(swing_pairs(owner, slot), dtype=int).reshape(-1, 2)
    nearest = np.clip(0.0, lower[pairs], upper[pairs])
    beyond = (np.abs(nearest) >= np.pi).any(1)
    beyond |= (np.sin(np.clip(nearest, -np.pi, np.pi) / 2) ** 2).sum(1) > 1.0 - _ROOM
    out = np.zeros(len(owner), dtype=bool)
    out[pairs[beyond]] = True
    return out
