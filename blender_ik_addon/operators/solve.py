# SPDX-License-Identifier: GPL-3.0-or-later
"""The Solve button."""

import bpy

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


CLASSES = (ARTICULATE_OT_solve,)
