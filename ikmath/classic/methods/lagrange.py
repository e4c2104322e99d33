# SPDX-License-Identifier: GPL-3.0-or-later
"""The optimum among the poses that reach the goals (Ge, 2.3, after Korein & Badler).

An objective P is minimised with the goals as equality constraints, by Newton's method on the Lagrange
conditions (`linalg.lagrange`). A null-space vector resolves the redundancy per step; this method finds the
optimum. P is the distance of the coordinates from the posture, or from the middle of their limits.

Joint limits can be enforced in three ways. `bounds="method"`, for any figure, applies the problem's limit
method to each step. The other two are those of Ge, 2.5.1 and 2.5.2, for at most 6 coordinates because their
cost grows fast:

* "active": all 3^n combinations of coordinates at their limits are solved, and the best admissible result is
  used. The text has 2n problems with one coordinate at a limit each, which misses optima with two or more.
* "slack": each limit becomes an equality with a new variable, `u - y^2 = q` and `q - y^2 = l`: 3n variables.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Final

import numpy as np

from ...diagnosis.status import conclude
from ...errors import NotSupported
from ...parameters import setting
from ...problem.problem import Problem, Solution, Status
from ...rotation import Array
from ...solvers.method import Options
from ..limits.base import ByRows, limits_of
from ..linalg.lagrange import Advance, InUnits, LagrangeOptions, Optimum, Program, Propose, minimize_under
from ..newton_refinement import Regularization
from ..programs import OBJECTIVES, FigureProgram, HeldProgram, SlackProgram
from ..rest import Resting, RestOptions, at_rest, least_tolerance, may_rest

_RANK: Final = 1e-4  # share of the largest singular value
_REST: Final = 1e-4  # weight of the objective relative to goals that cannot be reached
MOST_COORDINATES: Final = 6
"""Maximum for which all combinations of limits are tried."""


@dataclass(frozen=True, kw_only=True)
class LagrangeMethodOptions(RestOptions):
    """Options of `lagrange`.

    Attributes:
        objective: "posture" (the rest pose if the problem has no posture) or "limits" (the middle of the
            limits).
        form: "reduced" (multipliers eliminated) or "full" (the system of m + n equations).
        bounds: "method", "active" or "slack", see the module.
    """

    max_iterations: int = 100
    objective: str = setting(
        "posture",
        "Objective",
        "What is minimised: the distance from the posture, or from the middle of the limits",
        choices=OBJECTIVES,
    )
    form: str = setting(
        "reduced",
        "Form",
        "Whether to eliminate the multipliers; the result is the same",
        choices=("reduced", "full"),
    )
    bounds: str = setting(
        "method", "Bounds", "How limits are kept; 'active' and 'slack' are for small figures",
        choices=("method", "active", "slack"),
    )  # fmt: skip


class Lagrange(Resting):
    """See the module."""

    name: ClassVar[str] = "lagrange"
    label: ClassVar[str] = "Lagrange"
    description: ClassVar[str] = "Of all poses that reach the goals, finds the one nearest to the posture."
    source: ClassVar[str] = "Ge 2000, sections 2.3, 2.5.1 and 2.5.2; Korein & Badler 1982"
    options: ClassVar[type[Options]] = LagrangeMethodOptions

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        skeleton = problem.skeleton
        if options.bounds != "method" and skeleton.n > MOST_COORDINATES:
            raise NotSupported(
                "Method Lagrange",
                f"keeps limits by {options.bounds!r} for {MOST_COORDINATES} coordinates at most, this figure "
                f'has {skeleton.n}; use bounds="method".',
            )
        settings = LagrangeOptions(form=options.form, max_iterations=options.max_iterations, threshold=_RANK)
        program = FigureProgram(problem, options.objective)
        if options.bounds == "active":
            tolerance = least_tolerance(problem, options)
            found = _every_combination(program, q, settings, tolerance)
        elif options.bounds == "slack":
            found = _with_slack(program, q, settings)
        else:
            found = _by_limit_method(program, q, settings)
        end = skeleton.joint_limits.project(found.x) if problem.limits.strict else found.x
        answer = conclude(
            problem,
            end,
            found.iterations,
            options,
            limited_by="" if found.stalled else "iterations",
        )
        if answer.status is Status.REACHED or not (options.rest and may_rest(problem)):
            return answer
        q, squares = at_rest(problem, end, Regularization(_REST * program.gain, program.centre))
        return conclude(
            problem,
            q,
            found.iterations,
            options,
            errors=np.sqrt(squares),
        )


def _minimized(
    program: Program, q: Array, settings: LagrangeOptions, units: Array, advance: Advance | None = None
) -> Optimum:
    """The constrained minimum near q, computed in units that give all variables a similar size."""
    found = minimize_under(InUnits(program, units), q / units, settings, advance)
    return found._replace(x=found.x * units)


def _by_limit_method(program: FigureProgram, q: Array, settings: LagrangeOptions) -> Optimum:
    """The limit method of the problem applied to each step."""
    problem = program.problem
    region, limits, units = problem.skeleton.joint_limits, limits_of(problem), problem.strides

    def advance(x: Array, error: Array, rows: Array, propose: Propose) -> Array:
        own = ByRows(lambda error, rows: propose(error, rows * units) * units, rows / units)
        return limits.step(region, x * units, error, own) / units

    return _minimized(program, q, settings, units, advance)


def _every_combination(
    program: FigureProgram, q: Array, settings: LagrangeOptions, tolerance: float
) -> Optimum:
    """All 3^n combinations of free, at the lower and at the upper limit (Ge, 2.5.1)."""
    skeleton = program.problem.skeleton
    choices = [
        [np.nan, *(limit for limit in {float(low), float(high)} if np.isfinite(limit))]
        for low, high in zip(skeleton.lower, skeleton.upper, strict=True)
    ]
    best, best_score = None, (np.inf, np.inf)
    for values in product(*choices):
        held = HeldProgram(program, np.array(values))
        found = _minimized(held, q[held.free], settings, program.problem.strides[held.free])
        x = held.whole(found.x)
        if skeleton.joint_limits.violation(x).max(initial=0.0) > 1e-9:
            continue
        # Results that reach the goals come first; among these the objective decides.
        score = (max(found.violation - tolerance, 0.0), program.objective(x)[0])
        if score < best_score:
            best, best_score = found._replace(x=x, stalled=True), score
    if best is None:
        return Optimum(q, np.zeros(0), np.inf, np.inf, 0, True)
    return best


def _with_slack(program: FigureProgram, q: Array, settings: LagrangeOptions) -> Optimum:
    """Limits by slack variables (Ge, 2.5.2)."""
    extended, strides = SlackProgram(program), program.problem.strides
    units = np.concatenate([strides, np.sqrt(strides[extended.low]), np.sqrt(strides[extended.high])])
    found = _minimized(extended, extended.start(q), settings, units)
    return found._replace(x=found.x[: len(q)])
