# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates near wanted ones: Parent's control expression, as a goal.

Parent adds a secondary term to the pseudo-inverse solution, "desired angles" with a gain for each joint,
which acts only where the goals leave the figure free. Here it is the weakest goal of a problem; how a method
keeps it below the others (null space, lowest level, small weight) is the method's business.
"""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue
from ..model.pose import Pose
from ..model.residual import Residual
from ..model.skeleton import Skeleton
from ..rotation import Array
from .base import LIGHTEST, Goal


class Posture(Goal):
    """The coordinates should be what they are in a wanted pose.

    Args:
        q: (*batch, n) wanted coordinates.
        gain: how strongly each coordinate is pulled there; one number or (n,), zero or more.
        weight, priority, name: see `Goal`. Solvers that know levels put a posture below all of them.
    """

    kind: str = "Posture"
    targets: ClassVar[Mapping[str, int]] = {"q": 1}
    unit: str = ""

    def __init__(
        self,
        q: npt.ArrayLike,
        gain: npt.ArrayLike = 1.0,
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        name: str | None = None,
    ) -> None:
        self._begin(("posture",), weight, priority, name)
        self.q: Array = arguments.numbers(q, f"q of {self.describe()}")
        if self.q.ndim < 1:
            raise BadShape(f"q of {self.describe()}", "(..., n)", self.q.shape)
        given = arguments.shaped(gain, f"gain of {self.describe()}", (), self.q.shape[-1:])
        if (given < 0).any():
            raise BadValue(f"gain of {self.describe()}", "must be zero or more.")
        self.gain = np.broadcast_to(np.where(given < LIGHTEST, 0.0, given), self.q.shape[-1:]).copy()

    def evaluate(self, pose: Pose) -> Residual:
        self.check_frames(pose)
        self.check(pose.skeleton)
        error = self.gain * (pose.q - self.q)
        n = pose.skeleton.n
        return Residual(error, np.broadcast_to(np.diag(self.gain), (*error.shape, n)))

    def check(self, skeleton: Skeleton) -> None:
        if self.q.shape[-1] != skeleton.n:
            raise BadShape(f"q of {self.describe()}", f"(..., {skeleton.n})", self.q.shape)
