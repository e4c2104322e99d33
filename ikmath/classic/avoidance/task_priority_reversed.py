# SPDX-License-Identifier: GPL-3.0-or-later
"""Reversed task priority: the obstacle first, the goals in its null space.

`dq = J_o^+ x_o + alpha_n [J_e (I - J_o^+ J_o)]^+ (alpha_e x_e - J_e J_o^+ x_o)` (Ge, 5.3.4). It is included
because the text has it; Ge observed that "the manipulator just looks like it is dancing", because no distance
is large enough to end the push.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ...parameters import setting
from ...rotation import Array
from .base import Pushing
from .secondary import damped_step
from .situation import Situation
from .zones import Zones


@dataclass(frozen=True, kw_only=True)
class TaskPriorityReversed(Pushing):
    """See the module.

    Args:
        zones: distances and gains, figure sizes.
        alpha_n: gain of the homogeneous solution; alpha_e: of the goals' velocity in it.
        damping: of both pseudo-inverses.
    """

    zones: Zones = field(default_factory=Zones)
    alpha_n: float = setting(1.0, "Alpha n", "Gain of the goals in the null space of the obstacles")
    alpha_e: float = setting(1.0, "Alpha e", "Gain of the goals' velocity there")
    damping: float = setting(0.05, "Damping", "Damping of both pseudo-inverses", minimum=1e-6)

    name: ClassVar[str] = "task_priority_reversed"
    label: ClassVar[str] = "Task Priority, Reversed"
    description: ClassVar[str] = "Obstacles before goals. Unsteady, as its author says."
    source: ClassVar[str] = "Ge 2000, section 5.3.4, priority reversing"

    def step(self, at: Situation) -> Array:
        if at.distance[0] >= self.zones.d_soi:
            return at.plain
        jacobian = at.critical_jacobian(0)
        wanted = self.zones.alpha_o(at.distance[0]) * at.away[0]
        first = at.bounded(damped_step(jacobian, wanted, self.damping))
        if not len(at.error):
            return first
        inverse = np.linalg.pinv(jacobian, rcond=1e-3)
        left = at.jacobian - at.jacobian @ inverse @ jacobian
        # the velocity of the goals is that of the plain step
        towards = self.alpha_e * (at.jacobian @ at.plain) - at.jacobian @ first
        return first + self.alpha_n * damped_step(left, towards, self.damping)
