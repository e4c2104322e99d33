# SPDX-License-Identifier: GPL-3.0-or-later
"""The swing region in plain floats is the one in arrays."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import Joint, Skeleton
from ikmath.classic.limit_crossings import leaving
from ikmath.examples import figures
from ikmath.model.joint_limits import JointLimits
from tests.ikmath import oracle


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


HALF_TURNS = [
    ((1.652, 0.837, -3.537), (4.294, 2.257, -1.477)),
    ((-3.074, -1.402, -3.558), (-2.369, 0.799, -0.748)),
    ((-1.107, 2.326, 2.398), (1.526, 4.539, 3.067)),
    ((1.02, -1.44, 1.894), (2.212, 1.328, 3.268)),
]


@pytest.mark.parametrize("method", ["hierarchical", "damped", "bounded", "pseudoinverse"])
@pytest.mark.parametrize(("lower", "upper"), HALF_TURNS)
def test_limits_that_go_beyond_half_a_turn_end_there(method, lower, upper):
    """A swing beyond half a turn is the shorter one the other way, far outside of such limits."""
    figure = ik.Skeleton(
        [ik.Joint("a", lower=lower, upper=upper), ik.Joint("b", "a", translation=(0.0, 1.0, 0.0))]
    )
    rng = np.random.default_rng(7)
    for target in rng.normal(size=(10, 3)):
        goal = ik.Position("b", target, offset=(0.0, 1.0, 0.0))
        q = ik.solve(ik.Problem(figure, [goal]), method=method).q
        assert oracle.outside_region(figure, q) <= 1e-9
    anywhere = figure.joint_limits.project(rng.uniform(-6.0, 6.0, size=(200, figure.n)))
    assert max(oracle.outside_region(figure, q) for q in anywhere) <= 1e-9
