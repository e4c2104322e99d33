# SPDX-License-Identifier: GPL-3.0-or-later
"""Task priority: the goals first; the critical point is moved away in their null space.

Maciejewski & Klein 1985, as in Ge (4.1.1, eq. 4.6): `dq = J_e^+ x_e + alpha_h [J_o (I - J_e^+ J_e)]^+
(alpha_o x_o - J_o J_e^+ x_e)`, for the two nearest obstacles, weighted by the ratio of their critical
distances (5.3.1, eq. 5.2). The gains are those of `zones`, or the influence function of Pourazady & Ho, which
depends on the time left to brake.
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

INFLUENCES = ("polynomial", "pourazady")


@dataclass(frozen=True, kw_only=True)
class TaskPriority(Pushing):
    """See the module.

    Args:
        zones: distances and gains, figure sizes.
        influence: "polynomial" for alpha_o as in figure 4.2, or "pourazady".
        a_max, v_max: limits of Pourazady & Ho's manipulator, in figure sizes and steps.
        damping: of the pseudo-inverse in the null space; Ge's lambda.
        abort: whether steps of the goals towards the obstacle are dropped inside d_ta.

    Raises:
        BadValue: unknown influence.
    """

    zones: Zones = field(default_factory=Zones)
    influence: str = setting(
        "polynomial",
        "Influence",
        "How fast the point moves away: by its distance, or by the time left to brake",
        choices=INFLUENCES,
    )
    a_max: float = setting(
        0.02, "a max", "Pourazady's largest braking, figure sizes a step squared", minimum=1e-9
    )
    v_max: float = setting(0.05, "v max", "Pourazady's largest speed, figure sizes a step")
    damping: float = setting(
        0.05, "Damping", "Damping of the pseudo-inverse in the null space of the goals", minimum=1e-6
    )
    abort: bool = setting(True, "Abort", "Inside d_ta, do not follow goals nearer to the obstacle")

    name: ClassVar[str] = "task_priority"
    label: ClassVar[str] = "Task Priority"
    description: ClassVar[str] = (
        "Moves the two most critical points away with what the goals leave free. The chain can kink."
    )
    source: ClassVar[str] = "Maciejewski & Klein 1985; Ge 2000, eq. 4.6 and 5.2; Pourazady & Ho"

    def step(self, at: Situation) -> Array:
        if at.distance[0] >= self.zones.d_soi:
            return at.plain
        plain = at.plain
        if self.abort and at.distance[0] <= self.zones.d_ta and at.rate[0] @ plain < 0.0:
            plain = np.zeros_like(plain)
        shares = worst_two(at.distance)
        push = sum(share * self.solution(at, k, plain) for k, share in enumerate(shares))
        return plain + at.bounded(np.asarray(push))

    def solution(self, at: Situation, obstacle: int, plain: Array) -> Array:
        """The homogeneous solution h_i for one obstacle, with its gain."""
        jacobian = at.critical_jacobian(obstacle)
        distance, away = at.distance[obstacle], at.away[obstacle]
        gain = self.zones.alpha_h(distance)
        wanted = self.alpha_o(distance, -float(away @ jacobian @ plain)) * away
        result: Array = gain * damped_step(jacobian @ at.free, wanted - jacobian @ plain, self.damping)
        return result

    def alpha_o(self, distance: Array, approach: float) -> Array:
        """Speed of the critical point; approach: its speed towards the obstacle from the goals."""
        if self.influence == "polynomial":
            return self.zones.alpha_o(distance)
        return np.asarray(self.v_max * -np.expm1(-influence(float(distance), approach, self.a_max)))


def influence(distance: float, approach: float, a_max: float) -> float:
    """Pourazady & Ho's P: one over the time left before braking must begin; infinite if there is none.

    Args:
        distance: critical distance d; approach: v, positive towards the obstacle; a_max: largest braking.
    """
    if approach <= 0.0:
        return 0.0
    reserve = 2.0 * distance * a_max - approach * approach
    return a_max * approach / reserve if reserve > 0.0 else np.inf


def worst_two(distance: Array) -> tuple[float, ...]:
    """Gains alpha_1, alpha_2 of eq. 5.2: 1/2 each at equal distances, towards 0 and 1 otherwise."""
    if len(distance) < 2:
        return (1.0,)
    ratio = float(distance[1] / distance[0])
    return ratio * ratio / (1.0 + ratio * ratio), 1.0 / (1.0 + ratio * ratio)
