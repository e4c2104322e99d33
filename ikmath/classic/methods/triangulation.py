# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangulation: the law of cosines from the root on, in one pass for a free chain.

Each joint is rotated so that its link, the stretched rest of the chain and the line to the target form a
triangle; after the first two joints the rest is straight. The special cases of the text are the ends of one
formula (see `levels`): if the target is too far, the link points at it; if it is too near, the link points
away (or, as the authors suggest, is orthogonal), so that the target is farther from the next joint. If the
axis of rotation is undefined, the joint rotates about one of its own axes.

The authors' future work is included: any kind of joint with limits (the rotation nearest to that of the
triangle); several effectors on one tree (shared joints only rotate until each target is within reach of its
branch, by weights, then each branch forms its triangles); and chains with limits that do not reach in one
pass: a second pass bends them to the right length and then points them at the target.
"""

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
        too_near: direction of a link if the target is too near for a triangle: "away" from it (the text), or
            "across", at 90 degrees (which the text suggests).
        reshape: whether to bend the limb to the right length and point it in a second pass if limits prevent
            reaching in one.
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
