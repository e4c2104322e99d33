# SPDX-License-Identifier: GPL-3.0-or-later
"""One solve of the default method from one start: better and better poses, until none is.

See `hierarchical` for what a step is; this is the way from step to step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..diagnosis import conclude, too_far
from ..linalg.lexicographic import Level, Working, lexicographic
from ..obstacles import Proximity
from ..pose import Pose
from ..problem import Problem, Solution
from ..residual import Residual
from ..rotation import Array
from .escapes import bend, scattered, unlock
from .guard import Guard
from .polish import polished
from .swing_bounds import SwingBounds, merge

_FAR: Final = 0.3  # damping for each unit of a level's squared scaled error
_NEAR: Final = 1e-8  # damping at the goal
_GAIN: Final = 1e-4  # share of a level's squared error that counts as better
_SLIP: Final = 2e-3  # share by which a level may be worse on the way, for the sake of a weaker one
_PATIENCE: Final = 4  # steps without a gain before the figure is called settled
_MORE, _LESS, _LEAST, _MOST = 5.0, 0.4, 1e-3, 1e7  # how the caution answers refused and accepted steps
_TRUE, _FALSE = 0.75, 0.25  # shares of the promised gain above which to be bolder, below which not
_ATTEMPTS: Final = 4  # starts elsewhere of an escape
_ROUNDS: Final = 4  # times that swing regions are linearised anew within a step
_CHANGES: Final = 12  # inequalities changed one at a time in a step; the next steps go on from there
_CURVED: Final = 0.2  # share of a step that projection into the swing regions may take off
_AT_LIMIT: Final = 0.999  # measure of a swing region from which its boundary counts in the first round
_LOOSE: Final = 1e-3  # error of strong levels, in figure sizes, that counts as none on the way
_EXACT: Final = 1e-7  # error of strong levels, in figure sizes, below which weaker ones do not disturb them
_SETTLING: Final = 3  # steps at most to put strong levels right at the end


@dataclass(slots=True)
class State:
    """Where a solve stands: the accepted pose and all that is known of it."""

    q: Array
    pose: Pose
    rows: Residual
    costs: list[float]
    squares: list[float]
    near: Proximity | None = None
    left: float = 0.0  # squared length of what the posture still asks for
    wish: Array | None = None


@dataclass(slots=True)
class Memory:
    """What is kept from step to step of one solve."""

    caution: list[float]
    working: list[Working] = field(default_factory=list)

    def refused(self, worse: int) -> None:
        """Learn from a step that was not taken because it spoiled a level.

        What spoils a level at second order is mostly the step of weaker ones: they become the most careful.
        """
        for level in range(worse, len(self.caution)):
            self.caution[level] *= _MORE if level == worse else 2.0 * _MORE

    def taken(self, before: list[float], promised: list[float], after: list[float]) -> None:
        """Learn from a step that was taken: how much of what the linear picture promised came true."""
        for level, (old, linear, new) in enumerate(zip(before, promised, after, strict=True)):
            gain = old - linear
            share = (old - new) / gain if gain > 1e-9 * old else 1.0
            if share > _TRUE:
                self.caution[level] = max(self.caution[level] * _LESS, _LEAST)
            elif share < _FALSE:
                self.caution[level] *= 2.0


class Descent:
    """One solve from one start."""

    def __init__(self, problem: Problem, options: Any) -> None:
        self.problem, self.options = problem, options
        self.skeleton, self.region, self.stack = problem.skeleton, problem.skeleton.region, problem.stack
        # one unit of every scaled coordinate costs alike: stiff ones more, slides as lengths
        length = np.where(self.skeleton.is_turn, 1.0, problem.length)
        self.metric = np.sqrt(self.skeleton.mobility) * length
        stack = self.stack
        self.priorities = sorted(set(stack.level.tolist()))
        self.slices = [np.flatnonzero(stack.level == p) for p in self.priorities]
        self.single = len(self.slices) <= 1
        self.tolerance = options.tolerance**2
        # this far off a strong level may be on the way: the next step puts it right
        self.floors = [
            _LOOSE * _LOOSE * float((stack.scale[s] ** 2).max()) * problem.length**2 for s in self.slices
        ]
        if self.single:
            self.floors = [0.0]
        self.low, self.high = self.region.low, self.region.high
        self.one_sided = [goal for goal in problem.tasks if goal.one_sided]
        self.guard = None if problem.scene is None else Guard(problem, problem.scene, self.metric)

    # ------------------------------------------------------------------ looking
    def begin(self, q: Array) -> State:
        """The start, out of all obstacles if there is a way out."""
        pose = Pose.trusted(self.skeleton, q)
        if self.guard is None:
            return self.look(pose, None)
        near = self.guard.near(pose)
        if float(near.worst) < self.guard.margin:
            pose, near = self.guard.push_out(pose, near)
        return self.look(pose, near)

    def move(self, state: State, q: Array) -> State | None:
        """The pose at q, or as far on the way there as obstacles allow; None if they allow nothing."""
        if self.guard is None or state.near is None:
            return self.look(Pose.trusted(self.skeleton, q), None)
        found = self.guard.advance(state.pose, state.near, q)
        return None if found is None else self.look(*found)

    def look(self, pose: Pose, near: Proximity | None) -> State:
        """Errors and Jacobian at a pose."""
        problem, stack, q = self.problem, self.stack, pose.q
        rows = stack.evaluate(problem.tasks, pose)
        raw = rows.error
        scaled = raw * stack.scale
        squares = scaled * scaled
        costs = [float(squares.sum())] if self.single else [float(squares[s].sum()) for s in self.slices]
        state = State(q, pose, rows, costs, stack.squares(raw).tolist(), near)
        posture = problem.posture
        if posture is not None:
            state.wish = posture.gain * (posture.q - q)
            state.left = float(state.wish.dot(state.wish))
        return state

    def reached(self, state: State) -> bool:
        """Whether every effector is within the tolerance."""
        return not state.squares or max(state.squares) < self.tolerance

    def compare(self, new: State, old: State, lowest: list[float]) -> tuple[int | None, bool]:
        """Compare a pose with the one before by the first level that tells them apart.

        Returns:
            The level that is worse (None if the new pose is better), and whether it is clearly better.
        """
        # what is reached is reached: then the posture decides
        arrived = new.wish is not None and self.reached(old) and self.reached(new)
        levels = enumerate(zip(new.costs, old.costs, lowest, self.floors, strict=True))
        for level, (a, b, low, floor) in () if arrived else levels:
            if a < b * (1.0 - _GAIN) - floor:
                return None, True
            if a > low * (1.0 + (0.0 if self.single else _SLIP)) + floor:
                return level, False
        if new.wish is not None:
            clearly = new.left < old.left * (1.0 - self.options.settled) - 1e-12
            return (None if new.left < old.left else 0), clearly
        return (None if any(a < b for a, b in zip(new.costs, old.costs, strict=True)) else 0), False

    # ------------------------------------------------------------------ stepping
    def step(self, state: State, memory: Memory, *, wish: Array | None, only: int | None = None) -> Array:
        """The next coordinates: lexicographic optimum of the linear picture inside the region.

        Args:
            state: where the figure stands; memory: caution and warm start; wish: (n,) step of the posture or
                None.
            only: correct the first `only` levels and leave the weaker ones as they are; None for all.
        """
        q, metric, region = state.q, self.metric, self.region
        scaled = -state.rows.error * self.stack.scale
        jacobian = state.rows.jacobian * self.stack.scale[:, None] * metric
        lower, upper = (self.low - q) / metric, (self.high - q) / metric
        pairs, normal, way = region.near_boundary(q, _AT_LIMIT)
        inequality, least = self._inequalities(state)
        target = None if wish is None else wish / metric
        for _ in range(_ROUNDS):
            turned = SwingBounds(region.pairs[pairs], normal, way, metric)
            rows = turned.rows(jacobian)
            levels = [
                Level(
                    rows if self.single else rows[s],
                    scaled[s] if only is None or index < only else np.zeros(len(s)),
                    (_FAR * cost + _NEAR) * caution,
                )
                for index, (s, cost, caution) in enumerate(
                    zip(self.slices, state.costs, memory.caution, strict=False)
                )
            ]
            answer = lexicographic(
                levels,
                *turned.bounds(lower, upper),
                None if inequality is None else turned.rows(inequality),
                least,
                None if target is None else turned.rows(target[None])[0],
                turned.warm(memory.working, region.pairs),
                _CHANGES,
            )
            memory.working = self.working = answer.working
            dq = turned.back(answer.x) * metric
            bounds = region.leaving(q, dq)
            if bounds is None or not bounds.leaving.any():
                break
            # at second order of the step the projection below is as good
            if np.abs(bounds.way - dq[region.pairs.T] * bounds.leaving).max() < _CURVED * np.abs(dq).max():
                break
            pairs, normal, way = merge(pairs, normal, way, bounds.leaving, bounds.normal, bounds.way)
        to = region.landing(q, dq, bounds)
        if self.low is not region.low:  # staying near: swing pairs know their bounds only along and across
            to = region.project_first(np.minimum(np.maximum(to, self.low), self.high))
        return to

    def _inequalities(self, state: State) -> tuple[Array | None, Array | None]:
        """Rows `C dz >= d`, scaled: one-sided goals and clearances; what is broken must not get worse."""
        rows, least = [], []
        for goal in self.one_sided:
            error, jacobian = goal.inequality(state.pose)
            rows.append(jacobian * self.metric / self.problem.length)
            least.append(np.minimum(-error, 0.0) / self.problem.length)
        if self.guard is not None and state.near is not None and len(state.near):
            clear, room = self.guard.rows(state.near, state.pose)
            rows.append(clear)
            least.append(room)
        return (np.concatenate(rows), np.concatenate(least)) if rows else (None, None)

    # ------------------------------------------------------------------ the whole way
    def solve(self, q: Array) -> Solution:
        """Iterate until the goals are reached and the posture is settled, or nothing gets better.

        Where that ends short of a goal, ways out are tried and taken only if they end better: the bend of
        straight limbs, turning farther than `max_turn`, and getting over the rim of a local minimum.
        """
        self.left = self.options.max_iterations
        before = self.options.before
        self.working = [] if before is None or before.memory is None else before.memory
        start = self.begin(q)
        self._stay_near(start.q)
        state, done = self._descend(start)
        stalled = done or self.left > 0
        if not self.reached(state):
            state = self._go_farther(self._bend(state))
        if self.options.escape and not self.reached(state):
            state = self._escape(state)
        if not self.reached(state):
            if self.single:
                state, rests = self._come_to_rest(state)
                stalled = stalled or rests
            else:
                state = self._settle_strong(state)
        return self._finish(state, self.options.max_iterations - self.left, stalled=stalled)

    def _come_to_rest(self, state: State) -> tuple[State, bool]:
        """The nearest pose to rounding, so that who asks again gets the same; not while a motion goes on.

        Returns:
            The state, and whether nothing near it is better.
        """
        whole = all(goal.whole for goal in self.problem.tasks)
        options = self.options
        if self.guard is not None or options.max_turn is not None or not whole or not options.rest:
            return state, False
        q, rests = polished(self.problem, state.q)
        return self.look(Pose.trusted(self.skeleton, q), None), rests

    def _stay_near(self, q: Array) -> None:
        """Hold every turn to `max_turn` around q."""
        most = self.options.max_turn
        if most is not None:
            turns = self.skeleton.is_turn
            self.low = np.where(turns, np.maximum(self.low, q - most), self.low)
            self.high = np.where(turns, np.minimum(self.high, q + most), self.high)

    def _go_farther(self, state: State) -> State:
        """Let go of `max_turn`, for good, where that is what it takes to reach all."""
        held = (state.q <= self.low + 1e-9) & (self.region.low < self.low - 1e-9)
        held |= (state.q >= self.high - 1e-9) & (self.region.high > self.high + 1e-9)
        self.low, self.high = self.region.low, self.region.high
        if self.reached(state) or not held.any() or not self.options.catch_up:
            return state
        self.working = []  # what held the figure at the narrower bounds holds it no more
        farther, _ = self._descend(state)
        return farther if self.reached(farther) else state

    def _bend(self, state: State) -> State:
        """Bend straight limbs that must shorten, if that ends better."""
        scale = self.stack.scale
        start = bend(self.skeleton, state.q, state.rows.error * scale, state.rows.jacobian * scale[:, None])
        return state if start is None else self._try(state, start)

    def _descend(self, state: State) -> tuple[State, bool]:
        """Better and better poses; and whether all is reached and settled at the end."""
        memory = Memory([1.0] * len(state.costs), self.working)
        lowest = list(state.costs)
        stall = 0
        settled = False
        while True:
            if self.reached(state) and (state.wish is None or settled):
                return state, True
            if not self.left or stall >= _PATIENCE or memory.caution[-1] > _MOST:
                return state, False
            self.left -= 1
            # The posture acts along the linear picture too: where steps were refused, ask for less of it as
            # well.
            wish = None if state.wish is None else state.wish / max([1.0, *memory.caution])
            trial = self.move(state, self.step(state, memory, wish=wish))
            if trial is None:
                settled = True
                memory.refused(0)
                continue
            worse, clearly = self.compare(trial, state, lowest)
            if self.reached(trial) and not self.reached(state):
                worse, clearly = None, True
            if worse is None:
                stall = 0 if clearly else stall + 1
                memory.taken(state.costs, self.promised(state, trial.q), trial.costs)
                state = trial
                settled = not clearly
                lowest = [min(a, b) for a, b in zip(lowest, state.costs, strict=True)]
            else:
                settled = True
                memory.refused(worse)

    def promised(self, state: State, q: Array) -> list[float]:
        """The levels' costs that the linear picture at a pose promises for coordinates q."""
        linear = (state.rows.error + state.rows.jacobian.dot(q - state.q)) * self.stack.scale
        squares = linear * linear
        return [float(squares.sum())] if self.single else [float(squares[s].sum()) for s in self.slices]

    def _escape(self, state: State) -> State:
        """Over the rim of a local minimum, if that is what it takes."""
        start = None if self.reached(state) else unlock(self.skeleton, state.q)
        if start is not None:
            state = self._try(state, start)
        rng = np.random.default_rng(self.options.seed)
        # among obstacles a start elsewhere may lie behind a wall: only where the user allows it
        for _ in range(_ATTEMPTS if self.guard is None or self.options.search else 0):
            if self.reached(state) or not self.left or too_far(self.problem, np.sqrt(state.squares)):
                break
            # somewhere else altogether is worth it only if everything is reached there
            other = self._try(state, scattered(self.skeleton, state.q, rng), jump=True)
            state = other if self.reached(other) else state
        return state

    def _try(self, kept: State, q: Array, *, jump: bool = False) -> State:
        """The end of the way from another start if it is clearly better, otherwise what was.

        Args:
            kept: what was; q: (n,) the other start.
            jump: whether the figure may be there without having gone there; or else obstacles are in the way.
        """
        start = self.begin(q) if jump else self.move(kept, q)
        if start is None:
            return kept
        if self.guard is not None and start.near is not None and float(start.near.worst) < self.guard.margin:
            return kept
        end, _ = self._descend(start)
        return end if self.compare(end, kept, kept.costs)[1] else kept

    def _settle_strong(self, state: State) -> State:
        """Put right what steps for weaker levels have moved at second order in those that are met."""
        for _ in range(_SETTLING):
            near = [cost < 10.0 * floor for cost, floor in zip(state.costs, self.floors, strict=True)]
            met = near.index(False) if False in near else len(near) - 1
            if not met or max(state.costs[:met]) < _EXACT * _EXACT:
                break
            for count in range(met, 0, -1):
                memory = Memory([_LEAST] * len(state.costs))
                trial = self.move(state, self.step(state, memory, wish=None, only=count))
                if trial is not None and trial.costs[:met] < state.costs[:met]:
                    state = trial
                    break
            else:
                break
        return state

    def _finish(self, state: State, iteration: int, *, stalled: bool) -> Solution:
        errors = np.sqrt(np.array(state.squares))
        clearance, blocked = np.inf, ""
        if self.guard is not None and state.near is not None:
            clearance = float(self.guard.scene.clearance(state.pose, state.near))
            if stalled and not self.reached(state):
                scale = self.stack.scale
                uphill = (state.rows.error * scale * scale) @ state.rows.jacobian
                blocked = self.guard.blocker(state.pose, state.near, uphill)
        return conclude(
            self.problem,
            state.q,
            iteration,
            self.options.tolerance,
            errors=errors,
            stalled=stalled,
            clearance=clearance,
            blocked=blocked,
            memory=self.working,
        )
