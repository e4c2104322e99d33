# SPDX-License-Identifier: GPL-3.0-or-later
"""The problems P1 to P4, solved by ikmath and, if asked for, by others.

Options: --peers=pink,mink,placo,ikpy (installs them on demand); --problems=P1,P3;
--methods=hierarchical,damped; --count=N targets of each problem (default all).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from judging import TOLERANCE, Result, Verdict, judge
from models import native, native_effectors, skeleton
from peers_run import PEERS, results
from problems import TASKS, Task, p4
from timing import clock, machine, table

import ikmath as ik

SCENES = range(4, 12)
ITERATIONS = 100
RESTARTS = 40  # other starts that the restarting row may try


def run(arguments: list[str]) -> None:
    """Print one table a problem."""
    options = _options(arguments)
    for peer in options.peers:
        PEERS[peer].ensure()
    print(f"\nSolvers ({machine()}); a target counts as reached within {TOLERANCE:g} of the figure's size\n")
    for name, make in _tasks(options.problems):
        tasks = make()
        refusals = _refusals(tasks[0], options.methods)
        verdicts: dict[str, list[Verdict]] = {}
        for task in tasks:
            count = min(options.count or len(task.places), len(task.places))
            for result in _all(task, count, [m for m in options.methods if m not in refusals], options.peers):
                verdicts.setdefault(result.solver, []).append(judge(task, result))
        print(f"{name}: {tasks[0].model.name}, {tasks[0].model.n} degrees of freedom\n")
        print(_table(tasks, list(verdicts.values())), "\n", flush=True)
        for method, objection in refusals.items():
            print(f"Left out: {method}, which {objection}\n", flush=True)


def _refusals(task: Task, methods: list[str]) -> dict[str, str]:
    """Methods that cannot take a task, and why."""
    names, offsets = _effectors(task)
    demand = ik.Requirements.of(_problem(task, skeleton(task.model), names, offsets, 1))
    objections = {method: ik.METHODS[method].objection(demand) for method in methods}
    return {method: objection for method, objection in objections.items() if objection}


def _tasks(names: list[str]) -> Iterator[tuple[str, Callable[[], list[Task]]]]:
    makers: dict[str, Callable[[], list[Task]]] = {
        name.upper().replace("FAR", "far").replace("TRACK", "track"): lambda make=make: [make()]
        for name, make in TASKS.items()
    }
    makers["P4x8"] = lambda: [p4(seed) for seed in SCENES]
    for name in names or makers:
        yield name, makers[name]


def _all(task: Task, count: int, methods: list[str], peers: list[str]) -> Iterator[Result]:
    for method in methods:
        yield _ours(task, count, method)
        if task.frames is not None and task.truth is not None and method == ik.DEFAULT:
            yield _ours(task, count, method, restarts=RESTARTS)
        if task.frames is None and task.obstacles is None and task.truth is not None and task.model.balls:
            yield _ours_native(task, count, method)
    if task.obstacles is None and "damped" in methods:
        yield _ours_batch(task, count)
    for peer in peers:
        yield from results(PEERS[peer], task, TOLERANCE, ITERATIONS, count)


def _problem(
    task: Task, figure: ik.Skeleton, names: list[str], offsets: np.ndarray, count: int
) -> ik.Problem:
    places, points = task.places[:count], offsets
    if len(names) == 1:
        goals: list[ik.goals.Goal] = [ik.Position(names[0], places[:, 0], points[0])]
    else:
        goals = [ik.Position(names, places, points)]
    if task.frames is not None:
        goals.append(ik.Orientation(names[0], task.frames[:count, 0]))
    return ik.Problem(figure, goals, **_obstacles(task))


def _obstacles(task: Task) -> dict[str, object]:
    if task.obstacles is None:
        return {}
    names = [joint[0] for joint in task.model.joints]
    links = [
        ik.Link(names[joint], centre, centre, radius=radius) for joint, centre, radius in task.model.spheres
    ]
    return {
        "obstacles": [ik.Sphere(row[:3], row[3], name=f"o{i}") for i, row in enumerate(task.obstacles)],
        "body": ik.Body(links),
        "avoidance": "velocity_damper",
        "margin": 0.02,
    }


def _effectors(task: Task) -> tuple[list[str], np.ndarray]:
    names = [task.model.joints[joint][0] for _, joint, _ in task.model.effectors]
    return names, np.array([point for _, _, point in task.model.effectors], float)


def _ours(task: Task, count: int, method: str, **more: int) -> Result:
    """The identical figure, hinge by hinge."""
    names, offsets = _effectors(task)
    problem = _problem(task, skeleton(task.model), names, offsets, count)
    label = ", ".join([f"ikmath {method}", *more])
    return _solve(label, problem, task, count, task.model.start, method, **more)


def _ours_native(task: Task, count: int, method: str) -> Result:
    """ikmath's own ball joints, with Blender's swing limits; errors by its own forward kinematics."""
    names, offsets = native_effectors(task.model)
    figure = native(task.model)
    problem = _problem(task, figure, names, offsets, count)
    start = figure.joint_limits.project(_native_start(task))
    result = _solve(f"ikmath {method}, ball joints", problem, task, count, start, method)
    x = ik.Pose.forward(figure, result.q).point(names, offsets)
    errors = np.linalg.norm(x - task.places[:count], axis=-1)
    return Result(result.solver, result.q, result.seconds, result.iterations, errors)


def _native_start(task: Task) -> np.ndarray:
    q = task.model.start
    slides = [i for i, joint in enumerate(task.model.joints) if joint[4]]
    turns = np.array([[q[f], q[f + 2], -q[f + 1]] for f in task.model.balls]).ravel()
    return np.concatenate([q[slides], turns])


def _ours_batch(task: Task, count: int) -> Result:
    """All targets at once, each from the start (a track not warm)."""
    names, offsets = _effectors(task)
    problem = _problem(task, skeleton(task.model), names, offsets, count)
    starts = np.tile(task.model.start, (count, 1))
    took = []
    for _ in range(3):
        began = clock()
        solution = ik.solve(
            problem, starts, method="damped", max_iterations=ITERATIONS, tolerance=_tolerance(task)
        )
        took.append(clock() - began)
    seconds = np.full(count, np.median(took) / count)
    return Result("ikmath damped, one batch", solution.q, seconds, np.asarray(solution.iterations))


def _tolerance(task: Task) -> float:
    # one number for metres and radians: the stricter one where both are asked for
    return TOLERANCE * (task.model.scale if task.frames is None else min(task.model.scale, 1.0))


def _solve(
    label: str, problem: ik.Problem, task: Task, count: int, start: np.ndarray, method: str, **more: int
) -> Result:
    options = {"method": method, "max_iterations": ITERATIONS, "tolerance": _tolerance(task), **more}
    frames = [problem.at(i) for i in range(count)]
    ik.solve(frames[0], start, **options)
    found = (
        ik.track(problem, start, **options)
        if task.track
        else (ik.solve(frame, start, **options) for frame in frames)
    )
    answers, seconds = [], []
    for _ in range(count):
        began = clock()
        answers.append(next(found))
        seconds.append(clock() - began)
    q, iterations = (np.array([getattr(answer, what) for answer in answers]) for what in ("q", "iterations"))
    return Result(label, q, np.array(seconds), iterations)


def _table(tasks: list[Task], verdicts: list[list[Verdict]]) -> str:
    first = tasks[0]
    header = ["solver", "reached", "median ms", "p95 ms", "iterations"]
    best = None
    if first.truth is None:
        import far

        best = far.nearest(first, 16 if first.frames is not None else 4)
        for (one,) in verdicts:
            best[: len(one.cost)] = np.minimum(best[: len(one.cost)], one.cost)
        header += ["within 1 %", "median excess"]
    if first.track:
        header.append("largest jump, rad")
    if first.obstacles is not None:
        header += ["colliding frames", "least clearance"]
    rows = []
    for some in sorted(verdicts, key=lambda v: np.median([one.median for one in v])):
        row = [
            some[0].solver,
            f"{np.mean([one.ok for one in some]):.3f}",
            *(f"{np.median([getattr(one, key) for one in some]):.3f}" for key in ("median", "p95")),
            f"{np.mean([one.iterations for one in some]):.1f}",
        ]
        if best is not None:
            excess = some[0].cost - best[: len(some[0].cost)]
            row += [f"{(excess <= 0.01 * best[: len(excess)]).mean():.3f}", f"{np.median(excess):.4f}"]
        if first.track:
            row.append(f"{np.median([one.jump for one in some]):.4f}")
        if first.obstacles is not None:
            row += [
                str(sum(one.colliding or 0 for one in some)),
                f"{min(one.clearance or 0.0 for one in some):.3f}",
            ]
        rows.append(row)
    return table(header, rows)


def _options(arguments: list[str]) -> argparse.Namespace:
    def names(text: str) -> list[str]:
        return [name for name in text.split(",") if name]

    parser = argparse.ArgumentParser(prog="bench solvers")
    parser.add_argument("--peers", type=names, default=[])
    parser.add_argument("--problems", type=names, default=[])
    parser.add_argument("--methods", type=names, default=["hierarchical", "damped"])
    parser.add_argument("--count", type=int, default=0)
    options = parser.parse_args(arguments)
    for peer in options.peers:
        if peer not in PEERS:
            parser.error(f"no peer {peer!r}; there are {', '.join(PEERS)}")
    return options
