# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of a figure that goals act on, bound to its structure once for all poses."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array
from ..lean import Lean
from .skeleton import Skeleton


def _number(skeleton: Skeleton, joint: Any) -> int:
    """The index of a joint that is given by its name or index."""
    if isinstance(joint, int | np.integer) and 0 <= joint < len(skeleton):
        return int(joint)
    return skeleton.index(joint)


class FramePoints(Lean):
    """Points fixed to joints, on which goals act; bound to a skeleton's structure, for all its poses.

    Args:
        skeleton: the figure.
        joints: E names or indices.
        offsets: (E, 3) or (3,) metres, in the joints' own frames.

    Raises:
        UnknownName: a joint that is not there; BadShape, BadValue: offsets of the wrong shape or not finite.

    Attributes:
        joints: (E,); count: E; offsets: (E, 3);
        moved, turned: (n, E) which coordinates move the point, and which turn its frame;
        cuts: see `Skeleton.cuts_above`.
    """

    def __init__(
        self, skeleton: Skeleton, joints: Sequence[str | int], offsets: npt.ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        self.joints = np.array([_number(skeleton, joint) for joint in joints], dtype=int)
        self.count = len(self.joints)
        given = arguments.shaped(offsets, "offset", (3,), (self.count, 3))
        self.offsets = np.broadcast_to(given, (self.count, 3)).copy()
        self.moved = skeleton.influence[:, self.joints]
        self.turned = skeleton.turn_influence[:, self.joints]
        self.cuts = skeleton.cuts_above(self.joints)

    @cached_property
    def reach(self) -> Array:
        """(n, 3 E) `moved` as ones and zeros, for each row of a Jacobian."""
        return np.repeat(self.moved.astype(float), 3, 1)

    @cached_property
    def turn_reach(self) -> Array:
        """(n, 3 E) the same of `turned`."""
        return np.repeat(self.turned.astype(float), 3, 1)
