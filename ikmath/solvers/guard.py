# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a solve out of obstacles, step by step, on the true distances.

The inequality rows of an avoidance method bound a step by the linear picture. The guard holds the figure to
the true
one: a step is halved until no link is nearer than the margin, and no link moves so far at once that it could
have passed through something thin (less than its own thickness, or than the clearance that it had). A start
that is inside is first pushed out.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..avoidance import VelocityDamper
from ..errors import NotSupported
from ..linalg.lexicographic import Level, lexicographic
from ..obstacles import Proximity, Scene
from ..pose import Pose
from ..problem import Problem
from ..rotation import Array

_SIGHT: Final = 0.05  # distance, in figure sizes, from which obstacles are looked at
_THROUGH: Final = 1.8  # times its radius that a link may move at once, whatever is near
_LEAST_WAY: Final = 1e-3  # figure sizes that a link without thickness may move at a surface
_HALVINGS: Final = 10
_PUSHES: Final = 40
_CUSHION: Final = 1e-6  # figure sizes kept on top of the margin, so that rounding never eats into it
_TOUCHING: Final = 5e-3  # figure sizes within which an obstacle can be what stops the figure


class Guard:
    """The scene of one problem, as a solver needs it.

    Args:
        problem: with a scene.
        metric: (n,) units of the solver's scaled coordinates.
    """

    def __init__(self, problem: Problem, scene: Scene, metric: Array) -> None:
        if not isinstance(problem.avoidance, VelocityDamper):
            raise NotSupported(
                "Method Hierarchical",
                f"keeps clear by Velocity Damper; {problem.avoidance.label} needs another method.",
            )
        self.problem, self.scene, self.metric = problem, scene, metric
        self.damper = problem.avoidance
        self.margin = problem.margin
        self.radius = scene.body.radius
        self.sight = max(_SIGHT * problem.length, 2.0 * float(self.radius.max(initial=0.0)))

    def near(self, pose: Pose) -> Proximity:
        """The pairs that matter at a pose."""
        return self.scene.near(pose, self.margin + self.sight)

    def rows(self, near: Proximity, pose: Pose) -> tuple[Array, Array]:
        """Inequality rows in scaled coordinates, lengths in figure sizes."""
        rows, least = self.damper.rows(near, pose, self.margin + _CUSHION * self.problem.length)
        return rows * self.metric / self.problem.length, least / self.problem.length

    def way(self, old: Pose, near: Proximity, new: Pose) -> float:
        """Share of the way from a pose to the next that no link can have passed through anything on."""
        before, after = (self.scene.body.places(pose, self.scene.joints)[:, :, :2] for pose in (old, new))
        moved = np.sqrt(((after - before) ** 2).sum(1)).max(1)
        clear = np.full(len(self.radius) + 1, self.sight)
        np.minimum.at(clear, near.link, near.clearance)
        np.minimum.at(clear, near.other, near.clearance)
        allowed = np.maximum(clear[:-1], np.maximum(_THROUGH * self.radius, _LEAST_WAY * self.problem.length))
        return float(np.min(allowed / np.maximum(moved, 1e-300), initial=np.inf))

    def advance(self, old: Pose, near: Proximity, q: Array) -> tuple[Pose, Proximity] | None:
        """The pose at q, or part of the way there, where nothing is entered; None if there is no such way."""
        region, skeleton = self.problem.skeleton.region, self.problem.skeleton
        floor = min(self.margin, float(near.worst))
        for _ in range(_HALVINGS):
            pose = Pose.trusted(skeleton, q)
            share = self.way(old, near, pose)
            if share >= 1.0:
                found = self.near(pose)
                if float(found.worst) >= floor:
                    return pose, found
                share = 1.0
            q = region.project_first(old.q + min(0.5, 0.95 * share) * (q - old.q))
        return None

    def push_out(self, pose: Pose, near: Proximity) -> tuple[Pose, Proximity]:
        """A pose with every clearance at the margin, by small steps; the best found if there is none."""
        skeleton, region = self.problem.skeleton, self.problem.skeleton.region
        share = 1.0
        for _ in range(_PUSHES):
            if float(near.worst) >= self.margin:
                break
            room = (near.clearance - near.margin - self.margin) / self.problem.length
            rows = near.jacobian(pose) * self.metric / self.problem.length
            inside = room < 0.0
            wanted = np.minimum(-room[inside] + 10.0 * _CUSHION, 0.2)
            answer = lexicographic(
                [Level(rows[inside], share * wanted, 1e-6)],
                (region.low - pose.q) / self.metric,
                (region.high - pose.q) / self.metric,
                rows[~inside],
                np.minimum(-0.8 * room[~inside], 0.0),
            )
            trial = Pose.trusted(skeleton, region.project_first(pose.q + answer.x * self.metric))
            found = self.near(trial)
            if float(found.worst) > float(near.worst):
                pose, near, share = trial, found, min(1.0, 2.0 * share)
            else:
                share *= 0.5
        return pose, near

    def blocker(self, pose: Pose, near: Proximity, uphill: Array) -> str:
        """Name of what stands most against the goals' wish; "" if nothing does.

        Args:
            pose, near: where the solve ended; uphill: (n,) slope of the goals' error by the coordinates.
        """
        if not len(near):
            return ""
        room = near.clearance - near.margin - self.margin
        # how fast clearance is lost by going downhill
        approach = near.jacobian(pose) @ (uphill * self.metric**2)
        against = np.where(room < _TOUCHING * self.problem.length, approach, 0.0)
        worst = int(np.argmax(against))
        return near.names[worst] if against[worst] > 0.0 else ""
