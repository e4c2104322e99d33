# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the default method, and its constants, each with its unit, and a reason or a source."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple, Self

from .. import arguments
from .method import Options


class Patience(NamedTuple):
    """How many steps in a row may be slow, or refused; a slow one gains less than a share of the costs."""

    slow: int
    refused: int
    share: float = 1e-2


@dataclass(frozen=True, kw_only=True)
class HierarchicalParameters:
    """See the module. Errors are scaled: metres count in figure sizes, and each is multiplied by its weight.

    Attributes:
        damping: Levenberg-Marquardt damping per unit of a level's squared error. Sugihara 2011 uses 0.5.
        bias: damping at the goal, so that singular poses have finite steps (Sugihara 2011).
        far, pull: figure sizes; targets farther away than `far` pull as if they were at `pull`. A
            limb does not reach so far.
        stride: figure sizes; the same where a posture cost chooses. It has several minima, and the one that
            small ways lead to looks natural: a person's hand then came to its other shoulder untwisted.
        least_gain: share of the promised gain from which a step is taken (Nocedal & Wright 2006, 4.1: < 1/4).
        full_gain: share of the promised gain from which a model is trusted (Nocedal & Wright 2006, 4.1: 3/4).
        least_factor: least factor of the damping: a short level is a million times as stiff as the posture.
        shorter: share of a refused step's length that the next one may have.
        firmer: factor by which damping rises until a step is short enough, at most to `firmest`: limits may
            want it longer. A step that is too long is not tried, and so it is not one that was refused.
        eased: power of the damping at which a frame ended that the next one begins with: what is hard stays
            hard. At 1 a figure out of reach falls behind.
        nearby: radians or figure sizes that a step by curvature may have; a limb's arc is no parabola beyond.
        slow: share of a level's squared error; steps that gain less converge slowly.
        before_curvature: slow or refused steps in a row after which a solve goes on by curvature (its steps
            cost twice as much; damped steps far from a goal gain 7 % and are not slow), and after which those
            end that need not find the minimum,
        in_motion: a frame without a posture cost is left to the next one,
        at_last: or the others end. Damping grows 2^k-fold with the k-th refusal.
        settled: share of the costs; where steps change none by more, a frame of a motion with a posture cost
            ends: jitter that is not seen.
        step_tolerance: radians or figure sizes; a solve has converged where no step is longer,
        posture_tolerance: or where every effector is within its tolerance.
        hold: scaled error of a level that counts as none.
        near: scaled error of a level that second-order corrections may put right, and from which steps by
            curvature meet it.
        met: scaled error of a level that is met, and whose changes are no gain.
        priority: by how much a level outweighs what is below it; above the multipliers of a scaled problem.
        over_posture: by how much the weakest level outweighs the posture, whose scale is about one.
        rounding: share of the merit by which it may differ for no reason.
        ridge: damping of Newton steps, as a share of the largest curvature.
        touching: measure by which a swing may be inside its boundary and still be held by it.
        corrections: second-order corrections of one step at most (Nocedal & Wright 2006, 18.3).
        posture_floor: share of a posture's mean stiffness that is added to each coordinate's as metric, but
            few times its own: fingers have a ten-thousandth of the mean.
        boundary: measure of a swing region from which its boundary is a constraint of the step.
        curved: share of a step that putting it back onto curved limits may take off.
        crossings: times that swing boundaries are linearised anew within one step.
        faster: radians by which a turn in a frame of a motion may be farther than in the frame before: 5
            frames turn by 50 degrees, and none is seen to begin.
        turn: radians that it goes at most where that leaves a frame short: a ball joint's three are a turn
            of 12 degrees.
        jump: radians that a bone may turn in a frame without being seen to jump; 15 degrees are seen.
        frames_late: frames after which a motion that is late jumps: in as many, bones that turn by `jump` a
            frame have turned by half a turn.
        leap: figure sizes or radians; a target whose motion in a frame differs by more from that in the
            frame before may be followed by a jump. A fast but steady motion is not.
        arc_gain: share of the squared error below which a step must come for arcs to be followed on.
        difference: radians of the differences that give curvature: five digits of it, as many as rounding
            leaves at the heaviest level.
        flat: share of the largest curvature below which a direction is free.
    """

    damping: float = 0.3
    bias: float = 1e-8
    far: float = 1.0
    pull: float = 0.5
    stride: float = 0.15
    least_gain: float = 1e-4
    full_gain: float = 0.75
    least_factor: float = 1e-6
    shorter: float = 0.5
    firmer: float = 4.0
    firmest: float = 1e15
    eased: float = 0.75
    nearby: float = 0.5
    slow: float = 1e-2
    before_curvature: Patience = field(default=Patience(2, 7, 0.03))
    in_motion: Patience = field(default=Patience(4, 3))
    at_last: Patience = field(default=Patience(8, 7))
    settled: float = 1e-4
    step_tolerance: float = 2e-7
    posture_tolerance: float = 2e-7
    hold: float = 1e-12
    near: float = 1e-2
    met: float = 1e-6
    priority: float = 1e2
    over_posture: float = 3e4
    rounding: float = 1e-14
    ridge: float = 1e-5
    touching: float = 1e-6
    corrections: int = 3
    posture_floor: float = 1e-2
    boundary: float = 0.999
    curved: float = 0.02
    crossings: int = 4
    faster: float = math.radians(3.3)
    turn: float = math.radians(7.0)
    jump: float = math.radians(14.0)
    frames_late: int = 12
    leap: float = 0.1
    arc_gain: float = 0.9
    difference: float = 1e-5
    flat: float = 1e-7

    @cached_property
    def quick(self) -> Self:
        """The same for solves that need not find the minimum: to 0.006 degrees, and scaled errors of 1e-8."""
        return replace(self, posture_tolerance=1e-4, hold=1e-8)


DEFAULTS = HierarchicalParameters()


ACCURACY: Mapping[str, bool] = MappingProxyType({"reached": False, "fast": False, "exact": True})
"""Named accuracy -> whether a solve goes on to the constrained minimum by curvature."""


@dataclass(frozen=True, kw_only=True)
class HierarchicalOptions(Options):
    """Options of `hierarchical`.

    Attributes:
        accuracy: "exact" goes on to the constrained minimum; "fast" ends where steps converge slowly;
            "reached" ends as soon as every goal is reached, wherever the posture is, for poses that
            are soon solved again.
        max_turn: radians that a turn may go in one solve; None for no bound.
        dt: seconds between the frames of a motion, in which no coordinate goes faster than the skeleton's
            `max_speed`; None to ignore that. The first frame of a motion is free.
        frames: of film (24 to 30 a second) that pass between two solves of a motion; turns may go so many
            times as far as in one.
        restarts: batches of starts that a solve which ends short may try; 0 for none.
        seconds: after which a solve ends with what it has; None for no bound.
        seed: of the starts that are drawn.
        parameters: the constants of the solver.
    """

    max_iterations: int = 400
    accuracy: str = "exact"
    max_turn: float | None = None
    dt: float | None = None
    frames: float = 1.0
    restarts: int = 1
    seconds: float | None = None
    seed: int = 0
    parameters: HierarchicalParameters = field(default=DEFAULTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.of_kind(self.parameters, HierarchicalParameters, "parameters")
        arguments.word(self.accuracy, "accuracy", tuple(ACCURACY))
        for name in ("max_turn", "dt", "seconds"):
            if getattr(self, name) is not None:
                arguments.number(getattr(self, name), name, above=0)
        arguments.number(self.frames, "frames", above=0)
