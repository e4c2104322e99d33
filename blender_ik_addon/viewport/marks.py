# SPDX-License-Identifier: GPL-3.0-or-later
"""The present state of the effectors as plain values, which are equal if nothing has changed."""

from collections.abc import Callable, Collection, Mapping
from enum import IntEnum
from typing import Any, Final, NamedTuple

import bpy
from mathutils import Matrix, Quaternion, Vector

from ..bridge.chains import Chain
from ..control.rig.target import held_place
from ..properties.access import rig_of
from ..properties.kinds import AMOUNTS, KINDS, Kind

_REACHED: Final = 0.005  # share of a bone's length; a target with a smaller error is drawn as reached
_FAR_OFF: Final = 0.25
_TURNED: Final = 0.01  # radians, the same for rotations
_STRAIGHT: Final = 0.01  # share of a limb's length; a knee nearer to its line has no direction
_FAR_TURNED: Final = 0.35
Triple = tuple[float, float, float]
Turn = tuple[float, float, float, float]
_NO_BONE: Final[tuple[str, Triple]] = ("", (0.0, 0.0, 0.0))
_MASKS: Final = frozenset({"axes", "turn_axes"})
_SEEN: Final = frozenset({"space", "keep", "one_sided", "over", *AMOUNTS})
_TOLD: Final = {
    kind.name: [option for option in kind.options if option in _SEEN | _MASKS] for kind in KINDS.values()
}


class Miss(IntEnum):
    """How far an effector is from its target, for display."""

    REACHED = 0
    SHORT = 1
    FAR = 2


class Mark(NamedTuple):
    """An enabled effector and its target.

    Attributes:
        number: index in the list; bone: its name; kind, chain_root: see `properties.effector`.
        pin: whether it is pinned.
        length: of the bone, world units.
        local: (3,) its point in the bone's axes; axis: (3,) aiming direction.
        told: visible options of its kind.
        target, turn: target position and rotation (a quaternion), world; unused by kinds without a target.
        second: name of the second bone, "" for none, and the point in its axes.
        places: alternative targets, world.
    """

    number: int
    bone: str
    kind: Kind
    chain_root: str
    pin: bool
    length: float
    local: Triple
    axis: Triple
    told: Mapping[str, Any]
    target: Triple
    turn: Turn
    second: tuple[str, Triple]
    places: tuple[Triple, ...]

    @property
    def balances(self) -> bool:
        """Whether it is drawn at the centre of mass."""
        return "balance" in self.kind.asks

    @property
    def chains(self) -> list[Chain]:
        """The chains of its bones."""
        return [(bone, self.chain_root) for bone in (self.bone, self.second[0]) if bone]

    def aim(self, matrix_of: Callable[[str], Matrix]) -> tuple[Triple, Triple, Miss]:
        """Position of its point, target position, and size of the error, for the bones' world matrices."""
        asks, matrix = self.kind.asks, matrix_of(self.bone)
        place, wanted = matrix @ Vector(self.local), Vector(self.target)
        if self.second[0]:
            wanted = matrix_of(self.second[0]) @ Vector(self.second[1])
        if self.places:
            choices = [Vector(choice) for choice in self.places]
            wanted = min(choices, key=lambda choice: (choice - place).length)
        off, turned = 0.0, 0.0
        if "position" in asks or "any_of" in asks:
            off = self._masked("axes", wanted - place, matrix).length - self.told.get("slack", 0.0)
        if "loop" in asks:
            off = (wanted - place).length
        if "distance" in asks:
            over = (wanted - place).length - self.told["distance"]
            off = {"AT": abs(over), "INSIDE": over, "OUTSIDE": -over}[self.told["keep"]]
        if "plane" in asks:
            normal = Quaternion(self.turn) @ Vector((0.0, 0.0, 1.0))
            height = (place - wanted).dot(normal)
            height = min(height, 0.0) if self.told["one_sided"] else height
            wanted, off = place - height * normal, abs(height)
        if "orientation" in asks:
            between = Quaternion(self.turn) @ matrix.to_quaternion().inverted()
            if between.w < 0.0:
                between.negate()  # the same rotation, the shorter way
            turned = self._masked("turn_axes", between.to_exponential_map(), matrix).length
        if "aim" in asks:
            turned = (matrix.to_3x3() @ Vector(self.axis)).angle(wanted - place, 0.0)
        if "pole" in asks:
            place, root = matrix.translation, matrix_of(self.told["root"]).translation
            line = matrix @ Vector(self.local) - root
            bend, way = ((end - root) - (end - root).project(line) for end in (place, wanted))
            turned = bend.angle(way, 0.0) if bend.length > _STRAIGHT * line.length else 0.0
        turned -= self.told.get("turn_slack", 0.0)
        miss = max(distance_miss(off, self.length), _level(turned, _TURNED, _FAR_TURNED))
        return (place.x, place.y, place.z), (wanted.x, wanted.y, wanted.z), miss

    def _masked(self, axes: str, way: Vector, matrix: Matrix) -> Vector:
        """The part of a vector along the axes that count; matrix: (4, 4) of the bone."""
        flags = self.told.get(axes, (True, True, True))
        if all(flags):
            return way
        turns = {"WORLD": Quaternion(), "TARGET": Quaternion(self.turn), "BONE": matrix.to_quaternion()}
        turned = turns[self.told["space"]].inverted() @ way
        return Vector((turned.x * flags[0], turned.y * flags[1], turned.z * flags[2]))


def read_marks(armature: bpy.types.Object, in_hand: Collection[str] = ()) -> tuple[Mark, ...]:
    """The enabled and complete effectors of an armature; own pins of the dragged bones move with them."""
    marks = []
    bones, world = armature.pose.bones, armature.matrix_world.copy()
    scale = world.median_scale
    for number, effector in enumerate(rig_of(armature).effectors):
        bone, follows = bones.get(effector.bone), effector.follows
        held: Any = held_place(effector) if follows else (Quaternion(), Vector())
        if not effector.enabled or bone is None or follows == "MISSING" or held is None:
            continue
        turn, target = held
        kind, pin = effector.kind_info, follows in ("PIN", "MOTION")
        has, asks = kind.options, kind.asks
        told: dict[str, Any] = {name: getattr(effector, name) for name in _TOLD[kind.name]}
        told |= {name: tuple(told[name]) for name in _MASKS & told.keys()}
        if "pole" in asks:
            if bone.parent is None:
                continue
            told["root"] = bone.parent.name
        second = _NO_BONE
        places: tuple[Triple, ...] = ()
        if name := effector.second_bone if "second_bone" in has else "":
            other = bones.get(name)
            if other is None:
                continue
            second = name, tuple(effector.second_in_bone(other.bone))
        if "alternatives" in has:
            places = tuple(tuple(thing.matrix_world.translation) for thing in effector.alternative_objects)
            if not places:
                continue
        local = effector.point_in_bone(bone.bone)
        if follows == "MOTION" or (pin and bone.name in in_hand):
            there = world @ bone.matrix
            target, turn = there @ local, there.to_quaternion()
        marks.append(
            Mark(
                number=number,
                bone=bone.name,
                kind=kind,
                chain_root=effector.chain_root,
                pin=pin,
                length=bone.length * scale,
                local=tuple(local),
                axis=effector.direction,
                told=told,
                target=tuple(target),
                turn=tuple(turn),
                second=second,
                places=places,
            )
        )
    return tuple(marks)


def distance_miss(off: float, length: float) -> Miss:
    """Size class of a distance error, relative to the length of a bone."""
    return _level(off / max(length, 1e-9), _REACHED, _FAR_OFF)


def _level(off: float, reached: float, far: float) -> Miss:
    return Miss.REACHED if off < reached else Miss.SHORT if off < far else Miss.FAR
