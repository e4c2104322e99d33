# SPDX-License-Identifier: GPL-3.0-or-later
"""One solve of the default method from one start: which ways are tried, and which of them is taken.

See `hierarchical` for what a step is, and `walk` for the way from step to step.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

import numpy as np

from ....diagnosis.status import as_near_as_can_be, conclude, is_hopeless
from ....model.pose import Pose
from ....problem.problem import Problem, Solution, Status
from ....rotation import Array
from ....solvers.detours import ways_from
from ...rest import at_rest_in_order, is_no_farther
from . import pace
from .escapes import bend, elsewhere, unlock
from .standing import State, Sway, Trail
from .walk import EXACT, SETTLING, Walk

_ATTEMPTS: Final = 4  # starts elsewhere of an escape
_DETOUR: Final = 8  # steps at most to a place on the way round something
_NEARLY: Final = 0.02  # figure sizes within which that place counts as reached


class Descent(Walk):
    """One solve from one start.

    Args:
        problem: of one frame; options: the method's.
        before: the solution of the frame before, from which the figure must not jump away: what cannot be
            reached is not worth it, and a motion that was short comes back to its targets step by step.
    """

    def __init__(self, problem: Problem, options: Any, before: Solution | None = None) -> None:
        trail = before.memory if before is not None and isinstance(before.memory, Trail) else Trail(None, [])
        super().__init__(problem, options, trail, following=before is not None)
        self.escape = options.escape and before is None
        # among obstacles a start elsewhere may lie behind a wall: only where the user allows it
        self.beyond = self.guard is not None and options.search
        self.lags = False  # whether it could be that a jump would have reached all
        self.catch_up = options.catch_up if before is None else trail.lags or before.status is Status.REACHED
        self.short = None if before is None else before.errors
        self.fast = trail.fast  # whether small turns have not sufficed so far
        self.usual = pace.SMALL_TURN if problem.scene is None else pace.CLOSE
        self.max_turn = options.max_turn
        if self.following and options.max_turn is None:
            self.max_turn = pace.FAST if trail.fast else self.usual
        alone = self.guard is None and self.max_turn is None
        self.rests = options.rest and alone and all(goal.whole for goal in problem.tasks)

    def solve(self, q: Array) -> Solution:
        """Iterate until the goals are reached and the posture is settled, or nothing gets better.

        Where that ends short of a goal, ways out are tried and taken only if they end better: the bend of
        straight limbs, turning farther than `max_turn`, and getting over the rim of a local minimum.
        """
        self.most = self.left = self.options.max_iterations
        self.start = self.begin(q)
        if self.max_turn is not None:
            self.picture.stay_near(self.start.q, self.max_turn)
        hurry = self.max_turn is not None if self.guard is None else self.escape  # to ways farther or round
        state, done = self.descend(self.start, hurry=hurry)
        stalled = done or self.left > 0
        if not state.reached:
            state = self._go_farther(self._bend(state))
        # who starts where nothing is left to gain was brought there, and stays
        came = self.lags or self.compare(state, self.start)[1]
        may = self.escape and came and (self.left > 0 or self.beyond)
        if may and not state.reached and not self._is_stuck(state):
            if self.beyond:
                self.most, self.left = 2 * self.most, self.left + self.most
            state = self._go_on(state)
            state = state if state.reached else self._escape(state)
            state = self.descend(state)[0] if hurry and not state.reached else state
        if not state.reached:
            state, rests = self._come_to_rest(self._settle_strong(state) if came else self.start)
            stalled = stalled or rests
        if self.rests and not state.is_nearer(self.start):  # who asks again gets the same
            state = self.start
        return self._finish(state, self.most - self.left, stalled=stalled)

    def _is_stuck(self, state: State) -> bool:
        """Whether the figure stands in an obstacle, and must not look for a place elsewhere."""
        inside = self.guard is not None and state.near is not None and self.guard.is_inside(state.near)
        return inside and not self.options.search

    def _come_to_rest(self, state: State) -> tuple[State, bool]:
        """The nearest pose to rounding, so that who asks again gets the same; not while a motion goes on.

        Returns:
            The state, and whether nothing near it is better.
        """
        if not self.rests:
            return state, False
        q, rests = at_rest_in_order(self.problem, state.q)
        end = self._settle_strong(self.look(Pose.trusted(self.skeleton, q), None))
        kept = self.single or is_no_farther(self.stack, end.costs, state.costs, self._met(state), EXACT)
        return (end, rests) if kept else (state, False)

    def _met(self, state: State) -> int:
        """How many levels, from the strongest on, have what they want but for what a step puts right."""
        pairs = zip(state.costs, self.floors, strict=True)
        return sum(1 for _ in takewhile(lambda pair: pair[0] < 10.0 * pair[1], pairs))

    def _go_farther(self, state: State) -> State:
        """Turn farther, for good, where that is what it takes to reach all.

        First as far as a fast motion does, then at will. From the start again: what was nearest within narrow
        bounds may be the wrong way. A far jump that no target's leap asks for is spread over frames.
        """
        self.fast, start, held = True, self.start, state
        low, high = self.picture.low, self.picture.high
        for most in (pace.FAST, math.inf):
            if self.max_turn is not None and most <= self.max_turn:
                continue
            # who creeps along within wide bounds may have been turned that way by them
            held_back = self.picture.let_go(held.q) or held is not state
            if not held_back or held.reached or not self.catch_up:
                break
            self.picture.stay_near(start.q, most)
            self.working = []  # what held the figure at the narrower bounds holds it no more
            farther, _ = self.descend(start, hurry=most < math.inf)
            if self.short is not None and most == math.inf and pace.jumps(self.skeleton, start.q, farther.q):
                if pace.is_slight(self.problem, np.sqrt(held.squares)):
                    self.lags, state = True, held
                    break
                wider = np.sqrt(start.squares) - self.short
                if farther.reached and not pace.is_asked_for(self.problem, start.q, farther.q, wider):
                    return self._go_towards(farther.q)
            held = farther
            if held.reached:
                return held
        if self.max_turn is not None:  # what comes after must not leave the bounds either
            self.picture.low, self.picture.high = np.minimum(low, state.q), np.maximum(high, state.q)
        return state

    def _go_towards(self, q: Array) -> State:
        """A part of the way to coordinates (n,) that are a jump away, as near to the goals as it can be."""
        self.picture.let_go(q)
        part = self.move(self.start, pace.stride(self.skeleton, self.start.q, q)) or self.start
        self.picture.stay_near(part.q, pace.ASIDE)
        self.lags, self.working = True, []
        return self.descend(part)[0]

    def _bend(self, state: State) -> State:
        """Bend straight limbs that must shorten, if that ends better."""
        rows = state.rows.jacobian * self.stack.scale[:, None]
        held = self.stack.place < self._met(state)
        start = bend(self.skeleton, state.q, state.scaled, rows, self.stack.starts, held, self.stack.moved)
        return state if start is None else self._try(state, start)

    def _go_on(self, state: State) -> State:
        """Go on without the posture where steps among obstacles have come to be refused or small.

        There it holds legs straight, say, that would have to bend for the feet to stay above the ground. What
        the goals leave free goes back to it afterwards.
        """
        if self.guard is None or self.draw is None:
            return state
        draw, self.draw, self.working = self.draw, None, []
        freed, _ = self.descend(self.look(state.pose, state.near), hurry=True)
        self.draw = draw
        freed = self.look(freed.pose, freed.near)
        if not self.compare(freed, state)[1]:
            return state
        return self.descend(freed)[0] if freed.reached else freed

    def _escape(self, state: State) -> State:
        """Over the rim of a local minimum, if that is what it takes."""
        problem, errors = self.problem, np.sqrt(state.squares)
        hopeless = is_hopeless(problem, state.pose, errors, self.tolerances)
        if self.guard is not None and not hopeless:
            state = self._go_round(state)
        if not state.reached and (start := unlock(self.skeleton, state.q)) is not None:
            state = self._try(state, start)
        rng = np.random.default_rng(self.options.seed)
        if self.rests and hopeless:  # something can be gained all the same
            hopeless = as_near_as_can_be(problem, errors, self.tolerances)
        # what only a part of the figure may move would come nearer elsewhere by what the rest has done
        for _ in range(_ATTEMPTS if all(goal.whole for goal in problem.tasks) else 0):
            if hopeless or state.reached or not self.left:
                break
            other = self._try(state, elsewhere(problem, state.q, rng), jump=self.beyond or self.guard is None)
            if other.reached or (not self.beyond and pace.is_worth_it(problem, other.costs, state.costs)):
                state = other
        return state

    def _go_round(self, state: State) -> State:
        """Round what stands in the way of an effector, by places in between, if all is reached so."""
        nearly = replace(
            self.options, escape=False, tolerance=_NEARLY * self.problem.length, angle_tolerance=None
        )
        for q, way in ways_from(self.problem, self.start, state):  # type: ignore[arg-type]
            for problem in way:
                if not self.left:
                    return state
                between = Descent(problem, replace(nearly, max_iterations=min(_DETOUR, self.left))).solve(q)
                q, self.left = between.q, self.left - between.iterations
                if between.status is not Status.REACHED:
                    break
            else:
                if (other := self._try(state, q, jump=True)).reached:
                    return other
        return state

    def _try(self, kept: State, q: Array, *, jump: bool = False) -> State:
        """The end of the way from another start q (n,) if it is clearly better, otherwise what was.

        With `jump` the figure may be there without going there now; or else obstacles are in the way.
        """
        start = self.begin(q) if jump else self.move(kept, q)
        if start is None:
            return kept
        if self.guard is not None and start.near is not None and float(start.near.worst) < self.guard.margin:
            return kept
        end, _ = self.descend(start, hurry=True)
        return end if self.compare(end, kept)[1] else kept

    def _settle_strong(self, state: State) -> State:
        """Put right what steps for weaker levels have moved at second order in those that are met."""
        for _ in range(SETTLING):
            met = min(self._met(state), len(state.costs) - 1)
            if not met or max(state.costs[:met]) < EXACT * EXACT:
                break
            for count in range(met, 0, -1):
                trial = self.corrected(state, count)
                if trial is not None and trial.costs[:met] < state.costs[:met]:
                    state = trial
                    break
            else:
                break
        return state

    def _finish(self, state: State, iteration: int, *, stalled: bool) -> Solution:
        turned = pace.farthest(self.skeleton, self.start.q, state.q)
        fast = self.following and self.fast and pace.is_fast(turned, self.usual, reached=state.reached)
        measure, blocked = None, ""
        sway = Sway.after(self.sway, state.q - self.start.q) if self.following else None
        if self.guard is not None and state.near is not None:
            measure = self.problem.measure(state.q, state.near)
            if stalled and not state.reached:
                uphill = (state.rows.error * self.stack.scale**2) @ state.rows.jacobian
                blocked = self.guard.blocker(state.pose, state.near, uphill)
        return conclude(
            self.problem,
            state.q,
            iteration,
            self.options.tolerance,
            angle_tolerance=self.options.angle_tolerance,
            errors=np.sqrt(np.array(state.squares)),
            stalled=stalled,
            measure=measure,
            blocked=blocked,
            near=state.near,
            memory=Trail(state.pose, self.working, fast, state.near, self.lags, self.sag, sway),
            paced=self.following,
        )
