# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear picture that the default method makes itself of a pose, and the step that is best in it.

A step is the lexicographic optimum (`linalg.lexicographic`) of the goals' rows under the bounds of all
coordinates, those of swing pairs told along and across their boundaries, and under the inequality rows of
one-sided goals and obstacles.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ....arrays import Mask
from ....linalg.lexicographic import Level, lexicographic
from ....problem.problem import Problem
from ....rotation import Array
from .guard import Guard
from .standing import Memory, State
from .swing_bounds import SwingBounds

_FAR: Final = 0.3  # damping for each unit of a level's squared scaled error
_NEAR: Final = 1e-8  # damping at the goal
_AT_LIMIT: Final = 0.999  # measure of a swing region from which its boundary counts in the first round
_ROUNDS: Final = 4  # times that swing regions are linearised anew within a step
_CHANGES: Final = 12  # inequalities changed one at a time in a step; the next steps go on from there
_GRANTED: Final = 1e-4  # share of its squared error that may be left to a level that has what it wants
_NOTHING: Final = 1e-18  # squared scaled error that is none
_SLIGHT: Final = 1e-5  # figure sizes by which a one-sided goal may be broken without pulling anything
_NONE: Final = np.empty(0, dtype=np.intp)
_NO_EDGE: Final = SwingBounds({}, [], [])
_CURVED: Final = 0.2  # share of a step that projection into the swing regions may take off


class Picture:
    """The steps of one problem.

    Args:
        problem: of one frame; guard: over its obstacles, if there are any.

    Attributes:
        low, high: (n,) bounds of the coordinates that are no swing pairs; narrower than the region's while
            the figure stays near.
        still: (n,) which coordinates do not move, whatever that is good for; None for none.
    """

    def __init__(self, problem: Problem, guard: Guard | None) -> None:
        self.length, self.stack, self.guard = problem.length, problem.stack, guard
        self.skeleton, self.region, self.metric = problem.skeleton, problem.skeleton.region, self.stack.metric
        self.low, self.high = self.region.low, self.region.high
        self.still: Mask | None = None
        self.one_sided = [goal for goal in problem.tasks if goal.one_sided]
        self.sided = _NONE
        if self.one_sided:
            sided = [np.full(goal.effectors * goal.rows, goal.one_sided) for goal in problem.tasks]
            self.sided = np.flatnonzero(np.concatenate(sided))

    def stay_near(self, q: Array, most: float) -> None:
        """Hold every turn to `most` radians around q, those of what is heavy or stiff to less."""
        room = most * self.stack.turning
        self.low, self.high = np.maximum(self.low, q - room), np.minimum(self.high, q + room)

    def let_go(self, q: Array) -> bool:
        """No longer stay near; whether that held any coordinate of q back."""
        held = (q <= self.low + 1e-9) & (self.region.low < self.low - 1e-9)
        held |= (q >= self.high - 1e-9) & (self.region.high > self.high + 1e-9)
        self.low, self.high = self.region.low, self.region.high
        return bool(held.any())

    def step(self, state: State, memory: Memory, *, wish: Array | None, only: int | None = None) -> Array:
        """The next coordinates: lexicographic optimum of the linear picture inside the region.

        Levels that do not stand in each other's way are worked out as one, which is quicker.

        Args:
            state: where the figure stands; memory: caution and warm start; wish: (n,) step of the posture or
                None.
            only: correct the first `only` levels and leave the weaker ones as they are; None for all.
        """
        q, metric, region, stack = state.q, self.metric, self.region, self.stack
        columns = state.columns
        aim = state.scaled if memory.sag is None else state.scaled + memory.sag
        wanted = -aim
        if only is not None:
            wanted[stack.place >= only] = 0.0
        elif len(self.sided):
            # As an equality, what is hardly broken would keep weaker goals from lifting the figure off it.
            slight = self.sided[state.rows.error[self.sided] > -_SLIGHT * self.length]
            columns = columns.copy()
            wanted[slight] = columns[:, slight] = 0.0
        lower, upper = (self.low - q) / metric, (self.high - q) / metric
        edges = region.near_boundary(q, _AT_LIMIT)
        inequality, least = self._inequalities(state)
        target = None if wish is None else wish / metric
        if self.still is not None:
            columns = np.where(self.still[:, None], 0.0, columns)
            target = None if target is None else np.where(self.still, 0.0, target)
        together = memory.together and only is None
        levels, costs, caution = stack.levels, state.costs, memory.caution
        if together:
            levels, costs, caution = [slice(None)], [sum(costs)], [max(caution)]
        damping = [(_FAR * cost + _NEAR) * careful for cost, careful in zip(costs, caution, strict=True)]
        for _ in range(_ROUNDS):
            turned = SwingBounds(edges, region.pair_columns, metric.tolist()) if edges else _NO_EDGE
            rows = turned.along(columns).T
            answer = lexicographic(
                [Level(rows[s], wanted[s], c) for s, c in zip(levels, damping, strict=True)],
                lower,
                turned.upper(upper),
                None if inequality is None else turned.along(inequality.T).T,
                least,
                None if target is None else turned.along(target),
                memory.working,
                _CHANGES,
            )
            # what held a posture waits for the step that asks for one again
            memory.working = answer.working + memory.working[len(answer.working) :]
            dz = turned.back(answer.x)
            dq = dz * metric
            to = q + dq
            exits = region.exits_of_one(to) if len(region.pairs) else None
            # at second order of the step the projection below is as good
            if exits is None or not exits.beyond(to, region.slight(dq, _CURVED)):
                break
            edges = edges | exits.crossed(q)
        if together and len(stack.levels) > 1 and not self._granted(state, aim, dz):
            memory.together = False
            return self.step(state, memory, wish=wish)
        to = region.landing(to, exits)
        # staying near, swing pairs know their bounds only along and across
        if self.low is not region.low and (edges or exits is not None):
            return self._cut(q, to)
        return to

    def _cut(self, q: Array, to: Array) -> Array:
        """The way from q to another pose (n,) as far as it stays near, pair by pair.

        To put single coordinates back would leave the region, and its edge may be steep.
        """
        way, region = to - q, self.region
        ahead = np.where(way > 0.0, self.high - q, self.low - q)
        share = np.minimum(np.divide(ahead, way, out=np.ones_like(way), where=way != 0.0), 1.0)
        if (share == 1.0).all():
            return to
        share[region.pairs] = share[region.pairs].min(1, keepdims=True)
        return region.project_first(q + share * way)

    def _granted(self, state: State, aim: Array, dz: Array) -> bool:
        """Whether a scaled step (n,) gives all levels but the weakest what they want, (k,) errors to go."""
        promised = self.stack.costs(aim + dz.dot(state.columns))
        pairs = zip(promised[:-1], state.costs[:-1], strict=True)
        return all(new <= _GRANTED * old + _NOTHING for new, old in pairs)

    def promised(self, state: State, q: Array) -> list[float]:
        """The levels' costs that the linear picture at a pose promises for coordinates q."""
        return self.stack.costs(state.scaled + ((q - state.q) / self.metric).dot(state.columns))

    def _inequalities(self, state: State) -> tuple[Array | None, Array | None]:
        """Rows `C dz >= d`, scaled: one-sided goals and clearances; what is broken must not get worse."""
        if not self.one_sided:
            if self.guard is None or state.near is None or not len(state.near):
                return None, None
            return self.guard.rows(state.near, state.pose)
        rows, least = [], []
        for goal in self.one_sided:
            error, jacobian = goal.inequality(state.pose)
            rows.append(jacobian * self.metric / self.length)
            least.append(np.minimum(-error, 0.0) / self.length)
        if self.guard is not None and state.near is not None and len(state.near):
            clear, room = self.guard.rows(state.near, state.pose)
            rows.append(clear)
            least.append(room)
        return np.concatenate(rows), np.concatenate(least)
