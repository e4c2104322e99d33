# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves a clip frame by frame, each frame from the previous one.

A warm start needs one or two steps per frame and keeps the motion continuous. So the result depends on the
order of the frames. To solve frames independently, use `solve`.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue, told
from ..problem.problem import Problem, Solution
from ..solvers.api import DEFAULT, Solver
from ..solvers.method import Method, gather


def solve_track(
    problem: Problem,
    q0: npt.ArrayLike | None = None,
    method: str | Method = DEFAULT,
    *,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Solution:
    """Solve all frames of a problem in order, with warm starts.

    Args:
        problem: targets with one leading axis of frames, see `Problem.frames`.
        q0: (n,) start of the first frame; the rest pose if None.
        method, **options: see `solve`.
        progress: called with (finished frames, all frames) after every frame.

    Returns:
        A solution with a leading axis of frames.

    Raises:
        BadValue: the targets have no frames; and the errors of `solve`.
    """
    if progress is not None and not callable(progress):
        raise BadValue("progress", f"is {told(progress)}; give a function of (done, all).")
    answers: list[Solution] = []
    for answer in track(problem, q0, method, **options):
        answers.append(answer)
        if progress is not None:
            progress(len(answers), problem.frames or 0)
    return gather(answers, (len(answers),), problem)


def track(
    problem: Problem, q0: npt.ArrayLike | None = None, method: str | Method = DEFAULT, **options: Any
) -> Iterator[Solution]:
    """Like `solve_track`, one frame at a time, for callers that stop or draw between frames."""
    frames = arguments.of_kind(problem, Problem, "problem").frames
    if frames is None:
        raise BadValue(
            "The problem", "has no frames; give targets with a leading axis of frames, or use solve."
        )
    solver = Solver(method, **options)
    if not frames:
        return
    before = problem.at(0)
    answer = solver.solve(before, q0)
    if answer.q.ndim != 1:
        raise BadShape("q0", f"({problem.skeleton.n},), where the first frame starts", answer.q.shape)
    yield answer
    for frame in range(1, frames):
        now = problem.at(frame).with_choices(answer.q, before)
        answer = solver.follow(now, answer)
        yield answer
        before = now
