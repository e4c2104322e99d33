# SPDX-License-Identifier: GPL-3.0-or-later
"""The avoidance methods that push, in the loop of the incremental methods.

They add a push away from obstacles to each step, in the null space of the goals. This has two effects on the
loop. Every step is accepted, as in the texts, because a push may increase the errors of the goals. And steps
towards far goals are short, so that the push of each step can keep up with them.
"""

from typing import Any, Final

import numpy as np

from ..collision import ClosestPairs, Scene
from ..errors import NotSupported
from ..model.pose import Pose
from ..problem.problem import Problem
from ..rotation import Array
from .avoidance import Pushing as PushingAvoidance
from .avoidance import Situation
from .stepping import metric_of

_STRIDE: Final = 0.03  # figure sizes (or radians) by which a step may approach the goals
_WORTH: Final = 1e-2  # relative growth of the least clearance to continue after all goals are reached


class Pushing:
    """The obstacles of one solve, as the loop needs them.

    Args:
        problem: with a scene, and an avoidance method that pushes.
        scene: the problem's.

    Attributes:
        settled: whether the clearance of the last pose no longer increased.
    """

    def __init__(self, problem: Problem, scene: Scene) -> None:
        if not isinstance(problem.avoidance, PushingAvoidance):
            raise NotSupported("Avoidance", f"{problem.avoidance.label} bounds steps and does not push.")
        self.problem, self.scene, self.avoidance = problem, scene, problem.avoidance
        self.sight = problem.margin + self.avoidance.detection_distance * problem.length
        mobility = metric_of(problem.skeleton)
        self.root = None if mobility is None else np.sqrt(mobility)
        self.memory: dict[str, Any] = {}
        self.settled = False
        self.best = -np.inf
        self.pose: Pose | None = None
        self.near: ClosestPairs | None = None

    def look(self, pose: Pose) -> None:
        """Update the obstacles for the pose that the next step starts from."""
        self.pose, self.near = pose, self.scene.near(pose, self.sight)
        worst = float(self.near.worst) if len(self.near) else np.inf
        self.settled = not len(self.near) or worst <= self.best + _WORTH * abs(self.best)
        self.best = max(self.best, worst) if np.isfinite(worst) else self.best

    def step(self, error: Array, jacobian: Array, plain: Array) -> Array:
        """The step (n,) with pushes, for the one proposed by the solving method."""
        effect = float(np.linalg.norm(jacobian.dot(plain)))
        if effect > _STRIDE:
            plain = plain * (_STRIDE / effect)
        if self.pose is None or self.near is None or not len(self.near):
            return plain
        from_here = Situation(
            self.near,
            self.pose,
            self.problem.length,
            self.problem.margin,
            error,
            jacobian,
            plain,
            self.root,
            self.memory,
        )
        dq = self.avoidance.step(from_here)
        return dq if self.root is None else dq * self.root
