# SPDX-License-Identifier: GPL-3.0-or-later
"""The last hair's breadth to the nearest pose, where a target is out of reach.

Steps that know only first derivatives (Gauss and Newton's, however damped) come slowly to a pose with an
error left over: what the errors' own curvature adds to the second derivative of their squares does not vanish
with them. The figure creeps, and would go on to do so when it is asked again. Newton's own step, with the
whole second derivative, ends the matter in a few rounds; it is taken by differences of the gradient, all
coordinates as one batch of poses, so that no kind of goal has to know about it.

It also tells a ridge from a valley. A straight chain whose target lies on its own line has no slope to
follow, though every bend would bring it nearer: such a pose is left, to the side that serves better.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..pose import Pose
from ..problem import Problem
from ..rotation import Array

_ROUNDS: Final = 20
_SPENT: Final = 1e-4  # share of the squared errors; a round that gains less is said to gain nothing
_STEP: Final = 1e-5  # radians and metres of the differences
_FLAT: Final = 1e-7  # share of the largest curvature that a direction must have to be told from none
_FAINT: Final = 1e-10  # the same where a tether or small shares bend directions a little
_RADIUS: Final = 0.5  # radians or metres that the first step goes at most
_TRIES: Final = 8
_RIDGE: Final = 1e-6  # share of the largest curvature by which a direction must bend down to be one
_NUDGE: Final = 0.05  # radians or metres to the side of a ridge
_STILL: Final = 1e-9  # radians or metres; a step shorter than this changes nothing
_ROUNDING: Final = 1e-14  # share by which squares of errors differ for no reason
_AT: Final = 1e-9  # from where a coordinate counts as at its limit


class Tether(NamedTuple):
    """What else is minimised: `|gain (q - centre)|^2`."""

    gain: Array
    """(n,), figure sizes a radian."""
    centre: Array
    """(n,)."""


def polished(
    problem: Problem,
    q: Array,
    tether: Tether | None = None,
    rounds: int = _ROUNDS,
    *,
    shares: Array | None = None,
) -> tuple[Array, bool]:
    """The minimum of the squared errors near q (n,), inside the limits; q itself if there is none near.

    Coordinates at a limit that want to go out stay there, those of a swing region may slide along its edge.

    Args:
        problem, q: where to begin.
        tether: what else is minimised.
        rounds: of Newton's method, at most.
        shares: (k,) weights of the rows' squares beside their own.

    Returns:
        The coordinates (n,); and whether they are at rest, or a further round would still better them.
    """
    region = problem.skeleton.region
    measure = _Measure(problem, tether, shares)
    gradient, cost = measure.gradient(q[None])
    radius, gain = _RADIUS, 0.0
    for _ in range(rounds):
        free = _Free(problem, q, gradient[0])
        values, vectors = np.linalg.eigh(free.curvature(measure))
        downhill = -vectors.T @ (free.directions.T @ gradient[0])
        if _on_ridge(values, downhill):
            aside = _NUDGE * free.directions @ vectors[:, 0]
            left, right = measure.gradient(region.project(q + np.stack([aside, -aside])))[1]
            if min(left, right) < cost[0]:
                downhill[0] = (_NUDGE if left <= right else -_NUDGE) * abs(values[0])
        while radius > _STILL:
            step = _within(values, downhill, radius, measure.flat)
            trial = region.project(q + free.directions @ (vectors @ step))
            new_gradient, new_cost = measure.gradient(trial[None])
            if new_cost[0] <= cost[0] * (1.0 + _ROUNDING):
                break
            radius = 0.25 * float(np.linalg.norm(step))
        else:
            return q, True
        length = float(np.linalg.norm(step))
        if length < _STILL:
            return q, True
        promised = step @ downhill - 0.5 * step @ (values * step)
        if length > 0.9 * radius and cost[0] - new_cost[0] > 0.5 * promised:
            radius *= 2.0
        gain = float(cost[0] - new_cost[0])
        q, gradient, cost = trial, new_gradient, new_cost
    return q, gain < _SPENT * float(cost[0])


class _Measure:
    """Half of what is minimised, and its derivative.

    Attributes:
        flat: share of the largest curvature below which a direction counts as having none.
    """

    def __init__(self, problem: Problem, tether: Tether | None, shares: Array | None) -> None:
        self.problem, self.tether = problem, tether
        scale = problem.stack.scale
        self.weight = scale * scale if shares is None else scale * scale * shares
        self.flat = _FLAT if tether is None and shares is None else _FAINT

    def gradient(self, q: Array) -> tuple[Array, Array]:
        """The derivative (m, n) and the half itself (m,), at q (m, n)."""
        problem, tether = self.problem, self.tether
        error, jacobian = problem.stack.evaluate(problem.tasks, Pose.trusted(problem.skeleton, q))
        weighed = error * self.weight
        gradient, cost = np.einsum("mk,mkn->mn", weighed, jacobian), np.einsum("mk,mk->m", weighed, error)
        if tether is not None:
            away = tether.gain * (q - tether.centre)
            gradient, cost = gradient + tether.gain * away, cost + np.einsum("mn,mn->m", away, away)
        return gradient, 0.5 * cost


class _Free:
    """Where the limits let the coordinates go as the gradient wants them to.

    Attributes:
        directions: (n, f) unit columns: coordinates, and tangents of swing regions at whose edge they stand.
        edges: for each such tangent its column and its pair in the region.
    """

    def __init__(self, problem: Problem, q: Array, gradient: Array) -> None:
        skeleton = problem.skeleton
        region, n = skeleton.region, skeleton.n
        self.q, self.region = q, region
        held = (q <= skeleton.lower + _AT) & (gradient > 0) | (q >= skeleton.upper - _AT) & (gradient < 0)
        held[region.pairs] = False
        pull = np.zeros(n)
        pull[region.pairs] = -gradient[region.pairs]
        length = np.linalg.norm(pull[region.pairs], axis=1, keepdims=True)
        pull[region.pairs] *= 1e-6 / np.maximum(length, 1e-300)
        bounds = region.leaving(q, pull)
        full = np.eye(n)
        self.normals = np.zeros((2, 0))
        out = np.zeros(0, dtype=int) if bounds is None else np.flatnonzero(bounds.leaving)
        if bounds is not None:
            self.normals = bounds.normal[:, out]
        for pair, (nx, nz) in zip(out.tolist(), self.normals.T, strict=True):
            x, z = region.pairs[pair]
            full[x, x], full[z, x] = -nz, nx
            held[z] = True
        kept = np.flatnonzero(~held)
        self.directions = full[:, kept]
        self.pairs = out
        self.columns = np.searchsorted(kept, region.pairs[out, 0])

    def curvature(self, measure: _Measure) -> Array:
        """(f, f) derivative of the gradient along the directions, edges followed round."""
        count = self.directions.shape[1]
        both = np.concatenate([self.directions.T, -self.directions.T])
        places = self.q + _STEP * both
        # their rows among the places: along the tangents, and back
        edges = np.concatenate([self.columns, self.columns + count])
        tangents = self._onto_edges(places, edges)
        gradient, _ = measure.gradient(places)
        along = gradient @ self.directions
        rows, pairs = edges[:, None], self.region.pairs[np.tile(self.pairs, 2)]
        along[edges, np.tile(self.columns, 2)] = (gradient[rows, pairs] * tangents).sum(1)
        slope: Array = (along[:count] - along[count:]) / (2.0 * _STEP)
        return 0.5 * (slope + slope.T)

    def _onto_edges(self, places: Array, edges: npt.NDArray[np.intp]) -> Array:
        """Put those rows of places (m, n) back on the edge that they left; the tangents there (w, 2)."""
        which, normals = np.tile(self.pairs, 2), np.tile(self.normals, 2)
        if len(which):
            w, pairs = np.arange(len(which)), self.region.pairs[which]
            out = places[edges].T
            way = np.zeros_like(out)
            way[pairs.T, w] = 1e-6 * normals
            bounds = self.region.leaving(out, way)
            if bounds is not None:
                left = bounds.leaving[which, w]
                normals = np.where(left, bounds.normal[:, which, w], normals)
                places[edges[:, None], pairs] += np.where(left, bounds.way[:, which, w], 0.0).T
        return np.stack([-normals[1], normals[0]], -1)


def _on_ridge(values: Array, downhill: Array) -> bool:
    """Whether some direction bends down, though nothing slopes; both in the curvature's own axes."""
    steepest = float(np.abs(values).max(initial=0.0))
    return bool(
        len(values) and values[0] < -_RIDGE * steepest and np.linalg.norm(downhill) < _STILL * abs(values[0])
    )


def _within(values: Array, downhill: Array, radius: float, flat: float) -> Array:
    """Newton's step within a radius, in the curvature's own axes; where it bends down, as if it bent up."""
    if not len(values):
        return downhill
    size = np.maximum(np.abs(values), flat * max(float(np.abs(values).max()), 1e-300))
    step = downhill / size
    length = float(np.linalg.norm(step))
    more = 0.0
    for _ in range(_TRIES):
        if length <= radius * 1.05:
            break
        # Newton on 1 / |step| = 1 / radius, which is nearly linear in what is added (More and Sorensen)
        slope = float((step * step / (size + more)).sum()) / length**3
        more += (1.0 / radius - 1.0 / length) / slope
        step = downhill / (size + more)
        length = float(np.linalg.norm(step))
    return np.asarray(step * min(1.0, radius / max(length, 1e-300)))
