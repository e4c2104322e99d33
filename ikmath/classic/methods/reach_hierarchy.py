# SPDX-License-Identifier: GPL-3.0-or-later
"""Reach hierarchy: each joint only moves the goal into the reach of the rest of the limb.

The workspace of the joints below a joint is approximated by a shell around the next joint's head (an annulus
for planar chains), from its smallest to its largest reach, with the limits of its inner joints. From the root
on, a joint rotates just until the goal is inside the next shell; if it is inside already, the joint does not
move. The dual problem of Ge's figure 2.4, the intersection of the goal's circle and the shell, is the level
of `levels`, in closed form. Near its goal, only the last joints of a figure move, as people do. A goal
outside the first shell is approached as far as possible.
"""

from functools import partial
from typing import Any, ClassVar

from ...problem.problem import Problem
from ...solvers.method import Options
from ..limbs.arithmetic import Number, length, subtract
from ..limbs.chains import Aim
from ..limbs.levels import outward, reshape
from ..limbs.posing import Posing
from ..limbs.shells import Shells, shells
from ..limbs.stages import LEAST_GAIN, QUICK, Run
from .geometric import Geometric, GeometricOptions


class ReachHierarchy(Geometric):
    """See the module."""

    name: ClassVar[str] = "reach_hierarchy"
    label: ClassVar[str] = "Reach Hierarchy"
    description: ClassVar[str] = (
        "Each joint moves only until the goal is within reach of the joints after it; inner joints rest."
    )
    source: ClassVar[str] = "Korein & Badler 1982; Ge 2000, section 2.4"
    options: ClassVar[type[Options]] = GeometricOptions

    def bend(self, run: Run, problem: Problem, options: Any) -> None:
        step = partial(adjust, shells=shells(run.limbs))
        if len(run.limbs.effectors) > 1:
            run.stage(step, gain=QUICK if options.finish else LEAST_GAIN)
        else:
            run.stage(step, limit=1)
            if not run.limbs.free:
                run.stage(reshape, limit=1)
        self.finish(run, options)


def adjust(posing: Posing, shells: Shells) -> None:
    """One pass from the root on: move the goal into the next shell if it is outside.

    Args:
        posing: up to date afterwards.
        shells: of the limbs.
    """
    m = posing.m

    def level(a: Number, c: Number, aim: Aim, number: int) -> Number:
        effector, _, drift = aim.ends[number]
        low, high = shells[aim.place, effector]
        goal = subtract(posing.targets[effector], subtract(drift, aim.place.drift))
        distance = m.minimum(m.maximum(length(m, subtract(goal, posing.placed(aim.place))), low), high)
        return 0.5 * (a * a + c * c - distance * distance)

    outward(posing, level, level)
