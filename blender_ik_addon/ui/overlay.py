# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches of the overlay, in the panel and in Blender's Overlays popover."""

import bpy

from ..preferences import own_preferences
from ..properties.access import active_armature, rig_of
from .tab import SubPanel

_FIGURE = ("limits", "balance")
_EFFECTORS = ("lines", "pins", "chain", "gizmos")


def _draw_switches(layout, rig) -> None:
    """Draw the switches in two columns; those for experts are in *Advanced*."""
    row = layout.row()
    for names in (_EFFECTORS, _FIGURE):
        column = row.column(align=True)
        for name in names:
            column.prop(rig.overlay, name)
    column.prop(rig.body, "show", text="Capsules")


class ARTICULATE_PT_viewport(SubPanel, bpy.types.Panel):
    """The overlay's switches for the active armature."""

    bl_label = "Viewport"

    def fill(self, layout, context, _armature, rig) -> None:
        """The switches; greyed out while Blender's own overlays are off."""
        layout.use_property_split = False
        layout.active = context.space_data.overlay.show_overlays
        _draw_switches(layout, rig)


class ARTICULATE_PT_overlays(bpy.types.Panel):
    """The same switches in Blender's Overlays popover."""

    bl_label = "Articulate"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_parent_id = "VIEW3D_PT_overlay"

    @classmethod
    def poll(cls, context) -> bool:
        return active_armature(context) is not None

    def draw(self, context) -> None:
        self.layout.active = context.space_data.overlay.show_overlays
        _draw_switches(self.layout, rig_of(active_armature(context)))
        preferences = own_preferences(context)
        if preferences is not None:
            self.layout.prop(preferences, "show_hints")
