# SPDX-License-Identifier: GPL-3.0-or-later
"""How a solve keeps clear of obstacles: the velocity damper, and the registry of all avoidance methods.

The velocity damper is the default: come as close as you like, and never inside. For every close pair a step
may use up at most a share of the remaining clearance (Faverjon & Tournassoud 1987),
`J dq >= -share (clearance - margin)`, one inequality row a pair. Away from obstacles the rows are inactive;
at contact they allow sliding. The texts' methods (`classic.avoidance`) add a push to a step instead; they
are loaded when first used.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from ..parameters import Parameter, check_parameters, parameters_of
from ..registries import Entry, Registry


@dataclass(frozen=True, kw_only=True)
class Avoidance(Entry):
    """One way to keep clear of obstacles.

    Attributes:
        bounds: whether it bounds steps by inequality rows, so that nothing is ever entered; the others push.
        share: of the clearance that one step may use up, for methods that bound.
    """

    bounds: ClassVar[bool] = False
    share: ClassVar[float] = 0.8

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The options that a person may set."""
        return parameters_of(type(self))


class VelocityDamper(Avoidance):
    """See the module."""

    name: ClassVar[str] = "velocity_damper"
    label: ClassVar[str] = "Velocity Damper"
    description: ClassVar[str] = (
        "Comes as near as needed, never inside; nothing to tune. Works with Hierarchical."
    )
    source: ClassVar[str] = "Faverjon & Tournassoud 1987; Kanehiro et al. 2008"
    bounds: ClassVar[bool] = True


_TEXTS: Final = "ikmath.classic.avoidance"

AVOIDANCE: Final[Mapping[str, Avoidance]] = Registry(
    {
        "velocity_damper": VelocityDamper(),
        "objective": f"{_TEXTS}.objective:Objective",
        "task_priority": f"{_TEXTS}.task_priority:TaskPriority",
        "task_priority_augmented": f"{_TEXTS}.task_priority_augmented:TaskPriorityAugmented",
        "task_priority_reversed": f"{_TEXTS}.task_priority_reversed:TaskPriorityReversed",
        "cost": f"{_TEXTS}.cost:Cost",
        "cost_blending": f"{_TEXTS}.cost_blending:CostBlending",
        "cost_augmented": f"{_TEXTS}.cost_augmented:CostAugmented",
        "cost_blending_augmented": f"{_TEXTS}.cost_blending_augmented:CostBlendingAugmented",
        "cost_adaptive": f"{_TEXTS}.cost_adaptive:CostAdaptive",
    },
)
"""Name -> avoidance method."""
