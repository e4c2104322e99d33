# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the methods that rotate joints by geometry, without a Jacobian.

They take position goals on chains and trees, obey joint limits and solve many frames in one call. The initial
pose takes the role of the posture: they leave it no more than the goals require.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ...diagnosis.status import conclude
from ...model.pose import Pose
from ...problem.problem import Problem, Solution
from ...rotation import Array
from ...solvers.method import Method, Options, gather
from ..limbs.chains import read_limbs, targets
from ..limbs.leaps import accelerated_sweep
from ..limbs.stages import Run
from ..limbs.sweeps import stretch_where_far


@dataclass(frozen=True, kw_only=True)
class GeometricOptions(Options):
    """Options of the geometric methods.

    Attributes:
        finish: whether to continue with sweeps over single joints, towards the nearest pose, if the method's
            own passes stop before the target (limits, branches).
    """

    finish: bool = True


class Geometric(Method):
    """A method that bends limbs by geometry."""

    takes: ClassVar[frozenset[str] | None] = frozenset({"Position"})
    options: ClassVar[type[Options]] = GeometricOptions
    levels: ClassVar[bool] = False
    single_axes: ClassVar[bool] = False
    parts: ClassVar[bool] = False
    batched: ClassVar[bool] = True
    slides: ClassVar[bool] = False
    """Whether it supports translations of all joints; otherwise only those of roots."""

    def bend(self, run: Run, problem: Problem, options: Any) -> None:
        """Run the stages of the method."""
        raise TypeError(f"{type(self).__name__} must implement how limbs bend.")

    def finish(self, run: Run, options: Any) -> None:
        """Sweep frames that stopped before their targets, from there and, if necessary, from the start."""
        run.settle_stretched()
        if options.finish:
            run.stage(accelerated_sweep, begin=stretch_where_far)
            run.second_try(accelerated_sweep)

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        limbs = read_limbs(problem, self.label, slides=self.slides)
        batch, n = q.shape[:-1], problem.skeleton.n
        goals = targets(problem, batch)
        starts = q.reshape(-1, n)
        places = goals.reshape(len(starts), *goals.shape[-2:])
        run = Run(limbs, starts, places, options.tolerance, options.max_iterations)
        self.bend(run, problem, options)
        end = problem.skeleton.joint_limits.project(run.q)
        poses = Pose.trusted(problem.skeleton, end.reshape(q.shape))
        errors = problem.errors(poses).reshape(len(end), len(problem.effectors))

        def answer(i: int) -> Solution:
            return conclude(
                problem if problem.frames is None else problem.at(i),
                end[i],
                int(run.iterations[i]),
                options,
                errors=errors[i],
                limited_by="" if run.stalled[i] or not limbs.nodes else "iterations",
            )

        if not batch:
            return answer(0)
        # all reached frames share one explanation
        there = errors.max(1, initial=0.0) <= options.tolerance
        first, short = np.flatnonzero(there)[:1].tolist(), np.flatnonzero(~there).tolist()
        told = {i: answer(i) for i in (*first, *short)}
        answers = [told[first[0] if there[i] else i] for i in range(len(end))]
        return replace(
            gather(answers, batch, problem),
            q=end.reshape(q.shape),
            iterations=run.iterations.reshape(batch),
            errors=errors.reshape(*batch, len(problem.effectors)),
            measure=partial(np.full, batch, np.inf),
        )
