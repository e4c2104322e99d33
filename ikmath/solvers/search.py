# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch of random starts within the limits, solved together; the best ends become restarts.

The batch ignores obstacles, and its ends are then filtered by clearance. The way to them is not checked.
Poses that reach their goals and are clear come first, ordered by posture cost. Those that touch least come
next, as the collision guard may push them out.
"""

from collections.abc import Iterator
from typing import ClassVar, Final

import numpy as np

from ..arrays import Array
from ..model.pose import Pose
from ..problem.problem import Problem, Solution
from .driver import Budget, IterationDriver
from .iterate import Iterate
from .restarts import Ended, RestartStrategy

_DRAWN: Final = 32  # starts of a batch,
_DRAWN_AMONG_OBSTACLES: Final = 64  # and where many of them end in what they may not touch
_STEPS: Final = 16  # steps of the batch at most: enough to tell good starts from bad ones
_ENOUGH: Final = 4  # starts at their goals at which it ends, to choose the nearest from
_THERE: Final = 1e-2
"""Figure sizes or radians from its targets within which the end of a start counts as there."""
_TRIED: Final = 3  # ends of the batch that become restarts,
_TRIED_AMONG_OBSTACLES: Final = 6  # and among obstacles, where some cannot be pushed out


class Search(RestartStrategy):
    """See the module."""

    jumps: ClassVar[bool] = True

    def starts(self, ended: Ended) -> Iterator[Iterate]:
        """See `RestartStrategy`."""
        if ended.budget.iterations < _STEPS:
            return
        ended.budget.spend(_STEPS)
        for q in self._drawn(ended):
            if ended.budget.out_of_time():
                return
            yield ended.driver.begin(q)

    def _drawn(self, ended: Ended) -> Array:
        """Coordinates (B, n) of the best ends of a batch."""
        driver, here = ended.driver, ended.start.q
        problem, guard = driver.problem, driver.guard
        count, enough = (_DRAWN, _ENOUGH) if guard is None else (_DRAWN_AMONG_OBSTACLES,) * 2
        drawn = np.concatenate([here[None], scattered(problem, ended.end.q, ended.rng, count - 1)])
        q, costs = batch_descent(problem, drawn, _STEPS, driver.tolerances, enough, ended.budget)
        if ended.budget.out_of_time():
            return q[:0]
        stack = problem.stack
        unscaled, _ = stack.evaluate_lazily(problem.tasks, Pose.trusted(problem.skeleton, q))
        errors = np.sqrt(stack.squares(unscaled))
        there = (errors < _THERE * problem.spans).all(-1)
        if guard is None:
            away = np.where(there, self._away(driver, here, q), np.inf)
            short = (errors > driver.tolerances).any(-1)  # a near miss may be a minimum of its own
            return np.asarray(q[np.lexsort((costs, away, short))[:_TRIED]])
        q = q[there]
        near = guard.scene.near(Pose.trusted(problem.skeleton, q), problem.detection_distance)
        depth = np.maximum(guard.margin - near.worst, 0.0)
        order = np.lexsort((self._away(driver, here, q), depth))
        return np.asarray(q[order[:_TRIED_AMONG_OBSTACLES]])

    @staticmethod
    def _away(driver: IterationDriver, here: Array, q: Array) -> Array:
        """(B,) the posture cost of poses (B, n); without a posture their squared distance from here (n,)."""
        problem, posture = driver.problem, driver.posture
        if posture is None:
            return np.asarray((((q - here) / problem.stack.metric) ** 2).sum(-1))
        return np.array([posture(Pose.trusted(problem.skeleton, one)).value for one in q])


def unchecked(answer: Solution) -> str:
    """The message of a solution, which adds that the way was not checked."""
    return f"{answer.message} The way there was not checked and may lead through obstacles."


def scattered(problem: Problem, q: Array, rng: np.random.Generator, count: int) -> Array:
    """Coordinates (count, n) drawn inside the limits; slides stay where they are in q."""
    skeleton = problem.skeleton
    low, high = np.maximum(skeleton.lower, -np.pi), np.minimum(skeleton.upper, np.pi)
    drawn = rng.uniform(low, np.maximum(low, high), (count, len(q)))
    return skeleton.joint_limits.project(np.where(skeleton.is_turn, drawn, q))


def batch_descent(
    problem: Problem, q: Array, steps: int, tolerances: Array, enough: int, budget: Budget
) -> tuple[Array, Array]:
    """Many poses (B, n) led on at once: damped steps with coordinates at their limits locked.

    Args:
        steps: at most; it ends where `enough` poses are within the tolerances (E,), or the time is out.

    Returns:
        The best poses (B, n), and squared errors (B,), a level weighing 1e4 times as much as the next.
    """
    stack, skeleton, region = problem.stack, problem.skeleton, problem.skeleton.joint_limits
    scale = stack.scale * 1e-2**stack.place
    best, least = q, np.full(len(q), np.inf)
    for step in range(steps + 1):
        unscaled, jacobian = stack.evaluate_lazily(problem.tasks, Pose.trusted(skeleton, q))
        error = unscaled * scale
        cost = (error * error).sum(-1)
        better = cost < least
        best, least = np.where(better[:, None], q, best), np.minimum(cost, least)
        there = (stack.squares(unscaled) <= tolerances**2).all(-1)
        if step == steps or np.count_nonzero(there) >= enough or budget.out_of_time():
            break
        rows = jacobian() if skeleton.coupling is None else skeleton.coupling.fold(jacobian())
        rows = rows * scale[:, None] * stack.metric
        damping = (0.05 * cost + 1e-6)[:, None, None]
        for _ in range(2):
            gram = rows @ rows.swapaxes(-1, -2) + damping * np.eye(rows.shape[1])
            z = -np.matmul(rows.swapaxes(-1, -2), np.linalg.solve(gram, error[..., None]))[..., 0]
            dq = z * stack.metric
            out = ((q + dq < region.low) & (q <= region.low)) | ((q + dq > region.high) & (q >= region.high))
            if not out.any():
                break
            rows, dq = np.where(out[:, None], 0.0, rows), np.where(out, 0.0, dq)
        q = region.project(q + dq)
    return best, least
