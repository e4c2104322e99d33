# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the list of effectors."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from .. import preferences
from ..control.effectors import NewEffector, TargetLook, add_effectors, clear, create_target, remove_effector
from ..properties.access import rig_of
from ..properties.effector import AXES, POINTS, ArticulateEffector
from ..properties.kinds import kind_items
from ..properties.refusal import Refused
from .active import FRESH, OnArmature

_FIELDS = (
    "kind",
    "target",
    "subtarget",
    "name",
    "point",
    "weight",
    "priority",
    "chain_root",
    "axis",
    "one_sided",
)


class ARTICULATE_OT_effector_add(OnArmature):
    """Add effectors to bones."""

    bl_idname = "articulate.effector_add"
    bl_label = "Add Effector"
    bl_description = (
        "Let the selected bones follow targets: makes an Empty at each bone, to be moved or animated"
    )
    bl_options = {"REGISTER", "UNDO"}

    bone: StringProperty(
        name="Bone",
        description="Bone that follows. Empty: all selected bones, else the active one",
        options=FRESH,
    )
    kind: EnumProperty(
        name="Kind",
        description="What the bone does with the target",
        items=kind_items(),
        default="POSITION",
        options=FRESH,
    )
    target: StringProperty(
        name="Target",
        description="Name of the object to follow. Empty: make an Empty at the bone",
        options=FRESH,
    )
    subtarget: StringProperty(
        name="Target Bone", description="Bone to follow where the target is an armature", options=FRESH
    )
    name: StringProperty(
        name="Name", description="What to call the effector. Empty: as its bone", options=FRESH
    )
    point: EnumProperty(
        name="Point",
        description="Point of the bone that is brought to the target",
        items=POINTS,
        options=FRESH,
    )
    weight: FloatProperty(
        name="Weight",
        description="How much it counts among effectors of its priority",
        default=1.0,
        min=0.0,
        options=FRESH,
    )
    priority: IntProperty(
        name="Priority", description="0 comes first", default=0, min=0, max=15, options=FRESH
    )
    chain_root: StringProperty(
        name="Chain Root",
        description="Topmost bone that may move for it. Empty: the whole figure takes part",
        options=FRESH,
    )
    axis: EnumProperty(
        name="Axis",
        description="Axis of the bone that points at the target; Y runs along the bone",
        items=AXES,
        default="Y",
        options=FRESH,
    )
    one_sided: BoolProperty(
        name="One-Sided", description="A floor: above the plane the bone is free", options=FRESH
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Add one effector for each bone."""
        bones = [self.bone] if self.bone else chosen_bones(context, armature)
        given = {field: getattr(self, field) for field in _FIELDS}
        depsgraph = context.evaluated_depsgraph_get()
        look = TargetLook(**preferences.target_look(context))
        news = [NewEffector(bone=bone, **given) for bone in bones]
        add_effectors(armature, news, depsgraph, look)


class ARTICULATE_OT_effector_remove(OnArmature):
    """Remove an effector."""

    bl_idname = "articulate.effector_remove"
    bl_label = "Remove Effector"
    bl_description = "Remove the effector; the bone keeps its pose and its keys"
    bl_options = {"REGISTER", "UNDO"}

    effector: StringProperty(
        name="Effector", description="Name of the effector. Empty: the active one", options=FRESH
    )
    delete_target: BoolProperty(
        name="Delete Target",
        description="Delete the Empty that was made for it too, if nothing else uses it",
        default=False,
        options=FRESH,
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Remove it."""
        remove_effector(
            armature, _named_or_active(armature, self.effector).name, delete_target=self.delete_target
        )


class ARTICULATE_OT_target_create(OnArmature):
    """Make a target for an effector."""

    bl_idname = "articulate.target_create"
    bl_label = "Create Target"
    bl_description = "Make an Empty where the bone is now and let the effector follow it"
    bl_options = {"REGISTER", "UNDO"}

    effector: StringProperty(
        name="Effector", description="Name of the effector. Empty: the active one", options=FRESH
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Make it."""
        effector = _named_or_active(armature, self.effector)
        create_target(
            armature,
            effector,
            context.evaluated_depsgraph_get(),
            TargetLook(**preferences.target_look(context)),
        )


class ARTICULATE_OT_clear(OnArmature):
    """Remove all effectors."""

    bl_idname = "articulate.clear"
    bl_label = "Clear Effectors"
    bl_description = "Remove all effectors of the armature; the pose and the keys stay"
    bl_options = {"REGISTER", "UNDO"}

    delete_targets: BoolProperty(
        name="Delete Targets",
        description="Delete the Empties that were made for them too",
        default=False,
        options=FRESH,
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Clear it."""
        count = clear(armature, delete_targets=self.delete_targets)
        self.report({"INFO"}, f"{count} effector{'' if count == 1 else 's'} removed")


def _named_or_active(armature: bpy.types.Object, name: str) -> ArticulateEffector:
    rig = rig_of(armature)
    effector = rig.effectors.get(name) if name else rig.active
    if effector is None:
        if name:
            raise Refused(f"Armature '{armature.name}' has no effector '{name}'")
        raise Refused(f"No effector of armature '{armature.name}' is active: choose one in the list")
    return effector


def chosen_bones(context: bpy.types.Context, armature: bpy.types.Object) -> list[str]:
    """Names of the selected bones, else of the active one.

    Raises:
        Refused: there is none.
    """
    selected = [b.name for b in getattr(context, "selected_pose_bones", None) or () if b.id_data is armature]
    active = armature.data.bones.active
    if not selected and active is None:
        raise Refused(f"No bone of armature '{armature.name}' is selected: select one in Pose Mode first")
    return selected or [active.name]


CLASSES = (
    ARTICULATE_OT_effector_add,
    ARTICULATE_OT_effector_remove,
    ARTICULATE_OT_target_create,
    ARTICULATE_OT_clear,
)
