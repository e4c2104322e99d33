# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint-limit methods of the incremental methods, and what proposes steps to them.

An incremental method proposes a step from linear rows, and a limit method changes it. It may add rows before
the step is solved (penalty, barrier), and it computes new coordinates from the proposed step (clipping,
projection). For this it may solve for the step again with some coordinates held.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeVar

from ... import arguments
from ...limits import LimitMethod
from ...model.joint_limits import JointLimits
from ...model.pose import Pose
from ...model.residual import Residual
from ...problem.problem import Problem
from ...rotation import Array
from ..active_directions import HeldOfMany, HeldOfOne

Held = TypeVar("Held", contravariant=True)


class Proposer(Protocol[Held]):
    """Proposes steps from rows, of one frame or of many (with a last axis B)."""

    @property
    def metric(self) -> Array | None:
        """(n,) units in which steps are measured, squared, or None where all are alike."""

    def __call__(self, error: Array, held: Held | None = None, /) -> Array:
        """The step (n, ...) for an error (k, ...), with the prescribed motion of held directions."""


Propose = Proposer[HeldOfOne]
ProposeMany = Proposer[HeldOfMany]


class StepLimits(LimitMethod):
    """A method that keeps joint limits in each step.

    Attributes:
        exact: whether a solve ends at the best pose inside the limits; other methods lock, exceed the limits,
            or stay away from them.
    """

    exact: ClassVar[bool] = False

    def rows(self, pose: Pose) -> Residual | None:
        """Rows to add to the goals', scaled as they should count (lengths in figure sizes); None for none."""
        return None

    def step(self, region: JointLimits, q: Array, error: Array, propose: Any) -> Array:
        """New coordinates (n,) from q (n,), the rows' error (k,) and a `Propose`."""
        raise TypeError(f"{type(self).__name__} must implement a step.")

    def step_many(self, region: JointLimits, q: Array, error: Array, propose: Any) -> Array:
        """As `step`, for many frames, frames innermost; propose: a `ProposeMany`."""
        raise TypeError(f"{type(self).__name__} must implement a step for many frames.")


def limits_of(problem: Problem) -> StepLimits:
    """The limit method of a problem.

    Raises:
        BadValue: one that changes no steps.
    """
    return arguments.of_kind(problem.limits, StepLimits, "limits of the problem")


class ByRows:
    """`Propose` of a method that can hold coordinates only by a solve with other rows.

    Args:
        step: (error (k,), rows (k, n)) -> step (n,); rows: those of this frame; metric: see `Propose`.
    """

    def __init__(
        self, step: Callable[[Array, Array], Array], rows: Array, metric: Array | None = None
    ) -> None:
        self.step, self.rows, self.metric = step, rows, metric

    def __call__(self, error: Array, held: HeldOfOne | None = None, /) -> Array:
        if held is None:
            return self.step(error, self.rows)
        rows, shift = held.out_of(self.rows)
        return held.keep(self.step(error + shift, rows))
