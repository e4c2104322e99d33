# SPDX-License-Identifier: GPL-3.0-or-later
"""Parent's control expression as a method: gains and desired angles besides the goals.

Each step solves equations 23 and 24, one system with a row per goal row (`linalg.control`), and is an Euler
step. The posture gives the desired angles; its gain is `2 a_i`. With the usual norm of 2, a gain of 1 moves
to the posture in one step, in the null space of the goals. Without a posture, the rest pose is used, with a
gain of 0.1.

With a norm above 2 the gradient of H grows faster than the distance, and Euler steps would overshoot the
desired angle more each time; so no coordinate moves further than its desired angle.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ...errors import BadValue
from ...parameters import setting
from ...rotation import Array
from ...solvers.method import Options
from ..linalg.control import control_gradient, control_step
from ..loop import Incremental
from ..stepping import Linear, SteppingOptions

_USUAL_GAIN: Final = 0.1
_FAR: Final = 0.1  # squared damping per unit of squared scaled error
_NEAR: Final = 1e-6  # squared damping at the goal
_FAINT: Final = 1e-3  # damping that only prevents a singular system


@dataclass(frozen=True, kw_only=True)
class ControlOptions(SteppingOptions):
    """Options of `control`.

    Attributes:
        norm: psi, even: with 2 the pull is proportional to the distance; higher ones pull less on near
            angles.
        damping: c, whose square is added to the diagonal of the system (lengths in figure sizes), larger
            after a step that was worse; None adapts it: large far from the goals, almost zero near them. The
            text has 0, which raises an error in a singular pose.
    """

    norm: int = setting(
        2,
        "Norm",
        "An even exponent. The higher it is, the weaker the pull on joints near their desired angle",
        minimum=2,
    )
    damping: float | None = setting(
        None, "Damping", "Weight of the length of a step against the error that is left"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm % 2:
            raise BadValue("norm", f"is {self.norm!r}; give an even number, 2 or more.")


class Control(Incremental):
    """See the module."""

    name: ClassVar[str] = "control"
    label: ClassVar[str] = "Control Expression"
    description: ClassVar[str] = "The pseudo-inverse, with gains that pull joints towards desired angles."
    source: ClassVar[str] = "Parent, 'The Jacobian', eq. 17 to 24"
    options: ClassVar[type[Options]] = ControlOptions

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        posture = state.problem.posture
        desired = state.problem.skeleton.rest if posture is None else posture.q
        gain = np.full(len(state.q), _USUAL_GAIN) if posture is None else posture.gain
        away = np.abs(state.q - desired)
        gradient = control_gradient(state.q, desired, 0.5 * gain, options.norm)
        gradient = np.clip(gradient, -away, away) / max(state.caution, 1.0)
        if posture is None:
            # Without a posture, the second-order effect of the pull towards the rest pose must not keep the
            # figure from its goals.
            length = float(np.linalg.norm(gradient / state.problem.strides))
            gradient = gradient * min(1.0, 0.5 * state.cost**0.25 / length if length > 0.0 else 1.0)
        if options.damping is None:
            damping = float(np.sqrt((_FAR * state.cost + _NEAR) * state.caution))
        else:
            damping = options.damping * float(np.sqrt(max(state.caution, 1.0)))
        root = 1.0 if state.mobility is None else np.sqrt(state.mobility)
        rows, drawn = jacobian * root, gradient / root
        if damping <= _FAINT:
            return np.asarray(root * control_step(rows, -error, drawn, damping=damping))
        # Damping the pull of the posture too would let it disturb the goals: J (J^+ J - I) would not be 0.
        towards = control_step(rows, -error, np.zeros_like(drawn), damping=damping)
        return np.asarray(root * (towards + control_step(rows, np.zeros_like(error), drawn, damping=_FAINT)))
