# SPDX-License-Identifier: GPL-3.0-or-later
"""The default: goals in strict order of priority, inside every limit, with nothing to tune.

Each step is the lexicographic optimum of the linear picture (`linalg.lexicographic`): a level's errors are
made as small as can be without disturbing the levels above, under all joint limits as inequalities, the
posture last. A joint at its limit leaves it as soon as that helps, since only the inequality holds it (no
locking: Ge 2000, section 5.1). Swing regions enter by their tangent where a step would leave them.

A step is taken if it makes the first level better that it changes at all, on the true errors and not on the
linear ones; otherwise it is damped more and worked out again (Whitney's and Ki & Sheen's halving, as
Levenberg and Marquardt do it). Where a straight limb gives the linear picture no way to bend, it is given a
small bend to the side that its limits and its rest pose prefer, and the solve goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np

from ..diagnosis import conclude
from ..errors import BadValue
from ..linalg.lexicographic import Level, Working, lexicographic
from ..obstacles import Proximity
from ..pose import Pose
from ..problem import Problem, Solution, Status
from ..rotation import Array
from .base import Method, Options
from .escapes import bend, unlock
from .guard import Guard
from .swing_bounds import SwingBounds, merge

_FAR: Final = 0.3  # damping for each unit of a level's squared scaled error
_NEAR: Final = 1e-8  # damping at the goal
_GAIN: Final = 1e-3  # share of a level's squared error that counts as better
_SLIP: Final = 2e-3  # share by which a level may be worse on the way, for the sake of a weaker one
_PATIENCE: Final = 4  # steps without a gain before the figure is called settled
_MORE, _LESS, _LEAST, _MOST = 5.0, 0.4, 1e-3, 1e7  # how the caution answers refused and accepted steps
_ROUNDS: Final = 4  # times that swing regions are linearised anew within a step
_CURVED: Final = 0.05  # share of a step that projection into the swing regions may take off
_AT_LIMIT: Final = 0.999  # measure of a swing region from which its boundary counts in the first round
_LOOSE: Final = 1e-3  # error of strong levels, in figure sizes, that counts as none on the way
_EXACT: Final = 1e-7  # error of strong levels, in figure sizes, below which weaker ones do not disturb them
_SETTLING: Final = 3  # steps at most to put strong levels right at the end


@dataclass(frozen=True, kw_only=True)
class HierarchicalOptions(Options):
    """Options of `hierarchical`.

    Attributes:
        escape: whether a solve that ends short may try to get over the rim of a local minimum. Off for the
            frames of a clip after the first, where a better pose elsewhere would be a jump.
        restarts: further starts, drawn by `seed`, where a local minimum blocks the way.
        seed: of the further starts.
    """

    escape: bool = True
    restarts: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if int(self.restarts) != self.restarts or self.restarts < 0:
            raise BadValue(f"restarts={self.restarts!r}", "must be a whole number, zero or more.")


@dataclass(slots=True)
class _State:
    """Where a solve stands: the accepted pose and all that is known of it."""

    q: Array
    pose: Pose
    raw: Array
    jacobian: Array
    costs: list[float]
    squares: list[float]
    near: Proximity | None = None
    left: float = 0.0  # squared length of what the posture still asks for
    wish: Array | None = None


@dataclass(slots=True)
class _Memory:
    """What is kept from step to step of one solve."""

    caution: list[float]
    working: list[Working] = field(default_factory=list)

    def answer(self, worse: int | None) -> None:
        """Learn from a trial: the level that spoiled it (None if it was taken).

        What spoils a level at second order is mostly the step of weaker ones: they become the most careful.
        """
        for level, caution in enumerate(self.caution):
            if worse is None:
                self.caution[level] = max(caution * _LESS, _LEAST)
            elif level >= worse:
                self.caution[level] = caution * (_MORE if level == worse else 2.0 * _MORE)


class _Run:
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
        self.one_sided = [goal for goal in problem.tasks if goal.one_sided]
        self.guard = None if problem.scene is None else Guard(problem, problem.scene, self.metric)

    # ------------------------------------------------------------------ looking
    def begin(self, q: Array) -> _State:
        """The start, out of all obstacles if there is a way out."""
        pose = Pose.trusted(self.skeleton, q)
        if self.guard is None:
            return self.look(pose, None)
        near = self.guard.near(pose)
        if float(near.worst) < self.guard.margin:
            pose, near = self.guard.push_out(pose, near)
        return self.look(pose, near)

    def move(self, state: _State, q: Array) -> _State | None:
        """The pose at q, or as far on the way there as obstacles allow; None if they allow nothing."""
        if self.guard is None or state.near is None:
            return self.look(Pose.trusted(self.skeleton, q), None)
        found = self.guard.advance(state.pose, state.near, q)
        return None if found is None else self.look(*found)

    def look(self, pose: Pose, near: Proximity | None) -> _State:
        """Errors and Jacobian at a pose."""
        problem, stack, q = self.problem, self.stack, pose.q
        raw, jacobian = stack.evaluate(problem.tasks, pose)
        scaled = raw * stack.scale
        squares = scaled * scaled
        costs = [float(squares.sum())] if self.single else [float(squares[s].sum()) for s in self.slices]
        state = _State(q, pose, raw, jacobian, costs, stack.squares(raw).tolist(), near)
        posture = problem.posture
        if posture is not None:
            state.wish = posture.gain * (posture.q - q)
            state.left = float(state.wish.dot(state.wish))
        return state

    def reached(self, state: _State) -> bool:
        """Whether every effector is within the tolerance."""
        return not state.squares or max(state.squares) < self.tolerance

    def compare(self, new: _State, old: _State, lowest: list[float]) -> tuple[int | None, bool]:
        """Compare a pose with the one before by the first level that tells them apart.

        Returns:
            The level that is worse (None if the new pose is better), and whether it is clearly better.
        """
        levels = enumerate(zip(new.costs, old.costs, lowest, self.floors, strict=True))
        for level, (a, b, low, floor) in levels:
            if a < b * (1.0 - _GAIN) - floor:
                return None, True
            if a > low * (1.0 + (0.0 if self.single else _SLIP)) + floor:
                return level, False
        if new.wish is not None:
            clearly = new.left < old.left * (1.0 - _GAIN) - 1e-12
            return (None if new.left < old.left else 0), clearly
        return (None if any(a < b for a, b in zip(new.costs, old.costs, strict=True)) else 0), False

    # ------------------------------------------------------------------ stepping
    def step(self, state: _State, memory: _Memory, *, wish: Array | None, only: int | None = None) -> Array:
        """The next coordinates: lexicographic optimum of the linear picture inside the region.

        Args:
            state: where the figure stands; memory: caution and warm start; wish: (n,) step of the posture or
                None.
            only: correct the first `only` levels and leave the weaker ones as they are; None for all.
        """
        q, metric, region = state.q, self.metric, self.region
        scaled = -state.raw * self.stack.scale
        jacobian = state.jacobian * self.stack.scale[:, None] * metric
        lower, upper = (region.low - q) / metric, (region.high - q) / metric
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
            )
            memory.working = answer.working
            dq = turned.back(answer.x) * metric
            bounds = region.leaving(q, dq)
            if bounds is None or not bounds.leaving.any():
                break
            # at second order of the step the projection below is as good
            if np.abs(bounds.way - dq[region.pairs.T] * bounds.leaving).max() < _CURVED * np.abs(dq).max():
                break
            pairs, normal, way = merge(pairs, normal, way, bounds.leaving, bounds.normal, bounds.way)
        return region.project_first(q + dq)

    def _inequalities(self, state: _State) -> tuple[Array | None, Array | None]:
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
        straight limbs and, where `escape` allows it, joints at their limits put back to the middle.
        """
        self.left = self.options.max_iterations
        state, done = self._descend(self.begin(q))
        if not done and not self.reached(state):
            scale = self.stack.scale
            start = bend(self.skeleton, state.q, state.raw * scale, state.jacobian * scale[:, None])
            if start is not None:
                state = self._try(state, start)
            start = None
            if self.options.escape and not self.reached(state):
                start = unlock(self.skeleton, state.q)
            if start is not None:
                state = self._try(state, start)
        stalled = done or self.left > 0
        if not self.single and not self.reached(state):
            state = self._settle_strong(state)
        return self._finish(state, self.options.max_iterations - self.left, stalled=stalled)

    def _descend(self, state: _State) -> tuple[_State, bool]:
        """Better and better poses; and whether all is reached and settled at the end."""
        memory = _Memory([1.0] * len(state.costs))
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
                memory.answer(0)
                continue
            worse, clearly = self.compare(trial, state, lowest)
            if self.reached(trial) and not self.reached(state):
                worse, clearly = None, True
            if worse is None:
                stall = 0 if clearly else stall + 1
                state = trial
                settled = not clearly
                lowest = [min(a, b) for a, b in zip(lowest, state.costs, strict=True)]
            else:
                settled = True
            memory.answer(worse)

    def _try(self, kept: _State, q: Array) -> _State:
        """The end of the way from another start if it is clearly better, otherwise what was."""
        start = self.begin(q)
        if self.guard is not None and start.near is not None and float(start.near.worst) < self.guard.margin:
            return kept
        end, _ = self._descend(start)
        return end if self.compare(end, kept, kept.costs)[1] else kept

    def _settle_strong(self, state: _State) -> _State:
        """Put right what steps for weaker levels have moved at second order in those that are met."""
        for _ in range(_SETTLING):
            near = [cost < 10.0 * floor for cost, floor in zip(state.costs, self.floors, strict=True)]
            met = near.index(False) if False in near else len(near) - 1
            if not met or max(state.costs[:met]) < _EXACT * _EXACT:
                break
            for count in range(met, 0, -1):
                memory = _Memory([_LEAST] * len(state.costs))
                trial = self.move(state, self.step(state, memory, wish=None, only=count))
                if trial is not None and trial.costs[:met] < state.costs[:met]:
                    state = trial
                    break
            else:
                break
        return state

    def _finish(self, state: _State, iteration: int, *, stalled: bool) -> Solution:
        errors = np.sqrt(np.array(state.squares))
        clearance, blocked = np.inf, ""
        if self.guard is not None and state.near is not None:
            clearance = float(self.guard.scene.clearance(state.pose))
            if stalled and not self.reached(state):
                scale = self.stack.scale
                uphill = (state.raw * scale * scale) @ state.jacobian
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
        )


class Hierarchical(Method):
    """See the module."""

    name: ClassVar[str] = "hierarchical"
    label: ClassVar[str] = "Hierarchical"
    description: ClassVar[str] = (
        "Strict priorities inside all limits, exact and without tuning. Use this unless you study another."
    )
    source: ClassVar[str] = "Kanoun, Lamiraux & Wieber 2011; Escande, Mansard & Wieber 2014; own"
    options: ClassVar[type[Options]] = HierarchicalOptions
    priorities: ClassVar[bool] = True
    obstacles: ClassVar[bool] = True

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        run = _Run(problem, options)
        best = run.solve(q)
        if options.restarts and best.status is not Status.REACHED:
            best = self._restart(run, best, options)
        return best

    def _restart(self, run: _Run, best: Solution, options: Any) -> Solution:
        """The best of further starts drawn inside the limits; the first that reaches all ends the search."""
        skeleton, rng = run.skeleton, np.random.default_rng(options.seed)
        low, high = np.maximum(skeleton.lower, -np.pi), np.minimum(skeleton.upper, np.pi)
        low, high = np.where(skeleton.is_turn, low, best.q), np.where(skeleton.is_turn, high, best.q)
        for _ in range(options.restarts):
            other = run.solve(skeleton.region.project(rng.uniform(low, high)))
            if _worth(run.problem, other) < _worth(run.problem, best):
                best = other
            if best.status is Status.REACHED:
                break
        return best


def _worth(problem: Problem, solution: Solution) -> list[float]:
    """Squared errors level by level, to compare solutions by."""
    scale = problem.stack.scale[problem.stack.starts]
    weighed = (solution.errors * scale) ** 2
    level = problem.stack.level[problem.stack.starts]
    return [float(weighed[level == p].sum()) for p in sorted(set(level.tolist()))]
