# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of a figure's joints, its limbs, sides and feet, and the direction in which it faces."""

from dataclasses import dataclass
from enum import StrEnum

from ..arrays import Array, Index


class Kind(StrEnum):
    """The kind of a joint; a bone has the kind of the joint at its head."""

    ROOT = "root"
    SPINE = "spine"
    NECK = "neck"
    HEAD = "head"
    CLAVICLE = "clavicle"
    SHOULDER = "shoulder"
    ELBOW = "elbow"
    WRIST = "wrist"
    HIP = "hip"
    KNEE = "knee"
    ANKLE = "ankle"
    PAW = "paw"
    TAIL = "tail"
    WING = "wing"
    FINGER = "finger"
    APPENDAGE = "appendage"
    OTHER = "other"


TRUNK = (Kind.ROOT, Kind.SPINE, Kind.NECK, Kind.HEAD)
"""The kinds on which appendages hang."""


@dataclass(frozen=True)
class Limb:
    """A limb, joints from the body outwards."""

    girdle: tuple[int, ...]  # joints above it that belong to it, as a clavicle
    joints: tuple[int, ...]  # of its long bones, as shoulder and elbow or hip and knee
    end: int  # the joint at the end of the last long bone, as wrist or ankle; -1 if there is none
    rest: tuple[int, ...]  # the joints beyond, as toes
    row: tuple[int, ...]  # all of these in a row, with those between them, as the second half of a thigh
    folds: tuple[int, ...]  # those about which it folds: knee or elbow, and the hock of a leg like a Z
    twin: int  # index of the limb of the other side in `FigureMap.limbs`
    front: bool  # whether it is of the pair nearest to the head
    attached: int  # the joint that carries the limb

    @property
    def foot(self) -> int:
        """The joint of the bone on which it stands, if it walks: its end, or the last long bone."""
        return self.end if self.end >= 0 else self.joints[-1]

    def long_bones(self, heads: Array, tails: Array) -> tuple[Array, Array]:
        """(3,) along both long bones, from the ends of all bones (J, 3)."""
        upper, lower = self.joints
        end = heads[self.end] if self.end >= 0 else tails[lower]
        return heads[lower] - heads[upper], end - heads[lower]


@dataclass(frozen=True, eq=False)
class FigureMap:
    """The kinds of a figure's joints.

    Attributes:
        kinds: (J,) the kind of each joint.
        row: (J,) number of joints of that kind in a row, 1 for joints that stand alone.
        reach: (J,) way along the bones from each head to the farthest end that hangs from it.
        limbs: the limbs, in pairs; feet: joints whose bones the figure stands on.
        hinge: (J, 3) axis about which knees, elbows and fingers bend, and second halves of long bones twist,
            a unit vector in the world of the pose that was read; the lower bone turns about it positively
            when they bend; zero for other joints.
        twin: (J,) the joint of the other side, itself for joints in the middle and unpaired ones.
        body: the joint that carries all limbs and the head; -1 where no limb was found.
        head: the head's joint, -1 if there is none.
        heads, tails: (J, 3) ends of the bones in the pose that was read; up, forward, left: (3,) unit vectors
            there, forward and left level; size: largest distance between two ends of bones.
    """

    kinds: tuple[Kind, ...]
    row: Index
    reach: Array
    limbs: tuple[Limb, ...]
    feet: tuple[int, ...]
    hinge: Array
    twin: Index
    body: int
    head: int
    heads: Array
    tails: Array
    up: Array
    forward: Array
    left: Array
    size: float

    def of_kind(self, *kinds: Kind) -> tuple[int, ...]:
        """The joints of some kinds, in order."""
        return tuple(j for j, kind in enumerate(self.kinds) if kind in kinds)

    @property
    def on_fours(self) -> bool:
        """Whether the figure also stands on its front limbs."""
        return any(limb.front and limb.foot in self.feet for limb in self.limbs)
