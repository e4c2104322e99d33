# SPDX-License-Identifier: GPL-3.0-or-later
"""placo (C++, a quadratic program): one task an effector, joint limits, one Python call an iteration."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import job
import numpy as np
import placo


def main() -> None:
    """Solve the job."""
    task = job.read()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "robot.urdf").write_text(task.urdf(), encoding="utf-8")
        flags = placo.Flags.ignore_collisions
        if task.obstacles is not None:
            pairs = [["base", f"l_{task.names[joint]}"] for joint, _, _ in task.spheres]
            (directory / "collisions.json").write_text(json.dumps(pairs), encoding="utf-8")
            flags = 0
        robot = placo.RobotWrapper(str(directory / "robot.urdf"), flags)
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    solver.enable_joint_limits(True)
    solver.enable_velocity_limits(False)
    place = np.array([robot.get_joint_offset(name) for name in task.names])
    names = [f"e_{name}" for name, _, _ in task.effectors]
    goals = []
    for name in names:
        if task.frames is None:
            goals.append(solver.add_position_task(name, np.zeros(3)))
            goals[-1].configure(f"t_{name}", "soft", 1.0)
        else:
            goals.append(solver.add_frame_task(name, np.eye(4)))
            goals[-1].configure(f"t_{name}", "soft", 1.0, 1.0)
    solver.add_regularization_task(task.settings["damping"])
    if task.obstacles is not None:
        apart = solver.add_avoid_self_collisions_constraint()
        apart.self_collisions_margin, apart.self_collisions_trigger = 0.02, 1.0
        apart.configure("apart", "hard")
    robot.update_kinematics()

    def put(q: np.ndarray) -> None:
        state = robot.state.q.copy()
        state[place] = q
        robot.state.q = state
        robot.update_kinematics()

    def there(places: np.ndarray, frame: np.ndarray | None) -> bool:
        for name, x in zip(names, places, strict=True):
            at = robot.get_T_world_frame(name)
            if np.linalg.norm(at[:3, 3] - x) >= task.tolerance:
                return False
            if frame is not None and job.turned(frame, at[:3, :3]) >= task.angle:
                return False
        return True

    def solve(start: np.ndarray, places: np.ndarray, frame: np.ndarray | None) -> tuple[np.ndarray, int]:
        put(start)
        for goal, x in zip(goals, places, strict=True):
            if frame is None:
                goal.target_world = x
            else:
                matrix = np.eye(4)
                matrix[:3, :3], matrix[:3, 3] = frame, x
                goal.T_world_frame = matrix
        for step in range(task.iterations + 1):
            if step == task.iterations or there(places, frame):
                break
            try:
                solver.solve(True)
            except RuntimeError:
                break
            put(np.clip(robot.state.q[place], task.lower, task.upper))
        return robot.state.q[place].copy(), step

    task.run(solve)


if __name__ == "__main__":
    main()
