# SPDX-License-Identifier: GPL-3.0-or-later
"""Base classes of panels in the tab "Articulate" of the 3D View's sidebar."""

from typing import Any

from ..properties.access import active_armature, rig_of


class Tab:
    """A panel in the tab."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Articulate"


class SubPanel(Tab):
    """A panel below the tab's first one, closed by default; subclasses implement `fill` instead of `draw`."""

    layout: Any
    bl_parent_id = "ARTICULATE_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        """Whether there is an armature."""
        return active_armature(context) is not None

    def draw(self, context) -> None:
        """Draw the panel, with labels beside the settings and no key dots."""
        layout, armature = self.layout, active_armature(context)
        layout.use_property_split = True
        layout.use_property_decorate = False
        self.fill(layout, context, armature, rig_of(armature))

    def fill(self, layout, context, armature, rig) -> None:
        """Draw the panel's contents.

        Args:
            layout: of the panel; context: as for `draw`; armature: the active one; rig: its settings.
        """
        raise NotImplementedError


def draw_list(layout, kind, owner, items, active, rows=2):
    """Draw a list of items; returns the column beside it for buttons.

    Args:
        layout: to draw to; kind: class of the list; owner: of the items; items, active: names of its
            properties.
        rows: number of visible lines.
    """
    row = layout.row()
    row.use_property_split = False
    row.template_list(kind.__name__, "", owner, items, owner, active, rows=rows)
    return row.column(align=True)


def draw_of_bone(layout, name):
    """Draw the name of a bone in a line of its own; returns the column for settings of that bone.

    In a sidebar of the usual width there is no room for a name beside a setting.
    """
    column = layout.column()
    column.label(text=name, icon="BONE_DATA")
    return column


def draw_eye(line, item) -> None:
    """Draw the switch at the end of an item's line."""
    line.prop(item, "enabled", text="", emboss=False, icon="HIDE_OFF" if item.enabled else "HIDE_ON")


def draw_all(layout, owner, names) -> None:
    """Draw settings below one another."""
    column = layout.column()
    for name in names:
        column.prop(owner, name)
