# SPDX-License-Identifier: GPL-3.0-or-later
"""The region of joint limits against Blender's, written down a second time in `oracle.outside_region`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ikmath as ik
from ikmath import rotation
from ikmath.classic.limit_crossings import leaving
from tests.ikmath import oracle, trees

LIMITS = ("none", "all", "some", "odd")
HOLDS = 1e-9


def ball(lower, upper, turns="xyz"):
    return ik.Skeleton([ik.Joint("ball", turns=turns, lower=lower, upper=upper)])


@given(trees.posed(limits=LIMITS), st.floats(0, 3))
def test_projected_coordinates_are_inside(figure, spread):
    skeleton, q, _ = figure
    inside = skeleton.joint_limits.project(q * spread)
    assert oracle.outside_region(skeleton, inside) <= HOLDS
    assert (skeleton.joint_limits.violation(inside) <= 1e-7).all()


@given(trees.posed(limits=LIMITS), st.floats(0, 3))
def test_projecting_twice_changes_nothing_more(figure, spread):
    skeleton, q, _ = figure
    once = skeleton.joint_limits.project(q * spread)
    np.testing.assert_allclose(skeleton.joint_limits.project(once), once, atol=HOLDS)


@given(trees.posed(limits=LIMITS))
def test_what_is_inside_stays(figure):
    skeleton, q, _ = figure
    q = skeleton.joint_limits.project(q)
    within = skeleton.rest + 0.9 * (q - skeleton.rest)
    if oracle.outside_region(skeleton, within) < -1e-9:
        np.testing.assert_array_equal(skeleton.joint_limits.project(within), within)
        assert not skeleton.joint_limits.violation(within).any()


@given(trees.posed(limits=LIMITS), st.sampled_from([(1,), (4,), (2, 3), (0,)]))
def test_batches(figure, batch):
    skeleton, q, rng = figure
    region = skeleton.joint_limits
    many = q + rng.normal(size=(*batch, skeleton.n))
    before = many.copy()
    projected, violation, at_limit = region.project(many), region.violation(many), region.at_limit(many)
    np.testing.assert_array_equal(many, before)
    for i in np.ndindex(batch):
        np.testing.assert_allclose(projected[i], region.project(many[i]), atol=1e-12)
        np.testing.assert_allclose(violation[i], region.violation(many[i]), atol=1e-12)
        np.testing.assert_array_equal(at_limit[i], region.at_limit(many[i]))


@given(trees.posed(limits=LIMITS))
def test_rest_is_zero_where_the_limits_allow_it(figure):
    skeleton, _, _ = figure
    rest = skeleton.rest
    assert oracle.outside_region(skeleton, rest) <= HOLDS
    nearest = np.clip(0.0, skeleton.lower, skeleton.upper)
    single = ~np.isin(np.arange(skeleton.n), skeleton.joint_limits.pairs)
    np.testing.assert_array_equal(rest[single], nearest[single])
    # the corner of two limits on one swing is told in half-angle sines, which are not quite the coordinates
    np.testing.assert_allclose(rest, nearest, atol=2e-3)
    at_zero = (nearest == 0.0) | single
    if at_zero.all():
        np.testing.assert_array_equal(rest, nearest)


QUARTERS = [(sx, sz) for sx in (-1, 1) for sz in (-1, 1)]


@pytest.mark.parametrize(("sx", "sz"), QUARTERS)
def test_quarter_ellipses(sx, sz):
    """Each quarter has the radii of its own two limits, in half-angle sines (measured in Blender)."""
    lower, upper = np.radians([-20, -40, -70]), np.radians([50, 40, 110])
    skeleton = ball(lower, upper)
    lx = abs(upper[0] if sx > 0 else lower[0])
    lz = abs(upper[2] if sz > 0 else lower[2])
    for t in np.linspace(0, np.pi / 2, 7):
        s = np.array([sx * np.sin(lx / 2) * np.cos(t), 0, sz * np.sin(lz / 2) * np.sin(t)])
        length = np.linalg.norm(s)
        boundary = s / length * 2 * np.arcsin(length)
        assert abs(oracle.outside_region(skeleton, boundary)) < 1e-12
        np.testing.assert_array_equal(skeleton.joint_limits.project(0.999 * boundary), 0.999 * boundary)
        pulled = skeleton.joint_limits.project(1.2 * boundary)
        assert abs(oracle.outside_region(skeleton, pulled)) < HOLDS
        assert skeleton.joint_limits.at_limit(pulled)[[0, 2]].all()


def test_a_limit_on_one_swing_turn_is_a_strip():
    skeleton = ball((-0.5, -np.inf, -np.inf), (0.8, np.inf, np.inf))
    x_sine = lambda q: 2 * np.arcsin(np.sin(np.hypot(q[0], q[2]) / 2) * q[0] / np.hypot(q[0], q[2]))  # noqa: E731
    for z in (0.0, 1.0, 2.0, -2.5):
        for x, limit in ((2.0, 0.8), (-2.0, -0.5)):
            q = skeleton.joint_limits.project(np.array([x, 0.3, z]))
            assert x_sine(q) == pytest.approx(limit, abs=1e-9)
            assert q[1] == 0.3


def test_twists_are_intervals():
    skeleton = ball((-1, -0.3, -1), (1, 0.2, 1))
    np.testing.assert_allclose(skeleton.joint_limits.project([0.1, 5.0, 0.1]), [0.1, 0.2, 0.1])
    np.testing.assert_allclose(skeleton.joint_limits.project([0.1, -5.0, 0.1]), [0.1, -0.3, 0.1])


@pytest.mark.parametrize("turns", ["x", "z", "xy", "yz", "y"])
def test_a_single_swing_turn_is_an_interval(turns):
    n = len(turns)
    skeleton = ball([-0.4] * n, [0.9] * n, turns)
    np.testing.assert_allclose(skeleton.joint_limits.project([2.0] * n), [0.9] * n)
    np.testing.assert_allclose(skeleton.joint_limits.project([-2.0] * n), [-0.4] * n)


@pytest.mark.parametrize("side", [(0, 1), (0, -1), (2, 1), (2, -1)])
def test_a_side_without_room(side):
    """A limit of 0, which Blender allows: a knee that does not overstretch, free to all other sides."""
    axis, sign = side
    lower, upper = np.array([-0.7, -1, -0.7]), np.array([0.7, 1, 0.7])
    (upper if sign > 0 else lower)[axis] = 0.0
    skeleton = ball(lower, upper)
    q = np.zeros(3)
    q[axis] = 0.4 * sign
    q[2 - axis] = 0.2
    projected = skeleton.joint_limits.project(q)
    assert abs(projected[axis]) < HOLDS
    assert projected[2 - axis] == pytest.approx(0.2, abs=2e-3)  # the sine is kept, not the angle
    np.testing.assert_array_equal(skeleton.joint_limits.project(-q), -q)


def test_no_room_at_all_is_a_locked_joint():
    skeleton = ball(0.0, 0.0)
    np.testing.assert_allclose(
        skeleton.joint_limits.project(np.random.default_rng(0).normal(size=(20, 3))), 0.0, atol=1e-9
    )


def test_limits_that_leave_out_the_rest_pose():
    skeleton = ball((0.3, -1, 0.2), (1.0, 1, 0.9))
    np.testing.assert_allclose(skeleton.rest, (0.3, 0, 0.2), atol=2e-3)
    rng = np.random.default_rng(5)
    for q in rng.normal(size=(200, 3)) * 2:
        assert oracle.outside_region(skeleton, skeleton.joint_limits.project(q)) < HOLDS


def test_a_free_swing_is_taken_the_shorter_way_round():
    skeleton = ball(None, None)
    q = np.array([3.0, 0.4, 2.5])
    short = skeleton.joint_limits.project(q)
    assert np.hypot(short[0], short[2]) < np.pi
    np.testing.assert_allclose(
        ik.rotation.swing_twist_matrix(short), ik.rotation.swing_twist_matrix(q), atol=1e-14
    )


@given(trees.posed(limits=LIMITS))
def test_leaving_says_what_a_step_may_do(figure):
    skeleton, q, rng = figure
    region = skeleton.joint_limits
    q = region.project(q)
    dq = rng.normal(size=skeleton.n)
    bounds = leaving(region, q, dq)
    if bounds is None:
        assert oracle.outside_region(skeleton, q + dq) <= 1e-8
        return
    held = q + bounds.shift
    for i in np.flatnonzero(bounds.held):
        assert min(abs(held[i] - skeleton.lower[i]), abs(held[i] - skeleton.upper[i])) < 1e-12
    assert not bounds.shift[~bounds.held].any()
    for p, pair in enumerate(region.pairs):
        if not bounds.leaving[p]:
            assert not bounds.normal[:, p].any()
            assert not bounds.way[:, p].any()
            continue
        assert np.linalg.norm(bounds.normal[:, p]) == pytest.approx(1.0, abs=1e-9)
        at = q.copy()
        at[pair] += bounds.way[:, p]
        np.testing.assert_allclose(region.project(at)[pair], at[pair], atol=1e-9)


def test_normals_are_the_gradient_of_the_boundary():
    skeleton = ball(np.radians([-20, -40, -70]), np.radians([50, 40, 110]))
    region = skeleton.joint_limits
    rng = np.random.default_rng(2)
    checked = 0
    for q in rng.normal(size=(50, 3)) * 3:
        v = region.project(q)[[0, 2]]
        outside = lambda w: np.array([oracle.outside_region(skeleton, (w[0], 0, w[1]))])  # noqa: E731
        slope, kink = oracle.differences(outside, v, 1e-7)
        if kink > 1e-3 or np.linalg.norm(slope) < 1e-3:
            continue  # at the seam of two quarters, or inside
        edges = region.near_boundary(np.array([v[0], 0.0, v[1]]), 0.999)
        if not edges:
            continue  # it was inside
        checked += 1
        np.testing.assert_allclose(edges[0][:2], slope[0] / np.linalg.norm(slope), atol=1e-4)
    assert checked > 20


def test_swings_of_more_than_half_a_turn_through_an_open_side():
    """They are told the shorter way round, where another limit may be the one that counts."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        open_low, open_high = rng.random((2, 3)) < 0.4
        lower = np.where(open_low, -np.inf, -rng.uniform(0.1, 2.5, 3))
        upper = np.where(open_high, np.inf, rng.uniform(0.1, 2.5, 3))
        skeleton = ball(lower, upper)
        far = rng.normal(size=3) * rng.choice([1.0, 3.0, 6.0])
        projected = skeleton.joint_limits.project(far)
        assert oracle.outside_region(skeleton, projected) <= HOLDS
        np.testing.assert_allclose(skeleton.joint_limits.project(projected), projected, atol=HOLDS)


@pytest.mark.parametrize("turns", ["", "y"])
def test_rounding_counts_as_little_far_from_zero(turns):
    """A slide that is held at its limit a kilometre away is still there, whatever rounding makes of it."""
    skeleton = ik.Skeleton(
        [ik.Joint("rail", turns="", slides="x", lower=-1e3, upper=1e3), ik.Joint("b", "rail", turns=turns)]
    )
    step = np.where(skeleton.is_turn, 0.0, 64.0 * np.spacing(1e3))
    assert (skeleton.joint_limits.slight(step, 0.1) > step).all()


@pytest.mark.parametrize("seed", range(20))
def test_limits_about_turned_axes_are_those_of_a_joint_whose_axes_are_turned(seed):
    rng = np.random.default_rng(seed)
    angle, (low, high) = rng.uniform(-np.pi, np.pi), rng.uniform(0.0, 2.0, (2, 3))
    high[seed % 3] = np.inf
    plain = ik.Skeleton([ik.Joint("ball", turns="xyz", lower=-low, upper=high)])
    turned = plain.with_limits(plain.lower, plain.upper, [angle])
    about = rotation.about(1, angle)  # from the turned axes to the joint's own; a twist is the same in both

    def seen(q):
        return q @ about

    q = rng.normal(size=(100, 3)) * rng.choice([0.2, 1.0, 2.0], (100, 1))
    np.testing.assert_allclose(seen(turned.project(q)), plain.project(seen(q)), atol=1e-9)
    np.testing.assert_allclose([turned.project(one) for one in q], turned.project(q), atol=1e-12)
    violation = plain.joint_limits.violation(seen(q))
    np.testing.assert_allclose(turned.joint_limits.violation(q), violation, atol=1e-9)


def test_a_solve_keeps_limits_about_turned_axes():
    """A chain of two, and the same with the lower joint's frame turned instead."""
    angle = 0.6
    frame = rotation.about(1, angle)
    bounds = {"lower": [0.0, -0.5, -0.2], "upper": [2.0, 0.5, 0.2]}

    def chain(turn, **limits):
        upper, lower = ik.Joint("upper"), ik.Joint("lower", "upper", turn, (0, 1, 0), turns="xyz", **limits)
        return ik.Skeleton([upper, lower])

    own, free, endless = chain(frame, **bounds), chain(np.eye(3)), [np.inf] * 3
    lower, upper = np.append(np.negative(endless), bounds["lower"]), np.append(endless, bounds["upper"])
    other = free.with_limits(lower, upper, turned=[0.0, angle])
    for place in ((0.3, 1.2, 0.4), (-0.5, 1.0, 0.3), (0.2, 0.9, -0.9), (0.0, 0.2, 0.1)):
        ends = []
        for figure in (own, other):
            problem = ik.Problem(figure, [ik.Position("lower", place, (0, 1, 0))])
            found = ik.solve(problem, accuracy="exact", tolerance=1e-9)
            ends.append(ik.Pose.forward(figure, found.q).point("lower", (0, 1, 0)))
        np.testing.assert_allclose(*ends, atol=1e-6)
        assert other.joint_limits.violation(found.q).max() < 1e-9


def test_methods_that_know_no_turned_axes_say_so():
    figure = ik.Skeleton([ik.Joint("ball", turns="xyz", upper=1.0)])
    figure = figure.with_limits(figure.lower, figure.upper, [0.5])
    problem = ik.Problem(figure, [ik.Position("ball", (0, 1, 0), (0, 1, 0))])
    with pytest.raises(ik.NotSupported, match="turned axes; use Hierarchical"):
        ik.solve(problem, method="damped")
