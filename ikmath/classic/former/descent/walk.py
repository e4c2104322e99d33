# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of the default method from pose to better pose, and what there is to say of one.

See `hierarchical` for what a step is, and `descent` for which ways are tried.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ....collision import ClosestPairs
from ....model.pose import Pose
from ....problem.problem import Problem
from ....rotation import Array
from ...stepping import LEAST, MOST
from .arcs import Arcs
from .guard import Guard
from .picture import Picture
from .standing import Creeping, Draw, Memory, Sag, State, Sway, Trail

_GAIN: Final = 1e-4  # share of a level's squared error that counts as better,
_SLIDE: Final = 1e-3  # and where obstacles are slid along
_SETTLED: Final = 1e-3  # share of what the posture still asks for (squared) that counts as better
_SLIP: Final = 2e-3  # share by which a level may be worse on the way, for the sake of a weaker one
_CREEPING: Final = 8  # steps among obstacles that must gain more than next to nothing together,
_HURRY: Final = 4  # and in attempts, most of which lead back to where it creeps
_PATIENCE: Final = 4  # steps without a gain before the figure is called settled
_LOOSE: Final = 1e-3  # error of strong levels, in figure sizes, that counts as none on the way
_STILL: Final = 1e-5  # radians or metres; who would not even go so far has settled
_LITTLE: Final = 0.02  # share of what the posture asks for; to refuse so little means that it has settled
EXACT: Final = 1e-7
"""Error of strong levels, in figure sizes, below which weaker ones do not disturb them."""
SETTLING: Final = 3
"""Steps at most to put strong levels right."""


class Walk:
    """Poses of one problem and the steps between them.

    Args:
        problem: of one frame; options: the method's.
        trail: what the frame before has left; following: whether there was one, from whose pose the figure
            must not jump away.

    Attributes:
        single: whether there is but one level; floors: squared error of each that is none on the way;
        guard: what keeps out of obstacles, None without; picture: what proposes steps;
        working: what holds the figure in its steps; sag, sway: of the frame before, then of this one;
        rests: whether it comes to rest where it ends short;
        left: steps that may still be taken; start: where the solve began.
    """

    rests: bool
    left: int
    start: State

    def __init__(self, problem: Problem, options: Any, trail: Trail, *, following: bool) -> None:
        self.problem, self.options, self.following = problem, options, following
        self.skeleton, self.stack = problem.skeleton, problem.stack
        self.single = len(self.stack.levels) <= 1
        self.draw = Draw.of(problem)
        self.tolerance = options.tolerance**2
        self.floors = [0.0]
        if not self.single:
            # this far off a strong level may be on the way: the next step puts it right
            self.floors = [(_LOOSE * problem.length * most) ** 2 for most in self.stack.most]
            if not following:
                self.floors[-1] = 0.0  # only the posture is weaker, and that puts nothing right
        scene = problem.scene
        self.guard = None if scene is None else Guard(problem, scene, self.stack.metric, trail.near)
        self.gain = _GAIN if self.guard is None else _SLIDE
        self.picture = Picture(problem, self.guard)
        # the pose is handed on once, so that no clip keeps all of them
        self.working, self.known, trail.pose, trail.near = trail.working, trail.pose, None, None
        self.sag, self.sway = trail.sag, trail.sway

    def begin(self, q: Array) -> State:
        """The start, out of all obstacles if there is a way out."""
        pose, self.known = self.known, None
        if pose is None or pose.skeleton is not self.skeleton or (pose.q != q).any():
            pose = self.stack.begin(self.skeleton, q)
        if self.guard is None:
            return self.look(pose, None)
        return self.look(*self.guard.begun(pose))

    def move(self, state: State, q: Array) -> State | None:
        """The pose at q, or as far on the way there as obstacles allow; None if they allow nothing."""
        if self.guard is None or state.near is None:
            return self.look(Pose.trusted(self.skeleton, q), None)
        found = self.guard.advance(state.pose, state.near, q)
        return None if found is None else self.look(*found)

    def look(self, pose: Pose, near: ClosestPairs | None) -> State:
        """Errors and Jacobian at a pose."""
        problem, stack, q = self.problem, self.stack, pose.q
        rows = stack.evaluate(problem.tasks, pose)
        scaled = rows.error * stack.scale
        squares = stack.squares(rows.error).tolist()
        reached = not squares or max(squares) < self.tolerance
        state = State(q, pose, rows, scaled, stack.units, stack.costs(scaled), squares, reached, near)
        state.wish, state.left = (None, 0.0) if self.draw is None else self.draw.at(q)
        return state

    def compare(self, new: State, old: State, lowest: list[float] | None = None) -> tuple[int | None, bool]:
        """Compare a pose with the one before by the first level that tells them apart.

        Args:
            new, old: the poses.
            lowest: the best of each level so far, above which it may slip on the way; None for no slip.

        Returns: the level that is worse (None if the new pose is better), and whether it is clearly better.
        """
        # what is reached is reached: then the posture decides
        arrived = new.wish is not None and old.reached and new.reached
        slip = 0.0 if self.single else _GAIN if lowest is None else _SLIP
        levels = enumerate(zip(new.costs, old.costs, lowest or old.costs, self.floors, strict=True))
        for level, (a, b, low, floor) in () if arrived else levels:
            if a < b * (1.0 - self.gain) - floor:
                return None, True
            if a > low * (1.0 + slip) + floor:
                return level, False
        if new.wish is not None:
            clearly = new.left < old.left * (1.0 - _SETTLED) - 1e-12
            return (None if new.left < old.left else 0), clearly
        return (None if any(a < b for a, b in zip(new.costs, old.costs, strict=True)) else 0), False

    def corrected(self, state: State, count: int) -> State | None:
        """A step for the first `count` levels alone; None if obstacles allow nothing."""
        memory = Memory([LEAST] * len(state.costs))
        return self.move(state, self.picture.step(state, memory, wish=None, only=count))

    def put_right(self, state: State, count: int) -> State | None:
        """The first `count` levels put right again as far as may be, the weaker ones left as they are.

        None where nothing comes of it.
        """
        for step in range(SETTLING):
            if max(state.costs[:count]) < EXACT * EXACT:
                break
            trial = self.corrected(state, count)
            if trial is None or not trial.costs[:count] < state.costs[:count]:
                return state if step else None
            state = trial
        return state

    def descend(self, state: State, *, hurry: bool = False) -> tuple[State, bool]:
        """Better and better poses from one on, until all is reached and settled, or nothing gets better.

        Args:
            state: where to begin; hurry: whether it is but an attempt.

        Returns:
            The last pose, and whether all is reached and settled there.
        """
        return _Stretch(self, state, hurry=hurry).go()


class _Stretch:
    """One way from a start on.

    Attributes:
        state: the pose that was taken last; best: of all that were, by goals that may slip on the way;
        lowest: the best of each level; memory: what the steps have taught; stall: steps without a gain;
        warm: whether what held the frame before still holds; settled: whether the posture is;
        only_land: whether the next steps leave the posture as it is.
    """

    def __init__(self, walk: Walk, state: State, *, hurry: bool) -> None:
        self.walk, self.state, self.best, self.lowest = walk, state, state, list(state.costs)
        # creeping to where rest is near is a waste, as it is for who asks briefly
        floors = walk.floors if walk.rests else [0.0] * len(walk.floors)
        self.creeping = Creeping(_HURRY if hurry or walk.rests else _CREEPING, floors)
        self.may_creep = walk.following and walk.guard is None and not hurry
        self.memory = Memory([1.0] * len(state.costs), walk.working, share=Sway.calm(walk.sway))
        self.expected = self.memory.expect(walk.sag, walk.stack, state.scaled)
        walk.sag = None
        self.arcs = None if walk.following or walk.guard is not None else Arcs(walk.problem)
        self.stall, self.warm = 0, bool(walk.working)
        self.settled = self.only_land = False

    def go(self) -> tuple[State, bool]:
        """See `Walk.descend`."""
        while not (self.state.reached and (self.state.wish is None or self.settled)):
            if self.is_over():
                return self.best, False
            self.walk.left -= 1
            trial, aimed = self.step()
            if trial is None:
                self.settled = True
                self.memory.refused(0)
            elif not self.judge(trial, aimed):
                return self.best, False
        return self.state, True

    def is_over(self) -> bool:
        """Whether there is no point in a further step."""
        if not self.may_creep and self.creeping.at(self.lowest):
            return True
        return not self.walk.left or self.stall >= _PATIENCE or self.memory.caution[-1] > MOST

    def step(self) -> tuple[State | None, Array | None]:
        """Where the next step leads, None if obstacles allow none; and by how much (k,) it has aimed off."""
        walk, state, memory = self.walk, self.state, self.memory
        # the posture acts along the linear picture too: where steps were refused, ask for less of it
        share = min(memory.share, 1.0 / max(memory.caution))
        wish = None if state.wish is None or self.only_land else state.wish * share
        if self.arcs is not None:
            memory.sag = self.arcs.sag(state)
        trial = walk.move(state, walk.picture.step(state, memory, wish=wish))
        walk.working, aimed, memory.sag = memory.working, memory.sag, None
        return trial, aimed

    def judge(self, trial: State, aimed: Array | None) -> bool:
        """Take a pose or refuse it; whether to go on."""
        walk, state = self.walk, self.state
        worse, clearly = walk.compare(trial, state, self.lowest)
        if worse is not None and (worse + 1 < len(state.costs) or state.reached):
            # a step for what is weaker bends the stronger levels at second order: judge it put right
            trial = walk.put_right(trial, worse + 1) or trial
            worse, clearly = walk.compare(trial, state, self.lowest)
        if trial.reached and not state.reached:
            worse, clearly = None, True
        if worse is not None:
            return self.refuse(trial, worse)
        self.take(trial, aimed, clearly=clearly)
        return True

    def take(self, trial: State, aimed: Array | None, *, clearly: bool) -> None:
        """Go on from a pose that is better, or clearly so."""
        walk, state = self.walk, self.state
        if walk.following and state is walk.start:
            left = trial.scaled if aimed is None else trial.scaled + aimed
            walk.sag = Sag.of(walk.stack, state.scaled, left, self.expected)
        self.stall = 0 if clearly else self.stall + 1
        # a posture goes on settling in the frames to come
        self.only_land = walk.following
        self.settled = not clearly or self.only_land
        if not (self.settled and trial.reached):
            self.memory.taken(state.costs, walk.picture.promised(state, trial.q), trial.costs)
        self.state = trial
        if walk.single or walk.compare(trial, self.best)[0] is None:
            self.best = trial
        self.lowest = [min(a, b) for a, b in zip(self.lowest, trial.costs, strict=True)]

    def refuse(self, trial: State, worse: int) -> bool:
        """Learn from a pose that has made a level worse; whether to go on."""
        memory = self.memory
        memory.refused(worse)
        self.settled = memory.share < _LITTLE
        if np.abs(trial.q - self.state.q).max() >= _STILL:
            return True
        if not self.warm:
            return False
        # what held the frame before may hold too much here
        memory.working, self.warm = [], False
        return True
