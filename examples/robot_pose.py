# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring the tool of a robot arm to a place and an orientation: `python examples/robot_pose.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ikmath as ik

ARM = Path(__file__).parent / "arm.urdf"
DOWNWARD = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
"""A rotation that points the tool's z axis at the table."""


def main() -> ik.Solution:
    """Solve, and print the joint angles."""
    skeleton = ik.from_urdf(ARM, tip="tool0")
    goals = [
        ik.Position("tool0", target=(0.4, 0.1, 0.1)),
        ik.Orientation("tool0", target=DOWNWARD),
    ]
    solution = ik.solve(ik.Problem(skeleton, goals), tolerance=1e-4, angle_tolerance=1e-3)
    print(solution.status.value, "-", solution.message)
    for name, angle in zip(skeleton.coordinate_names, solution.q, strict=True):
        print(f"{name:24} {np.degrees(angle):8.2f} degrees")
    return solution


if __name__ == "__main__":
    main()
