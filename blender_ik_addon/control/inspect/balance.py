# SPDX-License-Identifier: GPL-3.0-or-later
"""Centre of mass and support area of a figure, for display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ikmath.goals.support import hull

from ...bridge.armature import Array
from ..collision.body import Capsules

_CONTACT: Final = 0.05  # share of the figure's height within which a part counts as on the ground
_AROUND: Final = 2.0 * np.pi * np.arange(32) / 32
_WAYS: Final = np.stack([np.cos(_AROUND), np.sin(_AROUND)])
_RIM: Final = _WAYS.T[::2]  # corners of a circular contact area


@dataclass(frozen=True, eq=False)
class Stand:
    """A figure on the ground; Z is up.

    Attributes:
        center: (3,) centre of mass, world.
        floor: height of the ground: that of the lowest contact.
        support: (K, 2) corners of the support polygon, counter-clockwise; K < 3 if it is degenerate.
        steady: whether the centre of mass is above the support polygon.
    """

    center: Array
    floor: float
    support: Array
    steady: bool


def stand(
    center: Array, parts: Capsules, planted: Sequence[tuple[Sequence[float], float]] = ()
) -> Stand | None:
    """Centre of mass and support polygon of a figure in its present pose.

    Args:
        center: (3,) its centre of mass; parts: its capsules; world.
        planted: contact points and the radii of their contact areas. If empty, the figure stands on the ends
            of its lowest capsules, each with its radius.

    Returns:
        None if the figure has no thickness, so that the ground is unknown.
    """
    if planted:
        places = np.array([place for place, _ in planted])
        floor = float(places[:, 2].min())
        rims = [np.asarray(place)[:2] + radius * _RIM for place, radius in planted]
        corners = np.array(hull(np.concatenate(rims).tolist()))
    else:
        if not len(parts.bones):
            return None
        ends, thick = np.concatenate([parts.a, parts.b]), np.concatenate([parts.radius, parts.radius])
        height = ends[:, 2]
        low = height - thick
        floor = float(low.min())
        feet = low <= floor + _CONTACT * (float((height + thick).max()) - floor)
        corners = _around(ends[feet, :2], thick[feet])
    return Stand(center, floor, corners, _inside(corners, center[:2]))


def _around(places: Array, radius: Array) -> Array:
    """Corners (K, 2) of the convex hull of circles (C, 2), counter-clockwise."""
    outermost = (places @ _WAYS + radius[:, None]).argmax(0)
    corners = places.take(outermost, 0) + radius.take(outermost)[:, None] * _WAYS.T
    other = (corners != corners.take(np.arange(len(corners)) - 1, 0)).any(1)  # than the previous corner
    return corners[other] if other.any() else corners[:1]


def _inside(corners: Array, point: Array) -> bool:
    """Whether a point (2,) is inside a counter-clockwise polygon (K, 2)."""
    if len(corners) < 3:
        return False
    way, off = corners.take(np.arange(1, len(corners) + 1), 0, mode="wrap") - corners, point - corners
    return bool((way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0] >= 0.0).all())
