# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a step may go: joint limits, the turn limit of a frame, and swing regions by their boundaries.

Intervals are constraints as they are. A swing region is curved and binds two coordinates together: where a
pair stands at its boundary, or a step crosses it, the boundary's tangent there is one more linear
constraint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Index
from ..linalg.hierarchical_qp import Constraints, Signs
from ..model.joint_limits import JointLimits
from ..model.limit_crossings import BoundaryTangent
from ..rotation import Array
from .metric import Metric
from .parameters import HierarchicalParameters

_NONE: Final = np.empty(0)

Inequalities = tuple[Array, Array]
"""Rows (m, n) and least values (m,) of `rows dq >= least`."""


class Face(NamedTuple):
    """Limits that hold a step: coordinates (k,), and the numbers of swing regions."""

    coordinates: Index
    pairs: frozenset[int]


class Bounds(NamedTuple):
    """`lower <= dq <= upper` (n,), and rows (m, n) with `row_lower <= rows dq <= row_upper`.

    The first rows are of the swing regions `pairs`.
    """

    lower: Array
    upper: Array
    rows: Array | None
    row_lower: Array
    row_upper: Array
    pairs: tuple[int, ...] = ()

    def face(self, active: Sequence[Signs]) -> Face:
        """The limits that hold a step at any of its levels; active: see `hierarchical_qp.Step`."""
        n, held = len(self.lower), np.logical_or.reduce([one != 0 for one in active])
        pairs = zip(self.pairs, held[n:].tolist(), strict=False)
        return Face(held[:n].nonzero()[0], frozenset(pair for pair, is_held in pairs if is_held))

    def along(self, face: Face) -> Bounds:
        """The same for steps that stay on a face."""
        lower, upper, row_lower = self.lower.copy(), self.upper.copy(), self.row_lower.copy()
        lower[face.coordinates] = upper[face.coordinates] = 0.0
        for row, pair in enumerate(self.pairs):
            if pair in face.pairs:
                row_lower[row] = self.row_upper[row]
        return self._replace(lower=lower, upper=upper, row_lower=row_lower)

    def by(self, metric: Metric) -> Constraints:
        """The same for z with dq = S z."""
        if self.rows is None:
            return Constraints(metric.matrix, self.lower, self.upper)
        return Constraints(
            metric.matrix,
            np.concatenate([self.lower, self.row_lower]),
            np.concatenate([self.upper, self.row_upper]),
            metric.along(self.rows),
        )


Propose = Callable[[Bounds], Array]
"""The step dq (n,) that is best within bounds."""


class StepBounds:
    """The bounds of steps.

    Args:
        region: of the joint limits; parameters: of the solver.
        low, high: (n,) coordinates that no step may leave, besides the region's own intervals.
    """

    def __init__(
        self,
        region: JointLimits,
        parameters: HierarchicalParameters,
        low: Array | None = None,
        high: Array | None = None,
    ) -> None:
        self.joint_limits, self.parameters = region, parameters
        self.low = region.low if low is None else np.maximum(region.low, low)
        self.high = region.high if high is None else np.minimum(region.high, high)
        self.limits_turns = low is not None

    def step(self, q: Array, propose: Propose, others: Sequence[Inequalities] = ()) -> Array:
        """New coordinates (n,): proposed again while a swing boundary is crossed by more than its curvature.

        Args:
            q: (n,) inside the region; propose: see `Propose`.
            others: inequalities of obstacles and one-sided goals.
        """
        region = self.joint_limits
        edges = region.near_boundary(q, self.parameters.boundary)
        for _ in range(self.parameters.crossings):
            dq = propose(self._bounds(q, edges, others))
            to = q + dq
            crossings = region.crossings_of_one(to)
            if crossings is None or not crossings.beyond(to, region.slight(dq, self.parameters.curved)):
                break
            edges = edges | crossings.crossed(q)
        return self._inside(q, region.landing(to, crossings))

    def _bounds(self, q: Array, edges: dict[int, BoundaryTangent], others: Sequence[Inequalities]) -> Bounds:
        lower, upper = self.low - q, self.high - q
        if not edges and not others:
            return Bounds(lower, upper, None, _NONE, _NONE)
        normals = np.zeros((len(edges), len(q)))
        for row, (pair, edge) in zip(normals, edges.items(), strict=True):
            row[list(self.joint_limits.pair_columns[pair])] = edge.x, edge.z
        room = np.array([max(edge.room, 0.0) for edge in edges.values()])
        rows = np.concatenate([normals, *(one for one, _ in others)])
        least = np.concatenate([np.full(len(room), -np.inf), *(one for _, one in others)])
        most = np.concatenate([room, np.full(len(rows) - len(room), np.inf)])
        return Bounds(lower, upper, rows, least, most, tuple(edges))

    def _inside(self, q: Array, to: Array) -> Array:
        """A landing that the turn limit allows, since a swing that lands on its boundary may turn farther."""
        if not self.limits_turns or ((to >= self.low) & (to <= self.high)).all():
            return to
        dq = to - q
        room, way = np.where(dq > 0.0, self.high - q, q - self.low), np.abs(dq)
        share = np.divide(room, way, out=np.ones_like(way), where=way > np.maximum(room, 0.0)).clip(0.0)
        pairs = self.joint_limits.pairs
        share[pairs] = share[pairs].min(1, keepdims=True)
        return self.joint_limits.project_first(q + share * dq)
