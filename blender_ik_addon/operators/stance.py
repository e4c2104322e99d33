# SPDX-License-Identifier: GPL-3.0-or-later
"""A relaxed stance by one click."""

import bpy

from .active import OnArmature, tell_unkeyed


class ARTICULATE_OT_relaxed_stance(OnArmature):
    """Pose arms and legs at ease."""

    bl_idname = "articulate.relaxed_stance"
    bl_label = "Relaxed Stance"
    bl_description = "Let the arms hang and bend elbows and knees slightly, as a person stands at ease"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Pose them."""
        from ..control.frame.stance import stand_relaxed

        stand_relaxed(armature, context)
        tell_unkeyed(self, context)


CLASSES = (ARTICULATE_OT_relaxed_stance,)
