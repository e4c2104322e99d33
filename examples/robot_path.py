# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw a circle on a table with a robot arm, the tool downward: `python examples/robot_path.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ikmath as ik

ARM = Path(__file__).parent / "arm.urdf"
DOWNWARD = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
FRAMES, SECONDS = 100, 4.0


def main() -> ik.Solution:
    """Follow the circle, and print how well and how fast."""
    skeleton = ik.from_urdf(ARM, tip="tool0")
    turn = np.linspace(0.0, 2.0 * np.pi, FRAMES)
    circle = np.stack([0.4 + 0.08 * np.cos(turn), 0.08 * np.sin(turn), np.full(FRAMES, 0.05)], axis=-1)
    goals = [
        ik.Position("tool0", target=circle),
        ik.Orientation("tool0", target=DOWNWARD, priority=1),
    ]
    path = ik.solve_track(
        ik.Problem(skeleton, goals), tolerance=1e-5, angle_tolerance=1e-3, dt=SECONDS / (FRAMES - 1)
    )
    place, turn_error = path.errors.max(0)
    print(f"largest errors {1e3 * place:.4f} mm, {np.degrees(turn_error):.4f} degrees")
    speed = np.abs(np.diff(path.q, axis=0)).max(0) * (FRAMES - 1) / SECONDS
    for name, fast, limit in zip(skeleton.coordinate_names, speed, skeleton.max_speed, strict=True):
        print(f"{name:24} {fast:5.2f} rad/s of {limit:g}")
    return path


if __name__ == "__main__":
    main()
