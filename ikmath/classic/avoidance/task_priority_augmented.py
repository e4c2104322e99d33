# SPDX-License-Identifier: GPL-3.0-or-later
"""Task priority with all obstacles in one secondary goal (Ge, 5.3.4, task space augmentation).

All J_oi are stacked, each with its own velocity. "It handles every obstacle in the same way regardless of its
urgency." At most as many rows as coordinates are used, those of the nearest obstacles.
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
class TaskPriorityAugmented(Pushing):
    """See the module.

    Args:
        zones: distances and gains, figure sizes; damping: of the pseudo-inverse.
    """

    zones: Zones = field(default_factory=Zones)
    damping: float = setting(
        0.05, "Damping", "Damping of the pseudo-inverse in the null space of the goals", minimum=1e-6
    )

    name: ClassVar[str] = "task_priority_augmented"
    label: ClassVar[str] = "Task Priority, Augmented"
    description: ClassVar[str] = "As Task Priority, with all near obstacles in one secondary goal."
    source: ClassVar[str] = "Ge 2000, section 5.3.4, task space augmentation"

    def step(self, at: Situation) -> Array:
        inside = np.flatnonzero(at.distance < self.zones.d_soi)[: max(1, len(at.plain) // 3)]
        if not len(inside):
            return at.plain
        jacobian = np.concatenate([at.critical_jacobian(k) for k in inside.tolist()])
        speed = self.zones.alpha_o(at.distance[inside])
        wanted = (speed[:, None] * at.away[inside]).ravel()
        step = damped_step(jacobian @ at.free, wanted - jacobian @ at.plain, self.damping)
        return at.plain + at.bounded(float(self.zones.alpha_h(at.distance[0])) * step)
