# SPDX-License-Identifier: GPL-3.0-or-later
"""What the default method promises: strict levels, limits, no pops, straight limbs, obstacles, statuses."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from tests.ikmath.trees import tree

HANDS = ["hand.L", "hand.R"]
TIP = (0.0, 0.3, 0.0)


def two_arms(limit: float) -> ik.Skeleton:
    """Two arms on a shared spine, 2 m from the root to a hand's tip, every turn limited to both sides."""
    angle = np.radians(limit)
    joints = [
        ik.Joint(f"spine{i}", f"spine{i - 1}" if i else None, translation=(0, 0.2 * bool(i), 0))
        for i in range(4)
    ]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        out = rotation.about(2, -sign * np.pi / 2)
        names = [f"{part}.{side}" for part in ("shoulder", "upper", "lower", "hand")]
        ways = [(0, 0.2, 0), (0, 0.2, 0), (0, 0.4, 0), (0, 0.3, 0)]
        for i, (name, way) in enumerate(zip(names, ways, strict=True)):
            parent = names[i - 1] if i else "spine3"
            joints.append(ik.Joint(name, parent, translation=way, rotation=np.eye(3) if i else out))
    limited = [
        ik.Joint(j.name, j.parent, j.rotation, j.translation, lower=-angle, upper=angle) for j in joints
    ]
    return ik.Skeleton(limited)


def turned(skeleton: ik.Skeleton, q0: np.ndarray, q1: np.ndarray) -> float:
    """The largest turn of a bone against its parent between two poses, degrees."""
    local = []
    for q in (q0, q1):
        world = ik.Pose.forward(skeleton, q).rotation
        above = np.concatenate([world, np.eye(3)[None]])[skeleton.parents]
        local.append(np.swapaxes(above, -1, -2) @ world)
    return float(np.degrees(rotation.angle(np.swapaxes(local[0], -1, -2) @ local[1]).max()))


@pytest.mark.parametrize("limit", [30, 60])
def test_two_hands_reach_what_can_be_reached_inside_limits(limit):
    skeleton = two_arms(limit)
    rng = np.random.default_rng(limit)
    for _ in range(60):
        pose = ik.Pose.forward(
            skeleton, skeleton.joint_limits.project(rng.uniform(skeleton.lower, skeleton.upper))
        )
        goals = [ik.Position(HANDS, pose.point(HANDS, TIP), TIP), ik.Orientation(HANDS, pose.frame(HANDS))]
        answer = ik.solve(ik.Problem(skeleton, goals), max_iterations=200)
        assert answer.errors[:2].max() < 1e-3, answer.message
        assert skeleton.joint_limits.violation(answer.q).max() < 1e-9


def forced(problem: ik.Problem, before: np.ndarray) -> bool:
    """Whether the targets of a frame cannot be reached by small turns (7 degrees a coordinate)."""
    near = ik.solve(problem, before, max_turn=np.radians(7.0), restarts=0)
    return near.status is not ik.Status.REACHED


def pops(problem: ik.Problem) -> int:
    """Frames of a track in which a bone turns by more than 15 degrees though nothing forces it to."""
    track = ik.solve_track(problem)
    count = 0
    for frame in range(1, problem.frames):
        before, after = track.q[frame - 1], track.q[frame]
        if turned(problem.skeleton, before, after) > 15.0:
            reached = track.status[frame] is ik.Status.REACHED
            count += not (reached and forced(problem.at(frame), before))
    return count


@pytest.mark.parametrize("reach", [1.0, 1.5])
def test_no_pops_along_smooth_paths(reach):
    skeleton = two_arms(60)
    rng = np.random.default_rng(1)
    for _ in range(30):
        poses = [
            skeleton.joint_limits.project(rng.uniform(skeleton.lower, skeleton.upper) * 0.8) for _ in range(2)
        ]
        start, end = (reach * ik.Pose.forward(skeleton, q).point(HANDS, TIP) for q in poses)
        share = np.linspace(0.0, 1.0, 40)
        share = share * share * (3.0 - 2.0 * share)
        targets = start + (end - start) * share[:, None, None]
        assert pops(ik.Problem(skeleton, [ik.Position(HANDS, targets, TIP)])) == 0


@pytest.mark.parametrize("seed", range(10))
def test_weak_goals_do_not_disturb_strong_ones_however_heavy(seed):
    figure = ik.figures.human()
    rest = ik.Pose.forward(figure, figure.rest)
    rng = np.random.default_rng(seed)
    feet, hands = ["ankle.L", "ankle.R"], ["wrist.L", "wrist.R"]
    goals = [
        ik.Position(feet, rest.point(feet)),
        ik.Orientation(feet, rest.frame(feet)),
        ik.Position(hands, rest.point(hands) + rng.normal(size=(2, 3)) * 0.6, weight=1e4, priority=1),
        ik.Position("head", rest.point("head") + rng.normal(size=3) * 0.2, weight=1e6, priority=2),
    ]
    answer = ik.solve(ik.Problem(figure, goals), figure.rest, max_iterations=100)
    assert answer.errors[:4].max() < 1e-6 * figure.size
    assert figure.joint_limits.violation(answer.q).max() < 1e-9


@pytest.mark.parametrize(
    ("lower", "upper", "side"), [(0, 150, 1), (-150, 0, -1), (-2, 150, 1), (-150, 5, -1)]
)
def test_a_straight_knee_bends_to_the_side_of_its_limits(lower, upper, side):
    knee = ik.Joint(
        "knee", "hip", translation=(0, 0.5, 0), turns="x", lower=np.radians(lower), upper=np.radians(upper)
    )
    leg = ik.Skeleton([ik.Joint("hip"), knee, ik.Joint("foot", "knee", translation=(0, 0.5, 0), turns="")])
    answer = ik.solve(ik.Problem(leg, [ik.Position("foot", (0, 0.9, 0))]), np.zeros(4))
    assert answer.status is ik.Status.REACHED
    assert np.sign(answer.q[3]) == side


def test_a_stiff_joint_moves_last():
    soft, stiff = (
        ik.Skeleton(
            [
                ik.Joint("a", turns="z", stiffness=stiffness),
                ik.Joint("b", "a", translation=(0, 1, 0), turns="z"),
                ik.Joint("c", "b", translation=(0, 1, 0), turns="z"),
            ]
        )
        for stiffness in (0.0, 0.99)
    )
    q0 = np.array([0.0, 0.4, 0.4])
    turns = []
    for skeleton in (soft, stiff):
        target = ik.Pose.forward(skeleton, q0).point("c", (0, 1, 0)) + np.array([0.2, 0.0, 0.0])
        answer = ik.solve(ik.Problem(skeleton, [ik.Position("c", target, (0, 1, 0))]), q0)
        assert answer.status is ik.Status.REACHED
        turns.append(abs(answer.q[0]))
    assert turns[1] < 0.2 * turns[0]


def test_out_of_reach_ends_nearest_and_rests_there():
    chain = ik.figures.ball_chain(8, 0.25)
    rng = np.random.default_rng(0)
    for target in rng.normal(size=(10, 3)):
        target *= 3.0 / np.linalg.norm(target)
        problem = ik.Problem(chain, [ik.Position("tip", target)])
        answer = ik.solve(problem, rng.normal(size=chain.n) * 0.2, max_iterations=200)
        assert answer.errors[0] < 1.0 + 1e-3 * 2.0
        assert answer.status is ik.Status.BEST_EFFORT
        assert "out of reach" in answer.message


def test_the_message_names_the_limit_and_the_conflict():
    bent = ik.Skeleton(
        [
            ik.Joint("upper", turns="x", lower=-0.1, upper=0.1),
            ik.Joint("lower", "upper", translation=(0, 1, 0), turns=""),
        ]
    )
    answer = ik.solve(ik.Problem(bent, [ik.Position("lower", (0, 0, 1))]), bent.rest)
    assert "upper is at its joint limit" in answer.message
    goals = [
        ik.Position("lower", (0, 1, 0), name="down"),
        ik.Position("lower", (0, 0.9, 0.4), priority=1, name="aside"),
    ]
    free = ik.Skeleton(
        [ik.Joint("upper", turns="x"), ik.Joint("lower", "upper", translation=(0, 1, 0), turns="")]
    )
    answer = ik.solve(ik.Problem(free, goals), free.rest)
    assert answer.message.startswith("aside is 412.3 mm from its target: in conflict with down")


def test_restarts_leave_a_local_minimum():
    arm = ik.figures.arm()
    rng = np.random.default_rng(4)
    q0 = np.array([0.0, 0.4, 0.0, 1.2, 0.0, 0.6, 0.0])
    reached = 0
    for _ in range(40):
        pose = ik.Pose.forward(arm, rng.uniform(arm.lower, arm.upper))
        goals = [ik.Position("tool", pose.point("tool")), ik.Orientation("tool", pose.frame("tool"))]
        problem = ik.Problem(arm, goals)
        reached += ik.solve(problem, q0, max_iterations=100, restarts=20).status is ik.Status.REACHED
    assert reached == 40


def test_what_stands_in_the_way_is_named_and_never_entered():
    chain = ik.figures.ball_chain(6, 0.3)
    body = ik.Body([ik.Link(f"ball{i}", (0, 0, 0), (0, 0.3, 0), radius=0.04) for i in range(6)])
    wall = ik.HalfSpace((0, 0, 0.5), (0, 0, -1), name="Wall")
    problem = ik.Problem(chain, [ik.Position("tip", (0.2, 0.8, 0.9))], obstacles=[wall], body=body)
    answer = ik.solve(problem, np.tile([0.1, 0.0, 0.05], 6), max_iterations=200)
    assert answer.status is ik.Status.BLOCKED
    assert "stopped by Wall" in answer.message
    assert -1e-9 < answer.clearance < 1e-3
    places = ik.Pose.forward(chain, answer.q).point([*(f"ball{i}" for i in range(6)), "tip"])
    assert places[:, 2].max() < 0.5 - 0.04 + 1e-6


def moved(problem: ik.Problem, q: np.ndarray) -> float:
    """How far any joint moves when the problem is solved again from where it ended, metres."""
    first = ik.solve(problem, q)
    again = ik.solve(problem, first.q)
    places = [ik.Pose.forward(problem.skeleton, answer.q).position for answer in (first, again)]
    return float(np.abs(places[1] - places[0]).max())


def test_who_asks_again_out_of_reach_gets_the_same():
    arm, rng = ik.figures.arm(), np.random.default_rng(0)
    q0 = np.array([0.0, 0.4, 0.0, 1.2, 0.0, 0.6, 0.0])
    for _ in range(20):
        turn = ik.Pose.forward(arm, rng.uniform(arm.lower, arm.upper)).frame("tool")
        way = rng.normal(size=3)
        place = np.array([0, 0, 0.36]) + way * (rng.uniform(0.6, 1.3) / np.linalg.norm(way))
        problem = ik.Problem(arm, [ik.Position("tool", place), ik.Orientation("tool", turn)])
        assert moved(problem, q0) < 1e-6


def test_a_person_that_asks_again_does_not_jump_elsewhere():
    figure, rng = ik.figures.human(), np.random.default_rng(0)
    rest = ik.Pose.forward(figure, figure.rest)
    feet, hands = ["ankle.L", "ankle.R"], ["wrist.L", "wrist.R"]
    for _ in range(8):
        goals = [
            ik.Position(feet, rest.point(feet)),
            ik.Position(hands, rest.point(hands) + rng.normal(size=(2, 3)) * 0.7),
        ]
        assert moved(ik.Problem(figure, goals), figure.rest) < 0.05


@pytest.mark.parametrize("seed", range(6))
def test_levels_in_conflict_rest_where_they_ended(seed):
    """Feet out of reach, hands against them, the head against both, all limits."""
    figure, rng = ik.figures.human(), np.random.default_rng(seed)
    rest = ik.Pose.forward(figure, figure.rest)
    feet, hands = ["ankle.L", "ankle.R"], ["wrist.L", "wrist.R"]

    def turned(joints, size):
        turns = np.array([rotation.exp(rng.normal(size=3) * size) for _ in joints])
        return rest.frame(joints) @ turns

    goals = [
        ik.Position(feet, rest.point(feet) + rng.normal(size=(2, 3)) * 0.3),
        ik.Orientation(feet, turned(feet, 0.5)),
        ik.Position(hands, rest.point(hands) + rng.normal(size=(2, 3)) * 0.6, priority=1),
        ik.Orientation(hands, turned(hands, 1.0), priority=1),
        ik.Position("head", rest.point("head") + rng.normal(size=3) * 0.5, priority=2),
    ]
    assert moved(ik.Problem(figure, goals), figure.rest) < 1e-4


@pytest.mark.parametrize("depth", [1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
def test_a_floor_that_is_hardly_broken_holds_nobody_down(depth):
    """Who stands on it, by rounding or a little more below it, is lifted off by the weakest goal."""
    skeleton = ik.figures.ball_chain(4)
    start = np.random.default_rng(0).normal(size=skeleton.n) * 0.2
    tip = {"joint": "tip", "offset": (0, 1, 0)}

    def asked(height, floor, q):
        below = ik.Plane(**tip, origin=(0, floor, 0), normal=(0, 1, 0), one_sided=True)
        hand = ik.Position(**tip, target=(1.5, height, 0.5), priority=1)
        return ik.Problem(skeleton, [below, hand, ik.Posture(q)])

    pressed = ik.solve(asked(0.7, 1.5, start), start)
    again = asked(1.8, 1.5 + depth, pressed.q)
    lifted = ik.solve(again, pressed.q)
    assert lifted.status is ik.Status.REACHED
    few = ik.solve(again, pressed.q, max_iterations=10)
    assert few.status is ik.Status.REACHED and np.array_equal(few.q, lifted.q), "ten iterations are enough"


def test_the_weakest_goal_is_reached_as_if_it_were_alone():
    """A stronger level that asks for nothing, as a floor far below, changes nothing of what it comes to."""
    skeleton = ik.figures.ball_chain(4)
    rest = np.random.default_rng(0).normal(size=skeleton.n) * 0.2
    tip = {"joint": "tip", "offset": (0, 1, 0)}
    floor = ik.Plane(**tip, origin=(0, -5, 0), normal=(0, 1, 0), one_sided=True)
    pressed = ik.solve(ik.Problem(skeleton, [ik.Position(**tip, target=(1.5, 1.5, 0.5))]), rest).q
    hand = ik.Position(**tip, target=(1.5, 1.8, 0.5), priority=1)
    alone = ik.solve(ik.Problem(skeleton, [hand, ik.Posture(rest)]), pressed)
    above = ik.solve(ik.Problem(skeleton, [floor, hand, ik.Posture(rest)]), pressed)
    assert alone.status is above.status is ik.Status.REACHED, above
    np.testing.assert_allclose(above.q, alone.q, atol=1e-6)


@pytest.mark.xfail(strict=False, reason="a weak goal far out of reach ends up to 70 % farther in fast solves")
def test_who_asks_briefly_reaches_the_same_and_keeps_limits_and_levels():
    skeleton = two_arms(60)
    rng = np.random.default_rng(2)
    away = []
    for seed in range(20):
        start = skeleton.joint_limits.project(0.3 * rng.normal(size=skeleton.n))
        pose = ik.Pose.forward(
            skeleton, skeleton.joint_limits.project(start + 0.4 * rng.normal(size=skeleton.n))
        )
        left, right = pose.point(HANDS, TIP)
        right = right + np.array([5.0 * (seed % 2), 0.0, 0.0])
        weaker = ik.Position("hand.R", right, TIP, priority=1)
        goals = [ik.Position("hand.L", left, TIP), weaker, ik.Posture(start)]
        problem = ik.Problem(skeleton, goals)
        brief, whole = ik.solve(problem, start, brief=True), ik.solve(problem, start)
        assert (brief.status is ik.Status.REACHED) == (whole.status is ik.Status.REACHED) == (seed % 2 == 0)
        assert skeleton.joint_limits.violation(brief.q).max() < 1e-9
        assert brief.errors[0] < 1e-4  # which is the stronger one, whatever becomes of the other
        assert brief.errors[1] == pytest.approx(whole.errors[1], rel=0.05, abs=1e-4)
        if whole.status is ik.Status.REACHED:
            away.append([np.linalg.norm(answer.q - start) for answer in (brief, whole)])
    # mostly the posture is kept to alike; now and then it is another way to hold both hands there
    ratio = np.divide(*np.transpose(away))
    assert np.median(ratio) == pytest.approx(1.0, abs=1e-3) and ratio.max() < 1.5


def test_a_motion_that_is_asked_for_briefly_jumps_no_more():
    skeleton = two_arms(60)
    start = skeleton.joint_limits.project(0.3 * np.random.default_rng(4).normal(size=skeleton.n))
    here = ik.Pose.forward(skeleton, start).point(HANDS, TIP)
    circle = np.linspace(0.0, 2.0 * np.pi, 60)
    way = 0.15 * np.stack([np.cos(circle) - 1.0, np.sin(circle), 0.5 * np.sin(2 * circle)], -1)
    way[30:] += (0.0, 0.0, 0.08)  # of a sudden
    steps = {}
    for brief in (False, True):
        before, q, turns = None, start, []
        for shift in way:
            goals = [ik.Position(HANDS, here + shift, TIP), ik.Posture(start)]
            answer = ik.solve(ik.Problem(skeleton, goals), q, following=before, brief=brief)
            assert skeleton.joint_limits.violation(answer.q).max() < 1e-9
            turns.append(np.abs(answer.q - q).max())
            before, q = answer, answer.q
        assert answer.status is ik.Status.REACHED
        steps[brief] = np.array(turns)
    assert np.median(steps[True]) < 1.3 * np.median(steps[False])
    assert steps[True].max() < 1.3 * steps[False].max()


def test_a_strong_level_does_not_stay_in_a_local_minimum():
    """Chains that begin anywhere: the strong goals end no farther than from any of some other starts."""
    for seed in range(12):
        rng = np.random.default_rng([11, seed])
        figure = tree(rng, 8, "some")
        low, high = np.maximum(figure.lower, -1.9), np.minimum(figure.upper, 1.9)
        draw = lambda rng=rng, low=low, high=high: rng.uniform(low, np.maximum(low, high))  # noqa: E731
        goals = []
        for number, name in enumerate(rng.permutation(figure.names[1:])[:3]):
            pose = ik.Pose.forward(figure, figure.joint_limits.project(draw()))
            goals.append(ik.Position(str(name), pose.point(str(name)), priority=number % 2))
        problem = ik.Problem(figure, goals)
        strong = np.array([goal.priority == 0 for goal in goals])
        answer = ik.solve(problem, figure.joint_limits.project(0.3 * draw()))
        others = [ik.solve(problem, figure.joint_limits.project(draw()), restarts=0) for _ in range(4)]
        least = min(np.linalg.norm(other.errors[strong]) for other in others)
        assert np.linalg.norm(answer.errors[strong]) < least + 0.01 * problem.length, seed


def test_a_straight_leg_under_a_stronger_hold_gives_way():
    """What carries the figure could slide down, but for the foot that holds it: no slope is left."""
    joints = [
        ik.Joint("hips", translation=(0.0, 0.0, 1.0), slides="xyz", turns="xyz"),
        ik.Joint("thigh", "hips", turns="xyz"),
        ik.Joint("shin", "thigh", translation=(0.0, 0.0, -0.5), turns="x"),
        ik.Joint("foot", "shin", translation=(0.0, 0.0, -0.5), turns="xyz"),
    ]
    figure = ik.Skeleton(joints)
    hold = [ik.Position("foot", target=(0.0, 0.0, 0.0)), ik.Orientation("foot", target=np.eye(3))]
    down = ik.Position("hips", target=(0.0, 0.0, 0.8), priority=1)
    solution = ik.solve(ik.Problem(figure, [*hold, down]), figure.rest)
    assert solution.status is ik.Status.REACHED


def test_which_limbs_give_way_is_not_left_to_rounding():
    """Both feet hold, so that no slope is left, and both legs must bend: the last bits shall not choose."""
    turned = rotation.exp(np.array([0.3, -0.5, 0.7]))
    hips = turned @ (0.0, 0.0, 1.0)
    joints = [ik.Joint("hips", translation=hips, rotation=turned, slides="xyz", turns="xyz")]
    for side, x in (("L", 0.1), ("R", -0.1)):
        joints += [
            ik.Joint(f"thigh.{side}", "hips", translation=(x, 0.0, 0.0), turns="xyz"),
            ik.Joint(f"shin.{side}", f"thigh.{side}", translation=(0.0, 0.0, -0.43), turns="xyz"),
            ik.Joint(f"foot.{side}", f"shin.{side}", translation=(0.0, 0.0, -0.42), turns="xyz"),
        ]
    figure = ik.Skeleton(joints)
    feet, rest = ("foot.L", "foot.R"), ik.Pose.forward(figure, figure.rest)
    places = rest.point(("hips", *feet), np.zeros((3, 3)))
    places[0] *= 0.65
    ends = []
    for beside in (0.0, 1e-16, 1e-9):  # how exactly points are known
        near = np.array([[0.0] * 3, [0.0] * 3, [beside] * 3])
        goals = [
            ik.Position(("hips", *feet), places, near),
            ik.Orientation(feet, np.stack([turned] * 2)),
            ik.Posture(figure.rest),
        ]
        ends.append(ik.solve(ik.Problem(figure, goals), figure.rest).q)
    np.testing.assert_allclose(ends, [ends[0]] * 3, atol=1e-4)
