# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the bake, named as in Blender's own Bake Action. Saved with the armature object."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty

from .options import OVERRIDE

DESCRIPTIONS = {
    "frame_start": "First frame that is baked",
    "frame_end": "Last frame that is baked",
    "step": "Bake every nth frame",
    "only_selected": "Key only the solved bones that are selected",
    "use_current_action": "Write into the armature's action. Off: write into a copy, and use the copy",
    "clean_curves": "After baking, remove keys that change nothing",
    "decimate": "After baking or recording, remove all keys that the motion does not need",
    "remove_error_margin": (
        "Largest distance by which Decimate may move any point of the figure, in any frame"
    ),
}


class ArticulateBake(bpy.types.PropertyGroup):
    """Settings of the bake."""

    __slots__ = ()

    use_range: BoolProperty(
        name="Custom Range",
        description="Off: the preview range if it is on, else the scene's frame range",
        default=False,
        override=OVERRIDE,
    )
    frame_start: IntProperty(
        name="Start Frame", description=DESCRIPTIONS["frame_start"], default=1, override=OVERRIDE
    )
    frame_end: IntProperty(
        name="End Frame", description=DESCRIPTIONS["frame_end"], default=250, override=OVERRIDE
    )
    step: IntProperty(
        name="Frame Step", description=DESCRIPTIONS["step"], default=1, min=1, max=120, override=OVERRIDE
    )
    only_selected: BoolProperty(
        name="Only Selected Bones",
        description=DESCRIPTIONS["only_selected"],
        default=False,
        override=OVERRIDE,
    )
    use_current_action: BoolProperty(
        name="Overwrite Current Action",
        description=DESCRIPTIONS["use_current_action"],
        default=False,
        override=OVERRIDE,
    )
    clean_curves: BoolProperty(
        name="Clean Curves", description=DESCRIPTIONS["clean_curves"], default=False, override=OVERRIDE
    )
    decimate: BoolProperty(
        name="Decimate", description=DESCRIPTIONS["decimate"], default=False, override=OVERRIDE
    )
    remove_error_margin: FloatProperty(
        name="Max Error Margin",
        description=DESCRIPTIONS["remove_error_margin"],
        default=0.005,
        min=0.0,
        soft_max=0.1,
        precision=4,
        subtype="DISTANCE",
        override=OVERRIDE,
    )

    def range_in(self, scene: bpy.types.Scene) -> tuple[int, int]:
        """First and last frame: of the custom range, the preview range or the scene."""
        if self.use_range:
            return self.frame_start, self.frame_end
        if scene.use_preview_range:
            return scene.frame_preview_start, scene.frame_preview_end
        return scene.frame_start, scene.frame_end
