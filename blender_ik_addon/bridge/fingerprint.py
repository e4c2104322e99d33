# SPDX-License-Identifier: GPL-3.0-or-later
"""Detects changes of an armature, much faster than reading it again."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import bpy
import numpy as np

from .animation import animation_curves, bone_in_path, is_moved
from .armature import AXES, read_all

_FREEDOM = {
    "lock_location": (3, np.bool_),
    "lock_rotation": (3, np.bool_),
    **{f"lock_ik_{axis}": (1, np.bool_) for axis in AXES},
    **{f"use_ik_limit_{axis}": (1, np.bool_) for axis in AXES},
    **{f"ik_{end}_{axis}": (1, np.float32) for end in ("min", "max") for axis in AXES},
}
_INHERITED = {"use_inherit_rotation": (1, np.bool_)}
_CHANNELS = {
    "rotation_mode": (1, np.int32),
    "lock_rotation_w": (1, np.bool_),
    "lock_rotations_4d": (1, np.bool_),
    "lock_scale": (3, np.bool_),
    **{f"ik_stiffness_{axis}": (1, np.float32) for axis in AXES},
    "ik_stretch": (1, np.float32),
}
_REST = {
    "inherit_scale": (1, np.int32),
    "use_local_location": (1, np.bool_),
    "matrix_local": (16, np.float32),
    "length": (1, np.float32),
    "use_connect": (1, np.bool_),
    "use_deform": (1, np.bool_),
}
_WATCHED = {"constraints", *_FREEDOM, *_CHANNELS}
_WORD = re.compile(r"\w*")


def fingerprint(armature: bpy.types.Object) -> Any:
    """Everything of an armature object that a figure depends on: bones, settings, constraints, animation.

    Plain values that can be compared with ==. Excludes the pose itself and the values of the animation.
    """
    bones, data = armature.pose.bones, armature.data
    return (
        (armature.mode, data.pose_position),
        freedom(armature),
        _arrays(bones, _CHANNELS),
        [(bone.name, bone.parent and bone.parent.name) for bone in data.bones],
        _arrays(data.bones, _REST),
        [(bone.name, *_constraints(bone)) for bone in bones if bone.constraints],
        [(curve.data_path, curve.array_index) for curve in animation_curves(armature)],
        is_moved(armature),
    )


def freedom(armature: bpy.types.Object) -> Any:
    """The part of the fingerprint for freedom of motion that can change outside of Edit Mode.

    Includes names, locks, limits, and which bones inherit rotation; excludes rotation modes.
    """
    bones: Any = armature.pose.bones
    return bones.keys(), _arrays(bones, _FREEDOM), _arrays(armature.data.bones, _INHERITED)


def _arrays(collection: Any, settings: Mapping[str, tuple[int, Any]]) -> list[bytes]:
    return [read_all(collection, name, *kind).tobytes() for name, kind in settings.items()]


def _constraints(bone: bpy.types.PoseBone) -> Iterator[Any]:
    for constraint in bone.constraints:
        own: Any = constraint
        chain = getattr(own, "chain_count", 0), getattr(own, "use_tail", True)
        state = constraint.mute, constraint.influence > 0.0, constraint.is_valid
        yield constraint.name, constraint.type, *state, *chain


def is_restless(armature: bpy.types.Object) -> bool:
    """Whether an action, an NLA strip or a driver sets a property of `fingerprint`.

    Mostly these are a constraint's influence or a rotation mode.
    """
    settings = (bone_in_path(curve.data_path)[1] for curve in animation_curves(armature))
    return any(_WORD.match(setting)[0] in _WATCHED for setting in settings)
