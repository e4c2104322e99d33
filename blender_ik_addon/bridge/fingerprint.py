# SPDX-License-Identifier: GPL-3.0-or-later
"""Detects changes of an armature, much faster than reading it again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import bpy
import numpy as np

from .. import compat
from .armature import AXES, CHANNEL_WIDTHS, Bones, Flags
from .data_path import bone_in_path

_FREEDOM = {
    "lock_location": 3,
    "lock_rotation": 3,
    **{f"lock_ik_{axis}": 1 for axis in AXES},
    **{f"use_ik_limit_{axis}": 1 for axis in AXES},  # these come last, see `freedom`
}
_WIDTH = sum(_FREEDOM.values())
_CHANNELS = {
    "rotation_mode": (1, np.int32),
    "lock_rotation_w": (1, np.bool_),
    "lock_rotations_4d": (1, np.bool_),
    "lock_scale": (3, np.bool_),
}
_STIFFNESS = {
    **{f"ik_stiffness_{axis}": (1, np.float32) for axis in AXES},
    "ik_stretch": (1, np.float32),
}
_LIMITS = {axis: (f"ik_min_{axis}", f"ik_max_{axis}") for axis in AXES}
_INHERITANCE = {
    "inherit_scale": (1, np.int32),
    **{f"use_{word}": (1, np.bool_) for word in ("inherit_rotation", "local_location")},
}
_REST = {
    "matrix_local": (16, np.float32),
    "length": (1, np.float32),
    "use_connect": (1, np.bool_),
    "use_deform": (1, np.bool_),
}
_WATCHED = {
    "constraints",
    *_FREEDOM,
    *_CHANNELS,
    *_STIFFNESS,
    *(name for limits in _LIMITS.values() for name in limits),
}
_WORD = re.compile(r"\w*")


def fingerprint(armature_object: bpy.types.Object) -> Any:
    """Everything of an armature object that a figure depends on: bones, settings, constraints, animation.

    Excludes the pose itself and the values of the animation.

    Args:
        armature_object: original.

    Returns:
        Plain values that can be compared with ==.
    """
    bones, data = armature_object.pose.bones, armature_object.data
    return (
        (armature_object.mode, data.pose_position),
        freedom(armature_object),
        _arrays(bones, _CHANNELS | _STIFFNESS),
        [(bone.name, bone.parent and bone.parent.name) for bone in data.bones],
        _arrays(data.bones, _INHERITANCE | _REST),
        [(bone.name, *_constraints(bone)) for bone in bones if bone.constraints],
        [(curve.data_path, curve.array_index) for curve in animation_curves(armature_object)],
    )


def freedom(armature_object: bpy.types.Object) -> Any:
    """The part of the fingerprint for freedom of motion that can change outside of Edit Mode.

    Includes names, locks and limits; excludes rotation modes and inheritance.
    """
    bones: Any = armature_object.pose.bones
    # runs in every redraw; the number of bones is passed because Blender counts linearly
    names = bones.keys()
    count = len(names)
    flags = np.empty(_WIDTH * count, dtype=np.bool_)
    start = 0
    for name, width in _FREEDOM.items():
        stop = start + width * count
        bones.foreach_get(name, flags[start:stop])
        start = stop
    told = flags.tobytes()
    limited = told[-3 * count :]
    limits = [
        [_array(bones, name, 1, np.float32, count) for name in _LIMITS[axis]]
        for row, axis in enumerate(AXES)
        if 1 in limited[row * count : (row + 1) * count]  # values of unused limits do not matter
    ]
    return names, told, limits


def turning_along(armature_object: bpy.types.Object) -> bytes:
    """Which bones inherit rotation, as plain values."""
    bones: Any = armature_object.data.bones
    return _array(bones, "use_inherit_rotation", 1, np.bool_, len(bones))


def _arrays(collection: Any, settings: Mapping[str, tuple[int, Any]]) -> list[bytes]:
    """Attributes of all elements."""
    count = len(collection)
    return [_array(collection, name, *kind, count) for name, kind in settings.items()]


def _array(collection: Any, name: str, width: int, kind: Any, count: int) -> bytes:
    array = np.empty(count * width, dtype=kind)
    collection.foreach_get(name, array)
    return array.tobytes()


def _constraints(bone: bpy.types.PoseBone) -> Iterator[Any]:
    for constraint in bone.constraints:
        own: Any = constraint
        chain = getattr(own, "chain_count", 0), getattr(own, "use_tail", True)
        yield constraint.name, constraint.type, constraint.mute, constraint.influence > 0.0, *chain
        yield constraint.is_valid


def animated_channels(armature_object: bpy.types.Object, bones: Bones) -> dict[str, Flags]:
    """(B, width) flags by channel: components that an action, an NLA strip or a driver sets."""
    flags = {name: np.zeros((len(bones), width), dtype=np.bool_) for name, width in CHANNEL_WIDTHS.items()}
    for curve in animation_curves(armature_object):
        found = animated_channel(curve, bones)
        if found is not None:
            name, number = found
            flags[name][number, curve.array_index] = True
    return flags


def animated_channel(curve: Any, bones: Bones) -> tuple[str, int] | None:
    """The channel of a curve and the index of its bone; None if the curve is not for a bone's channel."""
    name, channel = bone_in_path(curve.data_path)
    return (channel, bones.index[name]) if channel in CHANNEL_WIDTHS and name in bones.index else None


def animated_settings(armature_object: bpy.types.Object, setting: str) -> set[str]:
    """Names of the bones whose setting is animated by an action, an NLA strip or a driver."""
    found = (bone_in_path(curve.data_path) for curve in animation_curves(armature_object))
    return {name for name, rest in found if rest == setting}


def is_restless(armature_object: bpy.types.Object) -> bool:
    """Whether an action, an NLA strip or a driver sets a property of `fingerprint`.

    Mostly these are a constraint's influence or a rotation mode.
    """
    settings = (bone_in_path(curve.data_path)[1] for curve in animation_curves(armature_object))
    return any(_WORD.match(setting)[0] in _WATCHED for setting in settings)


def is_animated(armature_object: bpy.types.Object, path: str) -> bool:
    """Whether an action, an NLA strip or a driver sets the property with a data path."""
    data: Any = armature_object.animation_data
    if data is None:
        return False
    bag = compat.find_bag(armature_object)
    if data.drivers.find(path) is not None or (bag is not None and bag.fcurves.find(path) is not None):
        return True
    tracks = any(track.strips for track in data.nla_tracks)
    return tracks and any(curve.data_path == path for curve in keyed_curves(armature_object))


def animation_curves(armature_object: bpy.types.Object) -> Iterator[Any]:
    """F-curves of the action and of NLA strips, and drivers."""
    yield from keyed_curves(armature_object)
    data: Any = armature_object.animation_data
    if data is not None:
        yield from data.drivers


def keyed_curves(owner: Any) -> Iterator[Any]:
    """F-curves of a data-block's action and NLA strips."""
    data: Any = owner.animation_data
    if data is None:
        return
    bag = compat.find_bag(owner)
    if bag is not None:
        yield from bag.fcurves
    for track in data.nla_tracks:
        for strip in track.strips:
            yield from compat.strip_curves(strip)
