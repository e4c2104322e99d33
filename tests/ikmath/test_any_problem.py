# SPDX-License-Identifier: GPL-3.0-or-later
"""Any figure, any goals, any size, any method: the answer is finite, inside the limits, and told as it is."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ikmath as ik
from tests.ikmath import oracle, trees
from tests.ikmath.zoo import GOAL_CASES

TASKS = [case for case in GOAL_CASES if case.kind != "Posture"]


def scaled(skeleton, scale):
    """The figure in another size."""

    def longer(joint, names):
        told = {name: np.array(getattr(joint, name), dtype=float) for name in names}
        for name, value in told.items():
            if name == "translation":
                value *= scale
            elif name == "fixed":
                value[:3] *= scale
            else:
                value[: len(joint.slides)] *= scale
        return ik.Joint(**{**vars(joint), **told})

    return ik.Skeleton(
        longer(joint, ["translation", "fixed"] + ([] if joint.lower is None else ["lower", "upper"]))
        for joint in skeleton.joints
    )


@st.composite
def problems(draw):
    """(problem, start, its size): up to three goals that may contradict each other, levels, idle weights."""
    skeleton = draw(trees.skeletons(7, ("none", "all", "some", "odd")))
    scale = draw(st.sampled_from((1.0, 1.0, 1e-3, 1e4)))
    skeleton = skeleton if scale == 1.0 else scaled(skeleton, scale)
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    goals = []
    for case in draw(st.lists(st.sampled_from(TASKS), max_size=3)):
        pose = ik.Pose.forward(skeleton, trees.inside(rng, skeleton))
        goal = case.make(skeleton, pose, rng)
        goal.priority = draw(st.integers(0, 3))
        if draw(st.booleans()):
            goal.weight = goal.weight * draw(st.sampled_from((0.0, 1e-6, 1e6)))
        goals.append(goal)
    if draw(st.booleans()):
        goals.append(ik.Posture(trees.inside(rng, skeleton), gain=rng.uniform(0, 1)))
    if draw(st.booleans()):
        outermost = ik.Position(
            skeleton.names[-1], draw(st.sampled_from((0.0, 1.0, 1e6))) * rng.normal(size=3) * scale
        )
        goals = [outermost]
    limits = draw(st.sampled_from(("projection", "projection", *ik.LIMITS)))
    start = draw(st.sampled_from((0.0, 0.3, 1.0))) * rng.normal(size=skeleton.n)
    return ik.Problem(skeleton, goals, limits=limits), start, scale


@settings(max_examples=100)
@given(problems(), st.sampled_from(list(ik.METHODS)))
def test_the_answer_is_finite_inside_and_honest(made, method):
    problem, start, scale = made
    skeleton, given_start = problem.skeleton, start.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            answer = ik.solve(problem, start, method, max_iterations=20)
        except ik.NotSupported:
            return
    np.testing.assert_array_equal(start, given_start)
    assert np.isfinite(answer.q).all() and np.isfinite(answer.errors).all()
    if problem.limits.strict:
        assert oracle.outside_region(skeleton, answer.q) <= 1e-9 * max(scale, 1.0)
    pose = ik.Pose.forward(skeleton, answer.q)
    told = problem.errors(pose)
    np.testing.assert_allclose(answer.errors, told, rtol=1e-6, atol=1e-8 * max(scale, 1.0))
    assert (answer.status is ik.Status.REACHED) == bool((answer.errors <= 1e-4).all())
    assert answer.message.endswith(".") and "nan" not in answer.message
    first = 0
    for goal in problem.tasks:
        errors, first = told[first : first + goal.effectors], first + goal.effectors
        if goal.kind == "Position" and goal.mask is None and not goal.slack:
            held = zip(goal.joints, np.broadcast_to(goal.offset, (goal.effectors, 3)), strict=True)
            places = np.array([oracle.point(skeleton, answer.q, *point) for point in held])
            away = np.linalg.norm(places - goal.target, axis=1)
            np.testing.assert_allclose(errors, away, rtol=1e-9, atol=1e-9 * max(scale, 1.0))
