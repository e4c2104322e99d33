#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Put both hands of a person on a ball, with one foot on the ground.

pip install .    # in the repository
python reach.py
"""

from __future__ import annotations

import numpy as np

import ikmath as ik


def main() -> None:
    """Solve one pose and print what came out."""
    person = ik.figures.human()
    ball, side = np.array([0.0, -0.35, 1.2]), np.array([0.12, 0.0, 0.0])
    goals = [
        ik.Position("ankle.L", target=(0.1, 0.0, 0.1)),  # priority 0: the strongest
        ik.Position(["wrist.L", "wrist.R"], [ball + side, ball - side], priority=1),
        ik.Aim("head", target=ball, direction=(0.0, 0.0, 1.0), priority=2),
    ]
    problem = ik.Problem(person, goals, posture=person.rest)
    solution: ik.Solution = ik.solve(problem)
    print(solution.status.value, "-", solution.message)
    for label, unit, error in zip(problem.effectors, problem.units, solution.errors, strict=True):
        print(f"{label:10s} {error:.1e} {unit}")


if __name__ == "__main__":
    main()
