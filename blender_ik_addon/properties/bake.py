# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the bake, named as in Blender's own Bake Action. Saved with the armature object."""

from typing import Any

import bpy
from bpy.props import FloatProperty

from . import saved
from .declared import declared


class ArticulateBake(bpy.types.PropertyGroup):
    """Settings of the bake."""

    __slots__ = ()

    use_range: saved.Switch(
        name="Custom Range", description="Off: the preview range if it is on, else the scene's frame range"
    )
    frame_start: saved.Number(name="Start Frame", description="First frame that is baked", default=1)
    frame_end: saved.Number(name="End Frame", description="Last frame that is baked", default=250)
    step: saved.Number(name="Frame Step", description="Bake every nth frame", default=1, min=1, max=120)
    only_selected: saved.Switch(
        name="Only Selected Bones", description="Key only the solved bones that are selected"
    )
    use_current_action: saved.Switch(
        name="Overwrite Current Action",
        description="Write into the armature's action. Off: write into a copy, and use the copy",
    )
    clean_curves: saved.Switch(
        name="Clean Curves", description="After baking, remove keys that change nothing"
    )
    decimate: saved.Switch(
        name="Decimate",
        description="After baking or recording, remove all keys that the motion does not need",
    )
    remove_error_margin: FloatProperty(
        name="Max Error Margin",
        description="Largest distance by which Decimate may move any point of the figure, in any frame",
        default=0.005,
        min=0.0,
        soft_max=0.1,
        precision=4,
        subtype="DISTANCE",
        override=saved.OVERRIDE,
    )

    def options(self, scene: bpy.types.Scene) -> dict[str, Any]:
        """The options by name; without a custom range, of the preview range or the scene."""
        found = {name: getattr(self, name) for name in OPTIONS}
        if self.use_range:
            return found
        if scene.use_preview_range:
            return {**found, "frame_start": scene.frame_preview_start, "frame_end": scene.frame_preview_end}
        return {**found, "frame_start": scene.frame_start, "frame_end": scene.frame_end}


OPTIONS = tuple(name for name in declared(ArticulateBake) if name != "use_range")
"""The settings that are also arguments of the operator."""
