# SPDX-License-Identifier: GPL-3.0-or-later
"""The constants of the posture objective, with units and reasons.

Lengths are in figure sizes and masses sum to 1, so no constant depends on units. Doubling or halving the
weights changed the mean error on captured motion by at most 0.17 % of the figure's size (prototype, 21 clips,
relaxed stance).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import radians
from typing import Final

from ..model.figure_map import FigureMap, Kind
from ..model.masses import DENSITY

_STIFF: Final = 1.0 / 60.0
_MIDDLE: Final = 1.0 / 300.0
_LOOSE: Final = 1.0 / 600.0
_HINGE: Final = 1.0 / 1500.0


def _joint_weights() -> Mapping[Kind, float]:
    return {
        Kind.ROOT: 1.0 / 30.0,
        Kind.SPINE: _STIFF,
        Kind.NECK: _STIFF,
        Kind.HEAD: _STIFF,
        Kind.CLAVICLE: 1.0 / 85.0,
        Kind.ANKLE: 1.0 / 70.0,
        Kind.SHOULDER: _LOOSE,
        Kind.HIP: _LOOSE,
        Kind.WRIST: _MIDDLE,
        Kind.ELBOW: _HINGE,
        Kind.KNEE: _HINGE,
        Kind.PAW: _MIDDLE,
        Kind.TAIL: _MIDDLE,
        Kind.WING: _LOOSE,
        Kind.FINGER: 1e-6,
        Kind.APPENDAGE: _MIDDLE,
        Kind.OTHER: _MIDDLE,
    }


@dataclass(frozen=True, kw_only=True)
class PostureParameters:
    """See the module.

    Attributes:
        joint_weights: by kind, per squared radian, where 1 is the whole mass displaced by the figure's size.
            In captured motion trunk, head and ankles move least, knees and elbows most; kinds that were not
            measured have the middle value. The body tilts least, because it carries the trunk. Collar bones
            and ankles are softer than the trunk, so that they move first. Fingers are so light that a drag of
            a tip moves little else as long as they can follow. In spines, necks, tails and other
            chains of n joints each weight is multiplied by n, so that the stiffness does not depend on n.
        on_fours: weights of figures that also stand on their front limbs. Such figures reach with the neck:
            in two animals' actions it turns twice as far as the spine. The trunk is carried by both pairs of
            limbs, so it tilts as easily as they turn.
        hinge_aside: factor of the weight of a joint with an axis (`FigureMap.hinge`) about its other axes, no
            unit. Real knees and elbows hardly turn about these, but the axis of a rig may be inexact.
        hard_turn: factor of the weight of a leg's first joint about the leg itself, no unit. Otherwise a head
            that looks back would turn the whole body on its legs. On four feet it counts for turns aside,
            too: two animals' legs swing four times as far fore and aft in their actions.
        appendage: weight of ears, hair and other appendages, per cubed reach in figure sizes and squared
            radian: the inertia of a rod of a limb's density. What is light bends before the body moves.
        least_appendage: its least, per squared radian: far below a neck's, which hardly follows an ear. At
            most it is the weight of its kind.
        double: weight of an appendage's joint in the place of the joint that carries it, if others hang from
            it, per squared radian: the root of a face does not turn in the skull.
        hip_back: angle by which the thigh of an upright figure turns back from straight down before that
            costs more, radians. knee_back, fold: the same for the bend of its knee from the straight leg, the
            wrong way and the right one. People's ranges are 20 to 30, 0 to 10 and 135 to 150 degrees
            (American Academy of Orthopaedic Surgeons).
        finger_back: angle by which a finger's joint bends back from straight before that costs more, radians.
            finger_fold: the same for its bend. The ranges of the three joints are 80 to 100 degrees (ibid.).
        beyond: weight of what a joint turns beyond that, per squared radian: ten degrees as much as a trunk's
            joint by 35. Far poses are alike from 0.2 to 0.5.
        vertical: weight of vertical relative to horizontal displacement, no unit. A half lets a body bow and
            squat instead of stepping aside.
        hanging: weight of the tilt of an arm that hangs free, per squared radian: twice its shoulder's. When
            a person bows to the floor, the arm stays within 26 degrees of where it hung (38 at the half, 16
            at the double).
        balance: weight of the squared overhang of the centre of mass, per squared figure size. It is 20 times
            that of displacement: large relative to the posture, small relative to the targets.
        balance_room: allowed distance of the centre of mass from its support, figure sizes. Slightly less
            than half a foot, which is about 0.07 of a person's height.
        even_joint: weight of each rotation if all joints have equal weights, per squared radian.
        even_slide: the same for translations of the root, per squared figure size.
        ahead: distance of a point ahead of oriented feet and heads that determines the heading, figure sizes.
            About the distance of the hands from the middle of a person, so that both count alike.
        smoothing: number of frames before and after over which a heading is averaged in bakes. Five frames at
            30 per second are shorter than a step.
        examples: maximum number of poses from a character's actions; more than 128 hardly reduce errors.
        bandwidth: of the kernel, in squared standard deviations per feature; ridge: added to its diagonal.
            Both were chosen by leave-one-action-out cross-validation.
    """

    joint_weights: Mapping[Kind, float] = field(default_factory=_joint_weights)
    on_fours: Mapping[Kind, float] = field(default_factory=lambda: {Kind.ROOT: _LOOSE, Kind.NECK: _MIDDLE})
    hinge_aside: float = 20.0
    hard_turn: float = 10.0
    appendage: float = DENSITY[Kind.OTHER] / 3.0
    least_appendage: float = 1e-4
    double: float = 1.0
    hip_back: float = radians(20.0)
    knee_back: float = radians(10.0)
    fold: float = radians(140.0)
    finger_back: float = radians(10.0)
    finger_fold: float = radians(95.0)
    beyond: float = 0.2
    vertical: float = 0.5
    hanging: float = _MIDDLE
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
        """The weights of a figure's joints by kind, per squared radian."""
        return {**self.joint_weights, **self.on_fours} if figure.on_fours else self.joint_weights


DEFAULTS: Final = PostureParameters()
