# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the mass of a figure is and on what it stands, to be looked at; nothing is solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import bpy
import numpy as np

from ikmath.goals.support import hull

from ..bridge.armature import Array, Bones
from .body import capsules
from .masses import center_of_mass

_CONTACT: Final = 0.05  # share of the figure's height within which a part counts as standing on the ground
_ROUND: Final = 16  # corners of the area below something round


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
    armature: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    bones: Bones,
    planted: Sequence[tuple[Sequence[float], float]] = (),
) -> Stand | None:
    """Centre of mass and support of a figure as it is.

    Args:
        armature: the original object, up to date.
        depsgraph: evaluated; bones: of the armature.
        planted: places on which it stands and radii of the ground that they cover. If there are none, it
            stands on those ends of its capsules that are about as low as the lowest one, and on their width.

    Returns:
        None if nothing of it is thick, so that nobody knows where the ground is.

    Raises:
        Refused: it weighs nothing.
    """
    if planted:
        ends, thick = np.array([place for place, _ in planted]), np.array([radius for _, radius in planted])
        floor = float(ends[:, 2].min())
    else:
        parts = capsules(armature)
        if not len(parts.bones):
            return None
        ends, thick = np.concatenate([parts.a, parts.b]), np.tile(parts.radius, 2)
        low = ends[:, 2] - thick
        floor = float(low.min())
        feet = low <= floor + _CONTACT * (float((ends[:, 2] + thick).max()) - floor)
        ends, thick = ends[feet], thick[feet]
    around = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
    rim = thick[:, None, None] * np.stack([np.cos(around), np.sin(around)], 1)
    corners = np.array(hull((ends[:, None, :2] + rim).reshape(-1, 2).tolist()))
    center = center_of_mass(armature, depsgraph, bones)
    return Stand(center, floor, corners, _inside(corners, center[:2]))


def _inside(corners: Array, point: Array) -> bool:
    """Whether a point (2,) is in a polygon (K, 2) that runs counter-clockwise."""
    if len(corners) < 3:
        return False
    way, off = np.roll(corners, -1, 0) - corners, point - corners
    return bool((way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0] >= 0.0).all())
