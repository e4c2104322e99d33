# SPDX-License-Identifier: GPL-3.0-or-later
"""What an update of a drag comes to: solves that follow each other, and when to begin anew.

Each solve goes on from the one before and so turns the joints only so far. The way of the hand may lead
astray: who begins anew from the pose before the drag, as a solve does, may come nearer. That takes longest,
so it is asked first whether it can: what is inside of an obstacle is reached by nobody.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

import ikmath as ik
from ikmath.diagnosis.error_bounds import shortfalls

from ..frame.goals import effector_errors, reached
from ..frame.plan import Plan
from ..frame.solve_frame import apart, solve_task
from ..frame.solved import Solved
from ..frame.task import Task, next_task

_SOLVES: Final = 8  # at most an update
_ITERATIONS: Final = 12  # of one such solve where time is short; what takes longer goes on in the next one
_PIECE: Final = 6  # of one that began anew where time is short, and twice as many after each in vain,
_VAIN: Final = 3  # which is given up after so many that leave more
_LEFT: Final = 0.9  # than that share of what was missed
_GLIDE: Final = 2  # steps towards the posture in each solve while the hand moves
_RELAX: Final = 24  # and when it rests
_GAIN: Final = 1e-3  # share of what is missed; solves that gain less lead nowhere
_NEARER: Final = 0.9  # share of what is missed by which a pose elsewhere is worth going to,
_MUCH_NEARER: Final = 0.5  # and by which it must be possible where the target can be reached by no pose,
_FARTHER: Final = 1.5  # times as far as where that was tried in vain
_STILL: Final = 0.005  # radians or figure sizes: an update that moves the figure by less has arrived


class Rounds:
    """The updates of one hold.

    Args:
        plan: with what is dragged; rows: its effectors.

    Attributes:
        counts: (E,) the effectors that are to be where they should: the hand, and what holds against it.
        best: what the last update came to; None before the first.
        arrived: asked again, the figure would not move.
    """

    def __init__(self, plan: Plan, rows: Sequence[int]) -> None:
        dragged = plan.effectors[rows[0]].priority
        hands = {plan.bones.number(plan.effectors[row].bone) for row in rows}
        self._tolerance = plan.tolerance
        self.counts = np.array([effector.priority <= dragged for effector in plan.effectors])
        self._below = [
            row
            for row in np.flatnonzero(~self.counts).tolist()
            if hands & set(plan.bones.ancestors(plan.effectors[row].bone))
        ]
        self.best: Solved | None = None
        self.arrived = False
        self._vain = 0.0  # what was missed where to begin anew was of no use
        self._anew: Solved | None = None  # one that began anew, as far as it is,
        self._idle = 0  # and how many updates it has gained next to nothing in

    def bring(self, task: Task, *, hurries: bool, lost: bool, until: float = np.inf) -> Solved:
        """The figure as near to what is asked for as it gets in time.

        Args:
            task: what is asked for; hurries: whether the hand moves, so that there is more to come.
            lost: whether the hand had all until now; until: when to end, by `time.perf_counter`.
        """
        endless, relax = until == np.inf, _GLIDE if hurries else _RELAX
        solved = self._follow(task, relax, hurries, until)
        there = self.is_there(solved)
        late = hurries and time.perf_counter() > until
        if there and self._below and solved.status == "BEST_EFFORT" and not late:
            solved = self._eased(task, solved, relax, None if endless else _ITERATIONS)
        if there or hurries:
            self._anew, self._idle = None, 0
        if not there and hurries:
            # Among obstacles it takes long, and he may come out behind one.
            if lost and task.problem.scene is None and time.perf_counter() < until:
                solved = self._better(solved, solve_task(task, brief=True, relax=relax))
        elif not there and (endless or self.arrived) and self._may_come_nearer(task, solved):
            if endless or task.problem.scene is None:
                solved = self._better(solved, solve_task(task, brief=True, relax=relax))
            else:
                solved = self._bit_by_bit(task, solved)
        self.arrived = self.arrived and (there or not hurries)
        self.best = solved
        return solved

    def _follow(self, task: Task, relax: int, hurries: bool, until: float) -> Solved:
        """Go on from the update before."""
        solved, limit = self.best, None if until == np.inf else _ITERATIONS
        for number in range(_SOLVES):
            before, most = solved, None if solved is None else limit
            solved = solve_task(task, before, brief=True, relax=relax, max_iterations=most)
            there = solved.status == "REACHED"
            still = before is not None and apart(task.problem, solved.q, before.q) < _STILL
            self.arrived = solved.rests if there else still
            if self.arrived or (there and hurries) or time.perf_counter() > until:
                break
            if number and before is not None and self.off(solved) > (1.0 - _GAIN) * self.off(before):
                break
        if solved is None:
            raise RuntimeError("nothing was solved")
        return solved

    def _eased(self, task: Task, solved: Solved, relax: int, most: int | None) -> Solved:
        """With what hangs from the hand and gives way let go where it has got to, so that all relaxes.

        A foot that is short has a part in all joints above it, and these would not go back to their posture.
        """
        targets, figure = task.sample.targets.copy(), task.figure
        for row in self._below:
            targets[row] = reached(task.plan, figure, solved.q, row)
        there = next_task(task, replace(task.sample, targets=targets))
        start = replace(solved, asked=None, rests=False)
        eased = solve_task(there, start, brief=True, relax=relax, max_iterations=most)
        return eased if self.is_there(eased) else solved

    def _better(self, solved: Solved, anew: Solved) -> Solved:
        """The one that began anew if it is worth it."""
        taken = self.off(anew) < _NEARER * self.off(solved)
        self._vain = 0.0 if taken else self.off(solved)
        return anew if taken else solved

    def _bit_by_bit(self, task: Task, solved: Solved) -> Solved:
        """Begin anew, or go on with it, some steps an update, so that the window does not stand still."""
        before = self._anew
        most = _ITERATIONS if before is None else _PIECE << self._idle
        anew = solve_task(task, before, brief=True, relax=_GLIDE, leaps=True, max_iterations=most)
        gains = before is None or self.off(anew) < _LEFT * self.off(before)
        self._anew, self._idle = anew, 0 if gains else self._idle + 1
        if anew.status == "STOPPED" and self._idle < _VAIN:
            self.arrived = False
            return solved
        self._anew, self._idle = None, 0
        chosen = self._better(solved, anew)
        self.arrived = chosen is solved
        return chosen

    def _may_come_nearer(self, task: Task, solved: Solved) -> bool:
        """Whether to begin anew may be worth it."""
        pose = ik.Pose.forward(task.figure.skeleton, solved.q)
        found, _ = effector_errors(len(self.counts), task.parts, shortfalls(task.problem, pose))
        least, off = float(np.nanmax(found[self.counts], initial=0.0)), self.off(solved)
        return least <= self._tolerance or (least < _MUCH_NEARER * off and off > _FARTHER * self._vain)

    def is_there(self, solved: Solved) -> bool:
        """Whether the hand has what it wants and all that holds against it holds."""
        return self.off(solved) <= self._tolerance

    def off(self, solved: Solved) -> float:
        """By how much that is missed, metres or radians; what gives way may."""
        off = np.concatenate([solved.distance[self.counts], solved.angle[self.counts]])
        return float(np.nanmax(off, initial=0.0))
