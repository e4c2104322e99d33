# SPDX-License-Identifier: GPL-3.0-or-later
"""The elephant's bones: a body that does not move, and a trunk with any number of ball joints.

It stands on the ground, looks along -Y, its left is at +X. The trunk hangs down and curls up at its tip; the
total angle is divided among the joints, so that a trunk of few segments can curl as far as one of many. With
thirty of them these are the limits of Ge's trunk, 30 degrees of bend and 15 of twist.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from ...collision import Body, Link
from ...errors import BadValue
from ...model.joint import Joint
from ...model.skeleton import Skeleton
from ...rotation import Array

LENGTH: Final = 2.5  # metres, of the trunk
ROOT: Final = (0.0, -1.24, 1.86)  # where the trunk begins
_HEADING: Final = ((0.0, 0.25, 0.55, 0.8, 1.0), (-40.0, -78.0, -65.0, 0.0, 60.0))  # share, degrees above -Y
_RADIUS: Final = ((0.0, 0.15, 1.0), (0.21, 0.16, 0.05))  # share of the trunk, metres
_BEND, _TWIST = 900.0, 450.0  # degrees that all joints together bend and twist to each side
_MOST: Final = 75.0  # degrees that one joint bends at most

_STILL: Final = (
    ("body", "", (0.0, 1.15, 1.45), (0.0, -0.05, 1.5), 0.55),
    ("neck", "body", (0.0, -0.05, 1.5), (0.0, -0.75, 1.85), 0.42),
    ("head", "neck", (0.0, -0.75, 1.85), (0.0, -1.2, 1.95), 0.40),
    ("jaw", "head", (0.0, -0.95, 1.65), (0.0, -1.28, 1.42), 0.10),
    ("tusk", "head", (0.20, -1.12, 1.62), (0.28, -1.74, 1.43), 0.06),
    ("ear", "head", (0.32, -0.72, 1.95), (0.80, -0.52, 1.80), 0.10),
    ("foreleg", "body", (0.36, -0.18, 1.3), (0.36, -0.2, 0.62), 0.23),
    ("forefoot", "foreleg", (0.36, -0.2, 0.62), (0.36, -0.2, 0.06), 0.21),
    ("hindleg", "body", (0.36, 1.1, 1.3), (0.36, 1.14, 0.62), 0.25),
    ("hindfoot", "hindleg", (0.36, 1.14, 0.62), (0.36, 1.16, 0.06), 0.21),
    ("tail", "body", (0.0, 1.6, 1.55), (0.0, 1.82, 1.15), 0.05),
    ("tuft", "tail", (0.0, 1.82, 1.15), (0.0, 1.84, 0.8), 0.05),
)
"""Name, parent, head, tail, radius of the flesh; bones beside the middle exist on both sides."""


@dataclass(frozen=True, kw_only=True)
class Bone:
    """A bone at rest.

    Attributes:
        name, parent: "" for none.
        head, tail: metres.
        radius: of the flesh around it.
    """

    name: str
    parent: str
    head: tuple[float, float, float]
    tail: tuple[float, float, float]
    radius: float

    @property
    def length(self) -> float:
        """Metres."""
        return float(np.linalg.norm(np.subtract(self.tail, self.head)))

    @property
    def axes(self) -> Array:
        """(3, 3) its frame: Y along it, X level and, for a bone in the middle, to the elephant's left."""
        y = np.subtract(self.tail, self.head) / self.length
        x = np.array([1.0, 0.0, 0.0])
        x -= (x @ y) * y
        x /= np.linalg.norm(x)
        return np.stack([x, y, np.cross(x, y)], 1)


@dataclass(frozen=True)
class Elephant:
    """An elephant.

    Args:
        segments: of the trunk.

    Raises:
        BadValue: fewer than one segment.
    """

    segments: int = 30

    def __post_init__(self) -> None:
        if int(self.segments) != self.segments or self.segments < 1:
            raise BadValue(f"segments={self.segments!r}", "must be a whole number, 1 or more.")

    @cached_property
    def bones(self) -> tuple[Bone, ...]:
        """All bones, parents first; the trunk's last."""
        still: list[Bone] = []
        for name, parent, head, tail, radius in _STILL:
            for suffix, side in ((".L", 1.0), (".R", -1.0)) if head[0] else (("", 1.0),):
                above = parent + suffix if any(bone.name == parent + suffix for bone in still) else parent
                ends = [(side * place[0], place[1], place[2]) for place in (head, tail)]
                still.append(
                    Bone(name=name + suffix, parent=above, head=ends[0], tail=ends[1], radius=radius)
                )
        return (*still, *self._trunk())

    @property
    def trunk(self) -> tuple[str, ...]:
        """Names of the trunk's bones, from the head on."""
        return tuple(f"trunk.{number:03d}" for number in range(self.segments))

    @property
    def tip(self) -> str:
        """Name of the last one; its end is what follows a path."""
        return self.trunk[-1]

    @property
    def bend(self) -> float:
        """Degrees that a joint of the trunk bends to each side."""
        return min(_MOST, _BEND / self.segments)

    @property
    def twist(self) -> float:
        """Degrees that a joint of the trunk twists to each side."""
        return min(_MOST, _TWIST / self.segments)

    @cached_property
    def skeleton(self) -> Skeleton:
        """The bones as joints, those of the trunk free within their limits; "tip" at the trunk's end."""
        high = np.radians([self.bend, self.twist, self.bend])
        of = {bone.name: bone for bone in self.bones}
        joints = []
        for bone in self.bones:
            rotation, head = bone.axes, np.array(bone.head)
            if bone.parent:
                above = of[bone.parent]
                head = above.axes.T @ (head - np.array(above.head))
                rotation = above.axes.T @ rotation
            joint = Joint(bone.name, bone.parent or None, rotation=rotation, translation=head, turns="")
            if bone.name in self.trunk:
                joint = replace(joint, turns="xyz", lower=-high, upper=high)
            joints.append(joint)
        last = of[self.tip]
        return Skeleton([*joints, Joint("tip", last.name, translation=(0.0, last.length, 0.0), turns="")])

    @cached_property
    def body(self) -> Body:
        """A capsule for each bone; the trunk keeps clear of those of the fixed bones."""
        moving = set(self.trunk)
        return Body(
            [
                Link(
                    bone.name,
                    (0.0, 0.0, 0.0),
                    (0.0, bone.length, 0.0),
                    bone.radius,
                    meets_obstacles=bone.name in moving,
                )
                for bone in self.bones
            ]
        )

    def _trunk(self) -> list[Bone]:
        shares = np.linspace(0.0, 1.0, self.segments + 1)
        middle = 0.5 * (shares[1:] + shares[:-1])
        heading = np.radians(np.interp(middle, *_HEADING))
        step = LENGTH / self.segments * np.stack([0 * heading, -np.cos(heading), np.sin(heading)], 1)
        places = np.array(ROOT) + np.concatenate([np.zeros((1, 3)), np.cumsum(step, 0)])
        radius = np.interp(middle, *_RADIUS)
        names = ("head", *self.trunk)
        return [
            Bone(
                name=names[k + 1],
                parent=names[k],
                head=_triple(places[k]),
                tail=_triple(places[k + 1]),
                radius=float(radius[k]),
            )
            for k in range(self.segments)
        ]


def _triple(place: Array) -> tuple[float, float, float]:
    x, y, z = place.tolist()
    return x, y, z
