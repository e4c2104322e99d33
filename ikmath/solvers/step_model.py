# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step is proposed by: units in which it is short, levels, and what it promises.

The model that is made first has linear errors. Gauss and Newton leave out the curvature of the errors;
`newton_step` puts it back where that matters.
"""

from typing import Final, Self

import numpy as np

from ..linalg.hierarchical_qp import Level
from ..postures import PostureTerm
from ..problem.problem import Problem
from ..rotation import Array
from .iterate import Iterate, Merit
from .parameters import HierarchicalParameters

_FEW: Final = 4.0  # times its own stiffness that are added to a coordinate at most
_LEAST: Final = 1e-4  # share of the floor that is added to those without stiffness


class Metric:
    """The units z of a step `dq = S z`, in which all directions cost alike; made by `of`.

    Without a posture they are the coordinates' mobilities. With one they make its Hessian the unit matrix, so
    that of all steps that serve the goals alike the shortest one is the one with the best posture.

    Attributes:
        matrix: S (n, n), or (n,) its diagonal.
        target: (n,) the step z that would be taken without any level, None if that is none.
    """

    def __init__(self, matrix: Array, target: Array | None) -> None:
        self.matrix, self.target = matrix, target

    @classmethod
    def of(cls, root: Array, term: PostureTerm | None, floor: float) -> Self:
        """The metric of a posture.

        Args:
            root: (n,) units of the coordinates; term: the posture at the pose, or None;
            floor: share of the mean stiffness that is added to each coordinate's, as far as that is not
                many times its own.
        """
        if term is None:
            return cls(root, None)
        if term.hessian.ndim == 1:
            stiffness = term.hessian * root * root
            stiffness = stiffness + (floor * float(stiffness.mean()) or 1.0)
            matrix = root / np.sqrt(stiffness)
            scale = float(np.sqrt(np.exp(np.log(stiffness).mean())))
            return cls(matrix * scale, -(matrix / scale) * term.gradient)
        stiffness = term.hessian * root * root[:, None]
        own = stiffness.ravel()[:: len(root) + 1]
        most = floor * float(own.sum()) / max(len(own), 1)
        own += np.clip(_FEW * own, _LEAST * most, most)
        inverse = np.linalg.inv(np.linalg.cholesky(stiffness))
        # mobilities have the same mean as without a posture, so that damping means the same
        scale = float(np.sqrt(len(root) / (inverse * inverse).sum()))
        matrix = root[:, None] * inverse.T
        return cls(matrix * scale, -(matrix / scale).T.dot(term.gradient))

    @classmethod
    def of_stiffness(cls, root: Array, stiffness: Array, gradient: Array, ridge: float) -> Self:
        """The metric of a stiffness (n, n), with the step against a gradient (n,) as its target.

        Args:
            root: (n,) units of the coordinates, in which the others are; ridge: share of the greatest
                stiffness that is added to all.
        """
        least = max(ridge * float(stiffness.diagonal().max(initial=0.0)), 1e-200)
        inverse = np.linalg.inv(np.linalg.cholesky(stiffness + least * np.eye(len(root))))
        return cls(root[:, None] * inverse.T, -inverse.dot(gradient))

    def along(self, rows: Array) -> Array:
        """Derivatives by q (..., n) -> by z."""
        return rows * self.matrix if self.matrix.ndim == 1 else rows.dot(self.matrix)

    def step(self, z: Array) -> Array:
        """Dq (n,) of a step z."""
        return self.matrix * z if self.matrix.ndim == 1 else self.matrix.dot(z)


class Correction:
    """What is known of the curved part of the errors, which linear steps leave out; by itself nothing."""

    damping = 1.0  # factor of the levels' damping in the next step

    def aside(self, iterate: Iterate) -> Array | None:
        """(k,) to be added to the scaled errors of a step from here; None if nothing is known."""
        return None

    def learn(self, iterate: Iterate, trial: Iterate) -> None:
        """Take note of a step that was taken."""

    def drop(self) -> None:
        """Take note that a step was refused."""


class GaussNewtonStep:
    """The linear errors, with what is known of their arcs, and targets far away pulled nearer.

    The pull of a far target would damp and outweigh all others (Buss & Kim 2005 clamp it likewise). With a
    posture cost, targets pull as if they were a stride away. In a motion this ends where such steps converge
    slowly: in conflict they would pull alike wherever the figure is.

    Attributes:
        strides: whether a target is pulled nearer while strides count.
        curved: whether it knows the curvature, so that steps converge quadratically.
        lenient: whether another model of the iterate may serve where its step is refused.
    """

    curved = False

    def __init__(
        self,
        problem: Problem,
        iterate: Iterate,
        merit: Merit,
        parameters: HierarchicalParameters,
        aside: Array | None,
        *,
        strides: bool,
    ) -> None:
        self._parameters, self._iterate, self._stack, self._merit = parameters, iterate, problem.stack, merit
        self.lenient = aside is not None
        self._metric = Metric.of(self._stack.metric, iterate.posture, parameters.posture_floor)
        self._rows = self._metric.along(iterate.jacobian)
        self._error = iterate.error if aside is None else iterate.error + aside
        self._pull, self._costs = self._error, iterate.costs
        near, pull = parameters.far, parameters.pull
        strides = strides and problem.posture_cost is not None
        if strides:
            near = pull = parameters.stride
        far = (iterate.squares > (near * problem.length) ** 2) & self._stack.is_length
        is_far = bool(far.any())
        self.strides = strides and is_far
        if is_far:
            size = np.sqrt(np.where(far, iterate.squares, 1.0))
            share = np.where(far, pull * problem.length / size, 1.0)
            self._pull = self._error * share[self._stack.effector]
            self._costs = self._stack.costs(self._pull)

    def step_problem(self, damping: float) -> tuple[Metric, list[Level]]:
        """The units z in which steps are short, and the levels, rows by z.

        Where steps were refused there is less of the way to the posture.
        """
        metric = self._metric
        if metric.target is not None and damping > 1.0:
            metric = Metric(metric.matrix, metric.target / damping)
        own = self._parameters
        levels = []
        for number, (rows, cost) in enumerate(zip(self._stack.levels, self._costs, strict=True), 1):
            # what spoils the first level is mostly the step of a weaker one, which therefore gives way first
            share = damping if damping < 1.0 else damping ** min(number, 2)
            levels.append(Level(self._rows[rows], -self._pull[rows], share * (own.damping * cost + own.bias)))
        return metric, levels

    def promised(self, dq: Array) -> float:
        """The gain of the merit that a step dq (n,) promises, by linear errors and the quadratic posture."""
        linear, term = self._error + self._iterate.jacobian.dot(dq), self._iterate.posture
        promised = self._stack.costs(linear)
        promised.append(0.0 if term is None else term.value - term.gain(dq))
        return self._merit.gain(self._iterate.all_costs, promised)
