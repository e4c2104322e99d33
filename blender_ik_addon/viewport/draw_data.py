# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay shows, as arrays and colours; without the GPU, so that it is tested without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Vector

from ..properties.access import rig_of
from ..properties.effector import ArticulateEffector

Colour = tuple[float, float, float, float]

NEAR: Final[Colour] = (0.3, 0.85, 0.35, 0.9)
SHORT: Final[Colour] = (1.0, 0.75, 0.15, 0.95)
FAR: Final[Colour] = (1.0, 0.25, 0.2, 1.0)
CHAIN: Final[Colour] = (0.35, 0.65, 1.0, 0.8)
PINS: Final[dict[str, Colour]] = {
    "POSITION": (1.0, 0.3, 0.25, 1.0),
    "ORIENTATION": (0.35, 0.6, 1.0, 1.0),
    "POSE": (0.85, 0.4, 1.0, 1.0),
}
_REACHED: Final = 0.005  # share of a bone's length; closer than this a target counts as reached for the eye
_FAR_OFF: Final = 0.25


@dataclass(frozen=True)
class Drawing:
    """Lines and points of one colour each.

    Attributes:
        lines: colour -> (2 L, 3) ends of lines, world; points: colour -> (P, 3), world.
    """

    lines: dict[Colour, npt.NDArray[np.float32]]
    points: dict[Colour, npt.NDArray[np.float32]]


def drawing(armature: bpy.types.Object) -> Drawing:
    """What is shown of an armature: effectors and their targets, pins, the chain of the active effector.

    Args:
        armature: the original object; a view is drawn when it is up to date.
    """
    lines: dict[Colour, list[Vector]] = {}
    points: dict[Colour, list[Vector]] = {}
    rig, world = rig_of(armature), armature.matrix_world
    for effector in rig.enabled_effectors:
        bone = armature.pose.bones.get(effector.bone)
        target = _target(effector)
        if bone is None or target is None:
            continue
        place = world @ bone.matrix @ effector.point_in_bone(bone.bone)
        length = bone.length * world.median_scale
        if effector.kind_info.moves:
            lines.setdefault(_by_error((target - place).length, length), []).extend((place, target))
        if effector.target is None:
            points.setdefault(PINS.get(effector.kind, NEAR), []).append(target)
        else:
            off = (target - place).length if effector.kind_info.moves else 0.0
            points.setdefault(_by_error(off, length), []).append(place)
    active = rig.active
    if active is not None and active.enabled:
        for bone in _chain(armature, active):
            lines.setdefault(CHAIN, []).extend((world @ bone.head, world @ bone.tail))
    return Drawing(
        *(
            {colour: np.array(each, dtype=np.float32) for colour, each in part.items()}
            for part in (lines, points)
        )
    )


def _by_error(distance: float, length: float) -> Colour:
    share = distance / max(length, 1e-9)
    return NEAR if share < _REACHED else SHORT if share < _FAR_OFF else FAR


def _target(effector: ArticulateEffector) -> Vector | None:
    """Where an effector's target is, world; None if it has none."""
    target: Any = effector.target
    if target is None:
        return Vector(effector.pin_location) if effector.pinned else None
    if not effector.subtarget:
        return target.matrix_world.translation.copy()
    bone = target.pose.bones.get(effector.subtarget) if target.pose else None
    return None if bone is None else target.matrix_world @ bone.head


def _chain(armature: bpy.types.Object, effector: ArticulateEffector) -> list[bpy.types.PoseBone]:
    """The bones that may move for an effector, from its own upwards."""
    bone = armature.pose.bones.get(effector.bone)
    if bone is None:
        return []
    chain = [bone, *bone.parent_recursive]
    names = [each.name for each in chain]
    return chain[: names.index(effector.chain_root) + 1] if effector.chain_root in names else chain
