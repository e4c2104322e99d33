# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of a joint, and of one that follows another: the second finger of a gripper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy.typing as npt

from .. import arguments
from ..errors import BadValue, UnknownName


@dataclass(frozen=True)
class Mimic:
    """`coordinate = multiplier * coordinate of leader + offset`, as in URDF.

    Args:
        leader: name of the joint to follow; both joints have one coordinate.
        multiplier: radians or metres of this joint for each of the leader's, not zero.
        offset: radians or metres.
    """

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        arguments.text(self.leader, "leader of a mimic joint")
        arguments.number(self.multiplier, "multiplier of a mimic joint")
        arguments.number(self.offset, "offset of a mimic joint")
        if self.multiplier == 0.0:
            raise BadValue(
                "multiplier of a mimic joint", "is zero; lock the joint instead: turns='', fixed=."
            )


@dataclass(frozen=True)
class Joint:
    """One joint, at a rest frame in its parent; its long axis is local +Y.

    Args:
        name: unique in the figure.
        parent: name of the parent joint, None for a root.
        rotation: (3, 3) rest rotation in the parent's frame.
        translation: (3,) rest place in the parent's frame, metres.
        turns: the free turns, letters out of "xyz".
        slides: the free slides, letters out of "xyz".
        lower, upper: limits of the free coordinates, slides first, then turns, each in the order x, y, z;
            one number for all of them; None, for all or for one of them, is no limit. Radians and metres.
        stiffness: 0 moves freely, towards 1 moves last; one number or one a free coordinate, in [0, 1).
        max_speed: radians or metres a second, above zero; one number or one a free coordinate; None is no
            limit.
        mimic: the joint that this one follows; both have one coordinate.
        mass: kilograms (or any unit, all alike), at the joint's own frame; for balance.
        fixed: six values (slides x y z, turns x y z), of which those count that are not free.
        inherit_rotation: False when the joint's rotation is relative to the world while its place still
            follows the parent (Blender's `use_inherit_rotation`).
    """

    name: str
    parent: str | None = None
    rotation: npt.ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    translation: npt.ArrayLike = (0.0, 0.0, 0.0)
    turns: str = "xyz"
    slides: str = ""
    lower: npt.ArrayLike | None = None
    upper: npt.ArrayLike | None = None
    stiffness: npt.ArrayLike = 0.0
    mass: float = 0.0
    fixed: npt.ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    inherit_rotation: bool = True
    max_speed: npt.ArrayLike | None = None
    mimic: Mimic | None = None

    @property
    def slots(self) -> list[int]:
        """The free ones of the six coordinates, in order."""
        slides = arguments.letters(self.slides, f"slides of joint {self.name!r}")
        turns = arguments.letters(self.turns, f"turns of joint {self.name!r}")
        return [k for k in range(3) if "xyz"[k] in slides] + [3 + k for k in range(3) if "xyz"[k] in turns]


def parents_first(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Parents before children, otherwise in the given order."""
    if not joints:
        raise BadValue("The skeleton", "has no joints; give at least one.")
    by_name: dict[str, Joint] = {}
    for joint in joints:
        arguments.text(joint.name, "name of a joint")
        if joint.mimic is not None:
            arguments.of_kind(joint.mimic, Mimic, f"mimic of joint {joint.name!r}")
        if joint.parent is not None:
            arguments.text(joint.parent, f"parent of joint {joint.name!r}")
        if joint.name in by_name:
            raise BadValue(f"Joint {joint.name!r}", "is defined twice; names must differ.")
        by_name[joint.name] = joint
    done: dict[str, Joint] = {}
    for joint in joints:
        way: list[Joint] = []
        walk: Joint | None = joint
        while walk is not None and walk.name not in done:
            if any(walk is earlier for earlier in way):
                raise BadValue(f"Joint {walk.name!r}", "is its own ancestor; parents must form a tree.")
            way.append(walk)
            if walk.parent is None:
                break
            if walk.parent not in by_name:
                raise UnknownName("joint", walk.parent, list(by_name))
            walk = by_name[walk.parent]
        done.update((step.name, step) for step in reversed(way))
    return tuple(done.values())
