# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of Lagrange's method: a figure's objective and goals, and two ways to add its limits.

Second derivatives of the goals are differences of their Jacobians over one batch of poses, which is accurate
enough for Newton's method.
"""

from typing import Final

import numpy as np

from ..model.pose import Pose
from ..problem.problem import Problem
from ..rotation import Array
from .limits.base import limits_of

OBJECTIVES: Final = ("posture", "limits")

_NUDGE: Final = 1e-5
_FAINT: Final = 0.01  # weight of coordinates without effect on the objective, for a unique optimum


class FigureProgram:
    """`minimise P(q) subject to goals(q) = 0`.

    Args:
        problem: its tasks are the scaled constraints.
        objective: "posture": `1/2 sum (gain_i (q_i - r_i))^2` around the posture, or with gain 1 around the
            rest pose, translations in figure sizes; "limits": `1/2 sum ((q_i - middle_i) / half range_i)^2`.
    """

    def __init__(self, problem: Problem, objective: str) -> None:
        self.problem = problem
        skeleton, posture = problem.skeleton, problem.posture
        if objective == "limits":
            both = np.isfinite(skeleton.lower) & np.isfinite(skeleton.upper)
            low, high = np.where(both, skeleton.lower, 0.0), np.where(both, skeleton.upper, 0.0)
            self.centre = np.where(both, 0.5 * (low + high), skeleton.rest)
            faint = _FAINT / problem.strides
            self.gain = np.where(both & (high > low), 2.0 / np.where(high > low, high - low, 1.0), faint)
        elif posture is not None:
            self.centre, self.gain = posture.q, np.maximum(posture.gain, _FAINT) / problem.strides
        else:
            self.centre, self.gain = skeleton.rest, 1.0 / problem.strides

    def objective(self, x: Array) -> tuple[float, Array, Array]:
        """P, gradient, Hessian; the springs and barriers of a limit method are part of P (Ge, 2.5.3)."""
        away = self.gain * (x - self.centre)
        value, gradient, hessian = 0.5 * float(away @ away), self.gain * away, np.diag(self.gain**2)
        extra = limits_of(self.problem).rows(Pose.trusted(self.problem.skeleton, x.copy()))
        if extra is None:
            return value, gradient, hessian
        error, rows = extra.error, extra.jacobian
        return value + 0.5 * float(error @ error), gradient + error @ rows, hessian + rows.T @ rows

    def constraints(self, x: Array) -> tuple[Array, Array]:
        """Scaled errors of the goals and their Jacobian."""
        stack = self.problem.stack
        raw, jacobian = stack.evaluate(self.problem.tasks, Pose.trusted(self.problem.skeleton, x.copy()))
        return raw * stack.scale, jacobian * stack.scale[:, None]

    def curvature(self, x: Array, multipliers: Array) -> Array:
        """Hessian of u . c by central differences of J^T u."""
        stack, n = self.problem.stack, len(x)
        if not n or not multipliers.any():
            return np.zeros((n, n))
        nudges = _NUDGE * self.problem.strides
        poses = Pose.forward(self.problem.skeleton, x + np.concatenate([np.diag(nudges), -np.diag(nudges)]))
        _, jacobian = stack.evaluate(self.problem.tasks, poses)
        slopes = np.einsum("bkn,k->bn", jacobian, stack.scale * multipliers)
        hessian: Array = (slopes[:n] - slopes[n:]) / (2.0 * nudges[:, None])
        return np.asarray(0.5 * (hessian + hessian.T))


class HeldProgram:
    """A program with some coordinates fixed.

    Args:
        program: of the whole figure.
        values: (n,), NaN for free coordinates.
    """

    def __init__(self, program: FigureProgram, values: Array) -> None:
        self.program, self.values = program, values
        self.free = np.isnan(values)

    def whole(self, x: Array) -> Array:
        """All coordinates (n,) from the free ones."""
        q = self.values.copy()
        q[self.free] = x
        return q

    def objective(self, x: Array) -> tuple[float, Array, Array]:
        """P, gradient, Hessian over the free coordinates."""
        value, gradient, hessian = self.program.objective(self.whole(x))
        return value, gradient[self.free], hessian[np.ix_(self.free, self.free)]

    def constraints(self, x: Array) -> tuple[Array, Array]:
        """The goals over the free coordinates."""
        error, jacobian = self.program.constraints(self.whole(x))
        return error, jacobian[:, self.free]

    def curvature(self, x: Array, multipliers: Array) -> Array:
        """Hessian of u . c over the free coordinates."""
        whole: Array = self.program.curvature(self.whole(x), multipliers)
        return np.asarray(whole[np.ix_(self.free, self.free)])


class SlackProgram:
    """Limits as equalities with slack variables, `upper - y^2 - q = 0` and `q - y^2 - lower = 0` (Ge, 2.5.2).

    The text has 2n new variables; coordinates without a limit on a side need none there. The optimality
    conditions also hold with y = 0 although the optimum is inside; an initial pose inside, with every y above
    zero, and descending steps avoid that.
    """

    def __init__(self, program: FigureProgram) -> None:
        self.program = program
        skeleton = program.problem.skeleton
        self.low, self.high = (
            np.flatnonzero(np.isfinite(skeleton.lower)),
            np.flatnonzero(np.isfinite(skeleton.upper)),
        )
        self.n, self.lower, self.upper = skeleton.n, skeleton.lower, skeleton.upper

    def start(self, q: Array) -> Array:
        """Variables (q, y of the lower, y of the upper limits) for coordinates inside the limits."""
        below, above = q[self.low] - self.lower[self.low], self.upper[self.high] - q[self.high]
        return np.concatenate([q, np.sqrt(np.maximum(below, 1e-3)), np.sqrt(np.maximum(above, 1e-3))])

    def objective(self, x: Array) -> tuple[float, Array, Array]:
        """P does not depend on the slack variables."""
        value, gradient, hessian = self.program.objective(x[: self.n])
        slack = len(x) - self.n
        whole = np.zeros((len(x), len(x)))
        whole[: self.n, : self.n] = hessian
        return value, np.concatenate([gradient, np.zeros(slack)]), whole

    def constraints(self, x: Array) -> tuple[Array, Array]:
        """The goals, then a row for each limit."""
        error, jacobian = self.program.constraints(x[: self.n])
        lows, highs = len(self.low), len(self.high)
        y_low, y_high = x[self.n : self.n + lows], x[self.n + lows :]
        rows = np.zeros((len(error) + lows + highs, len(x)))
        rows[: len(error), : self.n] = jacobian
        first, second = len(error) + np.arange(lows), len(error) + lows + np.arange(highs)
        rows[first, self.low], rows[first, self.n + np.arange(lows)] = 1.0, -2.0 * y_low
        rows[second, self.high], rows[second, self.n + lows + np.arange(highs)] = -1.0, -2.0 * y_high
        below = x[self.low] - y_low**2 - self.lower[self.low]
        above = self.upper[self.high] - y_high**2 - x[self.high]
        return np.concatenate([error, below, above]), rows

    def curvature(self, x: Array, multipliers: Array) -> Array:
        """Hessian of u . c: that of the goals, and -2 u for each slack variable."""
        slack = len(self.low) + len(self.high)
        goals = len(multipliers) - slack
        whole = np.zeros((len(x), len(x)))
        whole[: self.n, : self.n] = self.program.curvature(x[: self.n], multipliers[:goals])
        index = self.n + np.arange(slack)
        whole[index, index] = -2.0 * multipliers[goals:]
        return whole
