# SPDX-License-Identifier: GPL-3.0-or-later
"""What only a student of the methods needs: which one solves, by what parameters, and how it keeps clear."""

import bpy

from ..properties.access import active_armature, rig_of
from ..properties.check import objections
from ..properties.menus import method_items
from .tab import SubPanel
from .text import draw_text


class ARTICULATE_PT_advanced(SubPanel, bpy.types.Panel):
    """How the figure is solved."""

    bl_idname = "ARTICULATE_PT_advanced"
    bl_label = "Advanced"

    def draw(self, context) -> None:
        """Method, its parameters, limits and when it stops."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        armature = active_armature(context)
        solver = rig_of(armature).solver
        self._draw_method(layout, context, armature)
        column = layout.column()
        for name in solver.parameters.names(solver.method):
            column.prop(solver.parameters, name)
        for name in ("limits", "max_iterations", "tolerance"):
            column.prop(solver, name)

    @staticmethod
    def _draw_method(layout, context, armature) -> None:
        """The method, whose menu greys out what cannot take what is asked; and why this one cannot."""
        method = rig_of(armature).solver.method
        label = next(item[1] for item in method_items() if item[0] == method)
        wrong = objections(armature)[method]
        line = layout.split(factor=0.4, align=True)
        name = line.row()
        name.alignment = "RIGHT"
        name.label(text="Method")
        choice = line.row()
        choice.alert = bool(wrong)
        choice.menu("ARTICULATE_MT_method", text=label)
        if wrong:
            draw_text(layout, context, wrong, icon="ERROR")


class ARTICULATE_PT_avoidance(SubPanel, bpy.types.Panel):
    """How the figure keeps clear."""

    bl_idname = "ARTICULATE_PT_avoidance"
    bl_label = "Avoidance"
    bl_parent_id = "ARTICULATE_PT_advanced"

    def draw(self, context) -> None:
        """The way and its parameters."""
        layout, body = self.layout, rig_of(active_armature(context)).body
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop(body, "avoidance", text="Method")
        for name in body.parameters.names(body.avoidance):
            column.prop(body.parameters, name)


CLASSES = (ARTICULATE_PT_advanced, ARTICULATE_PT_avoidance)
