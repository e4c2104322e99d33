# SPDX-License-Identifier: GPL-3.0-or-later
"""Each step the best one that the joint limits allow (Ki & Sheen, eq. 7.3 to 7.5, example 7.4).

`minimise |J dh - dX|^2 + c^2 |dh|^2` subject to `l <= h + dh <= u`. Unlike a step that is put back inside
afterwards, this one has the limits as constraints: it is the optimum, by an active set over the bounds
(`linalg.bounded`). A joint's two swing turns have one limit together, an ellipse;
the step sees the intervals around it, and the limit method of the problem keeps the ellipse.
"""

from __future__ import annotations

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

_FAR: Final = 0.1  # squared damping for each unit of squared scaled error
_NEAR: Final = 1e-6  # squared damping at the goal


@dataclass(frozen=True, kw_only=True)
class BoundedOptions(SteppingOptions):
    """Options of `bounded`.

    Attributes:
        damping: c (lengths in figure sizes), above zero, grows when a step turned out worse; None adapts it:
            large far from the goals, where the linear picture does not hold, and next to nothing near them.
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
        # A spring or barrier may have let the figure out; to stand still must be allowed.
        lower = np.minimum(skeleton.lower - state.q, 0.0)
        upper = np.maximum(skeleton.upper - state.q, 0.0)
        if options.damping is None:
            damping = np.sqrt((_FAR * state.cost + _NEAR) * state.caution)
        else:
            damping = options.damping * np.sqrt(max(state.caution, 1.0))
        wish = None if state.wish is None else state.wish / max(state.caution, 1.0)
        if wish is not None:
            # Where the goals do not decide, the shortest step is the one nearest to the posture's.
            error = error + jacobian.dot(wish)
            lower, upper = lower - wish, upper - wish
        if state.mobility is None:
            dq = bounded_damped_step(jacobian, -error, float(damping), lower, upper)
        else:
            root = np.sqrt(state.mobility)
            dq = root * bounded_damped_step(
                jacobian * root, -error, float(damping), lower / root, upper / root
            )
        return dq if wish is None else dq + wish
