# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits by projection: a coordinate that would exceed its limit stops there; others take its part.

Ge's projection onto the active limits (thesis, 2.5.3 and 5.1). With clipping, the motion of a clipped joint
is lost. Here the other joints take it over, which needs 2.5 to 4 times fewer iterations. A joint at its limit
is free again in the next step, so nothing locks. In a swing region, a joint that would leave is held only
across the boundary and can still slide along it. At the end it is put back onto the curved boundary.
"""

from math import sqrt
from typing import ClassVar, Final

import numpy as np

from ...arrays import Index
from ...model.joint_limits import CrossingsOfOne, JointLimits
from ...rotation import Array
from ..active_directions import HeldOfMany, HeldOfOne
from ..limit_crossings import CrossingsOfMany, crossings_of_many, landing_of_many
from .base import Propose, ProposeMany, StepLimits

_ROUNDS: Final = 3
_CURVED: Final = 0.1  # share of a step that ending it on the boundary may take off, without another round


class Projection(StepLimits):
    """See the module."""

    name: ClassVar[str] = "projection"
    label: ClassVar[str] = "Projection"
    description: ClassVar[str] = "Stops a joint at its limit, and other joints make up for it."
    source: ClassVar[str] = "Ge 2000, sections 2.5.3 and 5.1"
    exact: ClassVar[bool] = True

    def step(self, region: JointLimits, q: Array, error: Array, propose: Propose) -> Array:
        to = q + propose(error)
        crossings = region.crossings_of_one(to)
        if crossings is None:
            return region.unwound(to)
        hold = _OneHold(q, propose.metric)
        for _ in range(_ROUNDS):
            hold.add(crossings)
            dq = propose(error, hold.directions())
            to = q + dq
            left = region.crossings_of_one(to)
            if left is None:
                return region.unwound(to)
            crossings = left
            landed = to.copy()
            crossings.land(landed)
            if not (np.abs(landed - to) > region.slight(dq, _CURVED)).any():
                break
        crossings.land(to)
        return region.unwound(to)

    def step_many(self, region: JointLimits, q: Array, error: Array, propose: ProposeMany) -> Array:
        to = q + propose(error)
        crossings = crossings_of_many(region, q, to)
        if crossings is None:
            return region.unwound(to)
        left, hold = crossings.leaving(), _ManyHold(region.pairs, q.shape, propose.metric)
        for _ in range(_ROUNDS):
            hold.add(crossings)
            dq = propose(error, hold.directions())
            ends = q + dq
            crossings = crossings_of_many(region, q, ends)
            last = left
            if crossings is not None:
                left = left & crossings.beyond(ends, region.slight(dq, _CURVED))
                landing_of_many(region, ends, crossings)
            np.copyto(to, ends, where=last)
            if crossings is None or not left.any():
                break
        return region.unwound(to)


class _OneHold:
    """The active set of one frame: coordinates are held completely, swing pairs across their boundary.

    Args:
        q: (n,) where the step begins; metric: (n,) units of steps, squared, or None.
    """

    def __init__(self, q: Array, metric: Array | None) -> None:
        self._q, self._metric = q, metric
        self._held: dict[int, float] = {}  # column -> its way
        # pair -> its columns, normal, way along it
        self._across: dict[int, tuple[int, int, float, float, float]] = {}

    def add(self, crossings: CrossingsOfOne) -> None:
        """Hold what left the region; a pair that also left along its tangent is held completely."""
        here, held, across = self._q.item, self._held, self._across
        for column, limit in crossings.columns:
            held[column] = limit - here(column)
        for pair, x, z, (a, b, u, v) in crossings.pairs:
            a, b = a - here(x), b - here(z)
            if pair in across or x in held:
                across.pop(pair, None)
                held[x], held[z] = a, b
            else:
                across[pair] = x, z, u, v, u * a + v * b

    def directions(self) -> HeldOfOne:
        """What is held as directions, of unit length in the metric's units."""
        metric, count = self._metric, len(self._held)
        measure, ways = np.zeros((count + len(self._across), len(self._q))), []
        readily = [1.0] * len(self._q) if metric is None else metric.tolist()
        for row, (column, way) in enumerate(self._held.items()):
            share = measure[row, column] = 1.0 / sqrt(readily[column])
            ways.append(share * way)
        for row, (x, z, u, v, way) in enumerate(self._across.values(), count):
            share = 1.0 / sqrt(u * u * readily[x] + v * v * readily[z])
            measure[row, x], measure[row, z] = share * u, share * v
            ways.append(share * way)
        return HeldOfOne(measure, np.array(ways), metric)


class _ManyHold:
    """The same for a batch, all frames at once; arrays with frames innermost.

    Args:
        pairs: (P, 2) of the region; shape: (n, B); metric: (n,) units of steps, squared, or None.
    """

    def __init__(self, pairs: Index, shape: tuple[int, ...], metric: Array | None) -> None:
        self._pairs, self._metric = pairs, metric
        crossed = (len(pairs), shape[1])
        self._held, self._ways = np.zeros(shape, dtype=bool), np.zeros(shape)
        self._across, self._along = np.zeros((2, *crossed)), np.zeros(crossed)

    def add(self, crossings: CrossingsOfMany) -> None:
        """As in `_OneHold`."""
        held, ways = self._held.reshape(-1), self._ways.reshape(-1)
        held[crossings.column], ways[crossings.column] = True, crossings.way
        across, along = self._across.reshape(2, -1), self._along.reshape(-1)
        again = (across.take(crossings.pair, 1) != 0.0).any(0) | held.take(crossings.ends[0])
        across[:, crossings.pair] = np.where(again, 0.0, crossings.normal)
        along[crossings.pair] = np.where(again, 0.0, (crossings.normal * crossings.pair_way).sum(0))
        if again.any():
            ends = crossings.ends[:, again]
            held[ends], ways[ends] = True, crossings.pair_way[:, again]

    def directions(self) -> HeldOfMany:
        """What is held as directions, of unit length in the metric's units."""
        lone, crossed = self._held.any(1).nonzero()[0], self._across.any((0, 2)).nonzero()[0]
        x, z = self._pairs.take(crossed, 0).T
        share, (u, v) = self._held.take(lone, 0).astype(float), self._across.take(crossed, 1)
        way = np.concatenate([self._ways.take(lone, 0) * share, self._along.take(crossed, 0)])
        along = measure = np.concatenate([share, u]), v
        if self._metric is not None:
            first, second = self._metric[np.concatenate([lone, x]), None], self._metric[z, None]
            size = first * measure[0] * measure[0]
            size[len(lone) :] += second * v * v
            size = np.sqrt(np.where(size > 0.0, size, 1.0))
            way, measure = way / size, (measure[0] / size, v / size[len(lone) :])
            along = measure[0] * first, measure[1] * second
        return HeldOfMany(np.concatenate([lone, x]), z, along, measure, way)
