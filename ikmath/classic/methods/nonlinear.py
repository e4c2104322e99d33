# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics as nonlinear programming (Ki & Sheen, section 3, after Zhao & Badler 1994).

Minimise `F(h) = |X - f(h)|^2 + g^2 |h|^2` within the joint limits, all goals together, by L-BFGS-B
(`linalg.lbfgsb`) with the analytic gradient `2 J^T (f - X) + 2 g^2 h`. (The text prints `+ 2 g h_j`; the
derivative of `g^2 h_j^2` has the square.) No step uses a linear model of the goals, so singular poses are no
problem. The result is a local minimum: for a target out of reach, the nearest pose.

h is relative to the posture, weighted by its gains, or else to the rest pose. The elliptic limits of swings
cannot be written as intervals. For these joints, the minimiser has no bounds, and F is evaluated at the
projection of the pose into the limits, with the derivative of the projection; so the limits hold exactly.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ...diagnosis.status import conclude
from ...model.joint_limits import JointLimits
from ...model.pose import Pose
from ...parameters import setting
from ...problem.problem import Problem, Solution, Status
from ...rotation import Array
from ...solvers.method import Options
from ..linalg.lbfgsb import LbfgsbOptions, Stop, minimize
from ..newton_refinement import Regularization
from ..rest import Resting, RestOptions, at_rest, least_tolerance, may_rest

Function = Callable[[Array], tuple[float, Array]]
"""Value and gradient (n,) at h (n,)."""

_NUDGE: Final = 1e-6  # radians; for the derivative of the projection into a swing limit
_FELT: Final = 3e-5  # gamma above which second differences can resolve it
_DROWNED: Final = 1e-20  # share of the largest weight of a goal
_HOLD: Final = 1e-3  # pulls the unbounded variables towards the projected pose


@dataclass(frozen=True, kw_only=True)
class NonlinearOptions(RestOptions):
    """Options of `nonlinear`.

    Attributes:
        gamma: Tikhonov's g, weight of a radian, or of a translation by one figure size, relative to an error
            of one figure size of the goal with the least weight. Larger ones keep the pose nearer to the
            posture and leave more error.
        max_iterations: of L-BFGS-B; they are faster than those of other methods.
    """

    max_iterations: int = 300
    gamma: float = setting(
        1e-4, "Gamma", "Weight of one radian from the posture against an error of one figure size"
    )


class Nonlinear(Resting):
    """See the module."""

    name: ClassVar[str] = "nonlinear"
    label: ClassVar[str] = "Nonlinear Programming"
    description: ClassVar[str] = (
        "All goals and limits as one minimisation, by L-BFGS-B. Slow; for comparison."
    )
    source: ClassVar[str] = "Ki & Sheen, section 3; Byrd, Lu, Nocedal & Zhu 1995"
    options: ClassVar[type[Options]] = NonlinearOptions

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        region = problem.skeleton.joint_limits
        function, lower, upper = minimisation(problem, options.gamma)
        strides = problem.strides

        def strided(x: Array) -> tuple[float, Array]:
            value, gradient = function(x * strides)
            return value, gradient * strides

        tolerance = least_tolerance(problem, options)
        settings = LbfgsbOptions(
            max_iterations=options.max_iterations,
            gradient_tolerance=0.05 * tolerance,
            value_tolerance=1e-9,
            memory=20,
        )
        found = minimize(strided, q / strides, lower / strides, upper / strides, settings)
        end = conclude(
            problem,
            region.project(found.x * strides),
            found.iterations,
            options,
            limited_by="iterations" if found.stop is Stop.ITERATIONS else "",
        )
        if end.status is not Status.BEST_EFFORT or not (options.rest and may_rest(problem)):
            return end
        q, squares = at_rest(
            problem, end.q, regularization_of(problem, options.gamma) if options.gamma > _FELT else None
        )
        return conclude(
            problem,
            q,
            found.iterations,
            options,
            errors=np.sqrt(squares),
        )


def minimisation(problem: Problem, gamma: float) -> tuple[Function, Array, Array]:
    """The function that L-BFGS-B minimises, with its gradient, and the bounds (n,) of its variables.

    Args:
        problem, gamma: as for `objective`.
    """
    region, function = problem.skeleton.joint_limits, objective(problem, gamma)
    if not len(region.pairs):
        return function, region.lower, region.upper
    lower, upper = region.lower.copy(), region.upper.copy()
    lower[region.pairs], upper[region.pairs] = -np.inf, np.inf
    return _inside(function, region), lower, upper


def objective(problem: Problem, gamma: float) -> Function:
    """F of eq. 3.1 with its gradient, divided by the least weight of a goal.

    Args:
        problem: goals scaled by weights, with lengths in figure sizes.
        gamma: Tikhonov's g.
    """
    skeleton, stack, tasks = problem.skeleton, problem.stack, problem.tasks
    gain, centre = regularization_of(problem, gamma)
    unit = _lightest(problem)
    scale, gain = stack.scale / unit, gain / unit

    def function(h: Array) -> tuple[float, Array]:
        raw, jacobian = stack.evaluate(tasks, Pose.trusted(skeleton, h.copy()))
        error = raw * scale
        away = gain * (h - centre)
        gradient = 2.0 * (jacobian.T @ (error * scale) + gain * away)
        return float(error @ error + away @ away), gradient

    return function


def regularization_of(problem: Problem, gamma: float) -> Regularization:
    """The term `g^2 |h|^2` in the units of the goals: around the posture, by its gains, or the rest pose."""
    posture, gain = problem.posture, gamma * _lightest(problem) / problem.strides
    if posture is None:
        return Regularization(gain, problem.skeleton.rest)
    return Regularization(gain * posture.gain, posture.q)


def _lightest(problem: Problem) -> float:
    """The square root of the least weight of a goal, as share of the largest: the unit of the error.

    Weights that are rounding errors relative to the largest do not count.
    """
    weights = [weight for goal in problem.tasks for weight in goal.weight.tolist() if weight > 0.0] or [1.0]
    return math.sqrt(max(min(weights) / max(weights), _DROWNED))


def _inside(function: Function, region: JointLimits) -> Function:
    """The function of the pose projected into the swing limits."""
    x, z = region.pairs.T

    def composed(free: Array) -> tuple[float, Array]:
        h = region.project(free)
        value, slope = function(h)
        gradient = slope.copy()
        # Pairs are independent: four poses give the derivatives of all pairs.
        moved = np.tile(free, (4, 1))
        moved[0, x] += _NUDGE
        moved[1, x] -= _NUDGE
        moved[2, z] += _NUDGE
        moved[3, z] -= _NUDGE
        put = region.project(moved)
        by_x, by_z = (put[0] - put[1]) / (2.0 * _NUDGE), (put[2] - put[3]) / (2.0 * _NUDGE)
        gradient[x] = by_x[x] * slope[x] + by_x[z] * slope[z]
        gradient[z] = by_z[x] * slope[x] + by_z[z] * slope[z]
        away = free - h
        return value + _HOLD * float(away @ away), gradient + 2.0 * _HOLD * away

    return composed
