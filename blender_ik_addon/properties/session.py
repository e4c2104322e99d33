# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to the running program and not to a file: is a bake under way, and how far is it?"""

import bpy
from bpy.props import BoolProperty, FloatProperty


class ArticulateSession(bpy.types.PropertyGroup):
    """`WindowManager.articulate`."""

    any_live: BoolProperty(name="Any Live", default=False, options={"SKIP_SAVE"})
    baking: BoolProperty(name="Baking", default=False, options={"SKIP_SAVE"})
    progress: FloatProperty(
        name="Progress", default=0.0, min=0.0, max=1.0, subtype="FACTOR", options={"SKIP_SAVE"}
    )
