# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that compensate small errors of the figure, so that the points they hold stay in place.

A leg with a planted foot can compensate hips that are a few millimetres off: it turns a little, and the foot
stays. So the hips need only as many keys as the margin requires. This is to first order, by damped least
squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from .armature import Array, Flags, Indices

_DAMPING: Final = 0.1  # metres a unit of a channel; straight limbs turn no farther than they gain by it


@dataclass(frozen=True)
class HeldLimb:
    """A chain of k tracks, from which alone m points hang that stand still, over F frames.

    Attributes:
        tracks: (k,) of the chain; points: (m,) which points.
        response: (F, C k, 3 m) by how much its C channels each change for what the points are off.
        left: (F, 3 m, 3 m) what is left of it then.
    """

    tracks: Indices
    points: Indices
    response: Array
    left: Array

    @classmethod
    def of(cls, tracks: Indices, points: Indices, jacobian: Array) -> HeldLimb:
        """From the derivative (F, 3 m, C k) of the points by the channels."""
        across = jacobian.swapaxes(1, 2)
        square = jacobian @ across
        one = np.eye(square.shape[1])
        response = -across @ np.linalg.inv(square + _DAMPING**2 * one)
        return cls(tracks, points, response, one + jacobian @ response)

    def change(self, off: Array) -> Array:
        """(k, F, C) what the channels change by for what the points (3, m, F) are off."""
        flat = off.transpose(2, 1, 0).reshape(len(self.left), -1, 1)
        return (self.response @ flat).reshape(len(flat), len(self.tracks), -1).swapaxes(0, 1)

    def remains(self, off: Array) -> Array:
        """(b, 3, m, F) what remains of what the points (b, 3, m, F) are off."""
        flat = off.transpose(0, 3, 2, 1).reshape(len(off), len(self.left), -1, 1)
        return (self.left @ flat).reshape(*flat.shape[:2], -1, 3).transpose(0, 3, 2, 1)


def chains(up: Indices, hanging: Indices, held: Indices, turning: Flags) -> list[tuple[Indices, Indices]]:
    """The tracks of each limb that holds something, and the points that it holds.

    Args:
        up: (T,) the track above each, -1 if there is none.
        hanging: (P,) from which track each point hangs.
        held: which points are held.
        turning: (T,) tracks with keys on their rotation.
    """
    above = np.eye(len(up), dtype=bool)  # [t, a]: t hangs from a, or is it
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
