# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that compensate small errors of the figure, so that their held points stay in place.

A leg with a planted foot can compensate an error of the hips of a few millimetres. So the hips need only as
many keys as the margin requires. The compensation is first-order, by damped least squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from .armature import Array, Flags, Indices

_DAMPING: Final = 0.1  # metres per unit of a channel; keeps straight limbs from turning far for little effect


@dataclass(frozen=True)
class HeldLimb:
    """A chain of k tracks with m still points that only this chain carries, over F frames.

    Attributes:
        tracks: (k,) of the chain; points: (m,) indices of the points.
        response: (F, C k, 3 m) changes of the C channels of each track for errors of the points.
        left: (F, 3 m, 3 m) the errors that remain.
    """

    tracks: Indices
    points: Indices
    response: Array
    left: Array

    @classmethod
    def of(cls, tracks: Indices, points: Indices, jacobian: Array) -> HeldLimb:
        """Make a limb from the derivative (F, 3 m, C k) of the points by the channels."""
        across = jacobian.swapaxes(1, 2)
        square = jacobian @ across
        one = np.eye(square.shape[1])
        response = -across @ np.linalg.inv(square + _DAMPING**2 * one)
        return cls(tracks, points, response, one + jacobian @ response)

    def change(self, off: Array) -> Array:
        """(k, F, C) changes of the channels that compensate errors (3, m, F) of the points."""
        flat = off.transpose(2, 1, 0).reshape(len(self.left), -1, 1)
        return (self.response @ flat).reshape(len(flat), len(self.tracks), -1).swapaxes(0, 1)

    def remains(self, off: Array) -> Array:
        """(b, 3, m, F) the parts of errors (b, 3, m, F) that the limb cannot compensate."""
        flat = off.transpose(0, 3, 2, 1).reshape(len(off), len(self.left), -1, 1)
        return (self.left @ flat).reshape(*flat.shape[:2], -1, 3).transpose(0, 3, 2, 1)


def chains(up: Indices, hanging: Indices, held: Indices, turning: Flags) -> list[tuple[Indices, Indices]]:
    """The tracks of each limb with held points, and these points.

    Args:
        up, turning: (T,) parent track, -1 if there is none, and whether it has rotation keys.
        hanging, held: (P,) track of each point, and indices of the held points.
    """
    above = np.eye(len(up), dtype=bool)  # [t, a]: t is a or its descendant
    for track, parent in enumerate(up.tolist()):
        if parent >= 0:
            above[track] |= above[parent]
    holding = np.unique(hanging[held])
    tips = [track for track in holding.tolist() if above[holding, track].sum() == 1]
    alone = above[tips].sum(0) == 1
    found = []
    for tip in tips:
        tracks = np.flatnonzero(above[tip] & alone)
        turned = tracks[turning[tracks]]
        if turned.size:
            found.append((turned, held[np.isin(hanging[held], tracks)]))
    return found
