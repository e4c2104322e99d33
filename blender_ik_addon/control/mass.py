# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the mass of a figure is and on what it stands: what balance is about, told from its capsules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ikmath.goals.support import hull

from ..bridge.armature import Array
from .body import Capsules

_CONTACT: Final = 0.05  # share of the figure's height within which a part counts as standing on the ground
_ROUND: Final = 16  # corners of the area below the end of a capsule


@dataclass(frozen=True, eq=False)
class Stand:
    """A figure on the ground; Z is up.

    Attributes:
        center: (3,) centre of mass, world.
        floor: height of the ground, which is that of the figure's lowest part.
        support: (K, 2) corners of the area on which it stands, counter-clockwise; below 3 if it is flat.
        steady: whether the centre of mass is above that area.
    """

    center: Array
    floor: float
    support: Array
    steady: bool


def stand(capsules: Capsules) -> Stand | None:
    """Centre of mass and support of a figure, of one density throughout; None if it has no capsules.

    It stands on those ends of capsules that are about as low as the lowest one, and on all of their width.
    """
    if not len(capsules.bones):
        return None
    a, b, radius = capsules.a, capsules.b, capsules.radius
    length = np.sqrt(((b - a) ** 2).sum(1))
    volume = np.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    share = volume / volume.sum() if volume.sum() > 0.0 else np.full(len(length), 1.0 / len(length))
    center = share @ (0.5 * (a + b))
    ends, thick = np.concatenate([a, b]), np.concatenate([radius, radius])
    low = ends[:, 2] - thick
    floor = float(low.min())
    height = float((ends[:, 2] + thick).max()) - floor
    feet = low <= floor + _CONTACT * height
    around = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
    rim = thick[feet, None, None] * np.stack([np.cos(around), np.sin(around)], 1)
    corners = np.array(hull((ends[feet, None, :2] + rim).reshape(-1, 2).tolist()))
    return Stand(center, floor, corners, _inside(corners, center[:2]))


def _inside(corners: Array, point: Array) -> bool:
    """Whether a point (2,) is in a polygon (K, 2) that runs counter-clockwise."""
    if len(corners) < 3:
        return False
    way, off = np.roll(corners, -1, 0) - corners, point - corners
    return bool((way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0] >= 0.0).all())
