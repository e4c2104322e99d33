# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to the running program and not to a file: is anything live, is a bake under way?"""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty


class ArticulateSession(bpy.types.PropertyGroup):
    """`WindowManager.articulate`."""

    any_live: BoolProperty(name="Any Live", default=False, options={"SKIP_SAVE"})
    live_changes: IntProperty(name="Live Changes", default=0, options={"SKIP_SAVE"})
    baking: BoolProperty(name="Baking", default=False, options={"SKIP_SAVE"})
    progress: FloatProperty(
        name="Progress", default=0.0, min=0.0, max=1.0, subtype="FACTOR", options={"SKIP_SAVE"}
    )
