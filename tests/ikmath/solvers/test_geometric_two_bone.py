# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bones: exact, with pole and soft reach, and finite in every degenerate case."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import oracle, trees

ROOT = np.array([0.2, 1.0, 0.1])
UPPER, LOWER = 0.3, 0.25


def limb(turns="x", lower=0.0, upper=2.6, skew=False):
    """A shoulder, an elbow, a hand; with `skew` the bones lie anywhere in their frames."""
    rng = np.random.default_rng(4)
    bone = (lambda length: length * trees.rotation(rng)[:, 1]) if skew else lambda length: (0, length, 0)
    return ik.Skeleton(
        [
            ik.Joint("chest", turns=""),
            ik.Joint("upper", "chest", translation=ROOT, rotation=oracle.rodrigues((0.3, 0.2, -1.0))),
            ik.Joint("lower", "upper", translation=bone(UPPER), turns=turns, lower=lower, upper=upper),
            ik.Joint("hand", "lower", translation=bone(LOWER)),
        ]
    )


def solve(figure, target, **options):
    return ik.solve(ik.Problem(figure, [ik.Position("hand", target)]), method="two_bone", **options)


def places(figure, q):
    return [oracle.point(figure, q, name) for name in ("upper", "lower", "hand")]


@pytest.mark.parametrize("skew", [False, True])
@pytest.mark.parametrize("turns", ["x", "z", "xz", "xyz"])
def test_exact_within_reach_in_one_pass(skew, turns):
    figure = limb(turns, -2.6 if turns != "x" else 0.0, 2.6, skew)
    rng = np.random.default_rng(1)
    q = figure.joint_limits.project(rng.uniform(-2, 2, (300, figure.n)))
    targets = ik.Pose.forward(figure, q).point("hand")
    solution = solve(figure, targets, finish=False)
    # without finishing; where an odd joint's limits bend the way, the last bit may be missing
    assert (solution.errors <= 1e-4).mean() > (0.99 if turns in "xz" else 0.95)
    assert solve(figure, targets).errors.max() <= 1e-4
    assert figure.joint_limits.violation(solution.q).max() <= 1e-9
    assert (solution.iterations == 1).all()


def test_the_middle_joint_bends_to_the_side_of_the_pole():
    figure = limb()
    rng = np.random.default_rng(2)
    for _ in range(40):
        q = figure.joint_limits.project(np.array([*rng.uniform(-1, 1, 3), rng.uniform(0.3, 2.3), 0, 0, 0]))
        target, pole = oracle.point(figure, q, "hand"), ROOT + rng.normal(size=3)
        solution = solve(figure, target, pole=pole)
        root, middle, hand = places(figure, solution.q)
        assert np.allclose(hand, target, atol=1e-6)
        axis = (hand - root) / np.linalg.norm(hand - root)
        out, side = ((v - axis * (axis @ v)) for v in (middle - root, pole - root))
        assert out @ side == pytest.approx(np.linalg.norm(out) * np.linalg.norm(side), rel=1e-6)


def test_without_a_pole_the_limb_keeps_its_plane():
    figure = limb()
    start = np.array([0.2, 0.0, 0.3, 1.2, 0.0, 0.0, 0.0])
    root, middle, hand = places(figure, start)
    normal = np.cross(middle - root, hand - root)
    target = root + 0.8 * (hand - root)  # in the plane
    solution = ik.solve(ik.Problem(figure, [ik.Position("hand", target)]), start, "two_bone")
    _, bent, reached = places(figure, solution.q)
    assert np.allclose(reached, target, atol=1e-9)
    assert abs(normal @ (bent - root)) < 1e-9


def test_soft_reach_never_stretches_and_never_jumps():
    figure = limb()
    way = np.array([0.6, 0.0, 0.8])
    distances = np.linspace(0.35, 1.2, 400)
    targets = ROOT + distances[:, None] * way
    full = UPPER + LOWER
    soft, hard = (
        [np.linalg.norm(oracle.point(figure, q, "hand") - ROOT) for q in solve(figure, targets, **options).q]
        for options in ({"softness": 0.1}, {})
    )
    elbow = figure.columns("lower").start
    bend = solve(figure, targets, softness=0.1).q[:, elbow]
    assert np.allclose(np.array(soft)[distances < 0.9 * full], distances[distances < 0.9 * full], atol=1e-6)
    assert max(soft) < full
    assert (np.diff(soft) >= -1e-9).all()
    # the plain limb's elbow turns ever faster until it is straight; the soft one's stays steady
    plain = solve(figure, targets).q[:, elbow]
    assert np.abs(np.diff(bend)).max() < 0.5 * np.abs(np.diff(plain)).max()
    assert max(hard) == pytest.approx(full, abs=1e-9)


def test_soft_reach_says_that_it_lags_behind():
    solution = solve(limb(), ROOT + np.array([0.54, 0, 0]), softness=0.2)
    assert solution.status is ik.Status.BEST_EFFORT


def test_limits_of_the_middle_joint_set_the_range():
    """Bent by at most 1 radian, the limb cannot fold; the hand stays on the shell that it can reach."""
    figure = limb(lower=0.2, upper=1.0)
    nearest = np.sqrt(UPPER**2 + LOWER**2 + 2 * UPPER * LOWER * np.cos(1.0))
    farthest = np.sqrt(UPPER**2 + LOWER**2 + 2 * UPPER * LOWER * np.cos(0.2))
    for distance in (0.0, 0.1, 0.5, 0.54, 2.0):
        solution = solve(figure, ROOT + distance * np.array([0, 0.6, 0.8]))
        reached = np.linalg.norm(oracle.point(figure, solution.q, "hand") - ROOT)
        assert reached == pytest.approx(np.clip(distance, nearest, farthest), abs=1e-6)
        assert figure.joint_limits.violation(solution.q).max() <= 1e-9


@pytest.mark.parametrize("pole", [None, "target", "root", "line", "aside"])
@pytest.mark.parametrize("target", ["root", "nearly root", "along", "beyond", "behind", "tip"])
@pytest.mark.parametrize("turns", ["x", "xyz"])
def test_every_degenerate_case_gives_a_finite_pose(pole, target, turns):
    """Aligned bones at rest, a target at the root, on the line, at the tip already; poles without a side."""
    figure = limb(turns, -2.6, 2.6)
    along = oracle.point(figure, figure.rest, "hand") - ROOT
    point = {
        "root": ROOT,
        "nearly root": ROOT + 1e-12,
        "along": ROOT + 0.7 * along,
        "beyond": ROOT + 3.0 * along,
        "behind": ROOT - 0.7 * along,
        "tip": ROOT + along,
    }[target]
    where = {
        None: None,
        "target": point,
        "root": ROOT,
        "line": ROOT + 0.3 * along,
        "aside": ROOT + np.arange(1.0, 4.0),
    }[pole]
    solution = solve(figure, point, **({} if where is None else {"pole": where}))
    assert np.isfinite(solution.q).all()
    if target in ("along", "behind", "tip"):
        assert solution.errors[0] <= 1e-4


@pytest.mark.parametrize("lengths", [(0.0, 0.3), (0.3, 0.0), (0.3, 0.3)])
def test_bones_without_length_and_equal_bones(lengths):
    figure = ik.Skeleton(
        [
            ik.Joint("upper"),
            ik.Joint("lower", "upper", translation=(0, lengths[0], 0), turns="x"),
            ik.Joint("hand", "lower", translation=(0, lengths[1], 0), turns=""),
        ]
    )
    for target in ((0, 0, 0), (0, 0.2, 0.1), (0, 5, 0)):
        solution = solve(figure, target)
        assert np.isfinite(solution.q).all()
        assert np.isfinite(solution.errors).all()
    if all(lengths):
        assert solve(figure, (0, 0, 0)).errors[0] <= 1e-4


def test_four_limbs_at_once_move_nothing_else():
    figure = ik.figures.human()
    names = ["wrist.L", "wrist.R", "ankle.L", "ankle.R"]
    rng = np.random.default_rng(3)
    q = np.tile(figure.rest, (30, 1))
    for name in ("shoulder", "elbow", "hip", "knee"):
        for side in (".L", ".R"):
            q[:, figure.columns(name + side)] += rng.normal(size=(30, 3)) * 0.3
    q = figure.joint_limits.project(q)
    targets = ik.Pose.forward(figure, q).point(names)
    solution = ik.solve(ik.Problem(figure, [ik.Position(names, targets)]), method="two_bone")
    assert solution.errors.max() <= 1e-4
    still = figure.columns("thorax")
    assert (solution.q[:, still] == figure.rest[still]).all()


def test_ten_thousand_at_once_equal_one_by_one():
    figure = limb()
    rng = np.random.default_rng(5)
    targets = ROOT + rng.uniform(-0.6, 0.6, (10_000, 3))
    pole = ROOT + np.array([0.0, 0.0, -3.0])
    together = solve(figure, targets, pole=pole, softness=0.05)
    for i in range(0, 10_000, 400):
        alone = solve(figure, targets[i], pole=pole, softness=0.05)
        assert np.abs(alone.q - together.q[i]).max() <= 1e-12


def test_what_cannot_be_done_is_said():
    figure = limb()
    one = ik.Skeleton([ik.Joint("only")])
    rigid = ik.Skeleton([ik.Joint("only", turns=""), ik.Joint("other")])
    for skeleton in (one, rigid):
        with pytest.raises(ik.NotSupported, match="two joints that can turn above effector only;"):
            ik.solve(ik.Problem(skeleton, [ik.Position("only", (1, 0, 0), (0, 1, 0))]), method="two_bone")
    twice = ik.Problem(figure, [ik.Position(["hand", "hand"], np.zeros((2, 3)), [[0, 0, 0], [0, 0.1, 0]])])
    with pytest.raises(ik.NotSupported, match="one limb"):
        ik.solve(twice, method="two_bone")
    with pytest.raises(ik.UnknownName, match="elbow"):
        solve(figure, (1, 1, 1), middle="elbow")
    with pytest.raises(ik.BadValue, match="softness"):
        solve(figure, (1, 1, 1), softness=1.0)
    with pytest.raises(ik.BadShape, match="pole"):
        solve(figure, (1, 1, 1), pole=(1, 2))
    with pytest.raises(ik.BadValue, match="pole"):
        solve(figure, (1, 1, 1), pole=(1, 2, np.nan))


def test_the_middle_joint_can_be_named():
    figure = ik.figures.ball_chain(4)
    problem = ik.Problem(figure, [ik.Position("tip", (1, 2, 1))])
    q = ik.solve(problem, method="two_bone", middle="ball1").q.reshape(4, 3)
    assert np.abs(q[[2, 3]]).max() == 0.0
    assert np.abs(q[1]).max() > 0.1


def test_a_limb_that_cannot_come_nearer_moves_nothing_else():
    """Where no joint alone finds a way, joints are bent a little to try again: those of the limb."""
    names = ["j0", "j1", "j2", "j3"]
    figure = ik.Skeleton(
        [
            ik.Joint(name, parent, translation=(0.0, 0.3, 0.0), turns="z")
            for name, parent in zip(names, [None, *names], strict=False)
        ]
    )
    goal = ik.Position("j3", (-0.8, 0.2, -0.2), (0.2, -0.2, 0.2))  # beside the plane in which it bends
    solution = ik.solve(ik.Problem(figure, [goal]), method="two_bone", middle="j2")
    np.testing.assert_array_equal(solution.q[[0, 3]], 0.0)
    again = ik.solve(ik.Problem(figure, [goal]), solution.q, method="two_bone", middle="j2")
    np.testing.assert_allclose(again.q, solution.q, atol=1e-6)


def test_who_is_held_back_by_the_method_alone_is_told_so():
    """The third joint, which is none of the limb's two, would do it."""
    figure = ik.figures.planar_chain([1.0, 1.0, 0.5])
    problem = ik.Problem(figure, [ik.Position("tip", (2.45, 0.1, 0.0))])
    start = np.array([0.0, 0.0, 1.5])
    answer = ik.solve(problem, start, method="two_bone", middle=figure.names[1])
    assert answer.message.endswith("the method does not use the joints that would bring it nearer.")
    assert ik.solve(problem, start).status is ik.Status.REACHED
