# SPDX-License-Identifier: GPL-3.0-or-later
"""Each step is the optimum within the joint limits (Ki & Sheen, eq. 7.3 to 7.5, example 7.4).

`minimise |J dh - dX|^2 + c^2 |dh|^2` subject to `l <= h + dh <= u`. The limits are constraints of the step,
which is the optimum by an active set over the bounds (`linalg.bounded`), not clipped afterwards. The elliptic
limit of two swing angles is represented by its intervals; the limit method of the problem enforces the
ellipse.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ... import arguments
from ...parameters import setting
from ...rotation import Array
from ...solvers.method import Options
from ..linalg.bounded import bounded_damped_step
from ..loop import Incremental
from ..stepping import Linear, SteppingOptions

_FAR: Final = 0.1  # squared damping per unit of squared scaled error
_NEAR: Final = 1e-6  # squared damping at the goal


@dataclass(frozen=True, kw_only=True)
class BoundedOptions(SteppingOptions):
    """Options of `bounded`.

    Attributes:
        damping: c (lengths in figure sizes), above zero, larger after a step that was worse; None adapts it:
            large far from the goals, where the linear model does not hold, and almost zero near them.
    """

    damping: float | None = setting(
        None, "Damping", "Weight of the length of a step against the error that is left"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.damping is not None:
            arguments.number(self.damping, "damping", above=0)


class Bounded(Incremental):
    """See the module."""

    name: ClassVar[str] = "bounded"
    label: ClassVar[str] = "Bounded"
    description: ClassVar[str] = "Finds the best step within the joint limits."
    source: ClassVar[str] = "Ki & Sheen, section 7, eq. 7.4 and 7.5"
    options: ClassVar[type[Options]] = BoundedOptions

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        skeleton = state.problem.skeleton
        # A spring or barrier may have moved the figure out of its limits; a zero step must be allowed.
        lower = np.minimum(skeleton.lower - state.q, 0.0)
        upper = np.maximum(skeleton.upper - state.q, 0.0)
        if options.damping is None:
            damping = np.sqrt((_FAR * state.cost + _NEAR) * state.caution)
        else:
            damping = options.damping * np.sqrt(max(state.caution, 1.0))
        posture_step = None if state.posture_step is None else state.posture_step / max(state.caution, 1.0)
        if posture_step is not None:
            # In the null space of the goals, the step is as near as possible to the one towards the posture.
            error = error + jacobian.dot(posture_step)
            lower, upper = lower - posture_step, upper - posture_step
        if state.mobility is None:
            dq = bounded_damped_step(jacobian, -error, float(damping), lower, upper)
        else:
            root = np.sqrt(state.mobility)
            dq = root * bounded_damped_step(
                jacobian * root, -error, float(damping), lower / root, upper / root
            )
        return dq if posture_step is None else dq + posture_step
