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
_RIM: Final = np.stack([np.cos(_AROUND), np.sin(_AROUND)], 1)  # corners of a circular contact area


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
        radius, floor = np.array([each for _, each in planted]), float(places[:, 2].min())
    elif len(parts.bones):
        ends, thick = np.concatenate([parts.a, parts.b]), np.concatenate([parts.radius, parts.radius])
        low, high = ends[:, 2] - thick, ends[:, 2] + thick
        floor = float(low.min())
        feet = low <= floor + _CONTACT * (float(high.max()) - floor)
        places, radius = ends[feet], thick[feet]
    else:
        return None
    rims = places[:, None, :2] + radius[:, None, None] * _RIM
    corners = np.array(hull(rims.reshape(-1, 2).tolist()))
    return Stand(center, floor, corners, _inside(corners, center[:2]))


def _inside(corners: Array, point: Array) -> bool:
    """Whether a point (2,) is inside a counter-clockwise polygon (K, 2)."""
    if len(corners) < 3:
        return False
    way, off = corners.take(np.arange(1, len(corners) + 1), 0, mode="wrap") - corners, point - corners
    return bool((way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0] >= 0.0).all())
