# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees and elbows as hinges: which turn of a joint bends its limb, how far, and between which limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation

from .armature import Array, Flags, Indices
from .limb_joints import LimbJoints

_ALONG: Final = 0.95  # cosine between a limb's axis and one of its bone, whose limits will do then
_POSED: Final = np.radians(10.0)  # a limb bent backwards by less at the start may only be straight


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

    def limited(
        self, limbs: LimbJoints, skeleton: ik.Skeleton, q: Array, which: Flags, aside: Array | float
    ) -> ik.Skeleton:
        """A figure with some of its limbs kept from bending the wrong way.

        A limb that starts bent the wrong way stays so: a knee bent backwards by hand is intended.

        Args:
            limbs: that these are the hinges of; skeleton: the figure; q: (n,) the pose that it starts from.
            which: (k,) the limbs; those that do not bend about one turn are left as they are.
            aside: radians that each may bend to either side, or (k,).
        """
        turned = rotation.swing_twist_matrix(q[limbs.turns]) @ limbs.second[:, :, None]
        backwards = angles_about(limbs.first, turned[:, :, 0], limbs.axis) < -_POSED
        now, straight = self.sides * q[self.bends], -self.at_rest
        least = np.where(backwards, -np.inf, np.minimum(straight, now))
        most = np.where(backwards, np.maximum(straight, now), np.inf)
        rows = which & self.which
        lower, upper = skeleton.lower.copy(), skeleton.upper.copy()
        lower[self.bends[rows]] = np.where(self.sides > 0, least, -most)[rows]
        upper[self.bends[rows]] = np.where(self.sides > 0, most, -least)[rows]
        across, room = self.across[rows], np.broadcast_to(aside, rows.shape)[rows]
        lower[across] = np.minimum(-room, q[across])
        upper[across] = np.maximum(room, q[across])
        return skeleton.with_limits(lower, upper)


def angles_about(first: Array, second: Array, axis: Array) -> Array:
    """(k,) radians from first to second (k, 3) about an axis (k, 3)."""
    across = (np.cross(first, second) * axis).sum(-1)
    return np.asarray(np.arctan2(across, (first * second).sum(-1)))
