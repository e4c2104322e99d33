# SPDX-License-Identifier: GPL-3.0-or-later
"""Activates the effector in the list when its target is selected in the view."""

from __future__ import annotations

import bpy

from ..properties.access import active_armature, rig_of
from .listening import Listener
from .tool import redraw_tabs


def show_effector() -> None:
    """Activate the effector that follows the active object."""
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


LISTENER = Listener(bpy.types.LayerObjects, "active", show_effector)
