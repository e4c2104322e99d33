# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates that follow others: the second finger of a gripper, a joint driven by a belt."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Index
from ..errors import BadValue, UnknownName
from .joint import Joint


class Coupling:
    """`q = factor * q[leader] + offset`, for all coordinates (n,); free ones lead themselves.

    Attributes:
        followers: (f,) the coordinates that follow.
        rows: (f, n) and values (f,): `rows q = values`.
    """

    def __init__(self, leader: Index, factor: Array, offset: Array) -> None:
        self._leader, self._factor, self._offset = leader, factor, offset
        self.followers = (leader != np.arange(len(leader))).nonzero()[0]
        self.rows = np.eye(len(leader))[self.followers]
        self.rows[np.arange(len(self.followers)), leader[self.followers]] -= factor[self.followers]
        self.values = offset[self.followers]

    def apply(self, q: Array) -> Array:
        """Coordinates (*batch, n) in which all followers are where their leaders put them."""
        return np.asarray(q[..., self._leader] * self._factor + self._offset)

    def fold(self, rows: Array) -> Array:
        """Derivatives by all coordinates (..., n) -> by the free ones; those of followers are zero."""
        folded = rows.copy()
        for one in self.followers.tolist():
            folded[..., self._leader[one]] += self._factor[one] * rows[..., one]
        folded[..., self.followers] = 0.0
        return folded

    def narrowed(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Limits (n,) within which leaders keep their followers inside of theirs."""
        sides = (np.stack([lower, upper])[:, self.followers] - self.values) / self._factor[self.followers]
        lower, upper = lower.copy(), upper.copy()
        np.maximum.at(lower, self._leader[self.followers], sides.min(0))
        np.minimum.at(upper, self._leader[self.followers], sides.max(0))
        return lower, upper


def coupling_of(joints: Sequence[Joint]) -> Coupling | None:
    """The coupling of joints in the order of their coordinates, None if none follows another.

    Raises:
        UnknownName: a leader that does not exist; BadValue: joints that do not have one coordinate, or follow
            themselves.
    """
    if all(joint.mimic is None for joint in joints):
        return None
    by_name = {joint.name: joint for joint in joints}
    starts = np.cumsum([0, *(len(joint.slots) for joint in joints)])
    column = {joint.name: int(start) for joint, start in zip(joints, starts, strict=False)}
    count = int(starts[-1])
    leader, factor, offset = np.arange(count), np.ones(count), np.zeros(count)
    for joint in joints:
        at, ahead, path = column[joint.name], joint, [joint.name]
        while (mimic := ahead.mimic) is not None:
            if mimic.leader not in by_name:
                raise UnknownName("joint", mimic.leader, list(by_name))
            if mimic.leader in path:
                raise BadValue(f"Joint {joint.name!r}", "follows itself; a leader must be free.")
            for one in (ahead, by_name[mimic.leader]):
                if len(one.slots) != 1:
                    raise BadValue(
                        f"Joint {one.name!r}", "follows or leads; it needs exactly one coordinate."
                    )
            offset[at] += factor[at] * mimic.offset
            factor[at] *= mimic.multiplier
            ahead = by_name[mimic.leader]
            path.append(ahead.name)
            leader[at] = column[ahead.name]
    return Coupling(leader, factor, offset)
