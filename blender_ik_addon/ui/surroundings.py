# SPDX-License-Identifier: GPL-3.0-or-later
"""What the figure keeps clear of: the list of obstacles, and how thick the figure is."""

import bpy

from ..properties.access import active_armature, rig_of
from .text import draw_text


class ARTICULATE_UL_obstacles(bpy.types.UIList):
    """Mode, object or collection, margin, on or off."""

    bl_idname = "ARTICULATE_UL_obstacles"

    def draw_item(
        self, _context, layout, _rig, obstacle, _icon, _active_data, _active_property, _index=0, _flag=0
    ) -> None:
        """One line; red where the object is gone."""
        line = layout.row(align=True)
        line.active = obstacle.enabled
        name = line.row(align=True)
        name.alert = obstacle.object is None and obstacle.collection is None
        icon = "OUTLINER_COLLECTION" if obstacle.collection else "OBJECT_DATA"
        name.label(text=obstacle.shown_name, icon=icon)
        if obstacle.margin:
            line.label(text=f"+{obstacle.margin * 1e3:.3g} mm")
        line.prop(obstacle, "mode", text="", icon_only=True, emboss=False)
        line.prop(
            obstacle, "enabled", text="", emboss=False, icon="HIDE_OFF" if obstacle.enabled else "HIDE_ON"
        )


class ARTICULATE_UL_links(bpy.types.UIList):
    """Bone, radius, on or off."""

    bl_idname = "ARTICULATE_UL_links"

    def draw_item(
        self, _context, layout, body, link, _icon, _active_data, _active_property, _index=0, _flag=0
    ) -> None:
        """One line; red where the bone is gone."""
        line = layout.row(align=True)
        line.active = link.enabled
        name = line.row(align=True)
        name.alert = link.name not in body.id_data.data.bones
        name.label(text=link.name, icon="BONE_DATA")
        line.prop(link, "radius", text="")
        line.prop(link, "enabled", text="", emboss=False, icon="HIDE_OFF" if link.enabled else "HIDE_ON")


class _SubPanel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Articulate"
    bl_parent_id = "ARTICULATE_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        """Only with an armature."""
        return active_armature(context) is not None


class ARTICULATE_PT_obstacles(_SubPanel, bpy.types.Panel):
    """What the figure keeps out of."""

    bl_idname = "ARTICULATE_PT_obstacles"
    bl_label = "Obstacles"

    def draw(self, context) -> None:
        """The list, the active one's details, what the last solve came to."""
        layout, rig = self.layout, rig_of(active_armature(context))
        row = layout.row()
        row.template_list(
            ARTICULATE_UL_obstacles.bl_idname, "", rig, "obstacles", rig, "active_obstacle", rows=2
        )
        column = row.column(align=True)
        column.operator("articulate.obstacle_add", text="", icon="ADD")
        column.operator("articulate.obstacle_remove", text="", icon="REMOVE").obstacle = ""
        layout.use_property_split = True
        layout.use_property_decorate = False
        if 0 <= rig.active_obstacle < len(rig.obstacles):
            obstacle = rig.obstacles[rig.active_obstacle]
            column = layout.column()
            for name in ("object", "collection", "mode", "margin"):
                column.prop(obstacle, name)
        if rig.body.nearest:
            layout.label(text=f"Nearest: {rig.body.nearest}, {rig.body.clearance * 1e3:.1f} mm")
        for sentence in rig.body.notes.splitlines():
            draw_text(layout, context, sentence, icon="ERROR")


class ARTICULATE_PT_body(_SubPanel, bpy.types.Panel):
    """How thick the figure is."""

    bl_idname = "ARTICULATE_PT_body"
    bl_label = "Body"

    def draw(self, context) -> None:
        """Fit, the list of capsules, what they keep away from."""
        layout, body = self.layout, rig_of(active_armature(context)).body
        row = layout.row(align=True)
        row.operator("articulate.body_fit", icon="MOD_SKIN")
        if body.links:
            row.operator("articulate.body_clear", text="", icon="TRASH")
            layout.template_list(
                ARTICULATE_UL_links.bl_idname, "", body, "links", body, "active_link", rows=3
            )
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        for name in ("show", "self_collision", "margin", "avoidance"):
            column.prop(body, name)


CLASSES = (ARTICULATE_UL_obstacles, ARTICULATE_UL_links, ARTICULATE_PT_obstacles, ARTICULATE_PT_body)
