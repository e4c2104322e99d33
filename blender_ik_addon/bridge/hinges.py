# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees and elbows as hinges: which turn of a joint bends its limb, and how far it is bent already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from .armature import Array, Flags, Indices
from .limb_joints import LimbJoints

_ALONG: Final = 0.95  # cosine between a limb's axis and one of its bone, whose limits will do then


@dataclass(frozen=True)
class Hinges:
    """How limbs bend as hinges; k of them.

    Attributes:
        bends: (k,) number of the turn about which each bends, across: of the one that bends it aside.
        sides: (k,) the sign with which the turn bends it;
        at_rest: (k,) radians that it is bent where that is 0;
        which: (k,) whether it bends about nothing else.
        own: (k, n) which coordinates are those of the joints of each, 1.0 or 0.0.
    """

    bends: Indices
    across: Indices
    sides: Array
    at_rest: Array
    which: Flags
    own: Array

    @classmethod
    def of(cls, limbs: LimbJoints, owner: Indices) -> Hinges:
        """Those of limbs, in a figure whose coordinates belong to joints (n,)."""
        joints = np.stack([limbs.upper, limbs.lower, limbs.end], 1)
        swing, rows = limbs.axis[:, [0, 2]], np.arange(len(limbs.axis))
        best = np.abs(swing).argmax(1)
        along = swing[rows, best]
        return cls(
            bends=limbs.turns[rows, 2 * best],
            across=limbs.turns[rows, 2 - 2 * best],
            sides=np.sign(along),
            at_rest=angles_about(limbs.first, limbs.second, limbs.axis),
            which=np.abs(along) > _ALONG,
            own=(joints[:, :, None] == owner).any(1).astype(float),
        )


def angles_about(first: Array, second: Array, axis: Array) -> Array:
    """(k,) radians from first to second (k, 3) about an axis (k, 3)."""
    across = (np.cross(first, second) * axis).sum(-1)
    return np.asarray(np.arctan2(across, (first * second).sum(-1)))
