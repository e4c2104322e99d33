# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows changes of the active tool and of the active object, to which Blender lets add-ons subscribe."""

from __future__ import annotations

from typing import Any, Final

import bpy
from bpy.app.handlers import persistent

from ..properties.access import active_armature, areas, rig_of, session_of

_OWNER: Final = object()


def show_effector() -> None:
    """Activate the effector in the list that follows the active object."""
    context = bpy.context
    armature = active_armature(context)
    thing = context.view_layer.objects.active
    if armature is None or armature == thing or armature.library is not None:
        return
    rig = rig_of(armature)
    found = next((row for row, effector in enumerate(rig.effectors) if effector.target == thing), None)
    if found not in (None, rig.active_effector):
        rig.active_effector = found
        _redraw_tabs()


def change_tool() -> None:
    """After a change of the tool: cancel the choice of a parent and redraw the sidebars."""
    if session_of(bpy.context).taken:
        from ..control.drag.grasp import forget

        forget(bpy.context)
    _redraw_tabs()


def _redraw_tabs() -> None:
    """Redraw the sidebars, whose button shows whether the tool is active."""
    for area in areas(bpy.context):
        for region in area.regions:
            if region.type == "UI":
                region.tag_redraw()


@persistent
def listen(*_args: object) -> None:
    """Subscribe. Blender clears subscriptions when a file is loaded, so this is also done after each load."""
    bpy.msgbus.clear_by_owner(_OWNER)
    for owner, name, notify in (
        (bpy.types.WorkSpace, "tools", change_tool),
        (bpy.types.LayerObjects, "active", show_effector),
    ):
        key: Any = (owner, name)
        bpy.msgbus.subscribe_rna(key=key, owner=_OWNER, args=(), notify=notify)


def attach() -> None:
    """Begin to listen."""
    bpy.app.handlers.load_post.append(listen)
    listen()


def detach() -> None:
    """Unsubscribe."""
    bpy.msgbus.clear_by_owner(_OWNER)
    if listen in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(listen)
