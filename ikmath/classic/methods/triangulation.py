# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangulation: the law of cosines from the root on, one pass for a free chain.

Each joint is turned so that its own link, the stretched rest of the chain and the way to the target make a
triangle; after the first two joints the rest is straight. The text's special cases are the ends of one
formula (see `levels`): too far, the link points at the target; too near, it points away (or, as the authors
propose to try, stands at right angles), so that the next joint meets a target that is farther off. Where the
axis of rotation is undefined, the joint turns about an axis of its own.

What the authors leave as future work is here too: any kind of joint with its limits (the turn that is nearest
to making the triangle), several effectors on one tree (shared joints turn no more than brings each target
within reach of its branch, by weights; then each branch makes its triangles), and limited chains that a
single pass leaves short: a second pass bends them to the right length first and then points them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ... import arguments
from ...problem.problem import Problem
from ...solvers.method import Options
from ..limbs.stages import Run
from ..limbs.triangle import run_passes
from .geometric import Geometric, GeometricOptions


@dataclass(frozen=True, kw_only=True)
class TriangulationOptions(GeometricOptions):
    """Options of `triangulation`.

    Attributes:
        too_near: how a link stands where the target is too near for a triangle: "away" from it (the text), or
            "across", at 90 degrees (which the text proposes to try).
        reshape: where limits leave one pass short, bend the limb to the right length and point it (a second
            pass).
    """

    too_near: str = "away"
    reshape: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.word(self.too_near, "too_near", ("away", "across"))


class Triangulation(Geometric):
    """See the module."""

    name: ClassVar[str] = "triangulation"
    label: ClassVar[str] = "Triangulation"
    description: ClassVar[str] = (
        "Law of cosines from the root: one pass for a free chain. Upper joints move most."
    )
    source: ClassVar[str] = "Mueller-Cajar & Mukundan 2007"
    options: ClassVar[type[Options]] = TriangulationOptions

    def bend(self, run: Run, problem: Problem, options: Any) -> None:
        run_passes(run, across=options.too_near == "across", second=options.reshape)
        self.finish(run, options)
