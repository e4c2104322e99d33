# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the incremental methods: they propose a step for linear rows.

The loops decide about the steps: `loop` for one pose, `batch` for many.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from .. import arguments
from ..model.skeleton import Skeleton
from ..problem.problem import Problem
from ..rotation import Array
from .jacobian_blocks import Blocks
from .limits.base import ByRows, Propose, ProposeMany
from .rest import Resting, RestOptions

# for both loops
_FARTHEST: Final = 100.0  # radians per step; beyond it sines and cosines are inaccurate
SETTLED: Final = 1e-2  # share by which the posture must come nearer to continue after all goals are reached
MORE, LESS, LEAST, MOST = 5.0, 0.4, 1e-3, 1e7  # factors and range of the caution after steps


def metric_of(skeleton: Skeleton) -> Array | None:
    """(n,) the metric of the coordinates, see `Skeleton.mobility`; None if all of them move alike."""
    mobility = skeleton.mobility
    return mobility if (mobility != 1.0).any() else None


def bounded(problem: Problem, q: Array, to: Array) -> Array:
    """The ends (n, ...) of steps from q (n, ...); a step is shortened if it rotates a joint too far.

    Rows near zero, as in a figure far smaller than its translations, give rotations lost in rounding.
    """
    turns = problem.skeleton.is_turn
    most = np.abs(to[turns] - q[turns]).max(0, initial=0.0)
    if (most <= _FARTHEST).all():
        return to
    shorter = q + np.minimum(_FARTHEST / np.maximum(most, _FARTHEST), 1.0) * (to - q)
    return problem.skeleton.joint_limits.project_first(shorter) if problem.limits.strict else shorter


@dataclass(frozen=True, kw_only=True)
class SteppingOptions(RestOptions):
    """Options of methods that propose steps.

    Attributes:
        patience: number of accepted steps with little gain after which a solve counts as stalled.
        gain: share of the squared error that counts as little.
    """

    patience: int = 4
    gain: float = 5e-4

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.whole(self.patience, "patience", least=1)
        arguments.number(self.gain, "gain", least=0)


@dataclass(slots=True)
class Linear:
    """The data of a step.

    Attributes:
        problem: the problem of this frame; q: (n, ...) coordinates, with frames as last axis if many.
        cost: squared length of the scaled errors; caution: 1 at the start, larger after refused steps; (...).
        mobility: (n, ...) metric of the coordinates, None if all are equal.
        posture_step: (n, ...) step towards the posture, or None.
        level: (k,) priority of each row.
        memory: state of the method between the steps of this solve (a warm start).
    """

    problem: Problem
    q: Array
    cost: Any
    caution: Any
    mobility: Array | None
    posture_step: Array | None
    level: Any
    memory: dict[str, Any]


class Stepping(Resting):
    """Interface of methods that propose steps.

    Attributes:
        careful: whether steps that do not reduce the error are refused, and stalled poses are refined. The
            plain methods of the texts accept every step.
        simplifies: whether the last step may use the derivatives of the previous one (the simplified Newton
            method).
    """

    careful: ClassVar[bool] = True
    simplifies: ClassVar[bool] = False

    def pulled(self, error: Array, jacobian: Array, state: Linear, options: Any) -> tuple[Array, Array]:
        """Scaled rows (k,) and (k, n) of one frame, weighted for a step; sets the cost in `state`."""
        return error, jacobian

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        """Proposed step (n,) for scaled rows: error (k,), jacobian (k, n)."""
        raise TypeError(f"{type(self).__name__} must implement a step.")

    def proposal(self, jacobian: Array, state: Linear, options: Any) -> Propose:
        """The object that proposes the steps of one frame, for scaled rows (k, n)."""
        return ByRows(lambda error, rows: self.step(error, rows, state, options), jacobian, state.mobility)

    def steps(self, jacobian: Blocks, state: Linear, options: Any) -> ProposeMany:
        """As `proposal` for many frames, if `batched`."""
        raise TypeError(f"{type(self).__name__} must implement a step for many frames.")
