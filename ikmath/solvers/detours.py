# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints around obstacles between an effector and its target: a restart strategy.

The effector is taken as a ball as thick as its limb. Of many places around it, some have a free straight line
to the effector and some to its target. One of each with a free line between them make a detour. Whether the
limb can follow is tested by solving for each waypoint.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from ..collision import Scene
from ..collision.closest_points import gaps
from ..collision.vectors import length
from ..goals import Position
from ..model.pose import Pose
from ..problem.problem import Problem
from ..rotation import Array
from .driver import Budget, IterationDriver
from .iterate import Iterate
from .restarts import Ended, RestartStrategy

_NEARLY: Final = 0.01  # figure sizes or radians within which a waypoint counts as reached
_DETOUR: Final = 40  # iterations to each waypoint
_DIRECTIONS: Final = 60
_DISTANCES: Final = (0.1, 0.2, 0.35, 0.5)  # figure sizes, of waypoints from the middle of the straight line
_SLENDER: Final = 0.9  # share of its radius that the ball has, since where it stands it may touch
_APART: Final = 0.5  # cosine between the directions of two places above which one of them is enough
_PIECES: Final = (0.25, 0.5, 0.75)  # shares of a straight line, solved one after another
_WAYS: Final = 3
_SEEN: Final = 32  # waypoints considered at either end


class Detours(RestartStrategy):
    """See the module. The figure is solved for each waypoint in turn."""

    def starts(self, ended: Ended) -> Iterator[Iterate | None]:
        """See `RestartStrategy`: the figure at the last waypoint of each detour."""
        driver = ended.driver
        nearly = _NEARLY * driver.problem.length * np.ones(len(driver.tolerances))
        stands = ended.start, ended.end
        ways = ((one.q, way) for one in stands for way in detours(driver.problem, one))
        for q, way in ways:
            for problem in way:
                if ended.budget.out_of_time():
                    return
                between = IterationDriver(
                    problem, driver.posture, driver.bounds, driver.guard, driver.parameters, nearly
                )
                budget = Budget(min(_DETOUR, ended.budget.iterations), ended.budget.deadline)
                begin, patience = between.begin(q), driver.parameters.at_last
                stand, _ = yield from between.run(begin, budget, None, patience)
                ended.budget.add(budget)
                if not stand.reached(nearly):
                    break
                q = stand.q
            else:
                yield driver.begin(q)


def detours(problem: Problem, stuck: Iterate) -> Iterator[tuple[Problem, ...]]:
    """The problem with the target of the worst blocked effector at each waypoint of a detour.

    Args:
        problem: of one frame, with a scene; stuck: where the figure is stuck.

    Yields:
        The problems of each waypoint, the shortest detour first. If the straight line is free, the waypoints
        divide it.
    """
    scene = problem.scene
    found = None if scene is None else _blocked(problem, scene, stuck)
    if scene is None or found is None:
        return
    goal, row, here, there, radius, sees = found
    if sees:  # the effector passes, but its limb does not in one solve
        yield tuple(_sent(problem, goal, row, here + share * (there - here)) for share in _PIECES)
        return
    passable = scene.broad_phase.passable
    middle = 0.5 * (here + there)
    places = (middle + problem.length * np.multiply.outer(_DISTANCES, _directions())).reshape(-1, 3)

    def seen_from(end: Array) -> Array:
        """Some of the places with a free straight line from an end for the ball."""
        seen = places[passable(np.broadcast_to(end, places.shape), places, radius, problem.margin)]
        return seen[:: len(seen) // _SEEN + 1]

    first, second = seen_from(here), seen_from(there)
    one, two = first.repeat(len(second), 0), np.tile(second, (len(first), 1))
    free = passable(one, two, radius, problem.margin)
    one, two = one[free], two[free]
    way = length(one - here) + length(two - one) + length(there - two)
    chosen: list[Array] = []
    for a, b in zip(*(ends[way.argsort(kind="stable")] for ends in (one, two)), strict=True):
        side = 0.5 * (a + b) - middle
        side /= np.linalg.norm(side)
        if all(side @ other < _APART for other in chosen):
            chosen.append(side)
            yield _sent(problem, goal, row, a), _sent(problem, goal, row, b)
        if len(chosen) == _WAYS:
            return


def _sent(problem: Problem, goal: Position, row: int, place: Array) -> Problem:
    """The problem with one effector's target elsewhere."""
    targets = goal.target.copy()
    targets[row] = place
    sent = goal.with_targets(target=targets)
    return problem.with_goals(tuple(sent if one is goal else one for one in problem.goals))


_Blocked = tuple[Position, int, Array, Array, float, bool]
"""An effector that is short: goal, row, place, target, radius, and whether the straight line is free."""


def _blocked(problem: Problem, scene: Scene, stuck: Iterate) -> _Blocked | None:
    """The worst effector without a free straight line to its target; if all have one, the worst of all."""
    if not len(scene.body):
        return None
    pose, errors = stuck.pose, np.sqrt(stuck.squares)
    found: list[tuple[float, Position, int]] = []
    for goal, own in problem.places():
        found += [(error, goal, row) for row, error in enumerate(errors[own].tolist())]
    worst: _Blocked | None = None
    for _, goal, row in sorted(found, key=lambda one: -one[0]):
        here, there = pose.points(goal.points(pose.skeleton))[row], goal.target[row]
        radius = _SLENDER * _thickness(scene, pose, here)
        sees = bool(scene.broad_phase.passable(here[None], there[None], radius, problem.margin)[0])
        worst = worst or (goal, row, here, there, radius, sees)
        if not sees:
            return goal, row, here, there, radius, sees
    return worst


def _thickness(scene: Scene, pose: Pose, place: Array) -> float:
    """Radius of the thickest link that contains a place; of the thinnest if none does."""
    a, b = scene.body.segments(pose)
    gap = gaps(a, b, place)
    inside = (gap * gap).sum(1) <= (1.01 * scene.body.radius) ** 2
    radius = scene.body.radius
    return float(radius[inside].max() if inside.any() else radius.min())


def _directions() -> Array:
    """(_DIRECTIONS, 3) unit vectors, evenly about (Fibonacci's lattice)."""
    number = np.arange(_DIRECTIONS) + 0.5
    height = 1.0 - 2.0 * number / _DIRECTIONS
    turn = np.pi * (1.0 + np.sqrt(5.0)) * number
    across = np.sqrt(1.0 - height * height)
    return np.stack([across * np.cos(turn), across * np.sin(turn), height], -1)
