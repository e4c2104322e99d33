# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of a figure that goals act on, bound to its structure once for all poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Mask
from ..errors import UnknownName
from ..rotation import Array, skew
from .skeleton import Skeleton


def _number(skeleton: Skeleton, joint: object) -> int:
    """The index of a joint that is given by its name or index."""
    if isinstance(joint, int | np.integer) and 0 <= joint < len(skeleton):
        return int(joint)
    if isinstance(joint, str):
        return skeleton.index(joint)
    raise UnknownName("joint", joint, skeleton.names)


_GIVEN: Final = ("joints", "count", "offsets", "moved", "turned", "cuts")
"""What `FramePoints` are made of; the rest follows from it."""


class FramePoints:
    """Points fixed to joints, on which goals act; bound to a skeleton's structure, for all its poses.

    Args:
        skeleton: the figure.
        joints: E names or indices.
        offsets: (E, 3) or (3,) metres, in the joints' own frames.

    Raises:
        UnknownName: a joint that does not exist; BadShape, BadValue: offsets of the wrong shape or not
            finite.
    """

    def __init__(
        self, skeleton: Skeleton, joints: Sequence[str | int], offsets: npt.ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        self.joints = np.array([_number(skeleton, joint) for joint in joints], dtype=int)
        self.count = len(self.joints)
        given = arguments.shaped(offsets, "offset", (3,), (self.count, 3))
        self.offsets = np.broadcast_to(given, (self.count, 3)).copy()
        self.moved = skeleton.influence[:, self.joints]  # (n, E) which coordinates move the point
        self.turned = skeleton.turn_influence[:, self.joints]  # (n, E) which turn its frame
        self.cuts = self._cuts(skeleton)
        self._derive()

    def _derive(self) -> None:
        """What follows from the rest."""
        self.arms = self.offsets[:, :, None]
        self.reach = np.repeat(self.moved.astype(float), 3, 1)  # (n, 3 E)
        self.turn_reach = np.repeat(self.turned.astype(float), 3, 1)
        # x -> S with (w, v) @ S = (w x x_1 + v, ..., w x x_E + v): linear in the 3 E numbers of x, below I
        lift = np.zeros((3 * self.count, 6, 3 * self.count))
        for e in range(self.count):
            for k in range(3):
                lift[3 * e + k, :3, 3 * e : 3 * e + 3] = skew(np.eye(3)[k])
        self._lift = lift.reshape(3 * self.count, 18 * self.count)
        self._carry = np.zeros((6, 3 * self.count))
        self._carry[3:] = np.tile(np.eye(3), self.count)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in _GIVEN}  # small to send

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._derive()

    def _cuts(self, skeleton: Skeleton) -> list[tuple[Mask, int, int]]:
        """Where rotation is not inherited on the way up: (mask of coordinates, effector, that joint).

        The coordinates above carry the point as they carry the head of the joint that does not turn along.
        """
        cuts = []
        for e, joint in enumerate(self.joints.tolist()):
            way = [joint]
            while skeleton.parents[way[-1]] >= 0:
                way.append(int(skeleton.parents[way[-1]]))
            for position, carrier in enumerate(way):
                if not skeleton.inherits[carrier] and position + 1 < len(way):
                    above = np.isin(skeleton.owner, way[position + 1 :])
                    cuts.append((above, e, carrier))
        return cuts

    def lift(self, x: Array) -> Array:
        """(E, 3) -> (6, 3 E), the matrix S with `(w, v) @ S = w x x + v` for each point side by side."""
        lifted: Array = x.reshape(-1).dot(self._lift).reshape(self._carry.shape)
        lifted += self._carry
        return lifted
