# SPDX-License-Identifier: GPL-3.0-or-later
"""What each constant of the default solver and of drags is good for: halved and doubled.

The problems are seeded: poses of an arm, a straight limb that shortens, a chain with narrow swing limits,
targets out of reach, two levels in conflict with a posture, a posture cost of a whole figure, two motions
(one whose targets leap), a chain among spheres. Each row is one constant with one value:

- reached: share of the problems and frames with every effector within its tolerance;
- short: mean of the largest errors of all, figure sizes or radians;
- iterations: of all solves; time: beside that of the defaults;
- priority: largest error of the strong level in conflicts, metres;
- again: radians by which a conflict that is solved again moves at most;
- jump: degrees that a coordinate turns between two frames at most;
- moved: how many of the solves end elsewhere (1e-9) than with the defaults.

A constant that at half and at twice its value moves no end and changes no count decides nothing here; a line
lists them. The table of drags follows, see `parameters_scene.py`. Options: --count=N problems of each kind
(default 3), 0 for the drags only; --only=NAME; --drags=0 for the solver only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from blender import in_blender
from timing import clock, machine, table
from variation import variations

import ikmath as ik
from ikmath.postures.objective import PostureObjective
from ikmath.solvers.parameters import DEFAULTS, HierarchicalParameters

FEET, HANDS = ["ankle.L", "ankle.R"], ["wrist.L", "wrist.R"]
HEADER = (
    "constant",
    "value",
    "reached",
    "short",
    "iterations",
    "time",
    "priority",
    "again",
    "jump",
    "moved",
)
SAME = 1e-9  # radians or metres within which two ends are the same


@dataclass(frozen=True)
class Case:
    """One problem or motion: what is asked, where it starts, and what is measured of it."""

    problem: ik.Problem
    start: np.ndarray
    conflict: bool = False


@dataclass
class Found:
    """What all cases came to."""

    ends: list[np.ndarray] = field(default_factory=list)
    reached: list[bool] = field(default_factory=list)
    short: list[float] = field(default_factory=list)
    iterations: int = 0
    seconds: float = 0.0
    priority: float = 0.0
    again: float = 0.0
    jump: float = 0.0

    def moved(self, other: Found) -> int:
        """How many ends differ."""
        pairs = zip(self.ends, other.ends, strict=True)
        return sum(bool(np.abs(a - b).max() > SAME) for a, b in pairs)


def cases(count: int) -> list[Case]:
    """The problems, the same each time."""
    made = (single_poses, conflicts, motions, among_spheres)
    return [case for number, make in enumerate(made) for case in make(np.random.default_rng(number), count)]


def single_poses(rng: np.random.Generator, count: int) -> Iterator[Case]:
    """Poses of an arm, a limb that shortens, narrow limits, places out of reach, a posture cost."""
    arm, limb = ik.figures.arm(), ik.figures.planar_chain([1.0, 1.0, 1.0])
    narrow, person = ik.figures.ball_chain(8, 0.25), ik.figures.human()
    cost = PostureObjective.of(person, person.rest)
    for _ in range(count):
        pose = ik.Pose.forward(arm, rng.uniform(arm.lower, arm.upper))
        goals = [ik.Position("tool", pose.point("tool")), ik.Orientation("tool", pose.frame("tool"))]
        yield Case(ik.Problem(arm, goals), arm.rest)
        shorter = ik.Pose.forward(limb, limb.rest).point("tip") * rng.uniform(0.3, 0.9)
        yield Case(ik.Problem(limb, [ik.Position("tip", shorter)]), limb.rest)
        q = narrow.joint_limits.project(rng.uniform(-0.3, 0.3, narrow.n))
        place = ik.Pose.forward(narrow, q).point("tip")
        yield Case(ik.Problem(narrow, [ik.Position("tip", place)]), narrow.rest)
        wish = ik.Posture(narrow.joint_limits.project(rng.uniform(-0.3, 0.3, narrow.n)))
        yield Case(ik.Problem(narrow, [ik.Position("tip", 3.0 * place), wish]), narrow.rest)
        place = ik.Pose.forward(person, person.rest).point("wrist.L") + 0.2 * rng.normal(size=3)
        yield Case(ik.Problem(person, [ik.Position("wrist.L", place)], posture=cost), person.rest)


def conflicts(rng: np.random.Generator, count: int) -> Iterator[Case]:
    """A person whose hands ask for more than planted feet allow, with a posture."""
    person = ik.figures.human()
    rest = ik.Pose.forward(person, person.rest)
    for _ in range(count):
        asked = rest.point(HANDS) + 0.5 * rng.normal(size=(2, 3))
        goals = [ik.Position(FEET, rest.point(FEET)), ik.Position(HANDS, asked, priority=1)]
        problem = ik.Problem(person, [*goals, ik.Posture(person.rest)])
        yield Case(problem, person.rest, conflict=True)


def motions(rng: np.random.Generator, count: int) -> Iterator[Case]:
    """Hands that swing while the feet stand, farther than they reach; with a posture cost; leaps."""
    person, chain = ik.figures.human(), ik.figures.ball_chain(5, 0.4)
    rest = ik.Pose.forward(person, person.rest)
    time = np.linspace(0.0, np.pi, 5 * count)[:, None, None]
    way = np.sin(time) * rng.normal(0.0, 0.4, (1, 2, 3))
    goals = [ik.Position(FEET, rest.point(FEET)), ik.Position(HANDS, rest.point(HANDS) + way)]
    yield Case(ik.Problem(person, goals), person.rest)
    cost = PostureObjective.of(person, person.rest)
    near = [goals[0], ik.Position(HANDS, rest.point(HANDS) + 0.3 * way[: 2 * count])]
    yield Case(ik.Problem(person, near, posture=cost), person.rest)
    places = ik.Pose.forward(chain, rng.uniform(-0.4, 0.4, (2 * count, chain.n))).point("tip")
    yield Case(ik.Problem(chain, [ik.Position("tip", places.repeat(2, 0))]), chain.rest)


def among_spheres(rng: np.random.Generator, count: int) -> Iterator[Case]:
    """A chain of balls, with one sphere on the straight way of its tip and another behind its target."""
    chain = ik.figures.ball_chain(6, 0.9)
    body = ik.Body([ik.Link(f"ball{i}", (0, 0, 0), (0, 1.0, 0), radius=0.1) for i in range(5)])
    tip = ik.Pose.forward(chain, chain.rest).point("tip")
    for _ in range(count):
        pose = ik.Pose.forward(chain, rng.uniform(-0.7, 0.7, chain.n))
        place = pose.point("tip")
        centers = (0.5 * (tip + place), place + 0.7 * (place - pose.point("ball3")))
        spheres = [ik.Sphere(center, 0.3) for center in centers]
        yield Case(ik.Problem(chain, [ik.Position("tip", place)], obstacles=spheres, body=body), chain.rest)


def solved(every: list[Case], parameters: HierarchicalParameters) -> Found:
    """All cases with these constants."""
    found, solver = Found(), ik.Solver(parameters=parameters)
    for case in every:
        began = clock()
        if case.problem.frames is None:
            answer: Any = solver.solve(case.problem, case.start)
        else:
            answer = ik.solve_track(case.problem, case.start, parameters=parameters)
        found.seconds += clock() - began
        found.ends.append(answer.q)
        found.iterations += int(np.sum(answer.iterations))
        errors = np.reshape(answer.errors / case.problem.spans, (-1, len(case.problem.effectors)))
        for status, own in zip(np.ravel(answer.status), errors, strict=True):
            found.reached.append(status is ik.Status.REACHED)
            found.short.append(float(own.max()))
        if case.problem.frames is not None:
            turns = np.abs(np.diff(answer.q, axis=0))[:, case.problem.skeleton.is_turn]
            found.jump = max(found.jump, float(np.degrees(turns.max())))
        if case.conflict:
            again = solver.solve(case.problem, answer.q)
            found.priority = max(found.priority, float(answer.errors[:2].max()))
            found.again = max(found.again, float(np.abs(again.q - answer.q).max()))
    return found


def row(name: str, value: str, found: Found, plain: Found) -> tuple[str, ...]:
    """A line of the table."""
    return (
        name,
        value,
        f"{np.mean(found.reached):.3f}",
        f"{np.mean(found.short):.5f}",
        f"{found.iterations}",
        f"{found.seconds / plain.seconds:.2f}",
        f"{found.priority:.0e}",
        f"{found.again:.0e}",
        f"{found.jump:.1f}",
        f"{found.moved(plain)}",
    )


def run(arguments: list[str]) -> None:
    """Print both tables; see the module."""
    options = dict(argument.removeprefix("--").split("=") for argument in arguments)
    count, only = int(options.get("count", 3)), options.get("only", "")
    if count:
        constants_of_solves(cases(count), only)
    if int(options.get("drags", 1)):
        in_blender("parameters_scene.py", [f"--only={only}"])


def constants_of_solves(every: list[Case], only: str) -> None:
    """The table of the solver's constants; the defaults are timed anew beside each of them."""
    solved(every, DEFAULTS)  # warm
    plain = solved(every, DEFAULTS)
    print(f"{machine()}; {len(every)} problems, {len(plain.reached)} solves, {plain.seconds:.2f} s\n")
    rows, idle = [row("(defaults)", "1", plain, plain)], []
    for name, values in variations(DEFAULTS, only):
        plain = solved(every, DEFAULTS)
        found = [solved(every, constants) for _, constants in values]
        rows += [row(name, value, own, plain) for (value, _), own in zip(values, found, strict=True)]
        if not any(own.moved(plain) or own.iterations != plain.iterations for own in found):
            idle.append(name)
    print(table(HEADER, rows))
    print(f"\nDecide nothing here: {', '.join(idle) or 'none'}.")
