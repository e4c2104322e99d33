# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels and lists for obstacles, capsules and self-collision."""

from typing import Final

import bpy

from ..properties.access import active_armature, active_bone, rig_of
from ..properties.measures import length
from .tab import ItemList, SubPanel, draw_all, draw_fixed, draw_list, draw_of_bone

_ROWS: Final = 2  # for the note of an ignored obstacle, the active one's first


class ARTICULATE_UL_obstacles(ItemList, bpy.types.UIList):
    """Mode, object or collection, margin, on or off."""

    def fill(self, line, _context, rig, obstacle) -> None:
        """Red if the object was deleted or is ignored."""
        name = line.row(align=True)
        gone = obstacle.object is None and obstacle.collection is None
        name.alert = gone or f"'{obstacle.shown_name}'" in rig.body.notes
        icon = "OUTLINER_COLLECTION" if obstacle.collection else "OBJECT_DATA"
        name.label(text=obstacle.shown_name, icon=icon)
        if obstacle.margin:
            line.label(text=f"+{length(obstacle.margin, short=True)}")
        line.prop(obstacle, "mode", text="", icon_only=True, emboss=False)


class ARTICULATE_UL_links(ItemList, bpy.types.UIList):
    """Bone, radius, on or off."""

    def fill(self, line, _context, body, link) -> None:
        """Red if the bone does not exist."""
        split = line.split(factor=0.65, align=True)
        name = split.row(align=True)
        name.alert = link.name not in body.id_data.data.bones
        name.label(text=link.name, icon="BONE_DATA")
        split.prop(link, "radius", text="", emboss=False)


class ARTICULATE_UL_pairs(ItemList, bpy.types.UIList):
    """Two bones, and whether they are kept apart."""

    def fill(self, line, _context, body, pair) -> None:
        """Red if a bone does not exist."""
        for name in (pair.a, pair.b):
            part = line.row(align=True)
            part.alert = name not in body.id_data.data.bones
            part.label(text=name, icon="BONE_DATA")
        line.prop(pair, "watched", text="")


class ARTICULATE_PT_obstacles(SubPanel, bpy.types.Panel):
    """The obstacles of the figure."""

    bl_label = "Obstacles"

    def draw_header_preset(self, context) -> None:
        """Draw the number of obstacles and the eyedropper, which can be clicked while the panel is closed."""
        count = len(rig_of(active_armature(context)).obstacles)
        self.layout.label(text=str(count or ""))
        self.layout.operator("articulate.obstacle_add", text="", icon="EYEDROPPER", emboss=False)

    def fill(self, layout, context, _armature, rig) -> None:
        column = draw_list(layout, ARTICULATE_UL_obstacles, rig, "obstacles", "active_obstacle")
        column.operator("articulate.obstacle_add", text="", icon="ADD")
        column.operator("articulate.obstacle_remove", text="", icon="REMOVE").obstacle = ""
        own = ""
        if 0 <= rig.active_obstacle < len(rig.obstacles):
            obstacle = rig.obstacles[rig.active_obstacle]
            draw_all(layout, obstacle, ("object", "collection", "mode", "margin"))
            own = f"'{obstacle.shown_name}'"
        # these lines are there when they are empty, too, so that nothing below them moves
        nearest = rig.body.nearest
        layout.label(text=f"Nearest: {nearest}, {length(rig.body.clearance)}" if nearest else "")
        if rig.obstacles:
            notes = sorted(rig.body.notes.splitlines(), key=lambda note: own not in note)
            draw_fixed(layout.row(), context, " ".join(notes), _ROWS, icon="ERROR" if notes else "NONE")


class ARTICULATE_PT_body(SubPanel, bpy.types.Panel):
    """The thickness of the figure."""

    bl_label = "Body"
    bl_parent_id = "ARTICULATE_PT_obstacles"

    def fill(self, layout, context, armature, rig) -> None:
        body, bone = rig.body, active_bone(context, armature)
        row = layout.row(align=True)
        row.operator("articulate.body_fit", icon="MOD_SKIN")
        row.prop(body, "show", text="", icon="HIDE_OFF" if body.show else "HIDE_ON")
        if body.links:
            row.operator("articulate.body_clear", text="", icon="TRASH")
            column = draw_list(layout, ARTICULATE_UL_links, body, "links", "active_link", rows=3)
            column.operator("articulate.link_add", text="", icon="ADD").bone = ""
            column.operator("articulate.link_remove", text="", icon="REMOVE").bone = ""
        column = layout.column()
        if body.links and bone is not None:
            link = body.links.get(bone.name)
            if link is None:
                add = column.operator("articulate.link_add", text=f"Add Capsule to {bone.name}", icon="ADD")
                add.bone = bone.name
            else:
                draw_of_bone(column, bone.name).prop(link, "radius")
        column.prop(body, "margin")


class ARTICULATE_PT_self_collision(SubPanel, bpy.types.Panel):
    """Parts of the figure that may touch each other."""

    bl_label = "Self-Collision"
    bl_parent_id = "ARTICULATE_PT_obstacles"

    def draw_header(self, context) -> None:
        self.layout.prop(rig_of(active_armature(context)).body, "self_collision", text="")

    def fill(self, layout, _context, _armature, rig) -> None:
        layout.active = rig.body.self_collision
        column = draw_list(layout, ARTICULATE_UL_pairs, rig.body, "pairs", "active_pair")
        column.operator("articulate.pair_remove", text="", icon="REMOVE").index = -1
        column.operator("articulate.pairs_fill", text="", icon="FILE_REFRESH")
        row = layout.row(align=True)
        row.operator("articulate.pair_add", text="Keep Apart", icon="ADD").watched = True
        row.operator("articulate.pair_add", text="Let Touch", icon="ADD").watched = False
