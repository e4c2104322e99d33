# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradient descent: `dq = -a J^T e`, without an inverse.

The Jacobian transpose (Ge, 2.2.2, after Chiacchio et al.) rotates each joint in proportion to its effect. The
gain is the optimum of the linear model, `a = (e . J J^T e) / |J J^T e|^2`, which minimises `|e + J dq|` along
that direction; weights, units and joints held at their limits are included in e and J. Steps are cheap and
never jump, not even in singular poses. As in steepest descent, each step with the optimal gain is orthogonal
to the previous one, and the figure zigzags if singular values differ much. With several effectors, positions
and rotations, it needs thousands of steps.

So the previous step is added, with an optimal gain of its own (conjugate directions): the remaining error is
the minimum in the plane of both, and a hundredth of the steps is enough. Without `remember` it is the text's
form.

The posture is a further step, without the part that acts against the goals, and so short that it disturbs
them less than the other steps help.
"""

from dataclasses import dataclass
from math import frexp
from typing import Any, ClassVar, Final

import numpy as np

from ...parameters import setting
from ...rotation import Array
from ...solvers.method import Options
from ..loop import Incremental
from ..stepping import Linear, SteppingOptions

_DISTURBED: Final = 0.3  # share of a step's effect on the goals by which the posture may disturb them
_ALIKE: Final = 1e-6  # least share of the previous step's effect that must remain without the new one


@dataclass(frozen=True, kw_only=True)
class TransposeOptions(SteppingOptions):
    """Options of `transpose`: more iterations than in other methods, each of them cheaper.

    Attributes:
        remember: whether the previous step is added, with a gain of its own; False for the text's form.
    """

    max_iterations: int = 500
    remember: bool = setting(True, "Remember", "Use conjugate directions; off is the text's form")


class Transpose(Incremental):
    """See the module."""

    name: ClassVar[str] = "transpose"
    label: ClassVar[str] = "Transpose"
    description: ClassVar[str] = (
        "Turns each joint in proportion to its effect. Never jumps, but needs many small steps."
    )
    source: ClassVar[str] = "Ge 2000, section 2.2.2; Chiacchio et al. 1991"
    options: ClassVar[type[Options]] = TransposeOptions

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        slope = jacobian.T.dot(error)
        # the gain compensates the size of the slope; the squared effect of a large one would overflow
        slope *= 2.0 ** -max(frexp(float(np.abs(slope).max(initial=0.0)))[1], 0)
        towards = slope if state.mobility is None else slope * state.mobility
        dq: Array = -optimal_gain(jacobian, error, towards) * towards
        before = _step_before(state) if options.remember else None
        if before is not None:
            across = conjugate(jacobian, before, towards)
            dq = dq - optimal_gain(jacobian, error, across) * across
        dq = dq / max(state.caution, 1.0)
        if state.posture_step is not None:
            length = float(slope.dot(towards))
            against = max(0.0, float(slope.dot(state.posture_step)) / length) if length > 0.0 else 0.0
            drawn = state.posture_step - against * towards
            effect, room = float(np.linalg.norm(jacobian.dot(drawn))), float(np.linalg.norm(jacobian.dot(dq)))
            dq = dq + drawn * min(1.0, _DISTURBED * room / effect if effect > 0.0 else 1.0)
        return dq


def _step_before(state: Linear) -> Array | None:
    """The last change of the pose, (n,); None at the start and after a refused step."""
    memory = state.memory
    if memory.get("at") is not state.q:
        came_from = memory.get("at")
        memory["at"], memory["way"] = state.q, None if came_from is None else state.q - came_from
    return None if state.caution > 1.0 else memory["way"]


def optimal_gain(jacobian: Array, error: Array, direction: Array) -> float:
    """The gain a that minimises `|error - a J direction|`; 0 if the direction has no effect.

    Args:
        jacobian: (k, n).
        error: (k,).
        direction: (n,), `J^T error` for the plain method.
    """
    effect = jacobian.dot(direction)
    square = float(effect.dot(effect))
    return float(error.dot(effect)) / square if square > 0.0 else 0.0


def conjugate(jacobian: Array, direction: Array, other: Array) -> Array:
    """The direction (n,) minus the part with the effect of another one; zero if nothing remains.

    The optimal gains of two such directions are the optimal pair.
    """
    effect = jacobian.dot(direction)
    rest = direction - optimal_gain(jacobian, effect, other) * other
    left = float(np.linalg.norm(jacobian.dot(rest)))
    return rest if left > _ALIKE * float(np.linalg.norm(effect)) else np.zeros_like(rest)
