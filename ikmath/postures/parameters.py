# SPDX-License-Identifier: GPL-3.0-or-later
"""The constants of the posture objective, each with its unit and the reason for its value.

Lengths are shares of the figure's size and masses sum to 1, so that no constant depends on units. Doubling
or halving the weights changed the mean error on captured motion by 0.17 % of the figure at most (prototype,
21 clips, relaxed stance).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ..model.figure_map import FigureMap, Kind

_BODY: Final = 1.0 / 30.0
_STIFF: Final = 1.0 / 60.0
_ANKLE: Final = 1.0 / 70.0
_GIRDLE: Final = 1.0 / 85.0
_MIDDLE: Final = 1.0 / 300.0
_LOOSE: Final = 1.0 / 600.0
_HINGE: Final = 1.0 / 1500.0


def _joint_weights() -> Mapping[Kind, float]:
    return {
        Kind.ROOT: _BODY,
        Kind.SPINE: _STIFF,
        Kind.NECK: _STIFF,
        Kind.HEAD: _STIFF,
        Kind.CLAVICLE: _GIRDLE,
        Kind.ANKLE: _ANKLE,
        Kind.SHOULDER: _LOOSE,
        Kind.HIP: _LOOSE,
        Kind.WRIST: _MIDDLE,
        Kind.ELBOW: _HINGE,
        Kind.KNEE: _HINGE,
        Kind.PAW: _MIDDLE,
        Kind.TAIL: _MIDDLE,
        Kind.WING: _LOOSE,
        Kind.OTHER: _MIDDLE,
    }


def _on_fours() -> Mapping[Kind, float]:
    return {Kind.ROOT: _LOOSE, Kind.NECK: _MIDDLE}


@dataclass(frozen=True, kw_only=True)
class PostureParameters:
    """See the module.

    Attributes:
        joint_weights: by kind, for each squared radian, where 1 is the whole mass displaced by the
            figure's size. Trunk, head and ankle move least in captured motion, knees and elbows most; kinds
            that were not measured have the middle value. The body tilts least: all of the trunk stands on it.
            A collar bone goes with its arm, and an ankle with its knee, before the trunk leans. Spine,
            neck, tail and other rows of n joints count n times each, so that a trunk is as stiff in three
            bones as in six.
        on_fours: other weights of figures that stand on their front limbs too. The neck is what such a figure
            reaches with: in two animals' actions it turns twice as far as the spine. The trunk hangs between
            both pairs of limbs and tilts as easily as these turn.
        hinge_aside: how much harder a knee or an elbow turns about other axes than its own, no unit. Real
            knees and elbows hardly do, but the axis of a rig may be off.
        hip_twist: how much harder a hip turns about its thigh than otherwise, no unit. Else a head that looks
            back would turn the whole body on its legs.
        vertical: weight of vertical displacement beside horizontal, no unit. A half lets a body bow and squat
            rather than step aside.
        balance: weight of the squared distance by which the centre of mass is too far out, in squared sizes.
            20 times the weight of displacement: firm beside the posture, soft beside the targets.
        balance_room: how far the centre of mass may be from its support, in sizes. Somewhat less than half
            a foot, which is about 0.07 of a person's height.
        even_joint: the weight of each turn where all joints are alike, for each squared radian.
        even_slide: the same of slides of the root, for each squared size.
        ahead: how far ahead of oriented feet and heads the point is that turns the figure, in sizes. As
            far as hands are from the middle of a person, so that both tell the heading alike.
        smoothing: frames before and after over which a heading is averaged in bakes. Five frames at 30 a
            second are below the time of a step.
        examples: most poses kept of a character's actions; errors hardly fall beyond 128.
        bandwidth: of the kernel, in squared standard deviations a feature; ridge: added to its diagonal. Both
            were chosen by leaving out one action at a time.
    """

    joint_weights: Mapping[Kind, float] = field(default_factory=_joint_weights)
    on_fours: Mapping[Kind, float] = field(default_factory=_on_fours)
    hinge_aside: float = 20.0
    hip_twist: float = 10.0
    vertical: float = 0.5
    balance: float = 20.0
    balance_room: float = 0.04
    even_joint: float = _MIDDLE
    even_slide: float = 1.0
    ahead: float = 0.3
    smoothing: int = 2
    examples: int = 300
    bandwidth: float = 0.6
    ridge: float = 0.3

    def weights(self, figure: FigureMap) -> Mapping[Kind, float]:
        """The weights of a figure's joints by kind, for each squared radian."""
        return {**self.joint_weights, **self.on_fours} if figure.on_fours else self.joint_weights


DEFAULTS: Final = PostureParameters()
