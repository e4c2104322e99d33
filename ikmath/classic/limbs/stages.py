# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration of the geometric methods: passes, repeated until a frame is there or comes to rest.

A method is one or more stages, each a pass that is repeated; frames that are done leave the batch, the others
go on to the next stage. The best pose of each frame is kept, so no pass makes a result worse than the start.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ...arrays import Index
from ...rotation import Array
from .arithmetic import FLOATS, Number, alone, taken
from .chains import Limbs
from .posing import Posing
from .sweeps import out_of_reach, stretch_where_far

Step = Callable[[Posing], None]
"""One pass of a method: bends the limbs and leaves everything in its place."""

PATIENCE: Final = 3  # passes that may gain next to nothing
LEAST_GAIN: Final = 1e-6  # share of the squared error that counts as next to nothing
QUICK: Final = 0.1  # the same for passes after which a better way to go on is at hand
FEW: Final = 24  # frames that are quicker one by one, as floats, than as arrays; the result is the same
_NUDGE: Final = 0.05  # radians by which joints are bent that are all in line with the target


@dataclass(frozen=True)
class _Progress:
    """How far the frames of a stage are.

    Attributes:
        best: the best state, best_cost: its cost; last_cost: after the last pass; quiet: passes without gain;
        used: passes taken, room: passes allowed; fresh: whether a frame was not nudged yet.
    """

    best: Any
    best_cost: Number
    last_cost: Number
    quiet: Number
    used: Number
    room: Number
    fresh: Number


class Run:
    """Stages of passes over a batch of frames, with the best pose of each frame kept.

    Args:
        limbs: what can move; q: (B, n) start inside the limits; targets: (B, E, 3) metres, world.
        tolerance: nearer than this, an effector is there, metres.
        max_iterations: passes at most, over all stages.

    Attributes:
        moving: numbers of the nodes that may move, all of them if None;
        q: the coordinates so far; iterations: passes taken by each frame; stalled: whether the last stage of
            each frame came to rest (rather than run out of passes); reached: which frames are there; settled:
            which can come no nearer, so that no stage takes them up.
    """

    def __init__(self, limbs: Limbs, q: Array, targets: Array, tolerance: float, max_iterations: int) -> None:
        self.limbs, self.targets = limbs, targets
        self.moving: Collection[int] | None = None
        self.tolerance, self.max_iterations = tolerance, max_iterations
        self.start, self.q = q, q.copy()
        self.iterations = np.zeros(len(q), dtype=int)
        self.stalled = np.zeros(len(q), dtype=bool)
        self.reached = np.zeros(len(q), dtype=bool)
        self.settled = np.zeros(len(q), dtype=bool)

    def posings(self, rows: Index) -> Iterator[Posing]:
        """The frames of some rows as they stand: all in one, or one by one where they are few."""
        if len(rows) > FEW:
            posing = Posing(self.limbs, self.q[rows], self.targets[rows], self.moving)
            posing.frames = rows
            yield posing
            return
        for row in rows.tolist():
            posing = Posing(self.limbs, self.q[row], self.targets[row], self.moving)
            posing.frames = np.array([row])
            yield posing

    def stage(
        self, step: Step, limit: int | None = None, begin: Step | None = None, gain: float = LEAST_GAIN
    ) -> None:
        """Repeat a pass in the frames that are not there yet, until they are or come to rest.

        Args:
            step: the pass; limit: how often at most in this stage; begin: done once before, not counted.
            gain: share of the squared error that a pass must gain, or else it counts as having come to rest.
        """
        rows = np.flatnonzero(~self.reached & ~self.settled & (self.iterations < self.max_iterations))
        if self.limbs.nodes:
            for posing in self.posings(rows):
                self._loop(posing, step, gain, *self._begun(posing, begin, limit))

    def _begun(self, posing: Posing, begin: Step | None, limit: int | None) -> tuple[_Progress, Number]:
        """What a stage starts from, and which frames are there already."""
        m = posing.m
        room: Number = self.max_iterations - self.iterations[posing.frames]
        if limit is not None:
            room = np.minimum(room, limit)
        none: Number = np.zeros(len(room), dtype=int)
        fresh: Number = np.ones(len(room), dtype=bool)
        if m is FLOATS:
            room, none, fresh = int(room[0]), 0, True
        quiet, used = none, none
        best = posing.state()
        cost, there = posing.judge(self.tolerance)
        if begin is not None and not m.all(there):
            begin(posing)
            new_cost, now = posing.judge(self.tolerance)
            better = new_cost < cost
            best, cost = posing.prefer(better, posing.state(), best), m.where(better, new_cost, cost)
            there = there | (now & better)
            if self.limbs.free:  # stretched towards a target out of reach: there is nothing nearer
                far = out_of_reach(posing)
                quiet, used = m.where(far, PATIENCE, quiet), m.where(far, 1, used)
        return _Progress(best, cost, cost, quiet, used, room, fresh), there

    def _loop(self, posing: Posing, step: Step, gain: float, now: _Progress, there: Number) -> None:
        m = posing.m
        while True:
            ended = there | (now.quiet >= PATIENCE) | (now.used >= now.room)
            if m.any(ended):
                keep = self._finish(posing, now, ended, there)
                if keep is None:
                    return
                posing.keep(keep)
                now = _Progress(*taken(_fields(now), keep))
                if len(keep) <= FEW:
                    for i in range(len(keep)):
                        self._loop(posing.alone(i), step, gain, _Progress(*alone(_fields(now), i)), False)
                    return
                posing.place_all()
            step(posing)
            cost, there = posing.judge(self.tolerance)
            stuck = (abs(cost - now.last_cost) <= 1e-13 * cost) & now.fresh
            quiet = m.where(cost < now.best_cost * (1.0 - gain), 0, now.quiet + 1)
            best, best_cost = now.best, now.best_cost
            better = (cost < best_cost) | there
            if m.all(better):
                best, best_cost = posing.state(), cost
            elif m.any(better):
                best = posing.prefer(better, posing.state(), best)
                best_cost = m.where(better, cost, best_cost)
            stuck = stuck & m.where(there | out_of_reach(posing), False, True)
            fresh = now.fresh
            if m.any(stuck):
                _nudge(posing, stuck)
                fresh, quiet = m.where(stuck, False, fresh), m.where(stuck, 0, quiet)
            now = _Progress(best, best_cost, cost, quiet, now.used + 1, now.room, fresh)

    def _finish(self, posing: Posing, now: _Progress, ended: Number, there: Number) -> Any:
        """Write down the frames that ended; returns the rows that go on, or None."""
        if posing.m is FLOATS:
            row = posing.frames[0]
            self.q[row] = posing.coordinates(now.best)
            self.iterations[row] += now.used
            self.reached[row], self.stalled[row] = bool(there), now.quiet >= PATIENCE
            return None
        rows = posing.frames[ended]
        self.q[rows] = posing.coordinates(now.best, np.flatnonzero(ended))
        self.iterations[rows] += now.used[ended]
        self.reached[rows] = np.broadcast_to(there, ended.shape)[ended]
        self.stalled[rows] = (now.quiet >= PATIENCE)[ended]
        keep = np.flatnonzero(~ended)
        return keep if len(keep) else None

    def settle_stretched(self) -> None:
        """Leave the free limbs alone that are stretched towards a target out of reach: nothing is nearer."""
        if self.limbs.free:
            for posing in self.posings(np.flatnonzero(~self.reached)):
                self.settled[posing.frames] = out_of_reach(posing)
            self.stalled |= self.settled

    def second_try(self, step: Step) -> None:
        """Repeat a pass from the start in the frames that came to rest short; what is nearer stays."""
        rows = np.flatnonzero(~self.reached & self.stalled & ~self.settled)
        if not len(rows):
            return
        first, before = self.q[rows], self._costs(rows)
        self.q[rows] = self.start[rows]
        self.stage(step, begin=stretch_where_far)
        worse = self._costs(rows) >= before
        back = rows[worse]
        self.q[back], self.reached[back], self.stalled[back] = first[worse], False, True

    def _costs(self, rows: Index) -> Array:
        costs = np.empty(len(self.q))
        for posing in self.posings(rows):
            costs[posing.frames] = posing.judge(self.tolerance)[0]
        return costs[rows]


def _fields(progress: _Progress) -> tuple[Any, ...]:
    """The fields in their order, without copying what is in them."""
    return tuple(vars(progress).values())


def _nudge(posing: Posing, where: Number) -> None:
    """Bend what may move a little in the frames where no joint can find a way by itself: all lie in line."""
    for index in posing.moving:
        turning = posing.limbs.nodes[index].turning
        if turning is not None:
            bent = turning.nudged(posing.m, posing.turned[index], _NUDGE)
            posing.turned[index] = posing.prefer(where, bent, posing.turned[index])
    posing.place_all()
