# SPDX-License-Identifier: GPL-3.0-or-later
"""Minimise a smooth function within bounds by a limited-memory quasi-Newton method (L-BFGS-B).

Ki & Sheen (section 3) pose inverse kinematics as nonlinear programming and take this algorithm for it: R. H.
Byrd, P. Lu, J. Nocedal and C. Zhu, "A limited memory algorithm for bound constrained optimization", SIAM J.
Sci. Comput. 16 (1995); the equation numbers below are theirs. Each iteration follows the projected gradient
to the first minimum of the quadratic model (the generalised Cauchy point), minimises the model over the
unknowns that are free there, and does a line search towards that point. The model is `B = theta I - W M W^T`
with W (n, 2 memory), so that an iteration costs O(n memory).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from ...arrays import Array, Mask
from ...errors import BadShape, BadValue
from .wolfe import LineStep, wolfe_search

Objective = Callable[[Array], tuple[float, Array]]
"""x (n,) -> value, gradient (n,)."""


_STALLS = 3
"""Iterations without progress in a row that end the search; after the first one the memory is cleared."""

_HONEST = 0.01
"""Share of the slope towards the Cauchy point that the direction to the projected minimum must keep."""


class Stop(Enum):
    """Why the minimiser stopped."""

    OPTIMAL = "the projected gradient is below the tolerance"
    STALLED = "the value no longer falls by more than rounding"
    ITERATIONS = "the number of iterations allowed is used up"


@dataclass(frozen=True, kw_only=True)
class LbfgsbOptions:
    """Options of `minimize`."""

    memory: int = 10
    """Pairs of steps and gradient changes kept."""
    gradient_tolerance: float = 1e-8
    """Stop when no component of the projected gradient is larger."""
    value_tolerance: float = 1e-15
    """Stop when iterations, also with a cleared memory, decrease the value by no more than this share."""
    max_iterations: int = 500


class LbfgsbResult(NamedTuple):
    """The minimum found."""

    x: Array
    """(n,), within the bounds exactly."""
    value: float
    gradient: Array
    """(n,)."""
    optimality: float
    """Largest component of the projected gradient `P(x - g) - x`."""
    iterations: int
    evaluations: int
    stop: Stop


class _Model(NamedTuple):
    """`B = theta I - W M W^T` (eq. 3.2). W has no columns if the memory is empty."""

    theta: float
    w: Array
    m: Array


def minimize(
    function: Objective,
    start: Array,
    lower: Array,
    upper: Array,
    options: LbfgsbOptions | None = None,
) -> LbfgsbResult:
    """Find a local minimum of `function` with `lower <= x <= upper`.

    Args:
        function: value and gradient at a point within the bounds.
        start: (n,), clipped to the bounds.
        lower: (n,), minus infinity where there is no bound.
        upper: (n,), infinity where there is no bound.
        options: see `LbfgsbOptions`.

    Raises:
        BadShape: bounds and start have different lengths.
        BadValue: a value is NaN, a lower bound is above its upper one, or the function is not finite at the
            start.
    """
    options = options or LbfgsbOptions()
    search = _Search(function, *_checked(start, lower, upper), options)
    stop = search.run()
    optimality = search.optimality()
    if optimality <= options.gradient_tolerance:
        stop = Stop.OPTIMAL
    return LbfgsbResult(
        search.x, search.value, search.gradient, optimality, search.iteration, search.evaluations, stop
    )


class _Search:
    """The state of one minimisation.

    Attributes:
        x, value, gradient: the current point; iteration, evaluations: their numbers so far;
        steps, changes: the memory, steps and the changes of the gradient, oldest first;
        stalls: iterations in a row without progress.
    """

    def __init__(
        self, function: Objective, x: Array, low: Array, high: Array, options: LbfgsbOptions
    ) -> None:
        self.function, self.low, self.high, self.options = function, low, high, options
        self.x = x
        self.value, self.gradient = function(x)
        if not (np.isfinite(self.value) and np.isfinite(self.gradient).all()):
            raise BadValue("function", "is not finite at the start; start elsewhere.")
        self.iteration, self.evaluations, self.stalls = 0, 1, 0
        self.steps: list[Array] = []
        self.changes: list[Array] = []

    def run(self) -> Stop:
        """Iterate; returns the reason to stop."""
        while self.iteration < self.options.max_iterations:
            if self.optimality() <= self.options.gradient_tolerance:
                return Stop.OPTIMAL
            direction = self.direction()
            found = self.along(direction)
            if found is not None:
                self.advance(direction, found)
                if self.stalls >= _STALLS:
                    return Stop.STALLED
            elif self.steps:  # the model is wrong: restart along the gradient
                self.forget()
            else:
                return Stop.STALLED
        return Stop.ITERATIONS

    def optimality(self) -> float:
        """Largest component of the projected gradient (eq. 6.1)."""
        ahead = np.clip(self.x - self.gradient, self.low, self.high)
        return float(np.abs(ahead - self.x).max(initial=0.0))

    def direction(self) -> Array:
        """The direction (n,) to the minimum of the model."""
        x, gradient, low, high = self.x, self.gradient, self.low, self.high
        model = _model(self.steps, self.changes, len(x))
        cauchy, coefficient = _cauchy_point(x, gradient, low, high, model)
        return _subspace_minimum(x, cauchy, coefficient, gradient, low, high, model) - x

    def along(self, direction: Array) -> LineStep | None:
        """A line search in a direction; None if no point on it is better."""
        slope = float(direction @ self.gradient)
        if slope >= 0.0:
            return None
        # The first step has no curvature information: at most one unit long.
        first = 1.0 if self.steps else min(1.0, 1.0 / float(np.linalg.norm(direction)))
        found = wolfe_search(
            lambda length: self.function(self.place(direction, length)),
            direction,
            self.value,
            slope,
            first,
            _longest(self.x, direction, self.low, self.high),
        )
        self.evaluations += found.evaluations
        return found if found.length > 0.0 else None

    def place(self, direction: Array, length: float) -> Array:
        """The point (n,) at a distance in a direction, clipped to the bounds."""
        return np.clip(self.x + length * direction, self.low, self.high)

    def advance(self, direction: Array, found: LineStep) -> None:
        """Move there, update the memory, and count steps without progress."""
        self.iteration += 1
        following, before = self.place(direction, found.length), self.value
        step, change = following - self.x, found.gradient - self.gradient
        self.x, self.value, self.gradient = following, found.value, found.gradient
        if float(step @ change) > np.finfo(np.float64).eps * float(change @ change):
            memory = self.options.memory
            self.steps, self.changes = [*self.steps, step][-memory:], [*self.changes, change][-memory:]
        largest = max(abs(before), abs(self.value), float(np.finfo(np.float64).tiny))
        if before - self.value > self.options.value_tolerance * largest:
            self.stalls = 0
        else:
            self.stalls += 1
            self.forget()

    def forget(self) -> None:
        """Clear the memory."""
        self.steps, self.changes = [], []


def _model(steps: list[Array], changes: list[Array], size: int) -> _Model:
    """Build the compact form from the stored pairs (eq. 3.3 to 3.6)."""
    if not steps:
        return _Model(1.0, np.zeros((size, 0)), np.zeros((0, 0)))
    s, y = np.array(steps).T, np.array(changes).T
    theta = float(changes[-1] @ changes[-1]) / float(changes[-1] @ steps[-1])
    products = s.T @ y
    lower_part = np.tril(products, -1)
    inverse = np.block([[-np.diag(np.diag(products)), lower_part.T], [lower_part, theta * (s.T @ s)]])
    return _Model(theta, np.hstack([y, theta * s]), np.linalg.inv(inverse))


def _cauchy_point(x: Array, gradient: Array, low: Array, high: Array, model: _Model) -> tuple[Array, Array]:
    """Find the first minimum of the model along the projected gradient (algorithm CP).

    Returns:
        The point (n,) and `c = W^T (point - x)` (2 memory,).
    """
    theta, w, m = model
    room = np.where(gradient < 0.0, x - high, x - low)
    breaks = np.full(len(x), np.inf)
    np.divide(room, gradient, out=breaks, where=gradient != 0.0)
    direction = np.where(breaks > 0.0, -gradient, 0.0)
    point, inner = x.copy(), w.T @ direction
    coefficient = np.zeros(w.shape[1])
    slope = -float(direction @ direction)
    if slope == 0.0:
        return point, coefficient
    smallest = float(np.finfo(np.float64).eps) * -theta * slope  # smaller differences are rounding errors
    curvature = max(-theta * slope - float(inner @ m @ inner), smallest)
    ahead, reached = -slope / curvature, 0.0
    for index in np.argsort(breaks, kind="stable"):
        until = float(breaks[index])
        if until <= 0.0:
            continue
        if ahead < until - reached:
            break
        length = until - reached
        point[index] = high[index] if direction[index] > 0.0 else low[index]
        moved, pull, row = point[index] - x[index], float(gradient[index]), w[index]
        coefficient = coefficient + length * inner
        slope += length * curvature + pull * pull + theta * pull * moved - pull * float(row @ m @ coefficient)
        curvature -= pull * pull * (theta + float(row @ m @ row)) + 2.0 * pull * float(row @ m @ inner)
        curvature = max(curvature, smallest)
        inner = inner + pull * row
        direction[index] = 0.0
        ahead, reached = -slope / curvature, until
        if slope >= 0.0:
            ahead = 0.0
            break
    ahead = max(ahead, 0.0) if direction.any() else 0.0
    left = direction != 0.0
    point[left] = x[left] + (reached + ahead) * direction[left]
    return np.clip(point, low, high), coefficient + ahead * inner


def _subspace_minimum(
    x: Array,
    cauchy: Array,
    coefficient: Array,
    gradient: Array,
    low: Array,
    high: Array,
    model: _Model,
) -> Array:
    """Minimise the model over the unknowns free at the Cauchy point (section 5.1, the direct primal method).

    The minimum is projected onto the bounds. If that direction hardly descends, the step to the minimum is
    cut at the first bound instead (after Morales & Nocedal 2011, who only require that it does not ascend).
    """
    theta, w, m = model
    free: Mask = (cauchy > low) & (cauchy < high)
    if not w.shape[1] or not free.any():
        return cauchy
    reduced = (gradient + theta * (cauchy - x) - w @ (m @ coefficient))[free]
    rows = w[free]
    system = np.eye(w.shape[1]) - m @ (rows.T @ rows) / theta
    inner = np.linalg.solve(system, m @ (rows.T @ reduced))
    move = -reduced / theta - rows @ inner / (theta * theta)
    target = cauchy.copy()
    target[free] = np.clip(cauchy[free] + move, low[free], high[free])
    if float((target - x) @ gradient) <= _HONEST * float((cauchy - x) @ gradient):
        return target
    reach = np.full(len(move), np.inf)
    np.divide(np.where(move > 0.0, high[free], low[free]) - cauchy[free], move, out=reach, where=move != 0.0)
    target[free] = cauchy[free] + min(1.0, float(reach.min(initial=1.0))) * move
    return np.clip(target, low, high)


def _longest(x: Array, direction: Array, low: Array, high: Array) -> float:
    """How far the direction can be followed within the bounds, at least the full step."""
    reach = np.full(len(x), np.inf)
    np.divide(np.where(direction > 0.0, high, low) - x, direction, out=reach, where=direction != 0.0)
    return max(1.0, min(float(reach.min(initial=np.inf)), 1e10))


def _checked(start: Array, lower: Array, upper: Array) -> tuple[Array, Array, Array]:
    x = np.array(start, dtype=np.float64)
    if x.ndim != 1 or not len(x):
        raise BadShape("start", "(n,) with n > 0", x.shape)
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    for what, bound in (("lower", low), ("upper", high)):
        if bound.shape != x.shape:
            raise BadShape(what, f"{x.shape}", bound.shape)
        if np.isnan(bound).any():
            raise BadValue(what, "contains NaN.")
    if not np.isfinite(x).all():
        raise BadValue("start", "contains NaN or infinity.")
    if (low > high).any():
        which = int(np.flatnonzero(low > high)[0])
        raise BadValue("lower", f"is above upper at entry {which} ({low[which]:g} > {high[which]:g}).")
    return np.clip(x, low, high), low, high
