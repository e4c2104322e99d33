# SPDX-License-Identifier: GPL-3.0-or-later
"""Cyclic coordinate descent: one joint after the other, from the tip inward, each with its best rotation.

With one effector, a joint rotates it onto the line to its target; with several, it finds the compromise by
weights. Translations use the weighted mean. Limits hold after every rotation. The outer joints move first and
most: this suits tails, tentacles and necks, but arms tend to roll in (Mueller-Cajar & Mukundan, figure 2);
damping distributes the rotations.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from ... import arguments
from ...problem.problem import Problem
from ...solvers.method import Options
from ..limbs.leaps import accelerated_sweep
from ..limbs.stages import Run
from ..limbs.sweeps import stretch_where_far, sweep
from .geometric import Geometric, GeometricOptions


@dataclass(frozen=True, kw_only=True)
class CcdOptions(GeometricOptions):
    """Options of `ccd`.

    Attributes:
        damping: maximum rotation of a joint in one sweep, radians; infinite for none.
        stretch: whether to start from the chain stretched towards its target if a single target is out of
            reach.
        leap: whether to extrapolate sweeps, which needs several times fewer of them, most in chains with
            limits. False is the plain method of the text.
    """

    damping: float = math.inf
    stretch: bool = True
    leap: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.number(self.damping, "damping", above=0, endless=True)


class Ccd(Geometric):
    """See the module."""

    name: ClassVar[str] = "ccd"
    label: ClassVar[str] = "Cyclic Coordinate Descent"
    description: ClassVar[str] = (
        "Turns one joint at a time, from the tip inward; simple, robust, moves the outer joints most."
    )
    source: ClassVar[str] = "Wang & Chen 1991; Mueller-Cajar & Mukundan 2007, section 2.2"
    options: ClassVar[type[Options]] = CcdOptions
    slides: ClassVar[bool] = True

    def bend(self, run: Run, problem: Problem, options: Any) -> None:
        step = partial(accelerated_sweep if options.leap else sweep, damping=options.damping)
        run.stage(step, begin=stretch_where_far if options.stretch else None)
