# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors as they stand at the moment, in plain values: equal as long as nothing has changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import bpy
from mathutils import Matrix, Quaternion, Vector

from ..properties.access import rig_of
from ..properties.effector import ArticulateEffector
from ..properties.kinds import KINDS

_REACHED: Final = 0.005  # share of a bone's length; closer than this a target counts as reached for the eye
_FAR_OFF: Final = 0.25
_TURNED: Final = 0.01  # radians, the same for turns
_FAR_TURNED: Final = 0.35
Triple = tuple[float, float, float]


class Miss(IntEnum):
    """How far an effector is from its target, for the eye."""

    REACHED = 0
    SHORT = 1
    FAR = 2


@dataclass(frozen=True)
class Mark:
    """An effector that takes part, and where it should be.

    Attributes:
        index: its place in the list; bone: its name; kind, chain_root: see `properties.effector`.
        pin: it has no target object.
        length: of the bone, Blender units of the world.
        local: (3,) its point in the bone's axes; axis: what aims; one_sided: its plane is a floor.
        target, turn: where it should be, and how turned (a quaternion), world.
    """

    index: int
    bone: str
    kind: str
    chain_root: str
    pin: bool
    length: float
    local: Triple
    axis: Triple
    one_sided: bool
    target: Triple
    turn: tuple[float, float, float, float]

    def aim(self, matrix: Matrix) -> tuple[Triple, Triple, Miss]:
        """Where its point is, where that should be, and how far off it is.

        Args:
            matrix: (4, 4) of its bone, world.
        """
        asks = KINDS[self.kind].asks
        place, wanted, turn = matrix @ Vector(self.local), Vector(self.target), Quaternion(self.turn)
        way, turned = 0.0, 0.0
        if "position" in asks:
            way = (wanted - place).length
        if "orientation" in asks:
            turned = abs(matrix.to_quaternion().rotation_difference(turn).angle)
        if "aim" in asks:
            turned = (matrix.to_3x3() @ Vector(self.axis)).angle(wanted - place, 0.0)
        if "plane" in asks:
            normal = turn @ Vector((0.0, 0.0, 1.0))
            height = (place - wanted).dot(normal)
            off = min(height, 0.0) if self.one_sided else height
            wanted, way = place - off * normal, abs(off)
        share = way / max(self.length, 1e-9)
        miss = max(_level(share, _REACHED, _FAR_OFF), _level(turned, _TURNED, _FAR_TURNED))
        return (place.x, place.y, place.z), (wanted.x, wanted.y, wanted.z), miss


def read_marks(armature: bpy.types.Object) -> tuple[Mark, ...]:
    """The effectors of an armature that are on, whose bones exist and which have a target or a pin."""
    marks = []
    scale = armature.matrix_world.median_scale
    for index, effector in enumerate(rig_of(armature).effectors):
        if not effector.enabled:
            continue
        bone = armature.pose.bones.get(effector.bone)
        goal = _goal(effector)
        if bone is None or goal is None:
            continue
        marks.append(
            Mark(
                index=index,
                bone=bone.name,
                kind=effector.kind,
                chain_root=effector.chain_root,
                pin=effector.target is None,
                length=bone.length * scale,
                local=tuple(effector.point_in_bone(bone.bone)),
                axis=effector.direction,
                one_sided=effector.one_sided,
                target=goal[0],
                turn=goal[1],
            )
        )
    return tuple(marks)


def _goal(effector: ArticulateEffector) -> tuple[Triple, tuple[float, float, float, float]] | None:
    """Where an effector should be and how turned, world; None if it has no target and no pin."""
    target: Any = effector.target
    if target is None:
        return (tuple(effector.pin_location), tuple(effector.pin_rotation)) if effector.pinned else None
    matrix = target.matrix_world
    if effector.subtarget:
        bone = target.pose.bones.get(effector.subtarget) if target.pose else None
        if bone is None:
            return None
        matrix = matrix @ bone.matrix
    return tuple(matrix.translation), tuple(matrix.to_quaternion())


def _level(off: float, reached: float, far: float) -> Miss:
    return Miss.REACHED if off < reached else Miss.SHORT if off < far else Miss.FAR
