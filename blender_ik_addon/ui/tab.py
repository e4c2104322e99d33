# SPDX-License-Identifier: GPL-3.0-or-later
"""Where panels stand: in the tab "Articulate" of the 3D View's sidebar, most of them below the first."""

from ..properties.access import active_armature


class Tab:
    """In the tab itself."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Articulate"


class SubPanel(Tab):
    """Below the tab's first panel, closed at first."""

    bl_parent_id = "ARTICULATE_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        """Only with an armature."""
        return active_armature(context) is not None
