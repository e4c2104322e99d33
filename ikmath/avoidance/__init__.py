# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to keep clear of obstacles, one a file."""

from collections.abc import Mapping
from typing import Final

from ..registries import registry
from .base import Avoidance
from .cost import Cost
from .cost_adaptive import CostAdaptive
from .cost_augmented import CostAugmented
from .cost_blending import CostBlending
from .cost_blending_augmented import CostBlendingAugmented
from .objective import Objective
from .situation import Situation
from .task_priority import TaskPriority
from .task_priority_augmented import TaskPriorityAugmented
from .task_priority_reversed import TaskPriorityReversed
from .velocity_damper import VelocityDamper
from .zones import Zones

AVOIDANCE: Final[Mapping[str, Avoidance]] = registry(
    [
        VelocityDamper(),
        Objective(),
        TaskPriority(),
        TaskPriorityAugmented(),
        TaskPriorityReversed(),
        Cost(),
        CostBlending(),
        CostAugmented(),
        CostBlendingAugmented(),
        CostAdaptive(),
    ]
)

__all__ = [
    "AVOIDANCE",
    "Avoidance",
    "Cost",
    "CostAdaptive",
    "CostAugmented",
    "CostBlending",
    "CostBlendingAugmented",
    "Objective",
    "Situation",
    "TaskPriority",
    "TaskPriorityAugmented",
    "TaskPriorityReversed",
    "VelocityDamper",
    "Zones",
]
