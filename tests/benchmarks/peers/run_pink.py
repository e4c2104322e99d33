# SPDX-License-Identifier: GPL-3.0-or-later
"""Pink (Pinocchio and a quadratic program): one frame task an effector, joint limits, whole steps."""

from __future__ import annotations

import logging
import warnings

import job
import numpy as np
import pink
import pinocchio as pin
from pink.limits import ConfigurationLimit
from pink.tasks import FrameTask

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")


def main() -> None:
    """Solve the job."""
    task = job.read()
    settings = task.settings
    model = pin.buildModelFromXML(task.urdf())
    data = model.createData()
    place = np.array([model.joints[model.getJointId(name)].idx_q for name in task.names])
    lower, upper = np.empty(task.n), np.empty(task.n)
    lower[place], upper[place] = task.lower, task.upper
    turning = 1.0 if task.frames is not None else 0.0
    goals = [
        FrameTask(
            f"e_{name}", position_cost=1.0, orientation_cost=turning, lm_damping=settings.get("lm", 0.0)
        )
        for name, _, _ in task.effectors
    ]
    limits = [ConfigurationLimit(model, config_limit_gain=0.5)]
    barriers, geometry, geometry_data = None, None, None
    if task.obstacles is not None:
        from pink.barriers import SelfCollisionBarrier

        geometry = pin.buildGeomFromUrdfString(model, task.urdf(), pin.GeometryType.COLLISION)
        stones = [i for i, g in enumerate(geometry.geometryObjects) if g.parentJoint == 0]
        balls = [i for i, g in enumerate(geometry.geometryObjects) if g.parentJoint != 0]
        for stone in stones:
            for ball in balls:
                geometry.addCollisionPair(pin.CollisionPair(stone, ball))
        geometry_data = geometry.createData()
        barriers = [
            SelfCollisionBarrier(n_collision_pairs=8, gain=0.5, safe_displacement_gain=0.0, d_min=0.02)
        ]

    def configuration(q: np.ndarray) -> pink.Configuration:
        return pink.Configuration(
            model, data, q, copy_data=False, collision_model=geometry, collision_data=geometry_data
        )

    def solve(start: np.ndarray, places: np.ndarray, frame: np.ndarray | None) -> tuple[np.ndarray, int]:
        q = np.empty(task.n)
        q[place] = start
        for goal, x in zip(goals, places, strict=True):
            goal.set_target(pin.SE3(np.eye(3) if frame is None else frame, x))
        now = configuration(q)
        for step in range(task.iterations + 1):
            if step == task.iterations or _there(task, now, goals, places, frame):
                break
            try:
                v = pink.solve_ik(
                    now, goals, 1.0, solver=settings["solver"], damping=settings["damping"], limits=limits,
                    safety_break=False, barriers=barriers,
                )  # fmt: skip
            except Exception:  # noqa: BLE001  a program without solution ends the solve there
                break
            now = configuration(np.clip(now.integrate(v, 1.0), lower, upper))
        return now.q[place], step

    task.run(solve)


def _there(
    task: job.Job, now: pink.Configuration, goals: list, places: np.ndarray, frame: np.ndarray | None
) -> bool:
    for goal, x in zip(goals, places, strict=True):
        at = now.get_transform_frame_to_world(goal.frame)
        if np.linalg.norm(at.translation - x) >= task.tolerance:
            return False
        if frame is not None and job.turned(frame, at.rotation) >= task.angle:
            return False
    return True


if __name__ == "__main__":
    main()
