# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user sets once for all files: how targets look when they are made."""

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty

DISPLAY_TYPES = (
    ("SPHERE", "Sphere", "A wire sphere"),
    ("CUBE", "Cube", "A wire cube"),
    ("PLAIN_AXES", "Plain Axes", "Three crossing lines"),
    ("ARROWS", "Arrows", "Three arrows that show the orientation"),
)


class ArticulatePreferences(bpy.types.AddonPreferences):
    """Preferences > Add-ons > Articulate."""

    bl_idname = __package__ or "articulate"

    target_display: EnumProperty(
        name="Target Shape",
        description="How a new position target is drawn; targets that turn a bone are always drawn as arrows",
        items=DISPLAY_TYPES,
        default="SPHERE",
    )
    target_size: FloatProperty(
        name="Target Size",
        description="Size of a new target, as a share of the length of its bone",
        min=0.01,
        soft_max=2.0,
        default=0.4,
    )

    def draw(self, _context: bpy.types.Context) -> None:
        """Two settings, one column."""
        column = self.layout.column()
        column.use_property_split = True
        column.prop(self, "target_display")
        column.prop(self, "target_size")


def target_look(context: bpy.types.Context) -> dict[str, Any]:
    """How new targets are drawn; empty (the defaults) where the add-on runs without preferences."""
    addon = context.preferences.addons.get(ArticulatePreferences.bl_idname)
    if addon is None or addon.preferences is None:
        return {}
    return {"display": addon.preferences.target_display, "size": addon.preferences.target_size}


CLASSES = (ArticulatePreferences,)
