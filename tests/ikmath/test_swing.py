# SPDX-License-Identifier: GPL-3.0-or-later
"""The swing region in plain floats is the one in arrays."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath import Joint, Skeleton
from ikmath.classic.limit_crossings import leaving
from ikmath.examples import figures
from ikmath.model.joint_limits import JointLimits


def _skew_region() -> JointLimits:
    """Limits that leave the rest pose out, sides of their own, one side open, one without room."""
    return Skeleton(
        [
            Joint("a", lower=(-0.3, -1.0, -0.9), upper=(1.2, 1.0, 0.4)),
            Joint("b", "a", lower=(0.2, -1.0, -0.5), upper=(0.9, 1.0, -0.1)),
            Joint("c", "b", lower=(-0.5, -1.0, -np.inf), upper=(0.5, 1.0, np.inf)),
            Joint("d", "c", lower=(0.0, -0.1, -0.4), upper=(0.0, 0.1, 0.4)),
        ]
    ).joint_limits


@pytest.mark.parametrize("region", [figures.human().joint_limits, _skew_region()], ids=["human", "skew"])
@pytest.mark.parametrize("size", [0.05, 0.5, 2.0, 4.0])
def test_leaving_of_one_frame_is_that_of_a_batch(region: JointLimits, size: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        q = region.project(rng.normal(size=region.n) * 0.3)
        dq = rng.normal(size=region.n) * size * (rng.uniform(size=region.n) < 0.1)
        one, many = leaving(region, q, dq), leaving(region, q[:, None], dq[:, None])
        assert (one is None) == (many is None)
        if one is not None and many is not None:
            for a, b in zip(one, many, strict=True):
                np.testing.assert_allclose(a, b[..., 0], atol=1e-12)


def test_projection_of_one_frame_is_that_of_a_batch() -> None:
    """Also where all slides are held at their limits, so that rounding is all that is left of their steps."""
    import ikmath as ik

    frames = 60
    figure = figures.human()
    rng = np.random.default_rng(1)
    goal = ik.Position("wrist.L", rng.normal(size=(frames, 3)), (0, 0.08, 0))
    problem = ik.Problem(figure, [goal])
    starts = np.tile(figure.rest, (frames, 1))
    options = {"method": "damped", "max_iterations": 3, "tolerance": 1e-12, "damping": 1e-3}
    together = ik.solve(problem, starts, **options)
    for i in range(frames):
        np.testing.assert_allclose(ik.solve(problem.at(i), starts[i], **options).q, together.q[i], atol=1e-9)
