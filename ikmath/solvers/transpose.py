# SPDX-License-Identifier: GPL-3.0-or-later
"""Down the slope: `dq = -a J^T e`, no inverse at all.

The Jacobian transpose (Ge, 2.2.2, after Chiacchio et al.) turns each joint by how much it helps. Its gain
is the best one for the linear picture, `a = (e . J J^T e) / |J J^T e|^2`, which brings `|e + J dq|` to its
minimum along that direction. Steps are cheap and never jump, not even in singular poses; but near the goal
each step takes off only a share of the error, the smaller the more unequal the singular values are. The
posture is a second step, without what works against the goals, and so short that it disturbs them less than
the first step helps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ..rotation import Array
from .base import Options
from .loop import Incremental, Linear
from .rest import RestOptions

_DISTURBED: Final = 0.3  # share of a step's effect on the goals that the posture may disturb


@dataclass(frozen=True, kw_only=True)
class TransposeOptions(RestOptions):
    """Options of `transpose`: more iterations than elsewhere, each of them cheaper."""

    max_iterations: int = 500


class Transpose(Incremental):
    """See the module."""

    name: ClassVar[str] = "transpose"
    label: ClassVar[str] = "Transpose"
    description: ClassVar[str] = "Each joint turns by how much it helps. Never jumps, but needs many steps."
    source: ClassVar[str] = "Ge 2000, section 2.2.2; Chiacchio et al. 1991"
    options: ClassVar[type[Options]] = TransposeOptions

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        slope = jacobian.T.dot(error)
        towards = slope if state.mobility is None else slope * state.mobility
        gain = optimal_gain(jacobian, error, towards)
        dq: Array = -(gain / max(state.caution, 1.0)) * towards
        if state.wish is not None:
            length = float(slope.dot(towards))
            against = max(0.0, float(slope.dot(state.wish)) / length) if length > 0.0 else 0.0
            drawn = state.wish - against * towards
            effect, room = float(np.linalg.norm(jacobian.dot(drawn))), float(np.linalg.norm(jacobian.dot(dq)))
            dq = dq + drawn * min(1.0, _DISTURBED * room / effect if effect > 0.0 else 1.0)
        return dq


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
