# SPDX-License-Identifier: GPL-3.0-or-later
"""User preferences: display of new targets, hints, keys."""

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

DISPLAY_TYPES = (
    ("SPHERE", "Sphere", "A wire sphere"),
    ("CUBE", "Cube", "A wire cube"),
    ("PLAIN_AXES", "Plain Axes", "Three crossing lines"),
    ("ARROWS", "Arrows", "Three arrows that show the orientation"),
)

KEYMAP = "Pose"
"""The keymap with the extension's shortcuts."""
KEYMAPS = {KEYMAP: "Keys in Pose Mode", "3D View Tool: Pose, Drag Bone": "Keys of the Tool Drag Bone"}
"""The same and that of the tool, with the labels above their keys."""


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
        description="Size of a new target, as a share of the length of its bone",
        min=0.01,
        soft_max=2.0,
        default=0.4,
    )

    show_hints: BoolProperty(
        name="Hints",
        description="Show the next step in the 3D view, until you have done it once."
        " Switch off and on to see all hints again",
        default=True,
        update=lambda preferences, _context: setattr(preferences, "hints_followed", 0),
    )
    hints_followed: IntProperty(description="How many hints were followed", default=0, options={"HIDDEN"})

    def draw(self, context: bpy.types.Context) -> None:
        """The settings, and below them the shortcuts, which can be changed there."""
        column = self.layout.column()
        column.use_property_split = True
        column.prop(self, "target_display")
        column.prop(self, "target_size")
        column.prop(self, "show_hints")
        import rna_keymap_ui  # Blender's own; needed here alone

        keys = context.window_manager.keyconfigs.user
        for name, label in KEYMAPS.items():
            items, column = own_keys(keys, name), self.layout.column()
            if items:
                column.label(text=label)
                column.context_pointer_set("keymap", keys.keymaps[name])
            for item in reversed(items):  # Blender inserts at the front
                rna_keymap_ui.draw_kmi([], keys, keys.keymaps[name], item, column, 0)


def own_keys(keys: bpy.types.KeyConfig | None, name: str = KEYMAP) -> list[Any]:
    """The extension's entries in a keymap of a key configuration; there is none without a window."""
    keymap: Any = keys.keymaps.get(name) if keys is not None else None
    return [] if keymap is None else [item for item in keymap.keymap_items if _is_ours(item)]


def _is_ours(item: Any) -> bool:
    """Whether a keymap entry calls an operator or a menu of the extension."""
    called = getattr(item.properties, "name", "") if item.idname.startswith("wm.call_menu") else ""
    return item.idname.startswith("articulate.") or str(called).startswith("ARTICULATE_")


def own_preferences(context: bpy.types.Context) -> Any | None:
    """The extension's preferences; None if it runs without."""
    addon = context.preferences.addons.get(ArticulatePreferences.bl_idname)
    return None if addon is None else addon.preferences


CLASSES = (ArticulatePreferences,)
