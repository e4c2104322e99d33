# SPDX-License-Identifier: GPL-3.0-or-later
"""Where panels stand: in the tab "Articulate" of the 3D View's sidebar, most of them below the first."""

from typing import Any

from ..properties.access import active_armature, rig_of


class Tab:
    """In the tab itself."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Articulate"


class SubPanel(Tab):
    """Below the tab's first panel, closed at first; a panel has `fill` in place of `draw`."""

    layout: Any
    bl_parent_id = "ARTICULATE_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        """Only with an armature."""
        return active_armature(context) is not None

    def draw(self, context) -> None:
        """The panel, with labels beside its settings and no dots for keys."""
        layout, armature = self.layout, active_armature(context)
        layout.use_property_split = True
        layout.use_property_decorate = False
        self.fill(layout, context, armature, rig_of(armature))

    def fill(self, layout, context, armature, rig) -> None:
        """What stands in the panel.

        Args:
            layout: of the panel; context: as for `draw`; armature: the active one; rig: its settings.
        """
        raise NotImplementedError


def draw_list(layout, kind, owner, items, active, rows=2):
    """A list of items; the column beside it, for its buttons.

    Args:
        layout: where; kind: class of the list; owner: of the items; items, active: its properties.
        rows: how many lines are seen.
    """
    row = layout.row()
    row.use_property_split = False
    row.template_list(kind.bl_idname, "", owner, items, owner, active, rows=rows)
    return row.column(align=True)


def draw_of_bone(layout, name):
    """The name of a bone in a line of its own; the column below, for settings of that bone.

    Beside a setting, a name has no room in a sidebar of the usual width.
    """
    column = layout.column()
    column.label(text=name, icon="BONE_DATA")
    return column


def draw_eye(line, item) -> None:
    """The switch at the end of an item's line."""
    line.prop(item, "enabled", text="", emboss=False, icon="HIDE_OFF" if item.enabled else "HIDE_ON")


def draw_all(layout, owner, names) -> None:
    """Settings below one another."""
    column = layout.column()
    for name in names:
        column.prop(owner, name)
