# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps a solve out of obstacles: inequality rows for the step, and an exact check of its path.

The rows of the velocity damper bound a step by linearised distances. The guard uses the true distances: it
follows the path of a step as far as it is free. A piece of the path is free if its end is clear by the margin
and no link's axis can have met anything in between: the distances of the axis at both ends add up to more
than the length of its path (Schwarzer, Saha & Latombe 2005, adaptive dynamic collision checking). A pose
slightly inside is put back onto the surface, so that steps along a curved surface can be long.

A start inside is pushed out first. If that fails, no step may go deeper.
"""

from typing import Final

import numpy as np

from ..arrays import Array, Index
from ..collision import ClosestPairs, Scene
from ..collision.vectors import ONES
from ..linalg.hierarchical_qp import Constraints, Level, hierarchical_qp
from ..model.forward_kinematics import SKEW_ROWS
from ..model.geometric_stiffness import geometric_stiffness
from ..model.pose import Pose
from ..problem.problem import Problem
from .step_bounds import Inequalities

_SURE: Final = 0.9  # share of the distances that a link's path may use, since it is slightly curved
_LEAST_WAY: Final = 1e-3  # figure sizes that a link without thickness may move at a surface
_PIECES: Final = 12  # poses checked along one step
_INSIDE_PIECES: Final = 4  # and along a step of a figure that could not be pushed out
_SLIP: Final = 0.5  # depth, as a share of the path, above which a pose is given up instead of put back
_SLIDES: Final = 3  # times that a pose is put back onto the surface
_PUSHES: Final = 40  # out of obstacles at most,
_TRIES: Final = 12  # as long as that many of them together gain
_AGAIN: Final = 3  # or that many, where it has been tried before,
_WORTH: Final = 0.1  # that share of the depth
_CUSHION: Final = 1e-6  # figure sizes kept on top of the margin, so that rounding never eats into it
_TOUCHING: Final = 5e-3  # figure sizes within which an obstacle can be what stops the figure
_POSES: Final = 100  # maximum number of checks; a path that needs more runs along a surface
_CAREFUL: Final = 0.95  # factor on the share of a path that is known to be free


class CollisionGuard:
    """The scene of one problem, as a solver needs it.

    Args:
        problem: with a scene; metric: (n,) units of the solver's scaled coordinates;
        before: what was near in the frame before, None if there is none.
    """

    def __init__(
        self, problem: Problem, scene: Scene, metric: Array, before: ClosestPairs | None = None
    ) -> None:
        self.problem, self.scene, self.metric = problem, scene, metric
        self.margin = problem.margin
        self.joint_limits = problem.skeleton.joint_limits
        # how far the axes of links may move that touch something before and after
        self.thick = np.append(np.maximum(2.0 * scene.body.radius, _LEAST_WAY * problem.length), 0.0)
        self.pairs = scene.broad_phase
        self.moves = scene.motion.moves[:-1]
        self.units = metric / problem.length
        alike = before is not None and before.broad_phase is scene.broad_phase
        self.before = before if alike else None
        self.cache = before.cache if before is not None and alike else scene.coherence_cache()

    def begun(self, pose: Pose) -> ClosestPairs:
        """The start of a solve, pushed out of obstacles; briefly if the frame before ended there."""
        before, self.before = self.before, None
        if before is not None and before.pose is pose and before.detect == self.problem.detection_distance:
            return self.push_out(before, _AGAIN)
        return self.push_out(self.near(pose))

    def near(self, pose: Pose) -> ClosestPairs:
        """The closest pairs at a pose."""
        return self.scene.near(pose, self.problem.detection_distance, cache=self.cache)

    def at(self, q: Array) -> ClosestPairs:
        """The closest pairs at coordinates (n,)."""
        return self.near(Pose.trusted(self.problem.skeleton, q))

    def is_inside(self, near: ClosestPairs) -> bool:
        """Whether the figure is inside something or nearer than the margin."""
        return float(near.worst) < self.margin

    def inequalities(self, near: ClosestPairs) -> list[Inequalities]:
        """What steps must keep, in figure sizes: rows of the closest pairs, and of ends that may touch."""
        ends = self.scene.at_ends(near, self.margin + _TOUCHING * self.problem.length)
        return [self._inequality(some) for some in (near, ends) if len(some)]

    def _inequality(self, near: ClosestPairs) -> Inequalities:
        length = self.problem.length
        rows, least = near.jacobian(near.pose), self.margin + _CUSHION * length - near.room

        def curvature(forces: Array) -> Array:  # of flat faces, where the links touch them
            return geometric_stiffness(near.pose, near.loads(forces / length))

        # an end of a link keeps its name, whether it is the closest point or not
        place = (near.parameter == 0.0) + 2 * (near.parameter == 1.0)
        names = near.pair + place * len(self.pairs.link)
        return Inequalities(rows / length, least / length, names, curvature, self.problem.avoidance.share)

    def advance(self, start: ClosestPairs, q: Array) -> ClosestPairs | None:
        """Those at q, or at the last free pose on the path to it; None if there is none."""
        # a figure that cannot be pushed out needs slack along a curved surface, or it is stuck
        worst, hair = float(start.worst), _CUSHION * self.problem.length
        floor = self.margin if worst >= self.margin else worst - hair
        here, target = start, q
        ahead: list[ClosestPairs] = []  # at free poses on the path, the next one last
        for _ in range(_INSIDE_PIECES if self.is_inside(start) else _PIECES):
            there = self._free(here, target, floor)
            if there is None:
                ahead, goal, share = [], target, 0.5  # what lies beyond is not reachable on this path
            else:
                ahead.append(there)
                here, share = self.walk(here, ahead)
                if not ahead:
                    break
                goal = ahead[-1].pose.q
            way = min(0.5, _CAREFUL * share) * (goal - here.pose.q)
            target = self.joint_limits.project_first(here.pose.q + way)
        return None if here is start else here

    def walk(self, here: ClosestPairs, ahead: list[ClosestPairs]) -> tuple[ClosestPairs, float]:
        """Follow the path as far as it is free: the last pose, and the free share of what follows."""
        while ahead:
            share = self.share(here, ahead[-1])
            if share < 1.0:
                return here, share
            here = ahead.pop()
        return here, 1.0

    def _free(self, here: ClosestPairs, q: Array, floor: float) -> ClosestPairs | None:
        """Those at q, put back to clearances of `floor` if slightly short of them; None if that fails."""
        for _ in range(_SLIDES):
            there = self.at(q)
            depth = floor - float(there.worst)
            if depth <= 0.0:
                return there
            if depth > _SLIP * float(self.moved(here, there).max()):
                break
            q = self._outward(there, floor, 1.0)
        return None

    def share(self, old: ClosestPairs, new: ClosestPairs) -> float:
        """Share of the path between two poses on which no contact is possible; above 1 for all of it.

        For two links the relative motion counts.
        """
        broad, moved = self.pairs, np.append(self.moved(old, new), 0.0)
        if (moved <= _SURE * self.thick).all():  # touching nothing before and after, they met nothing between
            return np.inf
        pairs = broad.near_path(old.places, new.places, moved[:-1] / _SURE)
        link, other = broad.link.take(pairs), broad.other.take(pairs)
        free = old.lower_bounds(pairs) + new.lower_bounds(pairs)
        allowed = _SURE * (free + self.thick.take(link) + self.thick.take(other))
        way = moved.take(link) + moved.take(other)
        fast = (way > allowed).nonzero()[0]
        both = fast[pairs.take(fast) >= broad.first_self]
        way[both] = self._moved_apart(old, new, link.take(both), other.take(both))
        allowed = allowed.take(fast)  # twice the way is enough: what is allowed over no way may overflow
        ways = np.maximum(way.take(fast), 0.5 * np.abs(allowed) + 1e-300)
        return float((allowed / ways).min(initial=np.inf))

    def moved(self, old: ClosestPairs, new: ClosestPairs) -> Array:
        """(L,) metres that each link's axis moves between two poses."""
        # by chords of its ends, and by their initial velocities: a path that bends back has a short chord
        before = old.places[:, :2]
        twist = self.moves.dot(self._twists(old, new))
        return _longest(before, new.places[:, :2] - before, twist)

    def _moved_apart(self, old: ClosestPairs, new: ClosestPairs, one: Index, two: Index) -> Array:
        """(P,) the same for each pair's relative motion, obstacles at rest."""
        before, after = old.places[:, :2].take(one, 0), new.places[:, :2].take(one, 0)
        joints = self.scene.motion.joints.take(two)
        (turn, place), (turned, placed) = (
            (own.pose.rotation.take(joints, 0), own.pose.position.take(joints, 0)[:, None])
            for own in (old, new)
        )
        seen = np.matmul(np.matmul(after - placed, turned), turn.transpose(0, 2, 1)) + place
        apart = self.moves.take(one, 0) - self.moves.take(two, 0)
        return _longest(before, seen - before, apart.dot(self._twists(old, new)))

    @staticmethod
    def _twists(old: ClosestPairs, new: ClosestPairs) -> Array:
        """(n, 6) each coordinate's twist along the path, from its initial velocity."""
        return np.asarray(old.pose.twists * (new.pose.q - old.pose.q)[:, None])

    def push_out(self, near: ClosestPairs, tries: int = _TRIES) -> ClosestPairs:
        """Those at a pose with every clearance at the margin, by small steps; the best found otherwise."""
        share, deep = 1.0, np.inf
        for push in range(_PUSHES):
            depth = self.margin - float(near.worst)
            if depth <= 0.0 or (push % tries == 0 and depth > (1.0 - _WORTH) * deep):
                break
            deep = depth if push % tries == 0 else deep
            trial = self.at(self._outward(near, self.margin, share))
            if float(trial.worst) > float(near.worst):
                near, share = trial, min(1.0, 2.0 * share)
            else:
                share *= 0.5
        return near

    def _outward(self, near: ClosestPairs, floor: float, share: float) -> Array:
        """(n,) coordinates a share of a step away, towards clearances of `floor`, by linearised distances."""
        region, pose = self.joint_limits, near.pose
        room = (near.room - floor) / self.problem.length
        rows = near.jacobian(pose) * self.units
        inside = room < 0.0
        wanted = np.minimum(-room[inside] + 10.0 * _CUSHION, 0.2)
        constraints = Constraints(
            self.metric,
            np.concatenate([region.low - pose.q, np.minimum(-0.8 * room[~inside], 0.0)]),
            np.concatenate([region.high - pose.q, np.full(int((~inside).sum()), np.inf)]),
            rows[~inside],
        )
        answer = hierarchical_qp([Level(rows[inside], share * wanted, 1e-6)], constraints)
        return self.problem.skeleton.joint_limits.project(pose.q + answer.z * self.metric)

    def blocker(self, near: ClosestPairs, uphill: Array) -> str:
        """Name of the obstacle that opposes the goals most; "" if none does; uphill: (n,) slope of errors."""
        if not len(near):
            return ""
        room = near.room - self.margin
        # rate at which clearance is lost along the descent direction
        approach = near.jacobian(near.pose) @ (uphill * self.metric**2)
        against = np.where(room < _TOUCHING * self.problem.length, approach, 0.0)
        worst = int(np.argmax(against))
        return near.names[worst] if against[worst] > 0.0 else ""


def _longest(ends: Array, chords: Array, twist: Array) -> Array:
    """(M,) the longest ways of two ends (M, 2, 3) each: chords, and those of twists (M, 6) at the start."""
    ways = np.empty((2, *ends.shape))
    ways[0] = chords
    np.matmul(ends, twist[:, :3].dot(SKEW_ROWS).reshape(-1, 3, 3), out=ways[1])
    ways[1] += twist[:, None, 3:]
    ways *= ways
    square = ways.reshape(-1, 3).dot(ONES).reshape(2, -1, 2).max(0)
    return np.asarray(np.sqrt(np.maximum(square[:, 0], square[:, 1])))


def is_free_path(problem: Problem, start: Array, end: Array) -> bool:
    """Whether the straight path between coordinates (n,) within the limits is free, by the check of solves.

    A figure that starts nearer than the margin may not come nearer. Without a scene every path is free. With
    avoidance methods other than Velocity Damper the result is False, because only that one is exact.
    """
    if problem.scene is None:
        return True
    if not problem.avoidance.bounds:
        return False
    guard = CollisionGuard(problem, problem.scene, problem.stack.metric)
    here, goal = guard.at(start), guard.at(end)
    floor = min(problem.margin, float(here.worst))
    ahead = [goal]  # at poses on the path that still have to be connected, the next one last
    for _ in range(_POSES):
        if float(ahead[-1].worst) < floor:
            return False
        here, share = guard.walk(here, ahead)
        if not ahead:
            return True
        way = min(0.5, _CAREFUL * share) * (ahead[-1].pose.q - here.pose.q)
        ahead.append(guard.at(here.pose.q + way))
    return False
