# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's data on Blender's objects, with its type; and which armature buttons and panels are about."""

from __future__ import annotations

from typing import Any

import bpy

from .rig import ArticulateRig
from .session import ArticulateSession

# Custom property that marks Empties made by the add-on, so that no other object is ever deleted; it holds the
# name of the armature that they were made for.
MADE_HERE = "articulate_target"


def rig_of(armature: bpy.types.Object) -> ArticulateRig:
    """`armature.articulate`."""
    owner: Any = armature
    return owner.articulate


def session_of(context: bpy.types.Context) -> ArticulateSession:
    """`context.window_manager.articulate`."""
    owner: Any = context.window_manager
    return owner.articulate


def holds(objects: Any, thing: bpy.types.Object) -> bool:
    """Whether a scene's or a view layer's objects hold this one; a linked one may have a local one's name."""
    return objects.get(thing.name) == thing or any(other == thing for other in objects)


def active_bone(context: bpy.types.Context, armature: bpy.types.Object) -> Any:
    """The active pose bone, if it is of that armature; else None."""
    bone = context.active_pose_bone
    return bone if bone is not None and bone.id_data is armature else None


def active_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature in Pose Mode, else the active object if it is an armature, else the one that follows it.

    So the panel stays on an armature while one of its targets is moved.
    """
    thing = getattr(context, "object", None)
    for candidate in (getattr(context, "pose_object", None), thing):
        if candidate is not None and candidate.type == "ARMATURE":
            return candidate
    return _follower(thing) if thing is not None else None


def _follower(thing: bpy.types.Object) -> bpy.types.Object | None:
    """The armature that an Empty was made for, else another one that follows it.

    The Empty has the name that the armature had then. A copy of a figure with its targets has the same name,
    so it is checked.
    """
    name = thing.get(MADE_HERE)
    if not isinstance(name, str):
        return None
    named = bpy.data.objects.get(name)
    if named is not None and _follows(named, thing):
        return named
    return next((other for other in bpy.data.objects if _follows(other, thing)), None)


def _follows(armature: bpy.types.Object, thing: bpy.types.Object) -> bool:
    """Whether an object is an armature of which an effector follows another object."""
    if armature.type != "ARMATURE":
        return False
    effectors = rig_of(armature).effectors
    return any(each.target == thing or thing in each.alternative_objects for each in effectors)


def posed_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active armature, else that of the active object, such as a character's mesh."""
    thing = getattr(context, "object", None)
    return active_armature(context) or (thing.find_armature() if thing is not None else None)
