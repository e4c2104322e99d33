# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's method to the nearest pose, for targets out of reach.

Gauss-Newton steps, also damped ones, converge slowly to a pose with a residual error, because they omit the
part of the second derivative that is proportional to the error. The figure would keep moving in small steps,
also in a second solve. Newton's method with the complete second derivative converges in a few rounds. It is
computed by differences of the gradient over one batch of poses, so that goals need no second derivatives.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..model.pose import Pose
from ..problem.problem import Problem
from ..rotation import Array
from .linalg.bounded import bounded_quadratic
from .step_surroundings import Surroundings

_ROUNDS: Final = 20
_SPENT: Final = 1e-4  # share of the squared errors; a round that gains less counts as no gain
_STEP: Final = 1e-5  # radians and figure sizes, for the differences
_FLAT: Final = 1e-7  # share of the largest curvature below which a direction counts as flat
_FAINT: Final = 1e-10  # the same if a target clamp or small shares add a little curvature
_STIFF: Final = 1e-2  # share that separates strong levels from weak ones with small shares
_EDGES: Final = 3  # number of linearisations of swing regions within a step
_CORRECTIONS: Final = 7  # corrections of a step along a curved valley
_SHRINKING: Final = 0.9  # largest share of the last correction that the next one may have
_CORRECTED: Final = 1e-10  # radians or figure sizes; smaller corrections end the loop
_RADIUS: Final = 0.5  # radians or figure sizes; maximum length of the first step
_MORE: Final = 3.0  # factor of the radius after a good step that it limited
_LESS: Final = 0.25  # and after a bad step
_TRIES: Final = 8
_RIDGE: Final = 1e-6  # share of the largest curvature above which a negative curvature is a ridge
_NUDGE: Final = 0.05  # radians or figure sizes, away from a ridge
_STILL: Final = 1e-9  # radians or figure sizes; shorter steps have no effect
_ROUNDING: Final = 1e-14  # share of the squared errors; smaller differences are rounding errors
_ALIKE: Final = 1e-12  # share by which they may differ if the slope
_FLATTER: Final = 0.5  # is at most this share of the previous one
_ROUNDED: Final = 1e-13  # share of the squares; smaller gains of a step may be rounding errors
_SMALL: Final = 1e-7  # radians or figure sizes; after such a step there is no other


class Regularization(NamedTuple):
    """Tikhonov regularization: `|gain (q - centre)|^2`, added to the minimised cost."""

    gain: Array
    """(n,), figure sizes per radian."""
    centre: Array
    """(n,)."""


def polished(
    problem: Problem,
    q: Array,
    regularization: Regularization | None = None,
    rounds: int = _ROUNDS,
    *,
    shares: Array | None = None,
) -> tuple[Array, bool]:
    """The minimum of the squared errors near q (n,), inside the limits; q itself if there is none.

    Coordinates pushed against a limit stay there; those of a swing region may move along its boundary.

    Args:
        problem, q: the problem and the initial coordinates.
        regularization: a term that is added to the minimised cost, or None.
        rounds: maximum number of Newton steps.
        shares: (k,) additional weights of the squared rows.

    Returns:
        The coordinates (n,); and whether they have converged.
    """
    measure = _Measure(problem, regularization, shares)
    region, strides = problem.skeleton.joint_limits, problem.strides
    here = measure.place(q)
    radius, gain = _RADIUS, 0.0
    for _ in range(rounds):
        model = _Model(Surroundings(region, here.q, here.gradient, strides), here, measure)
        while radius > _STILL:
            there, caution = model.best(measure, radius)
            if there.is_no_worse(here):
                break
            radius = _LESS * min(radius, float(np.linalg.norm((there.q - here.q) / strides)))
        else:
            return here.q, True
        length = float(np.linalg.norm((there.q - here.q) / strides))
        gain, here = here.cost - there.cost, there
        if length < _STILL or (length < _SMALL and gain < _ROUNDED * here.cost):
            return here.q, True
        if caution:
            radius *= _MORE
    return here.q, gain < _SPENT * here.cost


class _Place(NamedTuple):
    """Coordinates (n,), with half of the minimised function and its derivative (n,)."""

    q: Array
    gradient: Array
    cost: float

    def is_no_worse(self, other: _Place) -> bool:
        """Whether it is as good as another place; if the sums differ by rounding only, the slopes decide."""
        if self.cost <= other.cost * (1.0 + _ROUNDING):
            return True
        alike = self.cost <= other.cost * (1.0 + _ALIKE)
        return alike and bool(np.linalg.norm(self.gradient) < _FLATTER * np.linalg.norm(other.gradient))


class _Measure:
    """Half of the minimised function, and its derivative.

    Attributes:
        flat: share of the largest curvature below which a direction counts as flat; stiff: share above which
            steps are corrected along a curved valley.
    """

    def __init__(self, problem: Problem, regularization: Regularization | None, shares: Array | None) -> None:
        self.problem, self.regularization = problem, regularization
        scale = problem.stack.scale
        self.weight = scale * scale if shares is None else scale * scale * shares
        self.flat = _FLAT if regularization is None and shares is None else _FAINT
        self.stiff = 0.0 if shares is None else _STIFF

    def place(self, q: Array) -> _Place:
        """Evaluate coordinates q (n,)."""
        problem, regularization = self.problem, self.regularization
        error, jacobian = problem.stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, q))
        weighed = error * self.weight
        gradient, cost = weighed.dot(jacobian), float(weighed.dot(error))
        if regularization is not None:
            away = regularization.gain * (q - regularization.centre)
            gradient, cost = gradient + regularization.gain * away, cost + float(away.dot(away))
        return _Place(q, gradient, 0.5 * cost)

    def gradients(self, q: Array) -> Array:
        """The derivative (m, n) at q (m, n)."""
        problem, regularization = self.problem, self.regularization
        error, jacobian = problem.stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, q))
        gradient: Array = np.einsum("mk,mkn->mn", error * self.weight, jacobian)
        return (
            gradient
            if regularization is None
            else gradient + regularization.gain**2 * (q - regularization.centre)
        )


class _Model:
    """The second-order model of the minimised function at a place, and steps in it.

    Negative curvatures are replaced by their absolute values, so that every step descends.
    """

    def __init__(self, about: Surroundings, here: _Place, measure: _Measure) -> None:
        self.about, self.gradient = about, here.gradient @ about.directions
        values, self.axes = np.linalg.eigh(about.curvature(measure.gradients, _STEP))
        flat = measure.flat * max(float(np.abs(values).max(initial=0.0)), 1e-300)
        self.size = np.maximum(np.abs(values), flat)
        self.stiff = self.axes[:, values > max(flat, measure.stiff * float(self.size.max(initial=0.0)))]
        # on a ridge the slope is zero but a curvature is negative: step to the better side, if one is better
        level = np.linalg.norm(self.gradient) < _STILL * abs(values.min(initial=0.0))
        if level and values.min(initial=0.0) < -_RIDGE * self.size.max():
            aside = _NUDGE * self.axes[:, 0]
            left, right = (measure.place(about.landing(way)).cost for way in (aside, -aside))
            if min(left, right) < here.cost:
                self.gradient = self.gradient + values[0] * (aside if left <= right else -aside)

    def best(self, measure: _Measure, radius: float) -> tuple[_Place, float]:
        """The best place that a step of at most some length leads to; and its damping.

        The Newton step `(H + c) y = -g` would leave a curved valley. It is corrected until the gradient at
        its end satisfies `g(y) = -c y`, as in an implicit step of steepest descent, which follows curved
        valleys. The null space of strong levels is such a valley for a weak one: there, steps are only
        corrected across it.
        """
        about, gradient, axes, stiff = self.about, self.gradient, self.axes, self.stiff
        caution = _caution(self.size, -gradient @ axes, radius)
        matrix = (axes * (self.size + caution)) @ axes.T
        step = bounded_quadratic(matrix, gradient, about.low, about.high)
        for _ in range(_EDGES):
            bounds = about.leaving(step)
            if bounds is None:
                break
            about, turned = about.within(bounds)
            gradient, matrix = gradient @ turned, turned.T @ matrix @ turned
            axes, stiff = turned.T @ axes, turned.T @ stiff
            step = bounded_quadratic(matrix, gradient, about.low, about.high)
        place = best = measure.place(about.landing(step))
        length, last = float(np.linalg.norm(step)), np.inf
        for _ in range(_CORRECTIONS if length > 0.0 else 0):
            left = place.gradient @ about.at(place.q) + caution * step
            left = stiff @ (left @ stiff)
            low, high = about.low - step, about.high - step
            free = ((low < 0.0) | (left < 0.0)) & ((high > 0.0) | (left > 0.0))
            more = max(caution, _caution(self.size, -(left * free) @ axes, 0.5 * length))
            correction = bounded_quadratic((axes * (self.size + more)) @ axes.T, left, low, high)
            way = float(np.linalg.norm(correction))
            if way > _SHRINKING * last or way < _CORRECTED:
                break
            last, step = way, step + correction
            place = measure.place(about.landing(step))
            best = place if place.cost < best.cost else best
        return best, caution


def _caution(curvature: Array, downhill: Array, radius: float) -> float:
    """The damping of all curvatures for which the Newton step is no longer than a radius; in its axes."""
    more = 0.0
    # without any curvature, the step would be infinite
    least = 1e-50 * float(np.abs(downhill).max(initial=0.0)) / max(radius, _STILL)
    curvature = np.maximum(curvature, least)
    for _ in range(_TRIES):
        step = downhill / (curvature + more)
        length = float(np.linalg.norm(step))
        if length <= radius * 1.05:
            break
        share = step / length
        # Newton on 1 / |step| = 1 / radius, which is nearly linear in the damping (More and Sorensen)
        slope = float((share * share / (curvature + more)).sum()) / length
        more += (1.0 / radius - 1.0 / length) / slope
    return more
