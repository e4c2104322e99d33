# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's data on Blender's objects, with its type; and which armature buttons and panels are about."""

from __future__ import annotations

from typing import Any

import bpy

from .rig import ArticulateRig
from .session import ArticulateSession


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


def active_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature in Pose Mode, else the active object if it is an armature."""
    for candidate in (getattr(context, "pose_object", None), getattr(context, "object", None)):
        if candidate is not None and candidate.type == "ARMATURE":
            return candidate
    return None


def posed_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active armature, else that of the active object: who clicks on a character means it."""
    thing = getattr(context, "object", None)
    return active_armature(context) or (thing.find_armature() if thing is not None else None)
