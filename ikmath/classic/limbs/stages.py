# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration of the geometric methods: passes, repeated until a frame is done or stops improving.

A method has one or more stages, each a repeated pass. Frames that are done leave the batch; the others
continue with the next stage. The best pose of each frame is kept, so that no pass makes the result worse than
the start.
"""

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
"""One pass of a method: changes the pose of the limbs and leaves all positions up to date."""

PATIENCE: Final = 3  # number of passes with little gain that end a stage
LEAST_GAIN: Final = 1e-6  # share of the squared error that counts as little gain
QUICK: Final = 0.1  # the same for passes that are followed by a better method
FEW: Final = 24  # frames that are faster one by one, as floats, than as arrays; the results are equal
_NUDGE: Final = 0.05  # radians; joints in line with the target are bent by this


@dataclass(frozen=True)
class _Progress:
    """The progress of the frames of a stage.

    Attributes:
        best: the best state, best_cost: its cost; last_cost: after the last pass; quiet: passes without gain;
            used: number of passes, room: maximum; fresh: whether a frame has not been nudged yet.
    """

    best: Any
    best_cost: Number
    last_cost: Number
    quiet: Number
    used: Number
    room: Number
    fresh: Number


class Run:
    """Stages of passes over a batch of frames; keeps the best pose of each frame.

    Args:
        limbs: of the figure; q: (B, n) start inside the limits; targets: (B, E, 3) metres, world space.
        tolerance: distance at which an effector reaches its target, metres.
        max_iterations: maximum number of passes over all stages.

    Attributes:
        moving: indices of the nodes that may move, None for all; q: current coordinates; iterations: passes
            of each frame; stalled: whether each frame's last stage stopped improving (rather than reach the
            maximum of passes); reached: which frames reached their targets; settled: which cannot come
            nearer, so that further stages skip them.
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
        """Frames of some rows: all at once, or one by one if there are few."""
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
        """Repeat a pass for the frames that are not done, until they reach their targets or stop improving.

        Args:
            step: the pass; limit: maximum number in this stage; begin: done once before, not counted.
            gain: share of the squared error by which a pass must improve it to count as progress.
        """
        rows = np.flatnonzero(~self.reached & ~self.settled & (self.iterations < self.max_iterations))
        if self.limbs.nodes:
            for posing in self.posings(rows):
                self._loop(posing, step, gain, *self._begun(posing, begin, limit))

    def _begun(self, posing: Posing, begin: Step | None, limit: int | None) -> tuple[_Progress, Number]:
        """The initial progress of a stage, and which frames reach their targets already."""
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
            if self.limbs.free:  # stretched towards a target out of reach: this is the nearest pose
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
        """Store the frames that ended; returns the remaining rows, or None."""
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
        """Mark free limbs that are stretched towards a target out of reach as settled."""
        if self.limbs.free:
            for posing in self.posings(np.flatnonzero(~self.reached)):
                self.settled[posing.frames] = out_of_reach(posing)
            self.stalled |= self.settled

    def second_try(self, step: Step) -> None:
        """Repeat a pass from the start for frames that stopped short; keep the better result."""
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
    """The fields in their order, without copying their values."""
    return tuple(vars(progress).values())


def _nudge(posing: Posing, where: Number) -> None:
    """Bend all movable joints a little in frames that are stuck because all joints are in line."""
    for index in posing.moving:
        turning = posing.limbs.nodes[index].turning
        if turning is not None:
            bent = turning.nudged(posing.m, posing.turned[index], _NUDGE)
            posing.turned[index] = posing.prefer(where, bent, posing.turned[index])
    posing.place_all()
