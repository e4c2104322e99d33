# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees and elbows as hinges: the coordinate that bends a limb, its range and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation

from .armature import Array, Flags, Indices
from .limb_joints import LimbJoints

_ALONG: Final = 0.95  # minimum cosine of a limb's hinge axis with a bone axis, to use the limits of that
_POSED: Final = np.radians(10.0)  # a limb that starts bent backwards by less than this counts as straight


@dataclass(frozen=True)
class Hinges:
    """How limbs bend as hinges; k of them.

    Attributes:
        bends: (k,) index of the coordinate that bends it; across: of the one that bends it sideways.
        sides: (k,) sign of the coordinate for a correct bend.
        at_rest: (k,) radians, bend if the coordinate is 0.
        which: (k,) whether the hinge axis is a bone axis.
        own: (k, n) 1.0 for the coordinates of the limb's joints, else 0.0.
    """

    bends: Indices
    across: Indices
    sides: Array
    at_rest: Array
    which: Flags
    own: Array

    @classmethod
    def of(cls, limbs: LimbJoints, owner: Indices) -> Hinges:
        """The hinges of limbs in a figure whose coordinates belong to joints `owner` (n,)."""
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
        """The skeleton with limits that keep some limbs from bending the wrong way.

        A limb that starts bent the wrong way is excepted, because a knee bent backwards by hand is intended.

        Args:
            limbs: those of these hinges; skeleton: of the figure; q: (n,) the starting pose.
            which: (k,) limbs to limit; those whose hinge axis is not a bone axis are skipped.
            aside: radians, allowed sideways bend in each direction; one value or (k,).
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
    """(k,) angles from first to second (k, 3) about an axis (k, 3), radians."""
    across = (np.cross(first, second) * axis).sum(-1)
    return np.asarray(np.arctan2(across, (first * second).sum(-1)))
