# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure with an inertia for each coordinate: what is heavy moves last."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.stepping import metric_of


def person() -> ik.Skeleton:
    """A spine of three with an arm on either side, two bones each."""
    joints = [ik.Joint("hips"), ik.Joint("waist", "hips", translation=(0, 0.2, 0))]
    joints.append(ik.Joint("chest", "waist", translation=(0, 0.2, 0)))
    for side, s in (("L", 1.0), ("R", -1.0)):
        joints += [
            ik.Joint(f"arm.{side}", "chest", translation=(0.2 * s, 0.2, 0)),
            ik.Joint(f"forearm.{side}", f"arm.{side}", translation=(0.3 * s, 0, 0)),
        ]
    return ik.Skeleton(joints)


def weights_of(skeleton: ik.Skeleton) -> np.ndarray:
    """A heavy spine."""
    weights = np.ones(skeleton.n)
    for name in ("hips", "waist", "chest"):
        weights[skeleton.columns(name)] = 100.0
    return weights


def turned(skeleton: ik.Skeleton, q: np.ndarray, names: tuple[str, ...]) -> float:
    return float(sum(np.linalg.norm(q[skeleton.columns(name)]) for name in names))


def test_the_arm_does_what_it_can_before_the_spine_follows():
    skeleton = person()
    hand = {"joint": "forearm.L", "offset": (0.3, 0, 0)}
    for target in ((0.15, 0.6, 0.35), (0.1, 0.9, 0.1), (0.5, 0.4, 0.2)):
        share = []
        for figure in (skeleton, skeleton.with_inertia(weights_of(skeleton))):
            problem = ik.Problem(figure, [ik.Position(**hand, target=target), ik.Posture(np.zeros(figure.n))])
            solution = ik.solve(problem, figure.rest)
            assert solution.status is ik.Status.REACHED
            spine, arm = (
                turned(figure, solution.q, names)
                for names in (("hips", "waist", "chest"), ("arm.L", "forearm.L"))
            )
            share.append(spine / (spine + arm))
        assert share[1] < 0.3 * share[0], (target, share)
    far = ik.Position(**hand, target=(0.85, 0.75, 0.3))  # beyond the arm: now the spine has to
    figure = skeleton.with_inertia(weights_of(skeleton))
    solution = ik.solve(ik.Problem(figure, [far, ik.Posture(np.zeros(figure.n))]), figure.rest)
    assert solution.status is ik.Status.REACHED
    assert turned(figure, solution.q, ("hips", "waist", "chest")) > 0.2


def test_the_end_is_the_pose_nearest_to_the_posture_in_the_metric():
    """Compared with scipy, from the start and from where the solver ended."""
    from scipy.optimize import minimize

    skeleton = person()
    skeleton = skeleton.with_inertia(weights_of(skeleton))
    rng = np.random.default_rng(7)
    for _ in range(8):
        reach = ik.Pose.forward(skeleton, 0.5 * rng.normal(size=skeleton.n))
        goal = ik.Position("forearm.L", reach.point("forearm.L", (0.3, 0, 0)), (0.3, 0, 0))
        posture = 0.1 * rng.normal(size=skeleton.n)
        problem = ik.Problem(skeleton, [goal, ik.Posture(posture)])
        solution = ik.solve(problem, posture)
        assert solution.status is ik.Status.REACHED

        def away(q: np.ndarray, posture: np.ndarray = posture) -> float:
            return float(((q - posture) ** 2 / skeleton.mobility).sum())

        def missing(q: np.ndarray, goal: ik.Goal = goal) -> np.ndarray:
            return goal.evaluate(ik.Pose.forward(skeleton, q)).error

        best = minimize(away, solution.q, method="SLSQP", constraints={"type": "eq", "fun": missing})
        assert away(solution.q) < best.fun * 1.02 + 1e-3


def test_stiffness_comes_on_top():
    joints = [ik.Joint("a", turns="x", stiffness=0.5), ik.Joint("b", "a", translation=(0, 1, 0), turns="x")]
    skeleton = ik.Skeleton(joints)
    assert metric_of(ik.Skeleton([ik.Joint("a")])) is None and metric_of(skeleton) is not None
    weighed = skeleton.with_inertia([4.0, 2.0])
    np.testing.assert_allclose(weighed.mobility, [0.5 / 4.0, 1.0 / 2.0])
    np.testing.assert_allclose(skeleton.mobility, [0.5, 1.0])  # which has not changed
    assert weighed.with_rest(rest_translation=np.ones((2, 3))).mobility is not None
    np.testing.assert_allclose(weighed.with_rest(rest_translation=np.ones((2, 3))).mobility, weighed.mobility)


@pytest.mark.parametrize("bad", [[1.0], [0.0, 1.0], [-1.0, 1.0], [np.inf, 1.0], "heavy"])
def test_bad_weights_are_named(bad):
    skeleton = ik.Skeleton([ik.Joint("a", turns="xy")])
    with pytest.raises(ik.IkError, match="inertia"):
        skeleton.with_inertia(bad)
