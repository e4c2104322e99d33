# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver of a drag: each update continues from the pose of the previous one.

While the mouse moves, an update is one solve with the turn limit of a frame. While it rests, the figure
approaches the best pose in small steps. Two kinds of better poses are not reachable in small steps: a
straight limb may be better bent, and a bone that misses its target may come nearer from the pose before the
drag. Both are searched for.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil, inf, radians
from typing import Any, Final

import numpy as np

import ikmath as ik
from ikmath.diagnosis.error_bounds import error_lower_bounds
from ikmath.solvers.collision_guard import is_free_path
from ikmath.solvers.method import Pausing
from ikmath.solvers.parameters import HierarchicalParameters

from ...bridge.armature import Array, PoseState
from ..frame.goals import effector_errors
from ..frame.hinging import Bent, bending_instead, bends_of, finished, is_on_the_way, led
from ..frame.plan import Plan
from ..frame.solve_frame import Ask, afresh, apart, solve_task
from ..frame.solved import Solved
from ..frame.task import Task

_SEEN: Final = 1e-4  # share of the figure's size; an effector with a smaller error counts as at its target
# Figure sizes; a larger motion of the mouse is split into steps of this length, so that the pose is the same
# as with a slow mouse. Joints turn by a limit in each: at twice the length straight legs bend late, and other
# joints move instead; at half of it knees leap.
_STRIDE: Final = 0.017
_CONVERGING_STRIDE: Final = 0.1  # the same for updates that converge
_STRIDES: Final = 8  # maximum number of these steps; longer jumps have longer ones
_ITERATIONS: Final = 12  # maximum for an update while the mouse moves; the next update continues
# By how much the drag outweighs the posture while the mouse moves, see `HierarchicalParameters.over_posture`.
# An update that ends early is then short of its target rather than of its posture. At the weight of solves
# that go on to the end, joints out of reach change their turn by a quarter more from update to update.
_OVER_POSTURE: Final = 1e2
_OF_AN_UPDATE: Final = 0.5  # share of the time limit for each of these solves: a fast mouse needs two
# Largest rotation of a joint about each axis in an update towards a better pose, slow enough for the eye.
_TURN: Final = radians(2.5)
_STILL: Final = 1e-3  # radians or figure sizes; after an update with less motion the figure has arrived
_LEAST_SECONDS: Final = 4e-3  # minimum time limit of a solve, for updates faster than any display
_AT_REST: Final = 24  # maximum iterations of an update while the mouse rests
_AT_MOST: Final = 60  # the same for the last update, or one that starts again
_LAST_SECONDS: Final = 0.15  # minimum time limit for coming to rest among obstacles, after the release
# Minimum iterations by which an update continues a solve from the pose before the drag, if the resting target
# is not reached.
_SEARCH_ITERATIONS: Final = 2
_NEARER: Final = 0.9  # share of the error that the other pose must be below to be used
_MUCH_NEARER: Final = 0.5  # the same for the lower bound of the error, if no pose reaches the target
# Radians or figure sizes; while the mouse moves, another pose must be nearer than this to be used. Otherwise
# a limb turns over for a few millimetres.
_LEAP: Final = radians(90.0)
_FARTHER: Final = 1.5  # factor by which the error must exceed that of the last failed attempt


class DragSolver:
    """The updates of one grip.

    Args:
        plan: with the dragged effectors; rows: of these; length: of the figure, metres.
        seconds: time limit of an update; infinite for updates that converge.

    Attributes:
        counts: (E,) the effectors that must reach their targets: the dragged ones and the stronger ones.
        last: the result of the last update; None before the first.
        arrived: whether another update with the same task would not move the figure.
    """

    def __init__(self, plan: Plan, rows: Sequence[int], length: float, seconds: float) -> None:
        dragged = plan.effectors[rows[0]].priority
        self.counts = np.array([effector.priority <= dragged for effector in plan.effectors])
        self.last: Solved | None = None
        self.arrived = False
        near = max(plan.tolerance, _SEEN * length)
        self._tolerance, self._length = near, length
        self._endless = seconds == inf
        self._seconds = max(seconds, _LEAST_SECONDS)
        limited: dict[str, Any] = {} if self._endless else {"seconds": self._seconds}
        part = {name: limit * _OF_AN_UPDATE for name, limit in limited.items()}
        calm = HierarchicalParameters(over_posture=_OVER_POSTURE)
        self._moving = plan.solver(
            most=_ITERATIONS, accuracy="reached", tolerance=near, parameters=calm, **part
        )
        exact: dict[str, Any] = {"accuracy": "exact", "restarts": 0}
        small: dict[str, Any] = {"most": _AT_REST, "max_turn": _TURN, **exact}
        self._resting, self._patient = plan.solver(**small, **limited), plan.solver(**small)
        self._exact = plan.solver(most=_AT_MOST, **exact)
        self._lost = plan.solver(most=_AT_MOST, **exact, **limited)
        self._search = plan.solver(**exact)
        self._better_pose: Array | None = None  # (n,) in which straight limbs are bent
        self._towards: Array | None = None  # (k,) the bends of its limbs, to which they are led
        self._tried: Sequence[float] = ()  # see `bending_instead`
        self._state: PoseState | None = None  # the animated pose of the last task
        self._looks: Pausing[Bent] | None = None  # for a pose with straight limbs bent
        self._begun: Pausing[ik.Solution] | None = None  # a solve from the pose before the drag
        self._vain = 0.0  # error at the last failed attempt to start again

    def update(self, task: Task, *, rests: bool, passes: bool = False) -> Solved:
        """Solve a task as well as possible within the time limit.

        `rests` is whether the targets are those of before, and `passes` whether another update follows at
        once, so that better poses need not be looked for.
        """
        if self._endless:
            return self.finish(task)
        last, among = self.last, task.problem.scene is not None
        deadline = time.perf_counter() + self._seconds
        if task.sample.state is not self._state:
            self._begun = self._looks = None
        self._state = task.sample.state
        if last is None:
            self.last = self._solved(task, None, self._lost.solve) if among else self.settle(task)
            return self.last
        if not rests:
            self._begun = None
        if self._begun is not None:  # the figure stands still meanwhile
            self.last = self._begin_anew(task, last, deadline)
            return self.last
        was_there = self.is_there(last)
        # at rest the time may run out before the first step that helps
        resting = [self._resting.solve, *[self._patient.solve] * (not among)]
        for ask in resting if rests else [partial(self._moving.solve, following=last.solution)]:
            solved = self._solved(task, last, ask)
            still = apart(task.problem, solved.q, last.q) < _STILL
            if not still:
                break
        if self._towards is not None:
            # the mouse may want the limb straight again; where it rests, what is late catches up
            fails = not self.is_there(solved) and (still or not rests)
            if fails or not is_on_the_way(task.figure.hinges, solved.q, self._towards):
                self._towards = None
            still = False
        self.arrived = rests and still
        if passes:
            self.last = solved
            return solved
        looks, self._looks = self._looks, None
        if self.is_there(solved):
            if self._towards is None and (rests or not still or looks is not None):
                self._look_for_bends(task, solved, looks, deadline)
        elif rests:
            if self.arrived:
                solved = self._begin_anew(task, solved, deadline)
        elif was_there and not among:
            anew = self._solved(task, None, self._lost.solve)
            if apart(task.problem, solved.q, anew.q) < _LEAP:
                solved = self._better(solved, anew)
        self.last = solved
        return solved

    @property
    def searches(self) -> bool:
        """Whether a solve from the pose before the drag goes on in the next update."""
        return self._begun is not None

    def strides(self, way: float) -> int:
        """Number of updates for a displacement of the target, metres."""
        stride = _CONVERGING_STRIDE if self._endless else _STRIDE
        return max(1, min(ceil(way / (stride * self._length)), _STRIDES))

    def settle(self, task: Task) -> Solved:
        """The converged pose, as far as it is found within the time limit."""
        deadline = time.perf_counter() + self._seconds
        self.last = self._converged(task, self._lost, deadline)
        self.arrived = self.is_there(self.last) and time.perf_counter() <= deadline
        return self.last

    def finish(self, task: Task) -> Solved:
        """The last pose: the converged one, without a time limit.

        Among obstacles that may be far from the pose that is seen, and take seconds. So updates with a time
        limit go on there for a moment as at rest, without another start.
        """
        self._begun, last = None, self.last
        if last is not None and not self._endless and task.problem.scene is not None:
            deadline = time.perf_counter() + max(self._seconds, _LAST_SECONDS)
            while not (self.arrived or self.searches):
                last = self.update(task, rests=True)
                if time.perf_counter() > deadline:
                    break
            self._begun, self._looks, self.arrived = None, None, True
            return last
        solved = self._converged(task, self._exact, inf)
        if not self.is_there(solved) and self._may_come_nearer(task, solved):
            solver = self._search if self._endless else self._exact
            solved = self._better(solved, self._solved(task, None, solver.solve))
        self.last, self.arrived = solved, True
        return solved

    def _converged(self, task: Task, solver: ik.Solver, deadline: float) -> Solved:
        """The converged pose near the last one, with straight limbs bent where that is better.

        Bends that are not found at the deadline are looked for in the next update.
        """
        solved = self._arrived(task, self._solved(task, self.last, solver.solve), solver)
        if self.is_there(solved):
            self._look_for_bends(task, solved, None, deadline)
            solved = self._arrived(task, solved, solver)
        return solved

    def _arrived(self, task: Task, solved: Solved, solver: ik.Solver) -> Solved:
        """The pose that the figure moves towards, if there is one, else `solved`."""
        if self._towards is not None:
            self._towards = None
            solved = self._solved(task, replace(solved, q=self._better_pose), solver.solve)
        return solved

    def _solved(self, task: Task, last: Solved | None, ask: Ask) -> Solved:
        if self._towards is not None and last is not None:
            problem, q = led(task.figure.hinges, task.problem, last.q, self._towards)
            task, last = replace(task, problem=problem), replace(last, q=q)
        return solve_task(task, last, brief=True, ask=ask)

    def _look_for_bends(
        self, task: Task, solved: Solved, looks: Pausing[Bent] | None, deadline: float
    ) -> None:
        """Check whether straight limbs are better bent, and set the pose to move towards.

        `looks` is what an earlier update has begun. What is not done at the deadline goes on in the next one.
        """
        if not task.figure.exact:
            return
        if looks is None:
            looks = bending_instead(task.figure, task.problem, solved.solution, self._tried, self._exact)
        found = finished(looks, deadline)
        if found is None:
            self._looks, self.arrived = looks, False
            return
        other, self._tried = found
        if other is not None and is_free_path(task.problem, solved.q, other.q):
            self._better_pose, self.arrived = other.q, False
            self._towards = bends_of(task.figure.hinges, solved.q, other.q)

    def _begin_anew(self, task: Task, solved: Solved, deadline: float) -> Solved:
        """Continue a solve from the pose before the drag; when it ends, return its pose if that is better."""
        search, self._begun = self._begun, None  # one that fails does not go on
        if search is None:
            if not self._may_come_nearer(task, solved):
                return solved
            search = self._search.in_parts(*afresh(task))
        found = finished(search, deadline, _SEARCH_ITERATIONS)
        if found is None:
            self._begun, self.arrived = search, False
            return solved
        chosen = self._better(solved, self._solved(task, replace(solved, q=found.q), self._lost.solve))
        self.arrived = chosen is solved
        return chosen

    def _better(self, solved: Solved, anew: Solved) -> Solved:
        """`anew` if its error is sufficiently smaller, else `solved`."""
        taken = self.off(anew) < _NEARER * self.off(solved)
        self._vain = 0.0 if taken else self.off(solved)
        return anew if taken else solved

    def _may_come_nearer(self, task: Task, solved: Solved) -> bool:
        """Whether another start may reduce the error."""
        off = self.off(solved)
        pose = ik.Pose.forward(task.figure.skeleton, solved.q)
        found, _ = effector_errors(len(self.counts), task.parts, error_lower_bounds(task.problem, pose))
        least = float(np.nanmax(found[self.counts], initial=0.0))
        return least <= self._tolerance or (least < _MUCH_NEARER * off and off > _FARTHER * self._vain)

    def is_there(self, solved: Solved) -> bool:
        """Whether the dragged bone is at its target and all stronger effectors are at theirs."""
        return self.off(solved) <= self._tolerance

    def off(self, solved: Solved) -> float:
        """Largest error of the effectors that count, metres or radians."""
        off = np.concatenate([solved.distance[self.counts], solved.angle[self.counts]])
        return float(np.nanmax(off, initial=0.0))
