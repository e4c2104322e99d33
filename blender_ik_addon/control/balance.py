# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the mass of a figure is and on what it stands, to be looked at; nothing is solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ikmath.goals.support import hull

from ..bridge.armature import Array
from .body import Capsules

_CONTACT: Final = 0.05  # share of the figure's height within which a part counts as standing on the ground
_AROUND: Final = 2.0 * np.pi * np.arange(16) / 16
_ROUND_RIM: Final = np.stack(
    [np.cos(_AROUND), np.sin(_AROUND)], 1
)  # corners of the area below something round
_EIGHT_WAYS: Final = _ROUND_RIM[::2].T


@dataclass(frozen=True, eq=False)
class Stand:
    """A figure on the ground; Z is up.

    Attributes:
        center: (3,) centre of mass, world.
        floor: height of the ground, which is that of the lowest thing on which the figure stands.
        support: (K, 2) corners of the area on which it stands, counter-clockwise; below 3 if it is flat.
        steady: whether the centre of mass is above that area.
    """

    center: Array
    floor: float
    support: Array
    steady: bool


def stand(
    center: Array, parts: Capsules, planted: Sequence[tuple[Sequence[float], float]] = ()
) -> Stand | None:
    """Centre of mass and support of a figure as it is.

    Args:
        center: (3,) its centre of mass; parts: its capsules; world.
        planted: places on which it stands and radii of the ground that they cover. If there are none, it
            stands on those ends of its capsules that are about as low as the lowest one, and on their width.

    Returns:
        None if nothing of it is thick, so that nobody knows where the ground is.
    """
    if planted:
        ends, thick = np.array([place for place, _ in planted]), np.array([radius for _, radius in planted])
        floor = float(ends[:, 2].min())
    else:
        if not len(parts.bones):
            return None
        ends, thick = np.concatenate([parts.a, parts.b]), np.tile(parts.radius, 2)
        low = ends[:, 2] - thick
        floor = float(low.min())
        feet = low <= floor + _CONTACT * (float((ends[:, 2] + thick).max()) - floor)
        ends, thick = ends[feet], thick[feet]
    rim = thick[:, None, None] * _ROUND_RIM
    corners = np.array(hull(_outermost((ends[:, None, :2] + rim).reshape(-1, 2)).tolist()))
    return Stand(center, floor, corners, _inside(corners, center[:2]))


def _outermost(points: Array) -> Array:
    """Of points (K, 2) those that may be corners of the area; the others are inside of the farthest eight."""
    farthest = points.take(np.unique((points @ _EIGHT_WAYS).argmax(0)), 0)
    if len(farthest) < 3:
        return points
    around = np.arctan2(*(farthest - farthest.mean(0)).T[::-1]).argsort()
    corners = farthest.take(around, 0)
    way = np.roll(corners, -1, 0) - corners
    inward = np.stack([-way[:, 1], way[:, 0]])
    room = points @ inward - (corners * inward.T).sum(1)
    return points[(room <= 1e-9 * np.abs(inward).max()).any(1)]


def _inside(corners: Array, point: Array) -> bool:
    """Whether a point (2,) is in a polygon (K, 2) that runs counter-clockwise."""
    if len(corners) < 3:
        return False
    way, off = np.roll(corners, -1, 0) - corners, point - corners
    return bool((way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0] >= 0.0).all())
