# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins, which keep a bone in place without a target, and mirrored copies of effectors."""

from collections.abc import Sequence
from typing import Any

import bpy
from mathutils import Quaternion, Vector

from ...bridge.bone_map import mirrored_axes, other_side
from ...properties.access import rig_of
from ...properties.effector import ArticulateEffector, why_not_moved
from ...properties.kinds import AMOUNTS
from ...properties.refusal import Refused
from .effectors import NewEffector, add_effectors, hold, nearest_axis, remove_effectors


def is_pin(effector: ArticulateEffector) -> bool:
    """Whether an effector keeps its bone in place, or keeps its motion, without a target."""
    return effector.follows in ("PIN", "MOTION")


def pin(
    armature: bpy.types.Object,
    bones: Sequence[str],
    kind: str,
    depsgraph: bpy.types.Depsgraph,
    *,
    motion: bool,
) -> None:
    """Pin bones at their present place, or with `motion` to their own animation.

    An existing pin is moved there and gets this kind: POSITION, ORIENTATION or POSE (both). If one bone is
    refused, nothing is pinned.
    """
    effectors = rig_of(armature).effectors
    there = [effector for effector in effectors if is_pin(effector) and effector.bone in bones]
    for effector in there:
        if reason := why_not_moved(effector, depsgraph.scene.frame_current_final):
            raise Refused(reason)
    held = {effector.bone for effector in there}
    news = [NewEffector(bone=bone, kind=kind, pinned=True) for bone in bones if bone not in held]
    again = [effector.name for effector in there]
    add_effectors(armature, news, depsgraph)
    for name in again:
        hold(effectors[name], depsgraph)
        effectors[name].kind, effectors[name].enabled = kind, True
    for effector in effectors:
        if is_pin(effector) and effector.bone in bones:
            effector.keeps_motion = motion


def unpin(armature: bpy.types.Object, bones: Sequence[str] | None = None) -> tuple[int, str]:
    """Remove the pins of some bones, or all pins, see `remove_effectors`; the pose is unchanged."""
    pins = [(index, each) for index, each in enumerate(rig_of(armature).effectors) if is_pin(each)]
    return remove_effectors(armature, [index for index, each in pins if bones is None or each.bone in bones])


def mirror(armature: bpy.types.Object, bones: Sequence[str], depsgraph: bpy.types.Depsgraph) -> int:
    """Copy the effectors of some bones to the bones on the other side, at their present places; how many.

    Sides are found by name (.L and .R, _left, ...), else by the rest pose. Existing effectors of the other
    side are kept. Refused if no effector can be mirrored.
    """
    rig = rig_of(armature)
    all_bones: Any = armature.data.bones
    own = [effector for effector in rig.effectors if effector.bone in bones]
    taken = {(effector.bone, effector.kind, effector.point) for effector in rig.effectors}
    news = []
    for effector in own:
        other = other_side(all_bones, effector.bone)
        joins = effector.settings.get("second_bone") == other  # both sides: it is its own mirror image
        if not other or joins or (other, effector.kind, effector.point) in taken:
            continue
        settings = _mirrored(effector, all_bones, other)
        news.append(NewEffector(bone=other, kind=effector.kind, pinned=is_pin(effector), settings=settings))
    if not own:
        raise Refused(f"The chosen bones of armature '{armature.name}' have no effectors or pins to mirror")
    if not news:
        raise Refused(
            "There is nothing to mirror: no bones of the other side were found by name (.L, .R) or position,"
            " or they have the same effectors already"
        )
    add_effectors(armature, news, depsgraph)
    return len(news)


def _mirrored(effector: ArticulateEffector, bones: Any, other: str) -> dict[str, Any]:
    """The settings of an effector for the bone on the other side."""
    own = [name for name in effector.kind_info.options if name in (*AMOUNTS, "keeps_motion")]
    common = {name: getattr(effector, name) for name in ("weight", "priority", "chain_root", *own)}
    settings = {**common, **effector.settings}
    second = settings.get("second_bone", "")
    for name in ("chain_root", "second_bone"):
        if flipped := other_side(bones, settings.get(name, "")):
            settings[name] = flipped
    axes = mirrored_axes(bones[effector.bone], bones[other])
    if "offset" in settings:
        settings["offset"] = (axes @ Vector(settings["offset"])).to_tuple()
    if "axis" in settings:
        settings["axis"] = nearest_axis(axes @ Vector(effector.direction))
    if second in bones:
        seconds = mirrored_axes(bones[second], bones[settings["second_bone"]])
        settings["second_offset"] = (seconds @ Vector(settings["second_offset"])).to_tuple()
        if "second_rotation" in settings:
            own_turn = Quaternion(settings["second_rotation"]).to_matrix()
            turned = (seconds @ own_turn @ axes.transposed()).to_quaternion()
            settings["second_rotation"] = turned.w, turned.x, turned.y, turned.z
    return settings
