# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is handed in, anywhere, is taken or refused with a sentence that names it; nothing else."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ikmath as ik
from ikmath import arguments

ARM = ik.Skeleton(
    [
        ik.Joint("shoulder"),
        ik.Joint("elbow", "shoulder", translation=(0, 0.3, 0), turns="x", lower=0, upper=2.5),
        ik.Joint("wrist", "elbow", translation=(0, 0.25, 0)),
    ]
)
POSE = ik.Pose.forward(ARM, ARM.rest)
BODY = ik.Body(
    [ik.Link("shoulder", b=(0, 0.3, 0), radius=0.05), ik.Link("wrist", b=(0, 0.1, 0), radius=0.05)]
)
BALL = ik.Sphere((0, 0, 1), 0.1)
REACH = ik.Position("wrist", (0.2, 0.3, 0.1))
PROBLEM = ik.Problem(ARM, [REACH])
AMONG = ik.Problem(ARM, [REACH], [BALL], BODY)
MOVING = ik.Problem(ARM, [ik.Position("wrist", np.linspace((0.2, 0.3, 0.1), (0.2, 0.2, 0.1), 3))])
SOLVER = ik.Solver(max_iterations=1)
ANSWER = SOLVER.solve(PROBLEM)
CORNERS = ((0, 0, 2), (1, 0, 2), (0, 1, 2), (0, 0, 3))
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))

GARBAGE = (
    *(
        None,
        "abc",
        "",
        b"x",
        float("nan"),
        float("inf"),
        np.float32("inf"),
        np.float32("nan"),
        -1,
        2.5,
        1e300,
        True,
        3,
        3.0,
        np.float32(2),
        np.int64(2),
        1j,
        object(),
        float,
    ),
    *(
        [],
        (),
        [1, 2],
        [1, 2, 3],
        [1, 2, 3, 4],
        ["a", "b", "c"],
        [[1, 2], [3]],
        ("wrist", "wrist"),
        ("wrist", 3),
    ),
    *({}, {"a": 1}, {"wrist": "x"}, {"wrist"}, slice(1), ..., lambda: 0),
    *(np.zeros((0, 3)), np.zeros((2, 3)), np.eye(3), np.full(3, np.nan), np.zeros((2, 2, 2)), np.full(3, 1j)),
    *(np.array(["x"]), np.array([None, 1, 2])),
)


def _goal(kind, **needed):
    make = getattr(ik, kind)

    def use(**given):
        problem = ik.Problem(ARM, [make(**{**needed, **given})])
        if problem.frames is None:
            problem.errors(POSE)
        else:
            every = problem.at(np.arange(problem.frames))
            every.errors(ik.Pose.forward(ARM, np.zeros((problem.frames, ARM.n))))

    return use, make


def _shape(kind, **needed):
    make = getattr(ik, kind)

    def use(**given):
        shape = make(**{**needed, **given})
        shape.nearest((0, 0, 0))
        shape.nearest_segment((0, 0, 0), (0, 1, 0))
        ik.Problem(ARM, [REACH], [shape], BODY)

    return use, make


def _call(function, **needed):
    return lambda **given: function(**{**needed, **given}), function


def _options(kind, build):
    return lambda **given: build(given), [entry.name for entry in fields(kind)]


CALLS = {
    "Joint": (lambda **given: ik.Skeleton([ik.Joint(**{"name": "a", **given})]), ik.Joint),
    "Skeleton": (lambda **given: ik.Skeleton(**given), ik.Skeleton),
    "Pose": _call(ik.Pose.forward, skeleton=ARM, q=ARM.rest),
    "Problem": _call(ik.Problem, skeleton=ARM, goals=[REACH], obstacles=[BALL], body=BODY),
    "Link": (
        lambda **given: ik.Problem(ARM, [REACH], [BALL], ik.Body([ik.Link(**{"joint": "wrist", **given})])),
        ik.Link,
    ),
    "Body": (lambda **given: ik.Problem(ARM, [REACH], [BALL], ik.Body(**given)), ik.Body),
    "Position": _goal("Position", joint="wrist", target=(0, 0, 0)),
    "Orientation": _goal("Orientation", joint="wrist", target=np.eye(3)),
    "Aim": _goal("Aim", joint="wrist", target=(1, 0, 0)),
    "Pole": _goal("Pole", joint="wrist", target=(1, 0, 0), root="shoulder", offset=(0, 0.1, 0)),
    "Plane": _goal("Plane", joint="wrist", origin=(0, 0, 0)),
    "Distance": _goal("Distance", joint_a="wrist", offset_a=(0, 0, 0), to="shoulder", distance=0.3),
    "Loop": _goal("Loop", joint_a="wrist", offset_a=(0, 0, 0), joint_b="shoulder"),
    "Balance": _goal("Balance", support=[(0, 0), (1, 0), (0, 1)], masses={"wrist": 1}),
    "AnyOf": _goal("AnyOf", goals=[REACH, ik.Position("wrist", (0, 0, 1))]),
    "Posture": _goal("Posture", q=ARM.rest),
    "Sphere": _shape("Sphere", center=(0, 0, 2), radius=0.1),
    "HalfSpace": _shape("HalfSpace", origin=(0, 0, -1), normal=(0, 0, 1)),
    "Rectangle": _shape("Rectangle", center=(0, 0, 2), axis_u=(1, 0, 0), axis_v=(0, 1, 0)),
    "Box": _shape("Box", center=(0, 0, 2), size=(1, 1, 1)),
    "Cylinder": _shape("Cylinder", a=(0, 0, 2), b=(0, 0, 3), radius=0.1),
    "Capsule": _shape("Capsule", a=(0, 0, 2), b=(0, 0, 3), radius=0.1),
    "TriangleMesh": _shape("TriangleMesh", vertices=CORNERS, faces=FACES),
    "nearest": _call(BALL.nearest, points=(0, 0, 0)),
    "nearest_segment": _call(BALL.nearest_segment, a=(0, 0, 0), b=(0, 1, 0)),
    "self_pairs": _call(ik.self_pairs, skeleton=ARM, body=BODY),
    "critical_points": _call(ik.critical_points, pose=POSE, body=BODY, obstacles=[BALL]),
    "subdivide": _call(ik.subdivide, start=(0, 1, 0), target=(1, 0, 0), count=3),
    "point": _call(POSE.point, joint="wrist"),
    "jacobian": _call(POSE.jacobian, joint="wrist"),
    "frame": _call(POSE.frame, joint="wrist"),
    "index": _call(ARM.index),
    "columns": _call(ARM.columns),
    "with_rest": _call(ARM.with_rest),
    "with_targets": _call(PROBLEM.with_targets),
    "with_skeleton": _call(PROBLEM.with_skeleton),
    "with_obstacles": _call(AMONG.with_obstacles, obstacles=[BALL]),
    "at": _call(MOVING.at),
    "solve": (
        lambda **given: ik.solve(**{"problem": PROBLEM, "max_iterations": 1, **given}),
        ["problem", "q0", "method", "following", "brief"],
    ),
    "Solver.solve": _call(SOLVER.solve, problem=PROBLEM),
    "Solver.follow": _call(SOLVER.follow, problem=PROBLEM, before=ANSWER),
    "solve_track": (
        lambda **given: ik.solve_track(**{"problem": MOVING, "max_iterations": 1, **given}),
        ["problem", "q0", "method"],
    ),
    "track": (
        lambda **given: list(ik.track(**{"problem": MOVING, "max_iterations": 1, **given})),
        ["problem", "q0", "method"],
    ),
    "condition_number": _call(ik.condition_number, jacobian=np.eye(3), damping=0.1),
    "residual_bounds": _call(ik.residual_bounds, jacobian=np.eye(3), damping=0.1),
    "planar_chain": _call(ik.figures.planar_chain, lengths=[1.0, 1.0]),
    "ball_chain": _call(ik.figures.ball_chain, count=3),
    "trunk": _call(ik.figures.trunk, balls=3),
    **{
        f"method {name}": _options(
            method.options,
            lambda given, name=name: ik.solve(PROBLEM, None, name, **{"max_iterations": 1, **given}),
        )
        for name, method in ik.METHODS.items()
    },
    **{
        f"avoidance {name}": _options(type(method), lambda given, method=method: type(method)(**given))
        for name, method in ik.AVOIDANCE.items()
    },
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("call", CALLS)
def test_whatever_is_handed_in_is_taken_or_named(call):
    use, names = CALLS[call]
    names = names if isinstance(names, list) else list(inspect.signature(names).parameters)
    for name in names:
        for value in GARBAGE:
            try:
                use(**{name: value})
            except ik.IkError as refusal:
                sentence = str(refusal)
                assert len(sentence) > 20 and sentence.endswith((".", "?")), (name, value, sentence)
                assert len(sentence) < 400, (name, value, sentence)


SENTENCES = {
    "a goal instead of goals": (
        lambda: ik.Problem(ARM, REACH),
        "goals are <Position goal wrist>; give a list",
    ),
    "a joint instead of joints": (lambda: ik.Skeleton(ik.Joint("a")), "joints are .*give a list"),
    "a word for a target": (
        lambda: ik.Position("wrist", "there"),
        "target of Position goal wrist is 'there'",
    ),
    "no target": (lambda: ik.Position("wrist", None), "target of Position goal wrist is None"),
    "uneven rows": (lambda: ik.Position("wrist", [[0, 0, 0], [1]]), "target of Position goal wrist is"),
    "complex": (lambda: ik.Pose.forward(ARM, np.full(ARM.n, 1j)), "q is array"),
    "too far to compute with": (lambda: ik.Position("wrist", (1e200, 0, 0)), "too large to compute with"),
    "too heavy": (lambda: ik.Position("wrist", (0, 0, 0), weight=1e30), "weight of Position goal wrist"),
    "a word for a switch": (lambda: ik.solve(PROBLEM, brief="yes"), "brief is 'yes'; give True or False"),
    "no lower limit at all": (lambda: ik.Skeleton([ik.Joint("a", lower=np.inf)]), r"'a\.turn_x' has limits"),
    "two axes of frames": (
        lambda: ik.Problem(ARM, [ik.Position("wrist", np.zeros((2, 2, 3)))]),
        r"Position goal wrist has targets with leading axes \(2, 2\)",
    ),
    "frames that differ in a goal": (
        lambda: ik.Problem(ARM, [ik.Plane("wrist", np.zeros((2, 3)), np.ones((4, 3)))]),
        r"Plane goal wrist has targets with leading axes \(2,\) and \(4,\)",
    ),
    "a frame that is not there": (lambda: MOVING.at(3), "frame of the problem is 3, but there are 3 frames"),
    "pairs of links that are not there": (
        lambda: ik.Problem(ARM, [REACH], [], BODY, self_pairs=[(0, 5)]),
        "self_pairs name links that do not exist",
    ),
    "a frame that is not a rotation matrix": (
        lambda: ik.Position("wrist", (0, 0, 0), space="target", frame=2 * np.eye(3)),
        "frame of Position goal wrist is not a rotation matrix",
    ),
    "a frame that nobody asked for": (
        lambda: ik.Orientation("wrist", np.eye(3), frame="x"),
        "frame of Orientation goal wrist is 'x'",
    ),
}


@pytest.mark.parametrize("what", SENTENCES)
def test_the_sentence_says_what_is_wrong(what):
    call, words = SENTENCES[what]
    with pytest.raises(ik.IkError, match=words):
        call()


@given(st.recursive(st.floats() | st.integers() | st.text() | st.none(), st.lists, max_leaves=8))
def test_numbers_are_finite_and_fresh_or_refused(value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            array = arguments.numbers(value, "thing")
        except ik.BadValue as refusal:
            assert refusal.what == "thing"
        else:
            assert array.dtype == float and np.isfinite(array).all() and array.flags.owndata


@pytest.mark.parametrize("value", [np.float32(0.3), np.float64(0.3), np.array(0.3, dtype=np.float32)])
def test_options_in_single_precision_are_computed_in_double(value):
    """numpy 2 computes in single precision with a number of single precision and one of Python."""
    options = ik.METHODS["hierarchical"].options(tolerance=value, max_turn=value)
    assert type(options.tolerance) is type(options.max_turn) is float
    assert options.tolerance == options.max_turn == float(value)
    assert type(arguments.number(value, "thing")) is float


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [np.float32("inf"), np.float16("inf"), np.array(np.inf, dtype=np.float32)])
def test_infinity_in_single_precision_is_no_number(value):
    for call in (lambda: arguments.number(value, "thing"), lambda: arguments.numbers(value, "thing")):
        with pytest.raises(ik.BadValue, match="thing"):
            call()
    with pytest.raises(ik.BadValue, match="thing"):
        arguments.whole(value, "thing", least=0)
    assert arguments.number(value, "thing", endless=True) == np.inf


def test_what_is_handed_in_stays_the_callers():
    """Nothing is written to, and what the caller does to it afterwards changes nothing."""
    offset, target, corners = np.zeros(3), np.array([0.2, 0.3, 0.1]), np.array(CORNERS, dtype=float)
    q0, masses = np.zeros(ARM.n), np.ones(3)
    mesh = ik.TriangleMesh(corners, FACES)
    goals = [ik.Position("wrist", target, offset), ik.Balance((0, 0), masses=masses, priority=1)]
    problem = ik.Problem(ARM, goals, [mesh], BODY)
    before = ik.solve(problem, q0)
    given = (offset, target, corners, q0, masses)
    for array, value in zip(
        given, ((0, 0, 0), (0.2, 0.3, 0.1), CORNERS, np.zeros(ARM.n), np.ones(3)), strict=True
    ):
        np.testing.assert_array_equal(array, value)
    for array in given:
        array += 7.0
    after = ik.solve(ik.Problem(ARM, goals, [mesh], BODY), np.zeros(ARM.n))
    np.testing.assert_array_equal(after.q, before.q)


def test_masses_that_cannot_be_copied_are_refused():
    with pytest.raises(ik.BadValue, match="are no numbers"):
        ik.Balance((0, 0), masses=ik)


def test_masses_are_copied_before_a_figure_is_known():
    pose, masses, centers = ik.Pose.forward(ARM, ARM.rest), np.ones(3), {ARM.names[0]: np.zeros(3)}
    balance = ik.Balance((0, 0), masses=masses, centers=centers)
    masses[:] = 0.0, 0.0, 5.0
    centers[ARM.names[0]] += 7.0
    np.testing.assert_allclose(balance.center(pose), pose.position.mean(0))


@pytest.mark.parametrize("method", sorted(ik.METHODS))
@pytest.mark.parametrize("size", [1e-310, 1e-160, 1e-100, 1e-70])
@pytest.mark.parametrize("what", ["everything", "offset", "target"])
def test_numbers_that_underflow_are_zero(method, size, what):
    """Products of them were divided by, with the default method, too."""
    length = size if what == "everything" else 1.0
    names = ["a", "b", "c", "d"]
    joints = [ik.Joint("a")]
    joints += [ik.Joint(b, a, translation=(0.0, length, 0.0)) for a, b in pairwise(names)]
    offset, target = (size if what in (name, "everything") else 1.0 for name in ("offset", "target"))
    goal = ik.Position("d", (target, target, 0.3 * target), offset=(0.0, offset, 0.0))
    problem = ik.Problem(ik.Skeleton(joints), [goal], posture=np.zeros(12))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = ik.solve(problem, method=method)
    assert np.isfinite(answer.q).all() and np.isfinite(answer.errors).all()
