# SPDX-License-Identifier: GPL-3.0-or-later
"""What the incremental methods have in common: they propose a step for linear rows.

What becomes of a step is the loop's: `loop` for one pose, `batch` for many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from .. import arguments
from ..limits import ByRows, Propose, ProposeMany
from ..problem.problem import Problem
from ..rotation import Array
from .jacobian_blocks import Blocks
from .rest import Resting, RestOptions

# for both loops
_FARTHEST: Final = 100.0  # radians of a step; sines and cosines of far more are noise
SETTLED: Final = 1e-2  # share by which the posture must come nearer, once all is reached, to go on
MORE, LESS, LEAST, MOST = 5.0, 0.4, 1e-3, 1e7  # how the caution answers refused and accepted steps


def bounded(problem: Problem, q: Array, to: Array) -> Array:
    """The ends (n, ...) of steps from q (n, ...), each step shortened where a joint turns too far in it.

    Rows near zero, as of a figure far smaller than its slides, ask for turns that rounding drowns.
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
        patience: accepted steps that may gain next to nothing before a solve is called stalled.
        gain: share of the squared error that counts as next to nothing.
    """

    patience: int = 4
    gain: float = 5e-4

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.whole(self.patience, "patience", least=1)
        arguments.number(self.gain, "gain", least=0)


@dataclass(slots=True)
class Linear:
    """What a step is worked out from.

    Attributes:
        problem: the problem of this frame; q: (n, ...) where the figure stands, frames innermost if many.
        cost: squared length of the scaled errors; caution: 1 at the start, larger after refused steps; (...).
        mobility: (n, ...) metric of the coordinates, or None where all are alike.
        wish: (n, ...) step towards the posture, or None.
        level: (k,) priority of each row.
        memory: what the method wants to keep from step to step (a warm start); owned by this solve.
    """

    problem: Problem
    q: Array
    cost: Any
    caution: Any
    mobility: Array | None
    wish: Array | None
    level: Any
    memory: dict[str, Any]


class Stepping(Resting):
    """What a method is that proposes steps.

    Attributes:
        careful: whether steps that do not lower the error are refused, and the end is a pose of rest. The
            texts' plain methods take every step.
        simplifies: whether the step that will arrive may go along the slopes of the one before (the
            simplified Newton method).
    """

    careful: ClassVar[bool] = True
    simplifies: ClassVar[bool] = False

    def pulled(self, error: Array, jacobian: Array, state: Linear, options: Any) -> tuple[Array, Array]:
        """Scaled rows (k,) and (k, n) of one frame, weighed for a step; their cost goes into `state`."""
        return error, jacobian

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        """Proposed step (n,) for scaled rows: error (k,), jacobian (k, n)."""
        raise TypeError(f"{type(self).__name__} must implement a step.")

    def proposal(self, jacobian: Array, state: Linear, options: Any) -> Propose:
        """What proposes the steps of one frame, for scaled rows (k, n)."""
        return ByRows(lambda error, rows: self.step(error, rows, state, options), jacobian, state.mobility)

    def steps(self, jacobian: Blocks, state: Linear, options: Any) -> ProposeMany:
        """As `step` for many frames, where `batched`: what proposes their steps."""
        raise TypeError(f"{type(self).__name__} must implement a step for many frames.")
