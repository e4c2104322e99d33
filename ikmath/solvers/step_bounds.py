# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a step may go: joint limits, the turn limit of a frame, and swing regions by their boundaries.

Intervals are constraints as they are. A swing region is curved and binds two coordinates together: where a
pair stands at its boundary, and wherever a step crosses it, the boundary's tangent is one more linear
constraint (cutting planes; Kelley 1960).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index
from ..linalg.hierarchical_qp import Constraints, Signs
from ..model.joint_limits import BoundaryTangent, JointLimits
from ..model.skeleton import Skeleton
from .parameters import HierarchicalParameters
from .step_model import Metric

_NONE: Final = np.empty(0)
NO_NAMES: Final = np.empty(0, np.intp)

UNNAMED: Final = 1 << 40
"""Number of the first row without a name, above those of pairs of links and obstacles."""


def _flat(forces: Array) -> Array:
    """The curvature of what has none."""
    return np.zeros((1, 1))


class Inequalities(NamedTuple):
    """What steps keep: rows (m, n) with `rows dq >= least`, or `>= 0` where least is above zero.

    The least values (m,) are those at which each is met exactly: below zero by the room that there is, above
    where it is violated. A step may use up a share of the room.

    Names (m,), numbers that a row has in the next step too, tell which rows held the step before; by default
    rows are told by their place. The curvature for forces (m,) is the second derivative (n, n) of what the
    rows are derivatives of, each one's multiplied by its force and added up.
    """

    rows: Array
    least: Array
    names: Index | None = None
    curvature: Callable[[Array], Array] = _flat
    share: float = 1.0


def names_of(inequalities: Sequence[Inequalities]) -> Index:
    """The names (m,) of all rows."""
    found, start = [NO_NAMES], UNNAMED
    for one in inequalities:
        found.append(start + np.arange(len(one.rows)) if one.names is None else one.names)
        start += len(one.rows)
    return np.concatenate(found)


class Face(NamedTuple):
    """What holds a step: coordinates (k,), and the room that is left at each of the named rows."""

    coordinates: Index
    room: Mapping[int, float]

    def missed(self, inequalities: Sequence[Inequalities]) -> float:
        """The squares of how much more or less room these rows have, added up."""
        names = names_of(inequalities).tolist()
        least = np.concatenate([_NONE, *(one.least for one in inequalities)]).tolist()
        found = {name: -each for name, each in zip(names, least, strict=True) if name in self.room}
        return float(sum((room - self.room[name]) ** 2 for name, room in found.items()))


class Bounds(NamedTuple):
    """Lower and upper bounds (n + m,) of a step dq (n,), then of `rows dq`, rows (m, n).

    Names (m,) are negative for tangents of swing regions, which come first and of which a region may have
    several; others are held from below. Met (m,) are the values at which each is met exactly. Where
    coordinates follow others, `equal` holds rows and the values that they have.
    """

    lower: Array
    upper: Array
    rows: Array | None
    names: Index = NO_NAMES
    met: Array = _NONE
    equal: tuple[Array, Array] | None = None

    def face(self, active: Sequence[Signs], *, limits: bool) -> Face:
        """What holds a step at any of its levels, or only limits; active: see `hierarchical_qp.Step`."""
        held, n = np.logical_or.reduce([one != 0 for one in active]), len(self.lower) - len(self.names)
        room = np.where(self.names < 0, self.upper[n:], self.lower[n:]) - self.met
        rows = (held[n:] & ((self.names < 0) | (not limits))).nonzero()[0]
        left = dict(zip(self.names[rows].tolist(), room[rows].tolist(), strict=True))
        return Face(held[:n].nonzero()[0], left)

    def along(self, face: Face) -> Bounds:
        """The same for steps that stay on a face."""
        lower, upper, n = self.lower.copy(), self.upper.copy(), len(self.lower) - len(self.names)
        lower[face.coordinates] = upper[face.coordinates] = 0.0
        last = {name: row for row, name in enumerate(self.names.tolist())}
        for name in last.keys() & face.room.keys():
            lower[n + last[name]] = upper[n + last[name]] = self.met[last[name]] + face.room[name]
        return self._replace(lower=lower, upper=upper)

    def by(self, metric: Metric) -> Constraints:
        """The same for z with dq = S z."""
        equal = None if self.equal is None else (metric.along(self.equal[0]), self.equal[1])
        rows = None if self.rows is None else metric.along(self.rows)
        return Constraints(metric.matrix, self.lower, self.upper, rows, equal)


Propose = Callable[[Bounds], Array]
"""The step dq (n,) that is best within bounds."""


class StepBounds:
    """The bounds of steps.

    Args:
        skeleton: whose steps they are; parameters: of the solver.
        low, high: (n,) coordinates that no step may leave, besides the region's own intervals.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        parameters: HierarchicalParameters,
        low: Array | None = None,
        high: Array | None = None,
    ) -> None:
        region = self.joint_limits = skeleton.joint_limits
        self.coupling, self.parameters = skeleton.coupling, parameters
        self.low = region.low if low is None else np.maximum(region.low, low)
        self.high = region.high if high is None else np.minimum(region.high, high)
        self.limits_turns = low is not None

    def include(self, q: Array) -> None:
        """Widen the bounds to coordinates (n,) to which an obstacle has pushed a figure."""
        self.low, self.high = np.minimum(self.low, q), np.maximum(self.high, q)

    def step(self, q: Array, propose: Propose, others: Sequence[Inequalities] = ()) -> Array:
        """New coordinates (n,): proposed again while a swing boundary is crossed by more than its curvature.

        Args:
            q: (n,) inside the region; propose: see `Propose`.
            others: inequalities of obstacles and one-sided goals.
        """
        region = self.joint_limits
        edges = list(region.near_boundary(q, self.parameters.boundary).items()) if len(region.pairs) else []
        for _ in range(self.parameters.crossings):
            dq = propose(self._bounds(q, edges, others))
            to = q + dq
            crossings = region.crossings_of_one(to)
            cuts = crossings and crossings.crossed(q, to, region.slight(dq, self.parameters.curved))
            if not cuts:
                break
            # a tangent in place of the one before could send the step back to where that one was needed
            edges += cuts
        if crossings is not None:
            crossings.land(to)
        landed = region.unwound(to)
        if self.limits_turns:
            landed = self.inside(q, landed)
        return landed if self.coupling is None else self.coupling.apply(landed)

    def _bounds(
        self, q: Array, edges: Sequence[tuple[int, BoundaryTangent]], others: Sequence[Inequalities]
    ) -> Bounds:
        lower, upper = self.low - q, self.high - q
        equal = None if self.coupling is None else self.coupling.equations(q)
        if not edges and not others:
            return Bounds(lower, upper, None, equal=equal)
        room = np.array([max(edge.room, 0.0) for _, edge in edges])
        rows = np.concatenate([self.joint_limits.normals(edges), *(one.rows for one in others)])
        least = [np.minimum(one.share * one.least, 0.0) for one in others]
        lower = np.concatenate([lower, np.full(len(room), -np.inf), *least])
        upper = np.concatenate([upper, room, np.full(len(rows) - len(room), np.inf)])
        met = np.concatenate([room, *(one.least for one in others)])
        names = np.concatenate([np.array([-1 - pair for pair, _ in edges], np.intp), names_of(others)])
        return Bounds(lower, upper, rows, names, met, equal)

    def inside(self, q: Array, to: Array) -> Array:
        """A landing that the turn limit allows, since a swing that lands on its boundary may turn farther.

        A swing is not replaced by its way round, which the limits do not mean.
        """
        if not self.limits_turns or ((to >= self.low) & (to <= self.high)).all():
            return to
        dq = short_way(self.joint_limits, q, to)
        to = q + dq
        if ((to >= self.low) & (to <= self.high)).all():
            return to
        room, way = np.where(dq > 0.0, self.high - q, q - self.low), np.abs(dq)
        share = np.divide(room, way, out=np.ones_like(way), where=way > np.maximum(room, 0.0)).clip(0.0)
        pairs = self.joint_limits.pairs
        share[pairs] = share[pairs].min(1, keepdims=True)
        return q + short_way(self.joint_limits, q, self.joint_limits.project_first(q + share * dq))


def short_way(limits: JointLimits, q: Array, to: Array) -> Array:
    """The step (n,) between coordinates: a swing that was replaced by its way round is no far step."""
    dq = to - q
    if len(limits.open_pairs) and np.abs(dq).max(initial=0.0) > 0.5 * np.pi:
        pairs = limits.open_pairs
        v, turn = to[pairs], np.hypot(*to[pairs.T])[:, None]
        other = v * (1.0 - 2.0 * np.pi / np.maximum(turn, 1e-300)) - q[pairs]
        shorter = (other * other).sum(1) < (dq[pairs] ** 2).sum(1)
        dq[pairs[shorter]] = other[shorter]
    return dq
