# SPDX-License-Identifier: GPL-3.0-or-later
"""A small arm built by hand, with hinges about slanted axes: `python examples/hinge_by_hand.py`."""

from __future__ import annotations

import numpy as np

import ikmath as ik


def arm() -> ik.Skeleton:
    """A turntable, two links with slanted axes, and a slider that carries the tool."""
    return ik.Skeleton(
        [
            ik.Joint("base", turns=""),
            *ik.hinge("turntable", "base", axis=(0, 0, 1)),
            *ik.hinge("lower", "turntable", axis=(0, 1, 1), translation=(0, 0, 0.2), lower=-2.0, upper=2.0),
            *ik.hinge("upper", "lower", axis=(1, 1, 0), translation=(0, 0, 0.3), lower=-2.5, upper=2.5),
            *ik.slider("tool", "upper", axis=(0, 0, 1), translation=(0, 0, 0.2), lower=0.0, upper=0.1),
        ]
    )


def main() -> ik.Solution:
    """Reach a point, and print where the tool is."""
    skeleton = arm()
    solution = ik.solve(ik.Problem(skeleton, [ik.Position("tool", target=(0.3, 0.1, 0.4))]))
    print(solution.message, ik.Pose.forward(skeleton, solution.q).point("tool").round(4))
    print(dict(zip(skeleton.coordinate_names, np.round(solution.q, 3).tolist(), strict=True)))
    return solution


if __name__ == "__main__":
    main()
