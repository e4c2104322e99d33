# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments without a meaning are refused by name, and so are frames, goals and postures that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.collision import Scene
from ikmath.postures import JointPosture, PostureTerm
from ikmath.postures.objective import PostureObjective

CHAIN = ik.figures.planar_chain([1.0, 1.0])
OTHER = ik.figures.ball_chain(3)
PATH = np.linspace((0.5, 0.5, 0.0), (1.0, 0.5, 0.0), 3)
TIP = ik.Position("tip", PATH[0])
BALL = ik.Sphere((0, 0, 0), 0.1).moved(np.eye(3), PATH)
BODY = ik.Body([ik.Link("tip", radius=0.05)])
ROBOT = """<robot name="r"><link name="base"/><link name="arm"/><link name="hand"/>
<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/></joint>
<joint name="weld" type="fixed"><parent link="arm"/><child link="hand"/></joint></robot>"""


def moving_goals():
    """A goal of each kind whose targets have three frames."""
    turns = np.broadcast_to(np.eye(3), (3, 3, 3))
    position = ik.Position("tip", PATH)
    return [
        position,
        ik.Orientation("tip", turns),
        ik.Aim("tip", PATH),
        ik.Pole("link1", PATH, "link0", (0, 1, 0)),
        ik.Plane("tip", PATH),
        ik.Distance("tip", (0, 0, 0), PATH),
        ik.Loop("tip", (0, 0, 0), "link0", rigid=True, rotation=turns),
        ik.Balance(PATH[:, :2], masses=np.ones(len(CHAIN))),
        ik.AnyOf([position, TIP]),
        ik.Posture(np.zeros((3, 2))),
    ]


@pytest.mark.parametrize("frame", [3, 9, -4, "x", None, 0.5, np.array([0, 3]), np.array([0.5]), slice(1)])
@pytest.mark.parametrize("goal", moving_goals(), ids=lambda goal: goal.kind)
def test_a_frame_that_a_goal_does_not_have_is_named(goal, frame):
    with pytest.raises(ik.BadValue, match=r"^frame of "):
        goal.at(frame)
    with pytest.raises(ik.BadValue, match=r"^frame of "):
        ik.Problem(CHAIN, [goal]).at(frame)


@pytest.mark.parametrize("frame", [3, -4, "x", None, 0.5, np.array([3]), slice(1)])
def test_a_frame_that_an_obstacle_does_not_have_is_named(frame):
    with pytest.raises(ik.BadValue, match=r"^frame of obstacle 'sphere'"):
        BALL.at(frame)


def test_frames_of_goals_obstacles_and_problems():
    problem = ik.Problem(CHAIN, [ik.Position("tip", PATH)], [BALL], BODY)
    for frame, number in ((1, 1), (-1, 2), (np.int64(2), 2)):
        np.testing.assert_array_equal(problem.goals[0].at(frame).target[0], PATH[number])
        np.testing.assert_array_equal(BALL.at(frame).translation, PATH[number])
        np.testing.assert_array_equal(problem.at(frame).obstacles[0].translation, PATH[number])
    some = np.array([2, 0])
    np.testing.assert_array_equal(BALL.at(some).translation, PATH[some])
    poses = ik.Pose.forward(CHAIN, np.zeros((2, 2)))
    np.testing.assert_array_equal(
        problem.at(some).errors(poses)[:, 0], np.linalg.norm(PATH[some] - poses.point("tip"), axis=1)
    )
    grid = ik.Sphere((0, 0, 0), 0.1).moved(np.eye(3), PATH.reshape(3, 1, 3))
    np.testing.assert_array_equal(grid.at((2, 0)).translation, PATH[2])
    with pytest.raises(ik.BadValue, match="frame of obstacle 'sphere' is 1, but there are 0 frames"):
        BALL.at((1, 1))


class Bare(ik.Goal):
    kind = "Bare"


class Begun(Bare):
    def __init__(self):
        self._begin(("tip",), 1.0, 0, None)


class Narrow(Begun):
    def evaluate(self, pose):
        return ik.Residual(np.zeros(2), np.zeros((2, pose.skeleton.n)))


class Alone(Begun):
    """For one pose only."""

    def evaluate(self, pose):
        return ik.Residual(np.zeros(3), np.zeros((3, pose.skeleton.n)))


class Lists(Begun):
    def evaluate(self, pose):
        return ik.Residual([0.0, 0.0, 0.0], np.zeros((3, pose.skeleton.n)))


class Unknown(Begun):
    def evaluate(self, pose):
        error = np.full((*pose.batch, 3), np.nan)
        return ik.Residual(error, np.zeros((*error.shape, pose.skeleton.n)))


class Odd(Unknown):
    unit = "metres"


class Pair(Begun):
    def evaluate(self, pose):
        return np.zeros(3), np.zeros((3, pose.skeleton.n))


@pytest.mark.parametrize(
    "goal, words",
    [
        (Bare(), "Goal Bare has no effectors; call self._begin"),
        (Begun(), "Bare goal tip has no rows; implement evaluate or inequality"),
        (Narrow(), r"result of evaluate of Bare goal tip has shape \(2,\); give \(3,\)"),
        (Alone(), r"result of evaluate of Bare goal tip in 4 poses has shape \(3,\); give \(4, 3\)"),
        (Lists(), r"result of evaluate of Bare goal tip is \[0.0, 0.0, 0.0\]; give a ndarray"),
        (Unknown(), "result of evaluate of Bare goal tip must consist of finite numbers"),
        (Odd(), "unit of Bare goal tip is 'metres'; give 'm' or 'rad' or ''"),
        (Pair(), "result of evaluate of Bare goal tip is .*; give a Residual"),
    ],
)
def test_goals_of_your_own_that_are_not_complete_are_named(goal, words):
    repr(goal)
    with pytest.raises(ik.IkError, match=words):
        ik.Problem(CHAIN, [goal])
    with pytest.raises(ik.IkError, match=words):
        ik.Problem(CHAIN, [TIP]).with_targets([goal])


def test_alternatives_of_your_own_that_are_not_complete_are_named():
    with pytest.raises(ik.BadValue, match="Goal Bare has no effectors"):
        ik.Problem(CHAIN, [ik.AnyOf([Bare(), TIP])])


MEANINGLESS = {
    "frame of a position": (
        lambda: ik.Position("tip", PATH[0], axes="x", frame=np.eye(3)),
        "frame of Position goal tip has no meaning in space 'world'",
    ),
    "frame of an orientation": (
        lambda: ik.Orientation("tip", np.eye(3), space="bone", frame=np.eye(3)),
        "frame of Orientation goal tip has no meaning in space 'bone'",
    ),
    "no frame": (
        lambda: ik.Position("tip", PATH[0], axes="x", space="target"),
        "frame of Position goal tip is missing",
    ),
    "second offset": (
        lambda: ik.Distance("tip", (0, 0, 0), (1, 0, 0), (0, 0.1, 0)),
        "offset_b of Distance goal tip is for a second joint",
    ),
    "margin": (lambda: ik.Balance((0, 0), margin=0.1), "margin of Balance goal balance is for a support"),
    "fixed twice": (
        lambda: ik.from_urdf(ROBOT, fixed={"weld": 0.3}),
        "URDF joint 'weld' is fixed and has no single position; leave it out",
    ),
    "fixed and unknown": (lambda: ik.from_urdf(ROBOT, fixed={"Swing": 0.3}), "no URDF joint 'Swing'"),
    "following with many starts": (
        lambda: ik.solve(
            ik.Problem(CHAIN, [TIP]), np.zeros((2, 2)), following=ik.solve(ik.Problem(CHAIN, [TIP]))
        ),
        "following is the solution of one frame before; give one start",
    ),
}


HUMAN = ik.figures.human()
BY_MASS = PostureObjective.of(HUMAN, HUMAN.rest)


@pytest.mark.parametrize(
    "cost, words",
    [
        (BY_MASS, "posture of the problem is made for another figure"),
        (JointPosture(np.zeros(3), np.ones(3)), "posture of the problem is made for another figure"),
        (ik.Position("tip", PATH[0]), "posture of the problem is <Position goal tip>"),
    ],
    ids=["by mass", "by joints", "a goal"],
)
def test_the_posture_of_another_figure_is_refused(cost, words):
    with pytest.raises(ik.IkError, match=words):
        ik.Problem(CHAIN, [TIP], posture=cost)
    with pytest.raises(ik.IkError):
        ik.Problem(CHAIN, [TIP]).with_posture(cost)


def test_the_posture_of_the_same_figure_made_again_is_taken():
    again = ik.figures.human()
    assert again.topology is not HUMAN.topology
    wrist = ik.Position("wrist.L", (0.4, -0.4, 1.2))
    one, other = (ik.solve(ik.Problem(figure, [wrist], posture=BY_MASS)) for figure in (HUMAN, again))
    np.testing.assert_array_equal(one.q, other.q)


class Given:
    """A cost of zero with given derivatives."""

    def __init__(self, gradient, hessian):
        self.term = PostureTerm(0.0, gradient, hessian)

    def evaluate(self, pose):
        return self.term


class Empty:
    def evaluate(self, pose):
        return 0.0


POSE = ik.Pose.forward(CHAIN, np.zeros((2, 2)))
SCENE = Scene(CHAIN, ik.Body([ik.Link("tip", radius=0.1)]), [ik.Sphere((9, 9, 9), 1.0)])
MADE = ik.Solution(q=[np.nan, 0.0], status=ik.Status.REACHED, iterations=1, errors=[0.0])
GAPS = np.ma.array([0.5, 0.5, 0.0], mask=[False, True, False])
UNFIT = {
    "masked": (lambda: ik.Position("tip", GAPS), "target of Position goal tip has masked values"),
    "q of nan": (
        lambda: ik.Solver().follow(ik.Problem(CHAIN, [TIP]), MADE),
        "q of the frame before must consist of finite numbers",
    ),
    "following another figure": (
        lambda: ik.solve(ik.Problem(CHAIN, [TIP]), following=ik.solve(ik.Problem(OTHER, []))),
        r"q of following has shape \(9,\); give \(2,\)",
    ),
    "rest of nan": (
        lambda: CHAIN.with_rest(rest_translation=np.full((3, 3), np.nan)),
        "rest_translation must consist of finite numbers",
    ),
    "turns of a hinge": (lambda: ik.hinge("a", turns="x"), "link 'a' has one coordinate"),
    "slides of a slider": (lambda: ik.slider("a", slides="x"), "link 'a' has one coordinate"),
    "loop in many poses": (
        lambda: ik.Loop.as_posed(POSE, "tip", (0, 0, 0), "link0"),
        r"q of the pose has shape \(2, 2\); give \(2,\), a single pose",
    ),
    "near in no pose": (lambda: SCENE.near(np.zeros(2), 0.1), "pose is array.*; give a Pose"),
    "clearance in no pose": (lambda: SCENE.clearance(np.zeros(2)), "pose is array.*; give a Pose"),
    "loop in no pose": (lambda: ik.Loop.as_posed(None, "tip", (0, 0, 0), "link0"), "pose is None"),
    "cost without terms": (
        lambda: ik.solve(ik.Problem(CHAIN, [TIP], posture=Empty())),
        "result of evaluate of the posture is 0.0; give a PostureTerm",
    ),
    "cost with a short gradient": (
        lambda: ik.solve(ik.Problem(CHAIN, [TIP], posture=Given(np.zeros(1), np.ones(2)))),
        r"gradient in the result of evaluate of the posture has shape \(1,\); give \(2,\)",
    ),
    "cost with one number for a hessian": (
        lambda: ik.solve(ik.Problem(CHAIN, [TIP], posture=Given(np.zeros(2), 2.0))),
        r"hessian in the result of evaluate of the posture has shape \(\); give \(2,\) or \(2, 2\)",
    ),
}


def test_a_mask_that_hides_nothing_is_no_obstacle():
    np.testing.assert_array_equal(ik.Position("tip", np.ma.array([0.5, 0.5, 0.0])).target, [[0.5, 0.5, 0.0]])


def test_constants_of_a_figure_are_copied():
    places = CHAIN.rest_translation.copy()
    figure = CHAIN.with_rest(rest_translation=places)
    places[:] = 7.0
    np.testing.assert_array_equal(figure.rest_translation, CHAIN.rest_translation)
    np.testing.assert_array_equal(
        CHAIN.with_rest(rest_translation=CHAIN.rest_translation.tolist()).rest_translation,
        CHAIN.rest_translation,
    )


def test_a_solution_made_of_lists_may_be_followed():
    before = ik.Solution(q=[0.4, 0.3], status=ik.Status.REACHED, iterations=1, errors=[0.0])
    assert ik.Solver().follow(ik.Problem(CHAIN, [TIP]), before).status is ik.Status.REACHED


MIRROR = np.diag([1.0, 1.0, -1.0])
OBSTACLES = {
    "mirrored": (lambda: ik.Sphere((0, 0, 0), 0.1, rotation=MIRROR), "rotation of obstacle 'sphere' is not"),
    "moved by a mirror": (lambda: BALL.moved(MIRROR, (0, 0, 0)), "rotation of obstacle 'sphere' is not"),
    "ends that do not pair": (
        lambda: ik.Sphere((0, 0, 0), 0.1).nearest_segment(np.zeros((2, 3)), np.ones((3, 3))),
        r"second ends, of obstacle 'sphere' has shape \(3, 3\); give leading axes of",
    ),
    "places for other frames": (
        lambda: BALL.nearest(np.zeros((2, 3))),
        r"second ends, of obstacle 'sphere' has shape \(2, 3\); give leading axes of",
    ),
}


REFUSED = {**MEANINGLESS, **UNFIT, **OBSTACLES}


@pytest.mark.parametrize("what", REFUSED)
def test_what_has_no_meaning_or_does_not_fit_is_named(what):
    call, words = REFUSED[what]
    with pytest.raises(ik.IkError, match=words):
        call()


def test_limits_of_coupled_joints_are_read_only_too():
    leader = ik.Joint("a", turns="z", lower=-1, upper=1)
    figure = ik.Skeleton([leader, ik.Joint("b", "a", turns="z", mimic=ik.Mimic("a", 0.5))])
    with pytest.raises(ValueError, match="read-only"):
        figure.with_limits([-0.5, -1.0], [1.0, 1.0]).lower[:] = 0.0
