# SPDX-License-Identifier: GPL-3.0-or-later
"""The iteration of the geometric methods: passes, repeated until a frame is there or comes to rest.

A method is one or more stages, each a pass that is repeated; frames that are done leave the batch, the others
go on to the next stage. The best pose of each frame is kept, so no pass makes a result worse than the start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ..rotation import Array
from .arithmetic import FLOATS, Number, taken
from .chains import Limbs
from .posing import Posing
from .sweeps import out_of_reach, stretch_where_far

Step = Callable[[Posing], None]
"""One pass of a method: bends the limbs and leaves everything in its place."""

PATIENCE: Final = 3  # passes that may gain next to nothing
LEAST_GAIN: Final = 1e-6  # share of the squared error that counts as next to nothing
QUICK: Final = 0.1  # the same for passes after which a better way to go on is at hand
_NUDGE: Final = 0.05  # radians by which joints are bent that are all in line with the target


class Run:
    """Stages of passes over one frame or a batch, with the best pose of each frame kept.

    Args:
        limbs: what can move; q: (n,) or (B, n) start inside the limits; targets: (E, 3) or (B, E, 3).
        tolerance: nearer than this, an effector is there, metres.
        max_iterations: passes at most, over all stages.

    Attributes:
        q: the coordinates so far; iterations: passes taken by each frame; stalled: whether the last stage of
            each frame came to rest (rather than run out of passes).
    """

    def __init__(self, limbs: Limbs, q: Array, targets: Array, tolerance: float, max_iterations: int) -> None:
        self.limbs, self.targets, self.tolerance, self.max_iterations = (
            limbs,
            targets,
            tolerance,
            max_iterations,
        )
        self.start, self.q = q, q.copy()
        count = 1 if q.ndim == 1 else len(q)
        self.iterations = np.zeros(count, dtype=int)
        self.stalled = np.zeros(count, dtype=bool)
        self.reached = np.zeros(count, dtype=bool)
        self.settled = np.zeros(count, dtype=bool)

    def stage(
        self, step: Step, limit: int | None = None, begin: Step | None = None, gain: float = LEAST_GAIN
    ) -> None:
        """Repeat a pass in the frames that are not there yet, until they are or come to rest.

        Args:
            step: the pass; limit: how often at most in this stage; begin: done once before, not counted.
            gain: share of the squared error that a pass must gain, or else it counts as having come to rest.
        """
        most = self.max_iterations if limit is None else limit
        rows = np.flatnonzero(~self.reached & ~self.settled & (self.iterations < self.max_iterations))
        if not len(rows) or not self.limbs.nodes:
            return
        single = self.q.ndim == 1
        posing = Posing(
            self.limbs, self.q if single else self.q[rows], self.targets if single else self.targets[rows]
        )
        posing.frames = rows
        m = posing.m
        best = posing.state()
        best_cost, there = posing.judge(self.tolerance)
        quiet: Number = 0 if single else np.zeros(len(rows), dtype=int)
        used: Number = 0 if single else np.zeros(len(rows), dtype=int)
        room: Number = (
            int(self.max_iterations - self.iterations[0])
            if single
            else self.max_iterations - self.iterations[rows]
        )
        if begin is not None and not m.all(there):
            begin(posing)
            cost, now = posing.judge(self.tolerance)
            better = cost < best_cost
            best, best_cost = posing.prefer(better, posing.state(), best), m.where(better, cost, best_cost)
            there = there | (now & better)
            if self.limbs.free:  # stretched towards a target out of reach: there is nothing nearer
                far = out_of_reach(posing)
                quiet, used = m.where(far, PATIENCE, quiet), m.where(far, 1, used)
        last_cost = best_cost
        fresh: Number = True if single else np.ones(len(rows), dtype=bool)  # not nudged yet
        while True:
            ended = there | (quiet >= PATIENCE) | (used >= most) | (used >= room)
            if m.any(ended):
                keep = self._finish(posing, best, ended, there, quiet, used)
                if keep is None:
                    return
                posing.keep(keep)
                posing.place_all()
                best, best_cost, last_cost, quiet, used, fresh = (
                    taken(x, keep) for x in (best, best_cost, last_cost, quiet, used, fresh)
                )
                room = room[keep]
            step(posing)
            used = used + 1
            cost, there = posing.judge(self.tolerance)
            stuck = (abs(cost - last_cost) <= 1e-13 * cost) & fresh
            last_cost = cost
            gained = cost < best_cost * (1.0 - gain)
            quiet = m.where(gained, 0, quiet + 1)
            better = (cost < best_cost) | there
            if m.all(better):
                best, best_cost = posing.state(), cost
            elif m.any(better):
                best, best_cost = (
                    posing.prefer(better, posing.state(), best),
                    m.where(better, cost, best_cost),
                )
            stuck = stuck & m.where(there | out_of_reach(posing), False, True)
            if m.any(stuck):
                _nudge(posing, stuck)
                fresh, quiet = m.where(stuck, False, fresh), m.where(stuck, 0, quiet)

    def settle_stretched(self) -> None:
        """Leave the free limbs alone that are stretched towards a target out of reach: nothing is nearer."""
        if self.limbs.free:
            far = np.broadcast_to(out_of_reach(Posing(self.limbs, self.q, self.targets)), self.settled.shape)
            self.settled = far & ~self.reached
            self.stalled |= self.settled

    def second_try(self, step: Step) -> None:
        """Repeat a pass from the start in the frames that came to rest short; what is nearer stays."""
        rows = np.flatnonzero(~self.reached & self.stalled & ~self.settled)
        if not len(rows):
            return
        single = self.q.ndim == 1
        first, reached, before = self.q.copy(), self.reached.copy(), self._cost()
        if single:
            self.q = self.start.copy()
        else:
            self.q[rows] = self.start[rows]
        self.stage(step, begin=stretch_where_far)
        tried = np.zeros(len(reached), dtype=bool)
        tried[rows] = True
        back = tried & (self._cost() >= before)
        if single:
            self.q = first if back[0] else self.q
        else:
            self.q[back] = first[back]
        self.reached[back], self.stalled[back] = reached[back], True

    def _cost(self) -> Array:
        return np.atleast_1d(Posing(self.limbs, self.q, self.targets).judge(self.tolerance)[0])

    def _finish(
        self, posing: Posing, best: Any, ended: Number, there: Number, quiet: Number, used: Number
    ) -> Any:
        """Write down the frames that ended; returns the rows that go on, or None."""
        if posing.m is FLOATS:
            self.q = posing.coordinates(best)
            self.iterations[0] += used
            self.reached[0], self.stalled[0] = bool(there), quiet >= PATIENCE
            return None
        ended = np.broadcast_to(ended, posing.frames.shape)
        rows = posing.frames[ended]
        self.q[rows] = posing.coordinates(best, np.flatnonzero(ended))
        self.iterations[rows] += used[ended]
        self.reached[rows] = np.broadcast_to(there, ended.shape)[ended]
        self.stalled[rows] = (quiet >= PATIENCE)[ended]
        keep = np.flatnonzero(~ended)
        return keep if len(keep) else None


def _nudge(posing: Posing, where: Number) -> None:
    """Bend all joints a little in the frames where no joint can find a way by itself: all lie in line."""
    for index, node in enumerate(posing.limbs.nodes):
        if node.turning is not None:
            bent = node.turning.nudged(posing.m, posing.turned[index], _NUDGE)
            posing.turned[index] = posing.prefer(where, bent, posing.turned[index])
    posing.place_all()
