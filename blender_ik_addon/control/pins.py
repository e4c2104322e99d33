# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins, which hold a bone where it is without a target, and effectors for the other side of a body."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ..properties.access import rig_of
from ..properties.effector import ArticulateEffector
from ..properties.refusal import Refused
from .effectors import NewEffector, TargetLook, add_effectors, hold, remove_effector


def is_pin(effector: ArticulateEffector) -> bool:
    """Whether an effector holds its bone, with no target to follow."""
    return effector.pinned and effector.target is None


def pin(armature: bpy.types.Object, bones: Sequence[str], kind: str, depsgraph: bpy.types.Depsgraph) -> None:
    """Hold bones where they are now; a pin that a bone has already is set anew, and is of this kind then.

    Args:
        armature: the original armature object.
        bones: names.
        kind: POSITION, ORIENTATION or POSE (both).
        depsgraph: evaluated; tells where the bones are.

    Raises:
        Refused: there is no such bone, or it follows a target in this very way; nothing is pinned.
    """
    effectors = rig_of(armature).effectors
    there = [effector for effector in effectors if is_pin(effector) and effector.bone in bones]
    held = {effector.bone for effector in there}
    news = [NewEffector(bone=bone, kind=kind, pinned=True) for bone in bones if bone not in held]
    again = [effector.name for effector in there]
    add_effectors(armature, news, depsgraph, TargetLook())
    for name in again:
        effectors[name].kind = kind
        hold(armature, effectors[name], depsgraph)


def unpin(armature: bpy.types.Object, bones: Sequence[str] | None = None) -> int:
    """Remove the pins of bones, or all pins; the pose stays.

    Returns:
        How many there were.
    """
    chosen = [
        effector.name
        for effector in rig_of(armature).effectors
        if is_pin(effector) and (bones is None or effector.bone in bones)
    ]
    for name in chosen:
        remove_effector(armature, name)
    return len(chosen)


def mirror(
    armature: bpy.types.Object, bones: Sequence[str], depsgraph: bpy.types.Depsgraph, look: TargetLook
) -> int:
    """Give the bones of the other side the effectors that these bones have, where those are now.

    Sides are told by Blender's own rule for names (.L and .R, _left and _right, ...). What the other side has
    already stays.

    Returns:
        How many effectors were added.

    Raises:
        Refused: none of the bones has an effector that could be mirrored; nothing is added.
    """
    rig = rig_of(armature)
    own = [effector for effector in rig.effectors if effector.bone in bones]
    taken = {(effector.bone, effector.kind, effector.point) for effector in rig.effectors}
    news, offsets = [], []
    for effector in own:
        other = bpy.utils.flip_name(effector.bone)
        if other == effector.bone or other not in armature.data.bones:
            continue
        if (other, effector.kind, effector.point) in taken:
            continue
        root = bpy.utils.flip_name(effector.chain_root)
        news.append(
            NewEffector(
                bone=other,
                kind=effector.kind,
                point=effector.point,
                weight=effector.weight,
                priority=effector.priority,
                chain_root=root if root in armature.data.bones else effector.chain_root,
                axis=effector.axis,
                one_sided=effector.one_sided,
                pinned=is_pin(effector),
            )
        )
        offsets.append((-effector.offset[0], *effector.offset[1:]))
    if not own:
        raise Refused(f"The chosen bones of armature '{armature.name}' have no effectors or pins to mirror")
    if not news:
        raise Refused(
            "There is nothing to mirror: the bones have no other side by their names (.L, .R),"
            " or it has the same effectors already"
        )
    add_effectors(armature, news, depsgraph, look)
    for effector, offset in zip(rig.effectors[-len(news) :], offsets, strict=True):
        effector.offset = offset
    return len(news)
