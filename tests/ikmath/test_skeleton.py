# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures as they are written down and as arrays; and what is wrong with those that cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ikmath as ik
from tests.ikmath import oracle, trees


@given(trees.skeletons(), st.randoms(use_true_random=False))
def test_the_order_of_writing_does_not_matter(skeleton, shuffler):
    joints = list(skeleton.joints)
    shuffler.shuffle(joints)
    other = ik.Skeleton(joints)
    for i, parent in enumerate(other.parents):
        assert parent < i
    rng = np.random.default_rng(0)
    q = rng.normal(size=skeleton.n)
    mixed = np.empty(skeleton.n)
    for name in skeleton.names:
        mixed[other.columns(name)] = q[skeleton.columns(name)]
    a, b = ik.Pose.forward(skeleton, q), ik.Pose.forward(other, mixed)
    for name in skeleton.names:
        np.testing.assert_allclose(a.point(name), b.point(name), atol=1e-12)


@given(trees.skeletons())
def test_structure(skeleton):
    for i, name in enumerate(skeleton.names):
        assert skeleton.index(name) == i
        joint = skeleton.joints[i]
        above = set()
        walk = name
        while walk is not None:
            above.add(walk)
            walk = skeleton.joints[skeleton.index(walk)].parent
        assert {skeleton.names[j] for j in np.flatnonzero(skeleton.ancestors[i])} == above
        own = skeleton.columns(name)
        assert [skeleton.coordinate_names[c] for c in range(skeleton.n)[own]] == [
            *(f"{name}.slide_{x}" for x in "xyz" if x in joint.slides),
            *(f"{name}.turn_{x}" for x in "xyz" if x in joint.turns),
        ]
        assert (skeleton.owner[own] == i).all()
    assert len(skeleton) == len(skeleton.names)
    assert str(skeleton.n) in repr(skeleton)
    stride = np.where(skeleton.is_turn, 1.0, skeleton.size or 1.0)
    np.testing.assert_allclose(skeleton.mobility, (1 - skeleton.stiffness) * stride**2)


@given(trees.posed())
def test_influence_is_what_moves(figure):
    skeleton, q, _ = figure
    pose = ik.Pose.forward(skeleton, q)
    for j, name in enumerate(skeleton.names):
        turning = np.abs(pose.rotation_jacobian(name)).max(0, initial=0.0)
        moving = np.abs(pose.jacobian(name, (0.3, 0.5, 0.7))).max(0, initial=0.0)
        assert not turning[~skeleton.turn_influence[:, j]].any()
        assert not moving[~skeleton.influence[:, j]].any()


def test_arrays_cannot_be_written_to():
    skeleton = ik.figures.human()
    for name in ("parents", "rest_rotation", "rest_translation", "lower", "upper", "mass", "stiffness"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(skeleton, name)[0] = 0


def test_what_was_written_is_copied():
    place = np.zeros(3)
    skeleton = ik.Skeleton([ik.Joint("a", translation=place)])
    place[:] = 5
    assert not skeleton.rest_translation.any()


@given(trees.posed(), st.integers(0, 1000))
def test_moved_figures_are_figures_of_their_own(figure, seed):
    skeleton, q, _ = figure
    rng = np.random.default_rng(seed)
    rotation = np.array([trees.rotation(rng) for _ in skeleton.names])
    translation, fixed = rng.normal(size=(len(skeleton), 3)), rng.normal(size=(len(skeleton), 6))
    before = [p.copy() for p in oracle.frames(skeleton, q)[skeleton.names[-1]]]
    moved = skeleton.with_rest(rotation, translation, fixed)
    fresh = ik.Skeleton(
        ik.Joint(**{**vars(j), "rotation": rotation[i], "translation": translation[i], "fixed": fixed[i]})
        for i, j in enumerate(skeleton.joints)
    )
    a, b = ik.Pose.forward(moved, q), ik.Pose.forward(fresh, q)
    np.testing.assert_allclose(a.position, b.position, atol=1e-12)
    np.testing.assert_allclose(a.rotation, b.rotation, atol=1e-12)
    assert moved.size == pytest.approx(fresh.size)
    after = ik.Pose.forward(skeleton, q)
    np.testing.assert_allclose(after.rotation[-1], before[0], atol=1e-12)
    np.testing.assert_allclose(after.position[-1], before[1], atol=1e-12)


def test_moved_figures_of_the_wrong_size():
    skeleton = ik.figures.ball_chain(2)
    with pytest.raises(ik.BadShape, match="rest_translation"):
        skeleton.with_rest(rest_translation=np.zeros((2, 3)))


def test_limited_figures_are_figures_of_their_own() -> None:
    figure = ik.Skeleton([ik.Joint("a"), ik.Joint("b", "a", translation=(0, 1, 0), lower=-2.0, upper=2.0)])
    lower, upper = figure.lower.copy(), figure.upper.copy()
    lower[3], upper[3] = 0.25, 1.0
    other = figure.with_limits(lower, upper)
    assert figure.rest[3] == 0.0 and other.rest[3] == pytest.approx(0.25)
    joints = [ik.Joint("a"), ik.Joint("b", "a", translation=(0, 1, 0), lower=lower[3:], upper=upper[3:])]
    q = np.random.default_rng(1).normal(size=(50, figure.n))
    np.testing.assert_array_equal(other.joint_limits.project(q), ik.Skeleton(joints).joint_limits.project(q))
    assert other.with_rest().joint_limits is other.joint_limits and other.topology is figure.topology
    lower[3] = -9.0
    assert other.lower[3] == 0.25


@pytest.mark.parametrize(
    ("lower", "upper", "error"),
    [
        (np.zeros(5), np.ones(6), ik.BadShape),
        (np.ones(6), np.zeros(6), ik.BadValue),
        (np.full(6, np.nan), np.ones(6), ik.BadValue),
        (np.full(6, -90.0), np.ones(6), ik.BadValue),
    ],
)
def test_limits_that_no_joint_could_have(lower: np.ndarray, upper: np.ndarray, error: type) -> None:
    figure = ik.Skeleton([ik.Joint("a"), ik.Joint("b", "a", translation=(0, 1, 0))])
    with pytest.raises(error):
        figure.with_limits(lower, upper)


def test_size_is_the_longest_way_down():
    chain = ik.figures.planar_chain([1.0, 2.0, 3.0])
    assert chain.size == pytest.approx(6.0)
    assert ik.Skeleton([ik.Joint("alone", translation=(5, 0, 0))]).size == 0.0


BAD = {
    "empty": (list, "no joints"),
    "twice": (lambda: [ik.Joint("a"), ik.Joint("b"), ik.Joint("a")], "'a'"),
    "circle": (lambda: [ik.Joint("a", "c"), ik.Joint("b", "a"), ik.Joint("c", "b")], "tree"),
    "own parent": (lambda: [ik.Joint("a", "a")], "'a'"),
    "unknown parent": (lambda: [ik.Joint("hand"), ik.Joint("finger", "hnd")], "'hnd'.*'hand'"),
    "limits crossed": (
        lambda: [ik.Joint("knee", turns="x", lower=1.0, upper=-1.0)],
        r"'knee\.turn_x'.*above",
    ),
    "degrees": (lambda: [ik.Joint("knee", turns="x", upper=45.0)], r"'knee\.turn_x'.*radians"),
    "limit nan": (lambda: [ik.Joint("knee", lower=np.nan)], r"knee\.turn_x"),
    "limits count": (lambda: [ik.Joint("knee", turns="x", lower=(1, 2))], "lower of joint 'knee'"),
    "limits shape": (lambda: [ik.Joint("knee", upper=np.zeros((3, 1)))], "upper of joint 'knee'"),
    "stiffness 1": (lambda: [ik.Joint("neck", stiffness=1.0)], r"neck\.turn_x.*stiffness"),
    "stiffness negative": (lambda: [ik.Joint("neck", stiffness=(0, -0.1, 0))], r"neck\.turn_y"),
    "stiffness nan": (lambda: [ik.Joint("neck", stiffness=np.nan)], "neck"),
    "mass": (lambda: [ik.Joint("a"), ik.Joint("b", mass=-1.0)], "'b'.*mass"),
    "mass nan": (lambda: [ik.Joint("a", mass=np.nan)], "mass of joint 'a'"),
    "turns": (lambda: [ik.Joint("a", turns="xw")], "turns of joint 'a' is 'xw'"),
    "turns twice": (lambda: [ik.Joint("a", turns="xx")], "turns of joint 'a' is 'xx'"),
    "slides": (lambda: [ik.Joint("a", slides="q")], "slides of joint 'a' is 'q'"),
    "scale": (lambda: [ik.Joint("a"), ik.Joint("b", "a", rotation=2 * np.eye(3))], "rotation of joint 'b'"),
    "mirror": (lambda: [ik.Joint("a", rotation=np.diag([1, 1, -1]))], "rotation of joint 'a'"),
    "rotation nan": (lambda: [ik.Joint("a", rotation=np.full((3, 3), np.nan))], "rotation of joint 'a'"),
    "rotation shape": (lambda: [ik.Joint("a", rotation=np.eye(4))], "rotation of joint 'a'"),
    "translation": (lambda: [ik.Joint("a", translation=(0, np.inf, 0))], "translation of joint 'a'"),
    "translation shape": (lambda: [ik.Joint("a", translation=(0, 1))], "translation of joint 'a'"),
    "fixed": (lambda: [ik.Joint("a", fixed=(0, 1, 2))], "fixed of joint 'a'"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_figure_names_what_is_wrong(what):
    joints, words = BAD[what]
    with pytest.raises(ik.IkError, match=words):
        ik.Skeleton(joints())


def test_unknown_joints_are_named_with_what_was_meant():
    with pytest.raises(ik.UnknownName, match=r"'Knee\.L'.*'knee\.L'") as caught:
        ik.figures.human().index("Knee.L")
    assert caught.value.kind == "joint"
    assert caught.value.name == "Knee.L"
    assert "pelvis" in caught.value.known
    with pytest.raises(ik.UnknownName):
        ik.figures.human().columns("tail")


def test_blenders_single_precision_is_a_rotation():
    rng = np.random.default_rng(4)
    for _ in range(20):
        ik.Skeleton([ik.Joint("a", rotation=trees.rotation(rng).astype(np.float32))])


def test_slides_count_in_figure_sizes():
    """Also when the figure has grown; who weighs it has said what a slide costs."""
    figure = ik.Skeleton([ik.Joint("a", slides="x", turns="y"), ik.Joint("b", "a", translation=(0, 3, 0))])
    np.testing.assert_allclose(figure.mobility[:2], [9.0, 1.0])
    grown = figure.with_rest(rest_translation=2.0 * figure.rest_translation)
    np.testing.assert_allclose(grown.mobility[:2], [36.0, 1.0])
    weighed = figure.with_inertia(np.full(figure.n, 4.0))
    np.testing.assert_allclose(weighed.mobility, 0.25)
    np.testing.assert_allclose(weighed.with_rest(rest_translation=grown.rest_translation).mobility, 0.25)


def test_none_among_limits_is_no_limit():
    skeleton = ik.Skeleton([ik.Joint("ball", lower=(None, -1, None), upper=[2, None, np.inf])])
    assert skeleton.lower.tolist() == [-np.inf, -1.0, -np.inf]
    assert skeleton.upper.tolist() == [2.0, np.inf, np.inf]


def test_a_joint_is_turned_by_its_free_turns_alone():
    joints = [ik.Joint("hip", turns="xyz"), ik.Joint("knee", "hip", turns="x", slides="y")]
    skeleton, q = ik.Skeleton(joints), np.full(5, 0.25)
    skeleton.set_turn(q, 0, ik.rotation.swing_twist_matrix(np.array([0.3, -0.8, 1.1])))
    skeleton.set_turn(q, 1, ik.rotation.swing_twist_matrix(np.array([0.7, 0.2, 0.0])))
    np.testing.assert_allclose(q[skeleton.columns("hip")], (0.3, -0.8, 1.1))
    np.testing.assert_allclose(q[skeleton.columns("knee")], (0.25, 0.7))


def test_the_rest_pose_cannot_be_overwritten():
    skeleton = ik.Skeleton([ik.Joint("a")])
    q = skeleton.rest
    with pytest.raises(ValueError, match="read-only"):
        q[0] = 1.0
    assert not skeleton.rest.any()


def test_limits_that_a_mimic_joint_leaves_empty_name_it():
    joints = [ik.Joint("a", turns="x", lower=-1.0, upper=1.0)]
    joints.append(ik.Joint("b", "a", turns="x", lower=-1.0, upper=1.0, mimic=ik.Mimic("a", offset=5.0)))
    with pytest.raises(ik.BadValue, match=r"'a.turn_x' has its lower limit above .* its mimic joints"):
        ik.Skeleton(joints)


def test_coordinates_that_do_not_fit_are_not_projected():
    skeleton = ik.Skeleton([ik.Joint("a", turns="yz", lower=-1.0)])
    assert skeleton.project([-5, 1]).tolist() == [-1.0, 1.0]
    for wrong, message in (([1], r"q has shape \(1,\)"), (3, r"q has shape \(\)"), ([0, np.nan], "finite")):
        with pytest.raises(ik.IkError, match=message):
            skeleton.project(wrong)
