# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits by springs: a coordinate outside is pulled back, in proportion to its distance.

The exterior penalty method (Ge, 2.5.3): `P + sum_i K_i g_i^2 u(g_i)`, where u is 1 outside and 0 inside; the
"limit spring" of Badler, Manoochehri and Walters. Here `g` is the way outside in radians or metres and
`sqrt(K) g` becomes a row beside the goals' rows, so that any incremental method solves it. A spring yields:
if a goal pulls with force f, a limit is exceeded by about f / K. Below a goal of higher priority, as in
`prioritized` and `lagrange`, it is exceeded by as much as the goal requires. The text is right that this "may
converge to a fictitious solution" and that a large K is unstable for methods that follow the gradient
(`transpose`).
"""

from typing import ClassVar

import numpy as np

from ... import arguments
from ...model.joint_limits import JointLimits
from ...model.pose import Pose
from ...model.residual import Residual
from ...rotation import Array
from ..limit_crossings import leaving
from .base import Propose, StepLimits


class Penalty(StepLimits):
    """See the module.

    Args:
        stiffness: K, weight of a squared radian (or metre) outside against a squared error of one figure
        size.

    Raises:
        BadValue: a stiffness that is not positive.
    """

    name: ClassVar[str] = "penalty"
    label: ClassVar[str] = "Penalty"
    description: ClassVar[str] = (
        "Springs pull joints back inside. Goals can exceed the limits: a little, or far with methods that "
        "put goals first (Prioritized, Lagrange)."
    )
    source: ClassVar[str] = "Ge 2000, section 2.5.3; Badler, Manoochehri & Walters 1987"
    strict: ClassVar[bool] = False
    adds_rows: ClassVar[bool] = True

    def __init__(self, stiffness: float = 100.0) -> None:
        self.stiffness = arguments.number(stiffness, "stiffness of the penalty", above=0)

    def rows(self, pose: Pose) -> Residual | None:
        q = pose.q
        bounds = leaving(pose.skeleton.joint_limits, q, np.zeros_like(q))
        if bounds is None:
            return None
        region, root = pose.skeleton.joint_limits, np.sqrt(self.stiffness)
        held, pairs = np.flatnonzero(bounds.held), np.flatnonzero(bounds.leaving)
        normal, way = bounds.normal[:, pairs], bounds.way[:, pairs]
        error = np.concatenate([-bounds.shift[held], -(normal * way).sum(0)])
        jacobian = np.zeros((len(error), len(q)))
        jacobian[np.arange(len(held)), held] = 1.0
        jacobian[np.arange(len(held), len(error))[:, None], region.pairs[pairs]] = normal.T
        return Residual(root * error, root * jacobian)

    def step(self, region: JointLimits, q: Array, error: Array, propose: Propose) -> Array:
        return q + propose(error)
