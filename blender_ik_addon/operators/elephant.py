# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > Armature > Articulate: Elephant."""

import bpy
from bpy.props import BoolProperty, IntProperty

from ..bridge.item_animation import follow
from ..control.report import reasons
from ..properties.bone_names import remember
from ..properties.session import own_session
from .active import BAKING, Described, Outcome, refuse


class ARTICULATE_OT_elephant_add(Described):
    """Add an elephant whose trunk follows a target around a table and through a tree.

    This is Ge's scene, ready to be solved and baked.
    """

    bl_label = "Articulate: Elephant"
    bl_options = {"REGISTER", "UNDO"}

    segments: IntProperty(
        name="Trunk Segments",
        description="Bones of the trunk, each a ball joint",
        default=30,
        min=3,
        soft_max=60,
        max=200,
    )
    surroundings: BoolProperty(name="Table and Tree", description="Add table and tree too", default=True)
    obstacles: BoolProperty(
        name="Set as Obstacles", description="The elephant stays clear of table and tree", default=True
    )
    seed: IntProperty(
        description="Variant of the tree. The target's path is made for 5",
        default=5,
        min=0,
    )
    frames: IntProperty(
        description="Frames of the target's path around table and tree. 0: it stands still",
        default=300,
        min=0,
        soft_max=1000,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            return cls.greyed_out("Objects are added in Object Mode")
        return not own_session().baking or cls.greyed_out(BAKING)

    def execute(self, context: bpy.types.Context) -> Outcome:
        from ..control.rig.elephant import make_elephant

        try:
            told = {name: getattr(self, name) for name in ARTICULATE_OT_elephant_add.__annotations__}
            armature = make_elephant(context, **told)
        except reasons() as reason:
            return refuse(self, None, reason)
        remember(armature)
        follow(armature)
        return {"FINISHED"}

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        column = layout.column()
        column.prop(self, "segments")
        column.prop(self, "frames")
        column.prop(self, "surroundings")
        column = layout.column()
        column.active = self.surroundings
        column.prop(self, "obstacles")
        column.prop(self, "seed")
