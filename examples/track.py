#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Move an arm's tip along a path around a sphere, frame after frame.

pip install .    # in the repository
python track.py
"""

from __future__ import annotations

import numpy as np

import ikmath as ik


def main() -> None:
    """Solve a track and print how near it stays to the path and how clear of the sphere."""
    arm = ik.Skeleton(
        [
            ik.Joint("shoulder"),
            ik.Joint("elbow", "shoulder", translation=(0.0, 0.3, 0.0), turns="x", lower=0.0, upper=2.5),
            ik.Joint("wrist", "elbow", translation=(0.0, 0.25, 0.0)),
        ]
    )
    body = ik.Body(
        [
            ik.Link("shoulder", b=(0.0, 0.3, 0.0), radius=0.03),
            ik.Link("elbow", b=(0.0, 0.25, 0.0), radius=0.03),
        ]
    )
    angle = np.linspace(0.0, np.pi / 2, 48)
    path = 0.45 * np.stack([np.sin(angle), np.cos(angle), 0.3 * np.sin(2 * angle)], axis=-1)
    goal = ik.Position("wrist", target=path, offset=(0.0, 0.05, 0.0))
    problem = ik.Problem(arm, [goal], [ik.Sphere((0.2, 0.2, 0.0), 0.08)], body)
    track: ik.Solution = ik.solve_track(problem)
    print(f"{len(track.q)} frames, worst error {track.errors.max():.1e} m")
    print(f"largest step of a joint {np.abs(np.diff(track.q, axis=0)).max():.2f} rad")
    print(f"smallest clearance {np.min(track.clearance):.3f} m")


if __name__ == "__main__":
    main()
