# SPDX-License-Identifier: GPL-3.0-or-later
"""Who selects a target in the view has its effector in the list."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..properties.access import active_armature, rig_of
from .tool import redraw_tabs

_OWNER = object()


def show_effector() -> None:
    """Make that effector the active one which follows the active object."""
    context = bpy.context
    armature = active_armature(context)
    thing = context.view_layer.objects.active
    if armature is None or armature == thing or armature.library is not None:
        return
    rig = rig_of(armature)
    found = next((row for row, effector in enumerate(rig.effectors) if effector.target == thing), None)
    if found not in (None, rig.active_effector):
        rig.active_effector = found
        redraw_tabs()


@persistent
def listen(*_args: object) -> None:
    """Hear of it when another object becomes active; Blender forgets who listens when it loads a file."""
    bpy.msgbus.clear_by_owner(_OWNER)
    active: Any = (bpy.types.LayerObjects, "active")
    bpy.msgbus.subscribe_rna(key=active, owner=_OWNER, args=(), notify=show_effector)


def attach() -> None:
    """Begin to listen."""
    bpy.app.handlers.load_post.append(listen)
    listen()


def detach() -> None:
    """Stop listening."""
    bpy.msgbus.clear_by_owner(_OWNER)
    if listen in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(listen)
