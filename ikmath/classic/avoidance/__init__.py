# SPDX-License-Identifier: GPL-3.0-or-later
"""The avoidance methods of the literature, one per file."""

from .base import Gradient, Pushing
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
from .zones import Zones

__all__ = [
    "Cost",
    "CostAdaptive",
    "CostAugmented",
    "CostBlending",
    "CostBlendingAugmented",
    "Gradient",
    "Objective",
    "Pushing",
    "Situation",
    "TaskPriority",
    "TaskPriorityAugmented",
    "TaskPriorityReversed",
    "Zones",
]
