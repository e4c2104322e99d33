# SPDX-License-Identifier: GPL-3.0-or-later
"""Parent's control expression as a method: gains and desired angles beside the goals.

Each step solves his equations 23 and 24, one system as large as the goals have rows (`linalg.control`),
and is Euler integration as he describes it. The posture gives the desired angles; its gain is `2 a_i`, so
that with the usual norm
2 a gain of 1 means: go there at once, as far as the goals leave it free. Without a posture the rest pose
is desired, with a gain of 0.1.

With a norm above 2 the gradient of H grows faster than the distance, and an Euler step would jump beyond
the desired angle and back, further each time; no coordinate is drawn further than to its desired angle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ..errors import BadValue
from ..linalg.control import control_gradient, control_step
from ..rotation import Array
from .base import Options
from .loop import Incremental, Linear

_USUAL_GAIN: Final = 0.1


@dataclass(frozen=True, kw_only=True)
class ControlOptions(Options):
    """Options of `control`.

    Attributes:
        norm: psi, even: 2 draws in proportion to the distance, higher ones leave near angles alone.
        damping: c on the diagonal of the system (lengths in figure sizes), grows when a step turned out
        worse; the
            text has 0, which ends with an error in a singular pose.
    """

    norm: int = 2
    damping: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        if int(self.norm) != self.norm or self.norm < 2 or self.norm % 2:
            raise BadValue(f"norm={self.norm!r}", "must be an even number, 2 or more.")
        if not (np.isfinite(self.damping) and self.damping >= 0.0):
            raise BadValue(f"damping={self.damping!r}", "must be a number, zero or more.")


class Control(Incremental):
    """See the module."""

    name: ClassVar[str] = "control"
    label: ClassVar[str] = "Control Expression"
    description: ClassVar[str] = (
        "The pseudo-inverse with gains that draw the joints to desired angles meanwhile."
    )
    source: ClassVar[str] = "Parent, 'The Jacobian', eq. 17 to 24"
    options: ClassVar[type[Options]] = ControlOptions

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        posture = state.problem.posture
        desired = state.problem.skeleton.rest if posture is None else posture.q
        gain = np.full(len(state.q), _USUAL_GAIN) if posture is None else posture.gain
        away = np.abs(state.q - desired)
        gradient = control_gradient(state.q, desired, 0.5 * gain, options.norm)
        gradient = np.clip(gradient, -away, away) / max(state.caution, 1.0)
        damping = options.damping * float(np.sqrt(state.caution))
        if state.mobility is None:
            return control_step(jacobian, -error, gradient, damping=damping)
        root = np.sqrt(state.mobility)
        return np.asarray(root * control_step(jacobian * root, -error, gradient / root, damping=damping))
