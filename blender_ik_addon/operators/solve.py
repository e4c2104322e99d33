# SPDX-License-Identifier: GPL-3.0-or-later
"""The Solve button, and the menu of methods, whose tooltips give reasons for disabled entries."""

import bpy
from bpy.props import EnumProperty

from ..properties.access import active_armature, rig_of
from ..properties.check import objections
from ..properties.menus import METHODS
from .active import OnArmature, tell_unkeyed


class ARTICULATE_OT_solve(OnArmature):
    """Solve the current frame."""

    bl_idname = "articulate.solve"
    bl_label = "Solve"
    bl_description = "Pose the figure so that every effector reaches its target, in this frame"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Solve and report the result."""
        from ..control.frame.solve import solve_now

        report = solve_now(armature, context)
        self.report({"INFO"}, report["message"])
        tell_unkeyed(self, context)


class ARTICULATE_OT_method_set(OnArmature):
    """Set the method."""

    bl_idname = "articulate.method_set"
    bl_label = "Choose Method"
    bl_description = "Solve with this method"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    method: EnumProperty(name="Method", description="Solving method", items=METHODS)

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The method's description, and the reason if it cannot be used."""
        armature, told = active_armature(context), {item[0]: item[2] for item in METHODS}
        objection = objections(armature)[properties.method] if armature else ""
        return "\n\n".join(filter(None, (told[properties.method], objection)))

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        rig_of(armature).solver.method = self.method


CLASSES = (ARTICULATE_OT_solve, ARTICULATE_OT_method_set)
