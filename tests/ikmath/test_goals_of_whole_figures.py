# SPDX-License-Identifier: GPL-3.0-or-later
"""What distances, loops, balance and alternatives mean, on figures that do something with them."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.goals.balance import hull
from tests.ikmath import oracle


# ---------------------------------------------------------------------------------------------- distance
def test_distances_inside_and_outside():
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    pose = ik.Pose.forward(skeleton, skeleton.rest)
    at = lambda mode, distance: ik.Distance("tip", (0, 0, 0), (0, 0, 0), distance=distance, mode=mode)  # noqa: E731
    assert at("at", 1.5).errors(pose) == pytest.approx([0.5])
    assert at("inside", 2.5).errors(pose) == pytest.approx([0.0])
    assert at("inside", 1.5).errors(pose) == pytest.approx([0.5])
    assert at("outside", 1.5).errors(pose) == pytest.approx([0.0])
    assert at("outside", 2.5).errors(pose) == pytest.approx([0.5])
    assert at("outside", 1.5).inequality(pose).error == pytest.approx([0.5])


def test_a_staff_between_two_hands():
    skeleton = ik.figures.human()
    staff = ik.Distance("wrist.L", (0, 0.08, 0), "wrist.R", (0, 0.08, 0), 0.5)
    hand = ik.Position("wrist.L", (0.2, -0.4, 1.3), (0, 0.08, 0))
    solution = ik.solve(ik.Problem(skeleton, [staff, hand]))
    assert solution.status is ik.Status.REACHED
    left, right = (oracle.point(skeleton, solution.q, f"wrist.{s}", (0, 0.08, 0)) for s in "LR")
    assert np.linalg.norm(left - right) == pytest.approx(0.5, abs=2e-4)


def test_points_in_one_place_are_parted():
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    start = np.array([0.4, np.pi])  # the chain is folded: the tip is at its root
    goal = ik.Distance("tip", (0, 0, 0), "link0", distance=0.8, mode="outside")
    pose = ik.Pose.forward(skeleton, start)
    assert np.isfinite(goal.evaluate(pose).jacobian).all()
    solution = ik.solve(ik.Problem(skeleton, [goal]), start)
    assert np.linalg.norm(oracle.point(skeleton, solution.q, "tip")) >= 0.8 - 1e-4


# ---------------------------------------------------------------------------------------------- loop
@pytest.mark.parametrize("frames", [37, 145])
@pytest.mark.parametrize("method", ["hierarchical", "damped", "prioritized", "bounded", "pseudoinverse"])
def test_a_four_bar_linkage_stays_closed_over_a_full_turn(method, frames):
    """Crank 0.4, coupler 1, rocker 0.9, ground 1: the crank goes all the way round."""
    joints = [
        ik.Joint("crank", turns="z"),
        ik.Joint("coupler", "crank", translation=(0.4, 0, 0), turns="z"),
        ik.Joint("rocker", translation=(1.0, 0, 0), turns="z"),
    ]
    skeleton = ik.Skeleton(joints)
    turn = np.linspace(0, 2 * np.pi, frames)
    about_z = np.array([oracle.rodrigues((0, 0, a)) for a in turn])
    goals = [
        ik.Loop("coupler", (1.0, 0, 0), "rocker", (0.9, 0, 0)),
        ik.Orientation("crank", about_z),
    ]
    track = ik.solve_track(ik.Problem(skeleton, goals), np.array([0.0, 1.0, 1.8]), method, tolerance=1e-7)
    for q in track.q:
        gap = oracle.point(skeleton, q, "coupler", (1, 0, 0)) - oracle.point(
            skeleton, q, "rocker", (0.9, 0, 0)
        )
        assert np.linalg.norm(gap) < 1e-6
    assert track.q[-1][0] - track.q[0][0] == pytest.approx(2 * np.pi, abs=1e-5)


def holding():
    """A pose with the hands together in front of the chest."""
    skeleton = ik.figures.human()
    start = skeleton.rest.copy()
    for side in "LR":
        start[skeleton.columns(f"shoulder.{side}")] = (0.7, 0, -0.9 if side == "L" else 0.9)
        start[skeleton.columns(f"elbow.{side}").start] = 1.2
    return ik.Pose.forward(skeleton, skeleton.joint_limits.project(start))


@pytest.mark.parametrize("rigid", [False, True])
@pytest.mark.parametrize("method", ["hierarchical", "damped"])
def test_two_hands_keep_their_grip_on_a_moving_staff(method, rigid):
    """250 frames; the grip is the stronger goal, and holds to a tenth of a millimetre."""
    pose = holding()
    skeleton = pose.skeleton
    loop = ik.Loop.as_posed(pose, "wrist.L", (0, 0.1, 0), "wrist.R", rigid=rigid)
    assert loop.errors(pose) == pytest.approx([0.0], abs=1e-12)
    t = np.linspace(0, 1, 250)
    place = pose.point("wrist.R") + np.stack([0.12 * np.sin(9 * t), -0.08 * t, 0.2 * np.sin(7 * t)], -1)
    goals = [loop, ik.Position("wrist.R", place, priority=1 if method == "hierarchical" else 0)]
    track = ik.solve_track(ik.Problem(skeleton, goals), pose.q, method, tolerance=5e-5)
    before = oracle.frames(skeleton, pose.q)
    relation = before["wrist.R"][0].T @ before["wrist.L"][0]
    for q, target in zip(track.q, place, strict=True):
        now = oracle.frames(skeleton, q)
        here = now["wrist.L"][1] + now["wrist.L"][0] @ (0, 0.1, 0)
        there = now["wrist.R"][1] + now["wrist.R"][0] @ loop.offset[1]
        assert np.linalg.norm(here - there) < 1e-4
        assert np.linalg.norm(now["wrist.R"][1] - target) < 1e-4
        if rigid:
            np.testing.assert_allclose(now["wrist.R"][0].T @ now["wrist.L"][0], relation, atol=1e-4)


# ---------------------------------------------------------------------------------------------- balance
def massive(skeleton, masses):
    """The figure with those masses, by name."""
    return ik.Skeleton(ik.Joint(**{**vars(j), "mass": masses.get(j.name, 0.0)}) for j in skeleton.joints)


HUMAN = massive(
    ik.figures.human(),
    {"pelvis": 12, "lumbar": 8, "thorax": 18, "head": 5}
    | {f"{part}.{side}": mass for side in "LR" for part, mass in (("hip", 8), ("knee", 4), ("shoulder", 2))},
)
FEET = {f"ankle.{side}": oracle.point(HUMAN, HUMAN.rest, f"ankle.{side}") for side in "LR"}


def center_of(skeleton, q):
    frames = oracle.frames(skeleton, q)
    return sum(j.mass * frames[j.name][1] for j in skeleton.joints) / sum(j.mass for j in skeleton.joints)


def test_a_figure_that_reaches_out_leans_back_to_keep_its_balance():
    feet = ik.Position(list(FEET), np.array(list(FEET.values())))
    hand = ik.Position("wrist.L", (0.3, -0.75, 0.9))
    support = np.concatenate([place + np.array([(0, 0.05, 0), (0, -0.2, 0)]) for place in FEET.values()])
    stands = ik.Balance(support=support, margin=0.02)
    for goals, stable in (([feet, hand], False), ([feet, hand, stands], True)):
        solution = ik.solve(ik.Problem(HUMAN, goals), max_iterations=200)
        assert solution.status is ik.Status.REACHED
        x, y = center_of(HUMAN, solution.q)[:2]
        lows, highs = support[:, :2].min(0) + 0.02, support[:, :2].max(0) - 0.02
        inside = lows[0] - 1e-4 < x < highs[0] + 1e-4 and lows[1] - 1e-4 < y < highs[1] + 1e-4
        assert inside == stable, (x, y)
    np.testing.assert_allclose(
        stands.center(ik.Pose.forward(HUMAN, solution.q)), center_of(HUMAN, solution.q)
    )


def test_balance_over_a_place():
    goals = [
        ik.Position(list(FEET), np.array(list(FEET.values()))),
        ik.Balance((0.05, -0.03)),
    ]
    solution = ik.solve(ik.Problem(HUMAN, goals))
    assert solution.status is ik.Status.REACHED
    np.testing.assert_allclose(center_of(HUMAN, solution.q)[:2], (0.05, -0.03), atol=2e-4)


def test_supports_of_few_or_scattered_points():
    skeleton = ik.Skeleton([ik.Joint("ball", mass=1.0, slides="xyz", turns="")])
    at = lambda place: ik.Pose.forward(skeleton, (*place, 5.0))  # noqa: E731
    error = lambda support, place, **options: float(  # noqa: E731
        ik.Balance(support=support, **options).errors(at(place))[0]
    )
    square = [(0, 0), (1, 0), (0.5, 0.5), (1, 1), (0, 1), (0.2, 0.7), (0.5, 0)]
    assert error(square, (0.5, 0.5)) == 0
    assert error(square, (1.3, 0.5)) == pytest.approx(0.3)
    assert error(square, (0.95, 0.5), margin=0.1) == pytest.approx(0.05)
    line = [(0, 0), (1, 0), (2, 0)]
    assert error(line, (1, 0)) == 0
    assert error(line, (1, 0.4)) == pytest.approx(0.4)
    assert error(line, (2.3, 0.4)) == pytest.approx(0.5)
    assert error([(1, 2)], (1, 2)) == 0
    assert error([(1, 2), (1, 2)], (4, 6)) == pytest.approx(5.0)
    moving = ik.Balance(support=[square, [(0, 0)] * 7])
    assert moving.frames == 2
    both = ik.Pose.forward(skeleton, [(0.5, 0.5, 1.0)] * 2)
    np.testing.assert_allclose(moving.errors(both)[:, 0], [0, np.sqrt(0.5)])


# ---------------------------------------------------------------------------------------------- any of
def test_the_cheapest_alternative_counts():
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    near, far = ik.Position("tip", (1.5, 0.5, 0)), ik.Position("tip", (-1.5, 0.5, 0))
    either = ik.AnyOf([far, near])
    pose = ik.Pose.forward(skeleton, [0.3, 0.3])
    assert either.best(pose) == 1
    np.testing.assert_array_equal(either.evaluate(pose).error, near.evaluate(pose).error)
    solution = ik.solve(ik.Problem(skeleton, [either]), [0.3, 0.3])
    np.testing.assert_allclose(oracle.point(skeleton, solution.q, "tip"), (1.5, 0.5, 0), atol=1e-4)


def test_a_clip_keeps_to_the_handhold_that_it_has():
    """Two handholds sway, and from where the hand is the other one is always a little nearer."""
    skeleton = ik.figures.planar_chain([1.0, 1.0, 1.0])
    sway = 0.09 * (-1.0) ** np.arange(12)
    held, other = np.zeros((12, 3)), np.zeros((12, 3))
    held[:, 0], other[:, 0] = 1.5 + sway, 1.5 + sway * 2 / 3
    held[:, 1] = other[:, 1] = 1.5
    either = ik.AnyOf([ik.Position("tip", held), ik.Position("tip", other)])
    start = ik.solve(ik.Problem(skeleton, [ik.Position("tip", held[0])]), [0.3, 0.5, 0.4]).q
    for i in range(1, 12):
        here = ik.solve(ik.Problem(skeleton, [ik.Position("tip", held[i - 1])]), start).q
        assert either.at(i).best(ik.Pose.forward(skeleton, here)) == 1, "would change hands without a memory"
    for method in ("damped", "hierarchical"):
        track = ik.solve_track(ik.Problem(skeleton, [either]), start, method)
        for q, place in zip(track.q, held, strict=True):
            np.testing.assert_allclose(oracle.point(skeleton, q, "tip"), place, atol=1e-4)


def test_what_was_chosen_is_left_only_for_a_good_deal():
    skeleton = ik.figures.planar_chain([1.0])
    pose = lambda a: ik.Pose.forward(skeleton, [a])  # noqa: E731
    place = lambda a: (np.cos(a), np.sin(a), 0)  # noqa: E731
    either = ik.AnyOf([ik.Position("tip", place(0.0)), ik.Position("tip", place(1.0))])
    kept = either.with_choices(pose(0.2))
    assert either.best(pose(0.54)) == 1
    assert kept.best(pose(0.54)) == 0
    assert kept.best(pose(0.7)) == 1
    assert either.chosen is None


@pytest.mark.parametrize("off", [0.0, 1e-17, 1e-12])
def test_a_support_of_points_that_are_as_good_as_in_line_is_as_wide_as_they_are(off):
    rng = np.random.default_rng(1)
    for _ in range(200):
        points = 0.1 * rng.integers(-2, 3, (12, 2)) + off * rng.normal(size=(12, 2))
        corners = np.array(hull(points.tolist()))
        if len(corners) < 3:
            continue
        edge = np.roll(corners, -1, 0) - corners
        gap = points[:, None] - corners
        beside = (edge[:, 0] * gap[..., 1] - edge[:, 1] * gap[..., 0]) / np.sqrt((edge**2).sum(1))
        assert beside.min() > -1e-8, "every point is in it"
        assert all(np.abs(points - corner).sum(1).min() == 0.0 for corner in corners)


def test_a_floor_holds_whatever_weaker_goals_want():
    figure, rng = ik.figures.human(), np.random.default_rng(0)
    rest = ik.Pose.forward(figure, figure.rest)
    feet, hands = ["ankle.L", "ankle.R"], ["wrist.L", "wrist.R"]
    tall = rest.point("head") - rest.point("ankle.L")
    axis = int(np.abs(tall).argmax())
    up = np.eye(3)[axis] * np.sign(tall[axis])
    low = float((rest.point(feet) @ up).min()) - 0.02
    for _ in range(10):
        under = rest.point(hands) + rng.normal(size=(2, 3)) * 0.8 - 1.2 * up
        goals = [
            ik.Plane(hands + feet, low * up, up, one_sided=True),
            ik.Position(hands, under, weight=1e6, priority=1),
            ik.Position("head", rest.point("head") - up, priority=1),
        ]
        answer = ik.solve(ik.Problem(figure, goals), figure.rest)
        places = ik.Pose.forward(figure, answer.q).point(hands + feet)
        assert (places @ up).min() > low - 1e-6 * figure.size
