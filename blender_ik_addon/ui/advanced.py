# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel *Advanced*: solving method, its parameters, and collision avoidance."""

import bpy

from ..properties.check import objections
from ..properties.menus import METHODS
from .tab import SubPanel, draw_all, draw_labelled, draw_text


class ARTICULATE_PT_advanced(SubPanel, bpy.types.Panel):
    """Method and solver settings."""

    bl_label = "Advanced"

    def fill(self, layout, context, armature, rig) -> None:
        solver = rig.solver
        label = next(item[1] for item in METHODS if item[0] == solver.method)
        wrong = objections(armature)[solver.method]
        choice = draw_labelled(layout, "Method")
        choice.alert = bool(wrong)
        choice.menu("ARTICULATE_MT_method", text=label)
        if wrong:  # the method cannot be used
            draw_text(layout, context, wrong, icon="ERROR")
        draw_all(layout, solver.parameters, solver.parameters.names(solver.method))
        draw_all(layout, solver, ("limits", "max_iterations", "tolerance"))
        if solver.root != "PINNED":
            column = layout.column()
            column.label(text="Root Stiffness")
            column.prop(solver, "root_location_stiffness", text="Location")
            column.prop(solver, "root_rotation_stiffness", text="Rotation")
        column = layout.column(heading="Overlay")
        column.prop(rig.overlay, "critical")
        column.prop(rig.overlay, "ellipsoid")


class ARTICULATE_PT_avoidance(SubPanel, bpy.types.Panel):
    """The avoidance method."""

    bl_label = "Avoidance"
    bl_parent_id = "ARTICULATE_PT_advanced"

    def fill(self, layout, _context, _armature, rig) -> None:
        body = rig.body
        layout.column().prop(body, "avoidance", text="Method")
        draw_all(layout, body.parameters, body.parameters.names(body.avoidance))
