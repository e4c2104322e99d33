# SPDX-License-Identifier: GPL-3.0-or-later
"""mink (MuJoCo and a quadratic program): one frame task an effector, joint limits, whole steps."""

from __future__ import annotations

import logging
import warnings

import job
import mink
import mujoco
import numpy as np

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")


def main() -> None:
    """Solve the job."""
    task = job.read()
    settings = task.settings
    model = mujoco.MjModel.from_xml_string(task.mjcf())
    place = np.array([model.joint(name).qposadr[0] for name in task.names])
    lower, upper = np.empty(task.n), np.empty(task.n)
    lower[place], upper[place] = task.lower, task.upper
    turning = 1.0 if task.frames is not None else 0.0
    goals = [
        mink.FrameTask(
            f"e_{name}",
            "site",
            position_cost=1.0,
            orientation_cost=turning,
            lm_damping=settings.get("lm", 0.0),
        )
        for name, _, _ in task.effectors
    ]
    sites = [model.site(f"e_{name}").id for name, _, _ in task.effectors]
    limits: list[mink.Limit] = [mink.ConfigurationLimit(model, gain=0.95)]
    if task.obstacles is not None:
        pairs = [([f"s{i}" for i in range(len(task.spheres))], [f"o{k}" for k in range(len(task.obstacles))])]
        limits.append(
            mink.CollisionAvoidanceLimit(
                model, pairs, minimum_distance_from_collisions=0.02, collision_detection_distance=0.5
            )
        )
    now = mink.Configuration(model)

    def there(places: np.ndarray, frame: np.ndarray | None) -> bool:
        for site, x in zip(sites, places, strict=True):
            if np.linalg.norm(now.data.site_xpos[site] - x) >= task.tolerance:
                return False
            if frame is not None and job.turned(frame, now.data.site_xmat[site].reshape(3, 3)) >= task.angle:
                return False
        return True

    def solve(start: np.ndarray, places: np.ndarray, frame: np.ndarray | None) -> tuple[np.ndarray, int]:
        q = np.empty(task.n)
        q[place] = start
        now.update(q)
        for goal, x in zip(goals, places, strict=True):
            turn = mink.SO3.identity() if frame is None else mink.SO3.from_matrix(frame)
            goal.set_target(mink.SE3.from_rotation_and_translation(turn, x))
        for step in range(task.iterations + 1):
            if step == task.iterations or there(places, frame):
                break
            try:
                v = mink.solve_ik(
                    now, goals, 1.0, settings["solver"], damping=settings["damping"], limits=limits
                )
            except Exception:  # noqa: BLE001  a program without solution ends the solve there
                break
            now.update(np.clip(now.integrate(v, 1.0), lower, upper))
        return now.q[place].copy(), step

    task.run(solve)


if __name__ == "__main__":
    main()
