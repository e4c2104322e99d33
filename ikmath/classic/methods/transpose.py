# SPDX-License-Identifier: GPL-3.0-or-later
"""Down the slope: `dq = -a J^T e`, no inverse at all.

The Jacobian transpose (Ge, 2.2.2, after Chiacchio et al.) turns each joint by how much it helps. Its gain
is the best one for the linear picture, `a = (e . J J^T e) / |J J^T e|^2`, which brings `|e + J dq|` to its
minimum along that direction: weights, units and joints held at their limits are in e and J already. Steps
are cheap and never jump, not even in singular poses. But the best gain has a price, known from steepest
descent: each step is square to the one before, and where singular values are unequal the figure zigzags. A
figure of several effectors, of positions and rotations, needs thousands of steps.

So the step before takes part, with a best gain of its own (conjugate directions): the error that the two
together leave is the least in their plane, and a hundredth of the steps is enough. Without `remember` it is
the text's form.

The posture is a further step, without what works against the goals, and so short that it disturbs them less
than the others help them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp
from typing import Any, ClassVar, Final

import numpy as np

from ...parameters import setting
from ...rotation import Array
from ...solvers.method import Options
from ..loop import Incremental
from ..stepping import Linear, SteppingOptions

_DISTURBED: Final = 0.3  # share of a step's effect on the goals that the posture may disturb
_ALIKE: Final = 1e-6  # share of the effect of the step before that the new one must leave to it


@dataclass(frozen=True, kw_only=True)
class TransposeOptions(SteppingOptions):
    """Options of `transpose`: more iterations than elsewhere, each of them cheaper.

    Attributes:
        remember: whether the step before takes part, with a gain of its own; False for the text's form.
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
        # gains make up for a slope's size; the squares of a large one's effects overflow
        slope *= 2.0 ** -max(frexp(float(np.abs(slope).max(initial=0.0)))[1], 0)
        towards = slope if state.mobility is None else slope * state.mobility
        dq: Array = -optimal_gain(jacobian, error, towards) * towards
        before = _step_before(state) if options.remember else None
        if before is not None:
            across = conjugate(jacobian, before, towards)
            dq = dq - optimal_gain(jacobian, error, across) * across
        dq = dq / max(state.caution, 1.0)
        if state.wish is not None:
            length = float(slope.dot(towards))
            against = max(0.0, float(slope.dot(state.wish)) / length) if length > 0.0 else 0.0
            drawn = state.wish - against * towards
            effect, room = float(np.linalg.norm(jacobian.dot(drawn))), float(np.linalg.norm(jacobian.dot(dq)))
            dq = dq + drawn * min(1.0, _DISTURBED * room / effect if effect > 0.0 else 1.0)
        return dq


def _step_before(state: Linear) -> Array | None:
    """The way that led to where the figure stands, (n,); None at the start and after a refused step."""
    memory = state.memory
    if memory.get("at") is not state.q:
        came_from = memory.get("at")
        memory["at"], memory["way"] = state.q, None if came_from is None else state.q - came_from
    return None if state.caution > 1.0 else memory["way"]


def optimal_gain(jacobian: Array, error: Array, direction: Array) -> float:
    """The gain a that minimises `|error - a J direction|`; 0 where the direction moves nothing.

    Args:
        jacobian: (k, n).
        error: (k,).
        direction: (n,), `J^T error` for the plain method.
    """
    effect = jacobian.dot(direction)
    square = float(effect.dot(effect))
    return float(error.dot(effect)) / square if square > 0.0 else 0.0


def conjugate(jacobian: Array, direction: Array, other: Array) -> Array:
    """The direction (n,) without what its effect has of another's; zero where nothing is left.

    The best gains of two such directions are the best pair of gains.
    """
    effect = jacobian.dot(direction)
    rest = direction - optimal_gain(jacobian, effect, other) * other
    left = float(np.linalg.norm(jacobian.dot(rest)))
    return rest if left > _ALIKE * float(np.linalg.norm(effect)) else np.zeros_like(rest)
