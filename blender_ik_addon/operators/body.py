# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the figure's capsules and the self-collision list."""

from __future__ import annotations

import bpy

from ..compat import bone_selected
from ..properties.access import active_bone, rig_of
from ..properties.measures import counted
from ..properties.refusal import Refused
from . import argument
from .active import OnArmature


class ARTICULATE_OT_body_fit(OnArmature):
    """Fit capsules to the figure."""

    bl_idname = "articulate.body_fit"
    bl_label = "Fit Body"
    bl_description = (
        "Measure the thickness of the bones on the meshes that they move, or estimate it from their length"
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Fit the capsules; replaces the present ones."""
        from ..control.collision.body import fit

        count = fit(armature, context.scene)
        self.report({"INFO"}, f"{counted(count, 'bone')} measured")


class ARTICULATE_OT_body_clear(OnArmature):
    """Remove the capsules."""

    bl_idname = "articulate.body_clear"
    bl_label = "Clear Body"
    bl_description = "Remove all capsules. The thickness is then estimated from the length of the bones"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import clear_links

        clear_links(armature)


class ARTICULATE_OT_link_add(OnArmature):
    """Add a capsule to a bone."""

    bl_idname = "articulate.link_add"
    bl_label = "Add Capsule"
    bl_description = "Add a capsule to a bone, sized by the bone's length"

    bone: argument.String(name="Bone", description="Empty: the active bone")

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import add_link

        add_link(armature, self.bone or _active_bone(context, armature), context.scene)


class ARTICULATE_OT_link_remove(OnArmature):
    """Remove a capsule."""

    bl_idname = "articulate.link_remove"
    bl_label = "Remove Capsule"
    bl_description = "Remove a bone's capsule. The bone can then pass through everything"

    bone: argument.String(name="Bone", description="Empty: the active line of the list")

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import remove_link

        body, name = rig_of(armature).body, self.bone
        if not name and 0 <= body.active_link < len(body.links):
            name = body.links[body.active_link].name
        self.tell(remove_link(armature, name))


class ARTICULATE_OT_pair_add(OnArmature):
    """Set whether two bones may touch."""

    bl_idname = "articulate.pair_add"
    bl_label = "Add Pair"
    bl_description = "Set whether the two selected bones are kept apart or may touch"

    a: argument.String(name="Bone", description="Empty: the selected bones")
    b: argument.String(name="Other Bone", description="Empty: the selected bones")
    watched: argument.Bool(
        name="Keep Apart",
        description="On: keep them apart, even if they touch at rest. Off: let them touch",
        default=True,
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.self_collision import add_pairs

        named = [name for name in (self.a, self.b) if name]
        selected = [bone.name for bone in armature.pose.bones if bone_selected(bone)]
        add_pairs(armature, named or selected, watched=self.watched)


class ARTICULATE_OT_pair_remove(OnArmature):
    """Remove a pair from the list."""

    bl_idname = "articulate.pair_remove"
    bl_label = "Remove Pair"
    bl_description = "Remove the pair from the list. It is checked again, unless it touches in the rest pose"

    index: argument.Int(name="Index", description="Index in the list. -1: the active one", default=-1, min=-1)

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.self_collision import remove_pair

        remove_pair(armature, rig_of(armature).body.active_pair if self.index < 0 else self.index)


class ARTICULATE_OT_pairs_fill(OnArmature):
    """List the pairs that touch at rest."""

    bl_idname = "articulate.pairs_fill"
    bl_label = "Refill Pairs"
    bl_description = (
        "Fill the list with the parts that touch in the rest pose, and so may touch. Tick those to keep apart"
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.self_collision import list_contacts

        count = list_contacts(armature, context.evaluated_depsgraph_get())
        self.report({"INFO"}, f"Found {counted(count, 'touching pair')} in the rest pose")


def _active_bone(context: bpy.types.Context, armature: bpy.types.Object) -> str:
    bone = active_bone(context, armature)
    if bone is None:
        raise Refused(f"No bone of armature '{armature.name}' is active: choose one in Pose Mode, or name it")
    return bone.name


CLASSES = (
    ARTICULATE_OT_body_fit,
    ARTICULATE_OT_body_clear,
    ARTICULATE_OT_link_add,
    ARTICULATE_OT_link_remove,
    ARTICULATE_OT_pair_add,
    ARTICULATE_OT_pair_remove,
    ARTICULATE_OT_pairs_fill,
)
