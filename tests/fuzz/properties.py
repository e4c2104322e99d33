# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tried with random problems: one entry each, for the ordinary suite and for a night.

Only the library's own errors come out and nothing warns. Answers are finite, inside the limits, told as they
are, and the same bits twice. What was handed in is as it was.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import ikmath as ik
from ikmath.postures.objective import Effort, PostureObjective
from ikmath.solvers.parameters import ACCURACY
from tests.fuzz import cases as fuzz
from tests.fuzz.promises import keeps_its_promises, quiet, same_bits

EVERY = tuple(ik.METHODS)
WITH_OBSTACLES = tuple(name for name, method in ik.METHODS.items() if method.obstacles)
STEPS = {"max_iterations": 15}


@dataclass(frozen=True)
class Property:
    """One thing to try.

    Attributes:
        name: for reports; check: fails where a promise is broken; drawn: strategies of its arguments.
        examples: how many in the ordinary suite.
    """

    name: str
    check: Callable[..., None]
    drawn: tuple[st.SearchStrategy[Any], ...]
    examples: int


def asked(case, verb):
    """(problem, start, answer) of a recipe; None where the library refuses with its own error."""
    with quiet():
        try:
            problem, start = fuzz.build(case)
            given = start.copy()
            answer = verb(problem, start)
            answer.message, answer.errors, answer.clearance
        except ik.IkError:
            return None
    np.testing.assert_array_equal(start, given)
    return problem, start, answer


def checked(case, verb):
    """Build a recipe's problem, solve it three times, and hold the answer to what every answer promises."""
    first = asked(case, verb)
    if first is None:
        return
    problem, start, answer = first
    with quiet():
        keeps_its_promises(problem, answer)
        assert same_bits(answer, verb(problem, start)), "another answer the second time"
    again = asked(case, verb)
    assert again is not None and same_bits(answer, again[2]), "another answer to the same problem"


def solve(case, method):
    checked(case, lambda problem, start: ik.solve(problem, start, method, **STEPS))


def solve_many(case, method):
    def verb(problem, start):
        starts = np.stack([start, 0.5 * start]) if problem.frames is None else start
        return ik.solve(problem, starts, method, **STEPS)

    checked(case, verb)


def solve_track(case, method):
    checked(case, lambda problem, start: ik.solve_track(problem, start, method, **STEPS))


def solve_naturally(case, effort, accuracy, max_turn, restarts):
    """The default method with the objective of natural poses and options of its own."""
    case = replace(case, posture="")  # a problem has a posture goal or a posture cost
    options = {**STEPS, "accuracy": accuracy, "max_turn": max_turn, "restarts": restarts}

    def verb(problem, start):
        posed = problem.with_posture(PostureObjective.of(problem.skeleton, start, effort=effort))
        solving = ik.solve_track if case.frames else ik.solve
        return solving(posed, start, "hierarchical", **options)

    checked(case, verb)


def steps_alike(case, count):
    """A batch of `damped` takes the steps that its frames take one by one.

    With `clipping`, a figure locks at a limit or not by the sign of a rounding error.
    """
    if case.limits == "clipping":
        return
    with quiet():
        try:
            problem, start = fuzz.build(case)
        except ik.IkError:
            return
        least = 1e-13 * max(case.scale, 1.0)  # errors below are rounding, which differs in batches
        options = {"max_iterations": count, "rest": False, "tolerance": least}
        starts = np.stack([start, 0.5 * start])
        many = ik.solve(problem, starts, "damped", **options)
        for frame, one in enumerate(starts):
            alone = ik.solve(problem, one, "damped", **options)
            strides = np.maximum(problem.strides, np.abs(alone.q))
            assert (np.abs(many.q[frame] - alone.q) <= 1e-6 * strides).all(), "other steps in a batch"


def handed_in(place, odd, method):
    """What cannot be used is refused by an error of the library, at the latest when it is solved."""
    with quiet():
        try:
            made = ODD_CALLS[place[0]](**{place[1]: odd})
            goals = [made] if isinstance(made, ik.Goal) else [ik.Position("b", (0.1, 0.2, 0.3))]
            skeleton = made if isinstance(made, ik.Skeleton) else SKELETON
            around = {"obstacles": [made], "body": BODY} if isinstance(made, tuple(SHAPES)) else {}
            problem = made if isinstance(made, ik.Problem) else ik.Problem(skeleton, goals, **around)
            answer = made if isinstance(made, ik.Solution) else ik.solve(problem, None, method, **STEPS)
            answer.message, answer.errors, answer.clearance
        except ik.IkError:
            return
    assert np.isfinite(answer.q).all() and np.isfinite(answer.errors).all()


SHAPES = (ik.Sphere, ik.HalfSpace, ik.Rectangle, ik.Box, ik.Cylinder, ik.Capsule, ik.TriangleMesh)
SKELETON = ik.Skeleton([ik.Joint("a"), ik.Joint("b", "a", translation=(0, 1, 0), slides="y")])
BODY = ik.Body([ik.Link("a", b=(0, 1, 0), radius=0.1)])


def _joint(**given):
    return ik.Skeleton([ik.Joint("a"), ik.Joint(**{"name": "b", "parent": "a", **given})])


def _filled(kind, **usual):
    return lambda **given: kind(**{**usual, **given})


def _problem(**given):
    usual = {"goals": [ik.Position("b", (0.1, 0.2, 0.3))], "body": BODY}
    return ik.Problem(**{"skeleton": SKELETON, **usual, **given})


def _solve(**given):
    return ik.solve(**{"problem": _problem(), **given})


UP = (0.0, 0.0, 1.0)
ODD_CALLS = {
    "joint": _joint,
    "position": _filled(ik.Position, joint="b", target=UP),
    "orientation": _filled(ik.Orientation, joint="b", target=np.eye(3)),
    "aim": _filled(ik.Aim, joint="b", target=UP),
    "pole": _filled(ik.Pole, joint="b", target=UP, root="a", offset=UP),
    "plane": _filled(ik.Plane, joint="b", origin=UP),
    "distance": _filled(ik.Distance, joint_a="b", offset_a=UP, to=UP),
    "loop": _filled(ik.Loop, joint_a="b", offset_a=UP, joint_b="a", offset_b=UP),
    "balance": _filled(ik.Balance, target=(0.0, 0.0), masses=(1.0, 1.0)),
    "support": _filled(ik.Balance, support=[(0, 0), (1, 0), (0, 1)], masses=(1.0, 1.0)),
    "posture": _filled(ik.Posture, q=np.zeros(7)),
    "any of": _filled(ik.AnyOf, goals=[ik.Position("b", UP)]),
    "sphere": _filled(ik.Sphere, center=UP, radius=0.3),
    "half space": _filled(ik.HalfSpace, origin=UP, normal=UP),
    "rectangle": _filled(ik.Rectangle, center=UP, axis_u=(1, 0, 0), axis_v=(0, 1, 0)),
    "box": _filled(ik.Box, center=UP, size=(1.0, 1.0, 1.0)),
    "cylinder": _filled(ik.Cylinder, a=UP, b=(0.0, 0.0, 0.0), radius=0.3),
    "capsule": _filled(ik.Capsule, a=UP, b=(0.0, 0.0, 0.0), radius=0.3),
    "mesh": _filled(ik.TriangleMesh, vertices=fuzz.CUBE, faces=fuzz.FACES),
    "problem": _problem,
    "solve": _solve,
}
ODD = (
    None, "", "b", "end", 0, 1, -1, 7, 0.5, -0.5, True, 1e-320, 1e-200, 1e-30, 1e25, 1e40, 1e60, 1e300,
    float("nan"), float("inf"), -float("inf"), 1j, (), [], {}, {"b": 1.0}, (0.0, 0.0, 0.0), (1e25, 0.0, 0.0),
    (1e-200, 0.0, 0.0), (np.nan, 0.0, 0.0), [[1.0, 2.0], [3.0]], ("b", "a"), (None, 1.0), np.zeros((3, 3)),
    np.eye(3) * 1e-20, np.eye(3), np.zeros((0, 3)), np.zeros((2, 0, 3)), np.array("b"), b"b", object(), ik,
)  # fmt: skip


def _arguments():
    """(call, argument) of everything that can be handed in."""
    kinds = {
        "joint": ik.Joint, "position": ik.Position, "orientation": ik.Orientation, "aim": ik.Aim,
        "pole": ik.Pole, "plane": ik.Plane, "distance": ik.Distance, "loop": ik.Loop, "balance": ik.Balance,
        "support": ik.Balance, "posture": ik.Posture, "any of": ik.AnyOf, "sphere": ik.Sphere,
        "half space": ik.HalfSpace, "rectangle": ik.Rectangle, "box": ik.Box, "cylinder": ik.Cylinder,
        "capsule": ik.Capsule, "mesh": ik.TriangleMesh, "problem": ik.Problem,
    }  # fmt: skip
    every = [(call, name) for call, kind in kinds.items() for name in inspect.signature(kind).parameters]
    return every + [("solve", name) for name in ("problem", "q0", "method", "max_iterations", "tolerance")]


METHODS = st.sampled_from(EVERY)
PROPERTIES = (
    Property("one problem", solve, (fuzz.cases(), METHODS), 100),
    Property("sizes that no figure has", solve, (fuzz.cases(scales=fuzz.EXTREMES), METHODS), 60),
    Property("among obstacles", solve, (fuzz.cases(obstacles=3), st.sampled_from(WITH_OBSTACLES)), 40),
    Property("many frames at once", solve_many, (fuzz.cases(frames=(0, 1, 2, 4)), METHODS), 30),
    Property(
        "a batch and its frames",
        steps_alike,
        (fuzz.cases(goals=fuzz.NEAR, joints=fuzz.EVEN, scales=(1.0, 1e-3, 1e3)), st.integers(1, 3)),
        50,
    ),
    Property(
        "anything handed in",
        handed_in,
        (st.sampled_from(_arguments()), st.sampled_from(ODD), st.sampled_from(("hierarchical", "damped"))),
        400,
    ),
    Property(
        "natural poses",
        solve_naturally,
        (
            fuzz.cases(frames=(0, 0, 2), obstacles=1),
            st.sampled_from(tuple(Effort)),
            st.sampled_from(tuple(ACCURACY)),
            st.sampled_from((None, 1e-3, 0.1, 7.0)),
            st.sampled_from((0, 1)),
        ),
        30,
    ),
    Property("a track", solve_track, (fuzz.cases(frames=(1, 2, 4)), METHODS), 40),
)
