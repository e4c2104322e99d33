# SPDX-License-Identifier: GPL-3.0-or-later
"""What every kind of goal promises, on figures of any shape, in one and in many frames.

Drawing a figure costs more than a goal on it, so each figure that hypothesis draws serves all kinds.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

import ikmath as ik
from tests.ikmath import oracle, trees
from tests.ikmath.zoo import GOAL_CASES

CASES = pytest.mark.parametrize("case", GOAL_CASES, ids=lambda case: f"{case.kind}-{case.name}")
MOVING = pytest.mark.parametrize(
    "case", [c for c in GOAL_CASES if not c.constant], ids=lambda case: f"{case.kind}-{case.name}"
)
EXAMPLES = 50  # some of them lie astride an edge, where nothing is compared


def test_every_kind_has_an_entry():
    assert {case.kind for case in GOAL_CASES} == set(ik.GOALS)


@st.composite
def scenes(draw, frames=None):
    """A figure, the coordinates where a goal is met, other coordinates near or far, a generator."""
    skeleton, met, rng = draw(trees.posed(max_joints=5))
    assume(skeleton.n)
    shape = skeleton.n if frames is None else (*frames, skeleton.n)
    away = rng.normal(size=shape) * draw(st.sampled_from((1.0, 0.1, 1e-3, 1e-9)))
    return skeleton, met, met + away, rng


def build(case, skeleton, met, rng):
    return case.make(skeleton, ik.Pose.forward(skeleton, met), rng)


def every_case(one_sided=False):
    """All kinds of goals, or the one-sided ones. The last that a failure notes is the one that failed."""
    for case in GOAL_CASES:
        if case.one_sided or not one_sided:
            note(f"{case.kind}-{case.name}")
            yield case


def check_differences(error_of, skeleton, q, jacobian):
    slope, kink = oracle.differences(lambda at: error_of(ik.Pose.forward(skeleton, at)), q)
    if kink < 1e-3:  # not astride the edge of a slack, or of half a turn
        np.testing.assert_allclose(jacobian, slope, atol=1e-7 * max(1.0, np.abs(slope).max(initial=0.0)))


@settings(max_examples=3)
@given(scene=scenes())
def test_coordinates_in_place_of_a_pose_are_refused(scene):
    skeleton, met, q, rng = scene
    for case in every_case():
        goal = build(case, skeleton, met, rng)
        names = [
            "evaluate",
            "errors",
            *["inequality"] * case.one_sided,
            *["center"] * (case.kind == "Balance"),
        ]
        for use in (getattr(goal, name) for name in names):
            for wrong in (q, None, skeleton):
                with pytest.raises(ik.BadValue, match=r"^pose is .*; give a Pose"):
                    use(wrong)


@settings(max_examples=EXAMPLES)
@given(scene=scenes())
def test_jacobian_is_differences(scene):
    skeleton, met, q, rng = scene
    for case in every_case():
        goal = build(case, skeleton, met, rng)
        jacobian = goal.evaluate(ik.Pose.forward(skeleton, q)).jacobian
        check_differences(lambda pose, goal=goal: goal.evaluate(pose).error, skeleton, q, jacobian)


@settings(max_examples=EXAMPLES)
@given(scene=scenes())
def test_nothing_is_wrong_at_its_own_target(scene):
    skeleton, met, _, rng = scene
    for case in every_case():
        goal = build(case, skeleton, met, rng)
        pose = ik.Pose.forward(skeleton, met)
        # a rotation of half a turn loses half of the digits in its logarithm's neighbourhood, none at zero
        np.testing.assert_allclose(goal.evaluate(pose).error, 0.0, atol=1e-12)
        np.testing.assert_allclose(goal.errors(pose), 0.0, atol=1e-12)


@settings(max_examples=EXAMPLES)
@given(scene=scenes(frames=(3,)), moving=st.booleans())
def test_many_frames_are_the_single_ones(scene, moving):
    skeleton, met, many, rng = scene
    for case in every_case():
        goal = build(case, skeleton, met + 0.3 * rng.normal(size=(3, skeleton.n)) if moving else met, rng)
        assert goal.frames == (3 if moving and not case.constant else None)
        together = goal.evaluate(ik.Pose.forward(skeleton, many))
        sizes = goal.errors(ik.Pose.forward(skeleton, many))
        assert together.error.shape == (3, goal.effectors * goal.rows) or case.kind == "Posture"
        assert together.jacobian.shape == (*together.error.shape, skeleton.n)
        assert sizes.shape == (3, goal.effectors)
        for i in range(3):
            pose = ik.Pose.forward(skeleton, many[i])
            alone = goal.at(i).evaluate(pose)
            np.testing.assert_allclose(together.error[i], alone.error, atol=1e-12)
            tolerance = 1e-12 * max(1.0, np.abs(alone.jacobian).max(initial=0.0) ** 2)
            np.testing.assert_allclose(together.jacobian[i], alone.jacobian, atol=tolerance)
            np.testing.assert_allclose(sizes[i], goal.at(i).errors(pose), atol=1e-12)


@pytest.mark.parametrize("batch", [(), (1,), (2,), (3, 1)], ids=str)
@MOVING
def test_frames_that_a_pose_has_not_are_told(case, batch):
    rng = np.random.default_rng(5)
    skeleton = trees.tree(rng)
    goal = build(case, skeleton, rng.normal(size=(3, skeleton.n)), rng)
    pose = ik.Pose.forward(skeleton, rng.normal(size=(*batch, skeleton.n)))
    asked = [goal.evaluate, goal.errors, *([goal.inequality] if case.one_sided else [])]
    for ask in asked:
        with pytest.raises(ik.BadShape, match=r"goal\.at\(frame\)"):
            ask(pose)


@settings(max_examples=EXAMPLES)
@given(scene=scenes(frames=(2, 2)))
def test_batches_of_any_shape(scene):
    skeleton, met, many, rng = scene
    for case in every_case():
        goal = build(case, skeleton, met, rng)
        together = goal.evaluate(ik.Pose.forward(skeleton, many))
        flat = goal.evaluate(ik.Pose.forward(skeleton, many.reshape(4, -1)))
        np.testing.assert_allclose(together.error.reshape(4, -1), flat.error, atol=1e-12)
        np.testing.assert_allclose(together.jacobian.reshape(flat.jacobian.shape), flat.jacobian, atol=1e-12)
        none = goal.evaluate(ik.Pose.forward(skeleton, many[:0]))
        assert none.error.shape == (0, 2, flat.error.shape[-1])


@settings(max_examples=EXAMPLES)
@given(scene=scenes(frames=(4,)))
def test_some_frames_are_a_batch_too(scene):
    skeleton, met, many, rng = scene
    for case in every_case():
        goal = build(case, skeleton, met + 0.3 * rng.normal(size=(4, skeleton.n)), rng)
        index = np.array([2, 0])
        some = goal.at(index).evaluate(ik.Pose.forward(skeleton, many[index]))
        every = goal.evaluate(ik.Pose.forward(skeleton, many))
        np.testing.assert_allclose(some.error, every.error[index], atol=1e-12)
        np.testing.assert_allclose(some.jacobian, every.jacobian[index], atol=1e-9)


@CASES
def test_a_goal_changes_nothing_and_says_the_same_again(case):
    rng = np.random.default_rng(8)
    skeleton = trees.tree(rng)
    met, q = rng.normal(size=(2, skeleton.n))
    goal = build(case, skeleton, met, rng)
    pose = ik.Pose.forward(skeleton, q)
    held = {name: value.copy() for name, value in vars(goal).items() if isinstance(value, np.ndarray)}
    first = goal.evaluate(pose)
    copies = first.error.copy(), first.jacobian.copy()
    second = goal.evaluate(pose)
    np.testing.assert_array_equal(first.error, copies[0])
    np.testing.assert_array_equal(second.error, copies[0])
    np.testing.assert_array_equal(second.jacobian, copies[1])
    for name, value in held.items():
        np.testing.assert_array_equal(getattr(goal, name), value, err_msg=name)
    np.testing.assert_array_equal(pose.q, q)


@CASES
def test_errors_are_the_sizes_of_the_residual(case):
    rng = np.random.default_rng(9)
    skeleton = trees.tree(rng)
    goal = build(case, skeleton, rng.normal(size=skeleton.n), rng)
    pose = ik.Pose.forward(skeleton, rng.normal(size=skeleton.n))
    split = goal.evaluate(pose).error.reshape(goal.effectors, -1)
    np.testing.assert_allclose(goal.errors(pose), np.linalg.norm(split, axis=1), atol=1e-12)
    assert len(goal.labels) == goal.effectors == len(goal.weight)
    assert goal.unit in ("m", "rad", "")


@CASES
def test_a_goal_serves_figures_of_other_constants(case):
    """`Skeleton.with_rest` shares structure; a goal that was bound once goes on with it."""
    rng = np.random.default_rng(10)
    skeleton = trees.tree(rng)
    goal = build(case, skeleton, rng.normal(size=skeleton.n), rng)
    q = rng.normal(size=skeleton.n)
    goal.evaluate(ik.Pose.forward(skeleton, q))
    moved = skeleton.with_rest(rest_translation=skeleton.rest_translation * 1.5)
    fresh = ik.Skeleton(
        ik.Joint(**{**vars(j), "translation": np.asarray(j.translation) * 1.5}) for j in skeleton.joints
    )
    here = goal.evaluate(ik.Pose.forward(moved, q))
    there = goal.evaluate(ik.Pose.forward(fresh, q))
    np.testing.assert_allclose(here.error, there.error, atol=1e-12)
    np.testing.assert_allclose(here.jacobian, there.jacobian, atol=1e-12)


@CASES
def test_a_goal_for_another_figure_is_refused(case):
    rng = np.random.default_rng(11)
    skeleton = trees.tree(rng)
    goal = build(case, skeleton, rng.normal(size=skeleton.n), rng)
    other = ik.figures.planar_chain([1.0, 1.0])  # of other names, and without masses
    with pytest.raises(ik.IkError):
        ik.Problem(other, [goal])


@settings(max_examples=EXAMPLES)
@given(scene=scenes())
def test_what_is_violated_of_an_inequality_is_the_residual(scene):
    skeleton, met, q, rng = scene
    for case in every_case(one_sided=True):
        goal = build(case, skeleton, met, rng)
        pose = ik.Pose.forward(skeleton, q)
        room, residual = goal.inequality(pose), goal.evaluate(pose)
        np.testing.assert_allclose(residual.error, np.minimum(room.error, 0.0), atol=1e-12)
        out = room.error < 0
        np.testing.assert_allclose(residual.jacobian[out], room.jacobian[out], atol=1e-12)
        assert not residual.jacobian[~out].any()
        check_differences(lambda pose, goal=goal: goal.inequality(pose).error, skeleton, q, room.jacobian)
