# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of a figure that goals act on, bound to its structure once for all poses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import UnknownName
from ..rotation import skew
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
        UnknownName: a joint that is not there; BadShape, BadValue: offsets of the wrong shape or not finite.

    Attributes:
        joints: (E,); count: E; offsets: (E, 3); arms: (E, 3, 1) the same as columns;
        moved, turned: (n, E) which coordinates move the point, and which turn its frame;
        reach, turn_reach: (n, 3 E) the same as ones and zeros for each row;
        skews: (3 E, 9 E), carry: (6, 3 E) make up the map from screws to velocities of points.
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
        self.cuts = skeleton.cuts_above(self.joints)
        self._derive()

    def _derive(self) -> None:
        """What follows from the rest."""
        self.arms = self.offsets[:, :, None]
        self.reach = np.repeat(self.moved.astype(float), 3, 1)  # (n, 3 E)
        self.turn_reach = np.repeat(self.turned.astype(float), 3, 1)
        # of points x: S (6, 3 E) with `(w, v) @ S = w x x + v` for each point side by side has
        # `x.ravel() @ skews` (3, 3 E) above, and below what stands there in `carry`
        every, skews = np.arange(self.count), np.zeros((self.count, 3, 3, self.count, 3))
        skews[every, :, :, every] = skew(np.eye(3))
        self.skews = skews.reshape(3 * self.count, 9 * self.count)
        self.carry = np.zeros((6, 3 * self.count))
        self.carry[3:] = np.tile(np.eye(3), self.count)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in _GIVEN}  # small to send

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._derive()
