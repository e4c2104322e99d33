# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps by the merit's own curvature, where Gauss-Newton steps converge slowly.

Gauss and Newton leave out the curvature of the errors. It matters where an error remains, and where weaker
levels move along the curved surface on which stronger ones stay met. Here the levels that are met are
constraints, all that is short and the posture make up the merit, and the step minimises the quadratic model
of its Lagrangian (sequential quadratic programming; Nocedal & Wright 2006, 18.1 and 18.3). Limits, one-sided
goals and obstacles that held the last step are constraints, too. Curvature is the geometric stiffness of the
multipliers and of the posture's forces; where it is negative it is turned round (3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from ..arrays import Index, Mask
from ..linalg.hierarchical_qp import Level, Signs
from ..model.joint_limits import BoundaryTangent
from ..problem.problem import Problem
from ..rotation import Array
from .iterate import Iterate
from .parameters import HierarchicalParameters
from .step_bounds import NO_NAMES, Inequalities, names_of
from .step_model import GaussNewtonStep, Metric


class NewtonStep:
    """The curved model of one iterate.

    Args:
        problem: of one frame; iterate: where; weights: of the levels in the merit;
        active: which bounds (n,) held the last step, at each of its stages;
        others: inequalities of one-sided goals and obstacles; held: the names of those that held it.
        lenient: whether levels that are nearly met are constraints too. The step then meets them, if they can
            be met; if they cannot, it is refused.

    Attributes:
        lenient: whether there are such levels; strides, curved: see `GaussNewtonStep`.
    """

    strides = False
    curved = True

    def __init__(
        self,
        problem: Problem,
        iterate: Iterate,
        weights: Sequence[float],
        parameters: HierarchicalParameters,
        active: Sequence[Signs],
        others: Sequence[Inequalities] = (),
        held: Index = NO_NAMES,
        *,
        lenient: bool,
    ) -> None:
        self._parameters, self._unit = parameters, problem.stack.metric
        self._rows, self._error = iterate.jacobian * self._unit, iterate.error
        sizes = np.sqrt(iterate.costs)
        enough = parameters.near if lenient else parameters.met
        self.lenient = bool(((sizes < enough) & (sizes >= parameters.met)).any())
        levels = problem.stack.levels
        self._met = [rows for rows, size in zip(levels, sizes, strict=True) if size < enough]
        self._owed = sum(
            weight * max(size - parameters.hold, 0.0)
            for weight, size in zip(weights, sizes, strict=False)
            if size < enough
        )
        # of each row: its weight in the merit's gradient, per unit of error
        share = np.zeros(len(self._error))
        pulls = []
        for rows, size, weight in zip(levels, sizes, weights, strict=False):
            if size >= enough:
                share[rows] = weight / size
                pulls.append(np.sqrt(weight / size) * self._error[rows].dot(self._rows[rows]) / size)
        self._gradient = (share * self._error).dot(self._rows)
        term = iterate.posture
        if term is not None:
            self._gradient = self._gradient + term.gradient * self._unit
        free = np.ones(len(iterate.q)) if not len(active) else (active[-1] == 0).astype(float)
        met = np.concatenate([self._rows[rows] for rows in self._met] or [self._rows[:0]]) * free
        sides = [self._edges(problem, iterate.q), *others]
        slopes = np.concatenate([side.rows for side in sides]) * self._unit
        known = (names_of(others)[:, None] == held).any(1)
        holds = np.concatenate([np.ones(len(sides[0].rows), dtype=bool), known])
        span, force, pressed = self._span(met, slopes, holds, free)
        push = np.zeros(len(self._error))
        if len(met):
            push[np.concatenate([np.arange(len(push))[rows] for rows in self._met])] = force
        hessian = self._curvature(problem, iterate, share, push)
        for side in sides:
            own, pressed = pressed[: len(side.rows)], pressed[len(side.rows) :]
            if own.any():
                hessian -= side.curvature(own) * self._unit * self._unit[:, None]
        for pull in pulls:
            hessian -= np.outer(pull, pull)
        if term is not None:
            own = np.diag(term.hessian) if term.hessian.ndim == 1 else term.hessian
            hessian += own * self._unit * self._unit[:, None]
        self._hessian = hessian
        # where the step that meets these levels leads, the gradient is another
        self._slope = self._gradient
        if len(met):
            short = np.concatenate([self._error[rows] for rows in self._met])
            self._slope = self._gradient - hessian.dot(span.step(short))
        self._stiffness = _along(hessian, span.axes, free)

    def _span(self, met: Array, slopes: Array, holds: Mask, free: Array) -> tuple[_Span, Array, Array]:
        """The span of met rows and of inequalities (m, n) that hold, and the multipliers of both.

        Inequalities that the gradient leads away from are left out; their multipliers are zero.
        """
        kept, pressed = np.flatnonzero(holds), np.zeros(len(slopes))
        while True:
            span = _Span.of(np.concatenate([met, -slopes[kept] * free]), self._parameters.flat)
            force, pushes = np.split(span.forces(-self._gradient * free), [len(met)])
            if (pushes > 0.0).all():
                pressed[kept] = pushes
                return span, force, pressed
            kept = kept[pushes > 0.0]

    def _curvature(self, problem: Problem, iterate: Iterate, share: Array, push: Array) -> Array:
        """(n, n) second derivative of `share e^2 / 2 + push e`, and what the posture's Hessian leaves out."""
        stack = problem.stack
        pull = (iterate.error * share + push) * stack.scale
        step = self._parameters.difference * self._unit
        curvature = stack.curvature(problem.tasks, iterate.pose, pull, step)
        if iterate.posture is not None and iterate.posture.curvature is not None:
            curvature = curvature.along_with(iterate.posture.curvature())
        own: Array = curvature.matrix(iterate.pose) * self._unit * self._unit[:, None]
        own += (self._rows.T * share).dot(self._rows)
        return own

    def _edges(self, problem: Problem, q: Array) -> Inequalities:
        """The swing boundaries that q (n,) is at."""
        region = problem.skeleton.joint_limits
        edges = list(region.near_boundary(q, 1.0 - self._parameters.touching).items())

        def curvature(forces: Array) -> Array:
            found = np.zeros((len(q), len(q)))
            for force, (pair, edge) in zip(forces.tolist(), edges, strict=True):
                found -= force * self._bend(problem, q, pair, edge)
            return found

        return Inequalities(region.normals(edges, -1.0), np.zeros(len(edges)), curvature=curvature)

    def _bend(self, problem: Problem, q: Array, pair: int, edge: BoundaryTangent) -> Array:
        """(n, n) by how much a swing boundary bends inwards."""
        region, step = problem.skeleton.joint_limits, self._parameters.difference
        x, z = region.pair_columns[pair]
        turned = []
        for side in (step, -step):
            aside = q.copy()
            aside[x], aside[z] = q[x] - side * edge.z, q[z] + side * edge.x
            there = region.near_boundary(aside, self._parameters.boundary).get(pair, edge)
            turned.append(there.z * edge.x - there.x * edge.z)
        tangent = np.zeros(len(q))
        tangent[x], tangent[z] = -edge.z, edge.x
        return np.outer(tangent, tangent) * ((turned[0] - turned[1]) / (2.0 * step))

    def step_problem(self, damping: float) -> tuple[Metric, list[Level]]:
        """The metric of the curvature, raised by the damping, and the levels that are met."""
        ridge = self._parameters.ridge * damping
        metric = Metric.of_stiffness(self._unit, self._stiffness, self._slope, ridge)
        levels = []
        for own in self._met:
            rows = metric.along(self._rows[own] / self._unit)
            size = float((rows * rows).sum() / max(len(rows), 1))
            levels.append(Level(rows, -self._error[own], self._parameters.flat**2 * size + 1e-300))
        return metric, levels

    def promised(self, dq: Array) -> float:
        """The gain of the merit that the model promises for a step dq (n,)."""
        x = dq / self._unit
        return float(self._owed - self._gradient.dot(x) - 0.5 * x.dot(self._hessian).dot(x))


StepModel = GaussNewtonStep | NewtonStep
"""What proposes steps at one iterate."""


def nearly_met(iterate: Iterate, near: float) -> bool:
    """Whether all levels have scaled errors below `near`, and steps by curvature can be trusted to meet them.

    Newton's step for the errors is then so short that what it leaves, about its square where the figure's
    size is one, is less than they are (Kantorovich's condition). Near a straight limb it is long.
    """
    return max(iterate.costs) < near * near and iterate.newton_square**2 <= sum(iterate.costs)


class _Span(NamedTuple):
    """The span of rows (m, n) that hold a step, by their singular values; those near zero are left out."""

    left: Array  # (m, k)
    size: Array  # (k,) singular values
    axes: Array  # (k, n)

    @classmethod
    def of(cls, rows: Array, flat: float) -> Self:
        """Of rows (m, n), without singular values below a share of the largest."""
        left, size, axes = np.linalg.svd(rows, full_matrices=False)
        kept = size > flat * size.max(initial=1e-300)
        return cls(left[:, kept], size[kept], axes[kept])

    def forces(self, push: Array) -> Array:
        """(m,) multipliers of the rows that balance a push (n,), by least squares."""
        return np.asarray(self.left.dot(self.axes.dot(push) / self.size))

    def step(self, values: Array) -> Array:
        """(n,) the shortest step to which the first rows give these values (at most m), the others zero."""
        return np.asarray((values.dot(self.left[: len(values)]) / self.size).dot(self.axes))


def _along(hessian: Array, axes: Array, free: Array) -> Array:
    """(n, n) a Hessian across axes (k, n), positive definite; elsewhere its mean curvature."""
    n = len(hessian)
    along = np.diag(free) - axes.T.dot(axes)
    inner = along.dot(hessian).dot(along)
    room = float(np.trace(along))  # the number of free directions; where there are none, rounding
    some = np.diag(inner if room > 0.5 else hessian)
    mean = float(np.abs(some).sum() / max(room, 1.0)) or 1.0
    whole: Array = 0.5 * (inner + inner.T) + mean * (np.eye(n) - along)
    try:
        np.linalg.cholesky(whole)
    except np.linalg.LinAlgError:  # saddles are left downhill
        values, axes = np.linalg.eigh(whole)
        whole = (axes * np.abs(values)).dot(axes.T)
    return whole
