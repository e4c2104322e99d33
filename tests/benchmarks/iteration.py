# SPDX-License-Identifier: GPL-3.0-or-later
"""What one full iteration costs: forward kinematics, Jacobian, normal equations, step, limits.

Measured in the solver itself, as the difference between solves of few and of more iterations, so that
acceptance, reasons to stop and limits are all in it. None of these solves may end by itself: to tell why it
did is no part of an iteration. Beside it the yardstick of `reference_kernel`, which has no acceptance and no
reasons to stop, with limits by clipping, and where limits are met by locking, too, which is the same work
as ours.
The bar: at most 1.7 times the yardstick one by one, at most 2 times in a batch of 300 frames.

With ARTICULATE_PROTOTYPES naming a directory that holds another yardstick (`kernel_np.py`, `problems.py`),
that one is run too, in the same turns.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from models import Array, Model, native, native_effectors, tips
from problems import human, motion, trunk
from reference_kernel import Many, One
from timing import interleaved, machine, table

import ikmath as ik
from ikmath.classic.jacobian_blocks import evaluate_many, layout_of
from ikmath.classic.loop import Incremental
from ikmath.classic.methods.damped import DampedOptions
from ikmath.classic.stepping import Linear
from ikmath.model.pose import Pose
from ikmath.solvers.method import Options

FRAMES = 300
ONE_BY_ONE = 8  # frames of a turn
FEW, MORE = 1, 5  # iterations of the solves whose difference counts
BENT = 0.3  # share of the way to the limits at which a free figure starts
STARTS = {"free": "no limit is met", "at limits": "from the rest pose, where limits are met in every step"}
BARS = {"one by one": 1.7, f"batch of {FRAMES}": 2.0}
DAMPING = 1e-2
EACH = MORE  # times that yardstick and kernels run in a turn: on a busy machine long turns are disturbed more
ROUNDS = 41


def run(_arguments: list[str]) -> None:
    """Print the table."""
    print(f"\nOne iteration ({machine()})\n")
    rows = []
    for model in (trunk(), human()):
        for start in STARTS:
            for how, figures in (("one by one", _one), (f"batch of {FRAMES}", _many)):
                rows.append(_row(model, start, how, figures(model, start)))
    header = (
        "figure",
        "start",
        "",
        "ikmath, in a solve",
        "kernels alone",
        "yardstick",
        "ratio",
        "bar",
        "yardstick, locking",
        "ratio",
        "prototype",
    )
    print(table(header, rows))
    print("\nMicroseconds for each iteration and frame.", *(f"{k}: {v}." for k, v in STARTS.items()))


def _row(model: Model, start: str, how: str, seconds: dict[str, float]) -> list[str]:
    ratio = seconds["solve"] / min(seconds["yardstick"], seconds.get("prototype", np.inf))
    locking = seconds.get("locking")
    prototype = f"{1e6 * seconds['prototype']:.2f}" if "prototype" in seconds else ""
    return [
        f"{model.name} ({model.n})", start, how, f"{1e6 * seconds['solve']:.2f}",
        f"{1e6 * seconds['kernels']:.2f}", f"{1e6 * seconds['yardstick']:.2f}", f"{ratio:.2f}",
        f"{BARS[how]:.1f}", f"{1e6 * locking:.2f}" if locking else "",
        f"{seconds['solve'] / locking:.2f}" if locking else "", prototype,
    ]  # fmt: skip


def _scene(model: Model, count: int, start: str) -> tuple[ik.Problem, Array, Array]:
    """A problem of `count` frames, a start (count, n), the targets (count, E, 3)."""
    names, offsets = native_effectors(model)
    figure = native(model)
    if start == "free":
        draw = np.random.default_rng(3)
        middle, side = 0.5 * (figure.lower + figure.upper), 0.5 * (figure.upper - figure.lower)
        q = np.tile(middle + BENT * side * draw.uniform(-1.0, 1.0, figure.n), (count, 1))
        places = ik.Pose.forward(figure, q).point(names, offsets)
        places = places + draw.normal(size=(count, 1, 3)) * 2e-3 * model.scale
    else:
        _, places = targets_of(model, count)
        places = places + np.array([0.02 * model.scale, 0.0, 0.0])
        q = np.tile(figure.rest, (count, 1))
    return ik.Problem(figure, [ik.Position(names, places, offsets)]), q, places


def targets_of(model: Model, count: int) -> tuple[Array, Array]:
    """Coordinates along a motion and their tips (count, E, 3): a person or trunk in the midst of its work."""
    q = motion(model.lower, model.upper, count, 7, 0.5, 2)
    return q, tips(model, q)[0]


def _one(model: Model, where: str) -> dict[str, float]:
    """Seconds an iteration for one pose."""
    problem, starts, places = _scene(model, ONE_BY_ONE, where)
    frames, start = [problem.at(i) for i in range(len(places))], starts[0]

    def solve(iterations: int) -> Callable[[], object]:
        options = _options(iterations)
        return lambda: [ik.solve(frame, start, **options) for frame in frames]

    _check([ik.solve(frame, start, **_options(MORE)) for frame in frames])
    yardstick = One(model)
    q = model.start.copy()
    turns = q[yardstick.figure.turns]
    slide = q[yardstick.figure.slides] if yardstick.figure.slides else None
    targets = places.reshape(len(places), -1)

    def locking(iterations: int) -> Callable[[], object]:
        def work() -> None:
            for target in targets:
                state = turns, slide
                for _ in range(iterations):
                    state = yardstick.iterate(*state, target, DAMPING * problem.length**2, True)

        return work

    works = [
        solve(FEW),
        solve(MORE),
        lambda: [yardstick.iterate(turns, slide, targets[0], DAMPING) for _ in range(EACH * len(frames))],
        _kernels(problem.at(0), start, EACH * len(frames)),
        locking(FEW),
        locking(MORE),
    ]
    prototype = _prototype_one(model, targets[0], EACH * len(frames))
    return _seconds(interleaved(works + prototype, repeats=1, rounds=ROUNDS), len(frames), where)


def _many(model: Model, where: str) -> dict[str, float]:
    """Seconds an iteration and frame for a batch."""
    problem, start, places = _scene(model, FRAMES, where)

    def solve(iterations: int) -> Callable[[], object]:
        options = _options(iterations)
        return lambda: ik.solve(problem, start, **options)

    _check([ik.solve(problem, start, **_options(MORE))])
    yardstick = Many(model, FRAMES)
    state = yardstick.pack(np.tile(model.start[yardstick.figure.turns], (FRAMES, 1)))
    slide = np.tile(model.start[yardstick.figure.slides, None], (1, FRAMES)) if yardstick.slides else None
    target = np.ascontiguousarray(places.reshape(FRAMES, -1).T)

    def locking(iterations: int) -> Callable[[], object]:
        def work() -> None:
            now = state, slide
            for _ in range(iterations):
                now = yardstick.iterate(*now, target, DAMPING * problem.length**2, True)

        return work

    works = [
        solve(FEW),
        solve(MORE),
        lambda: [yardstick.iterate(state, slide, target, DAMPING) for _ in range(EACH)],
        _kernels(problem.at(np.arange(FRAMES)), start, EACH),
        locking(FEW),
        locking(MORE),
    ]
    works += _prototype_many(model, places)
    return _seconds(interleaved(works, repeats=1, rounds=ROUNDS), FRAMES, where)


def _options(iterations: int) -> dict[str, Any]:
    """So much damping that no solve is there before its iterations are used up."""
    return {"method": "damped", "max_iterations": iterations, "tolerance": 1e-12, "damping": DAMPING}


def _check(solutions: list[ik.Solution]) -> None:
    """All solves must have used up their iterations, and have ended for no other reason."""
    for solution in solutions:
        if (np.asarray(solution.iterations) != MORE).any() or (
            np.asarray(solution.status) != ik.Status.STOPPED
        ).any():
            raise ValueError(f"a solve ended before its {MORE} iterations were used up: nothing to divide")


def _seconds(took: list[float], count: int, where: str) -> dict[str, float]:
    """Seconds an iteration and frame, from what was timed."""
    few, more, reference, kernels, locking_few, locking_more, *other = took
    seconds = {
        "solve": (more - few) / (MORE - FEW) / count,
        "yardstick": reference / count / EACH,
        "kernels": kernels / count / EACH,
    }
    if where != "free":
        seconds["locking"] = (locking_more - locking_few) / (MORE - FEW) / count
    return seconds | ({"prototype": other[0] / count / EACH} if other else {})


def _kernels(problem: ik.Problem, q: Array, repeats: int) -> Callable[[], object]:
    """The parts of an iteration without the loop around them."""
    method = ik.METHODS["damped"]
    if not isinstance(method, Incremental):
        raise TypeError("damped is no incremental method")
    stack, skeleton = problem.stack, problem.skeleton
    options: Options = DampedOptions(damping=DAMPING)
    first = np.ascontiguousarray(q.T)
    one = 1.0 if q.ndim == 1 else np.ones(len(q))
    state = Linear(problem, first, one, one, None, None, stack.level, {})

    def one_by_one() -> None:
        for _ in range(repeats):
            raw, jacobian = stack.evaluate(problem.tasks, Pose.trusted(skeleton, q))
            propose = method.proposal(jacobian * stack.scale[:, None], state, options)
            problem.limits.step(skeleton.joint_limits, q, raw * stack.scale, propose)

    layout = layout_of(skeleton, problem.tasks)

    def many() -> None:
        for _ in range(repeats):
            pose = Pose.trusted(skeleton, first.T)
            raw, jacobian = evaluate_many(stack, layout, problem.tasks, pose)
            error = np.ascontiguousarray((raw * stack.scale).T)
            propose = method.steps(jacobian(), state, options)
            problem.limits.step_many(skeleton.joint_limits, first, error, propose)

    return one_by_one if q.ndim == 1 else many


# ---------------------------------------------------------------- another yardstick, if there is one
def _prototypes(model: Model) -> tuple[object, object] | None:
    directory = os.environ.get("ARTICULATE_PROTOTYPES")
    if not directory:
        return None
    own = sys.modules.pop("problems")
    sys.path.insert(0, directory)
    try:
        kernels = importlib.import_module("kernel_np")
        theirs = importlib.import_module("problems")
    finally:
        sys.path.remove(directory)
        sys.modules["problems"] = own
    return kernels, theirs.trunk() if model.name.startswith("trunk") else theirs.human()


def _prototype_one(model: Model, target: Array, repeats: int) -> list[Callable[[], object]]:
    found = _prototypes(model)
    if found is None:
        return []
    kernels, theirs = found
    tree = kernels.Tree1(theirs)  # type: ignore[attr-defined]
    slides = int(tree.nt)
    turns, slide = theirs.q0[slides:].copy(), theirs.q0[:slides].copy() if slides else None  # type: ignore[attr-defined]
    return [lambda: [tree.iterate(turns, target, DAMPING, slide) for _ in range(repeats)]]


def _prototype_many(model: Model, places: Array) -> list[Callable[[], object]]:
    found = _prototypes(model)
    if found is None:
        return []
    kernels, theirs = found
    tree = kernels.TreeB(theirs, FRAMES)  # type: ignore[attr-defined]
    state, slide = tree.pack(np.tile(theirs.q0, (FRAMES, 1)))  # type: ignore[attr-defined]
    target = np.ascontiguousarray(places.reshape(FRAMES, -1).T)
    return [lambda: [tree.iterate(state, slide, target, DAMPING) for _ in range(EACH)]]
