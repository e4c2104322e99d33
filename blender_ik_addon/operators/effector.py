# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the list of effectors, and to pin, unpin and mirror."""

from typing import Final

import bpy

from ..properties import unsaved as argument
from ..properties.access import rig_of
from ..properties.effector import ArticulateEffector
from ..properties.kinds import KIND_ITEMS, KINDS
from ..properties.measures import counted
from ..properties.refusal import Refused
from .active import OnArmature, OnBones

_OF_ALL_KINDS: Final = ("weight", "priority", "influence", "chain_root")
_NAMED: Final = ("target", "subtarget", "alternatives", "pinned")  # arguments of other kinds
_SETTINGS: Final = tuple(
    dict.fromkeys(
        (*_OF_ALL_KINDS, *(name for kind in KINDS.values() for name in kind.options if name not in _NAMED))
    )
)
PIN_KINDS = (
    ("POSITION", "Position", "The tip of the bone stays in its place", "PINNED", 0),
    ("ORIENTATION", "Rotation", "The bone keeps its rotation", "ORIENTATION_GIMBAL", 1),
    ("POSE", "Both", "The bone keeps its place and rotation", "OUTLINER_OB_ARMATURE", 2),
)


class ARTICULATE_OT_effector_add(OnBones):
    """Make the selected bones follow targets: an Empty at each bone, to move or animate."""

    bl_label = "Add Effector"
    question = "Add {count} effectors?"

    kind: argument.Enum(
        description="What the bone does with the target", items=KIND_ITEMS, default="POSITION"
    )
    target: argument.String(description="Name of the object to follow. Empty: make an Empty at the bone")
    subtarget: argument.String(
        name="Target Bone", description="Bone to follow where the target is an armature"
    )
    alternatives: argument.String(
        name="Targets",
        description="Name of the collection of objects to choose from. Empty: make one, with two Empties",
    )
    name: argument.String(description="Name of the effector. Empty: the name of its bone")
    as_posed: argument.Bool(
        description="Keep the present relation of the bone and the second bone, unless it is given",
        default=True,
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.effectors import NewEffector, add_effectors

        given = self.properties
        settings = {name: getattr(self, name) for name in _SETTINGS if given.is_property_set(name)}
        bones, active = self.bones(context, armature), armature.data.bones.active
        joins = "loop" in KINDS[self.kind].asks and not given.is_property_set("second_bone")
        if joins and not self.bone and active is not None and active.name in bones and len(bones) > 1:
            # of several joined bones the active one is the second one of all others
            bones, settings["second_bone"] = [bone for bone in bones if bone != active.name], active.name
        # a given point or distance replaces the present relation
        said = {"distance", "second_point", "second_offset", "second_rotation"} & settings.keys()
        news = [
            NewEffector(
                bone=bone,
                kind=self.kind,
                target=self.target,
                subtarget=self.subtarget,
                alternatives=self.alternatives,
                name=self.name,
                as_posed=self.as_posed and bool(settings.get("second_bone")) and not said,
                settings=settings,
            )
            for bone in bones
        ]
        add_effectors(armature, news, context.evaluated_depsgraph_get())

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        has, names = KINDS[self.kind].options, ["bone", "kind", "name"]
        names += ["target", "subtarget"] if "target" in has else []
        names += ["as_posed"] if "second_bone" in has else []
        names += [name for name in (*has, *_OF_ALL_KINDS) if name != "pinned"]
        for name in dict.fromkeys(names):
            layout.prop(self, name)


# every setting of an effector is also an argument with the same name
ARTICULATE_OT_effector_add.__annotations__ |= argument.copied(ArticulateEffector, _SETTINGS)


class _OnEffector(OnArmature):
    """Base of an operator on one effector."""

    effector: argument.String(description="Name of the effector. Empty: the active one")


class ARTICULATE_OT_effector_remove(_OnEffector):
    """Remove the effector; the bone keeps its pose and its keys."""

    bl_label = "Remove Effector"

    delete_target: argument.Bool(
        description="Delete the Empty that was made for it too, if nothing else uses it"
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.effectors import remove_effectors

        rig, name = rig_of(armature), named_or_active(armature, self.effector).name
        index = rig.effectors.find(name) if self.effector else rig.active_effector
        self.tell(remove_effectors(armature, [index], delete_targets=self.delete_target)[1])


class ARTICULATE_OT_target_create(_OnEffector):
    """Make an Empty where the bone is now and let the effector follow it."""

    bl_label = "Create Target"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.target_empties import create_target

        create_target(named_or_active(armature, self.effector), context.evaluated_depsgraph_get())


class ARTICULATE_OT_keep_as_posed(_OnEffector):
    """Join the two bones as they are posed now, or keep their present distance."""

    bl_label = "Keep As Posed"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.effectors import keep_as_posed

        keep_as_posed(named_or_active(armature, self.effector), context.evaluated_depsgraph_get())


class ARTICULATE_OT_clear(OnArmature):
    """Remove all effectors of the armature; the pose and the keys stay."""

    bl_label = "Clear Effectors"

    delete_targets: argument.Bool(
        description="Delete the Empties that were made for them too, if nothing else uses them"
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.effectors import remove_effectors

        rig, delete = rig_of(armature), self.delete_targets
        count, off = remove_effectors(armature, range(len(rig.effectors)), delete_targets=delete)
        rig.report_json = ""
        self.tell(f"{counted(count, 'effector')} removed", off)


def named_or_active(armature: bpy.types.Object, name: str) -> ArticulateEffector:
    """The effector with a name; the active one for "". Refused if there is none."""
    rig = rig_of(armature)
    effector = rig.effectors.get(name) if name else rig.active
    if effector is None:
        if name:
            known = ", ".join(f"'{effector.name}'" for effector in rig.effectors) or "none"
            raise Refused(f"Armature '{armature.name}' has no effector '{name}'; it has: {known}")
        raise Refused(f"No effector of armature '{armature.name}' is active: choose one in the list")
    return effector


class ARTICULATE_OT_pin(OnBones):
    """Hold the selected bones where they are now."""

    bl_label = "Pin"
    question = "Pin {count} bones?"

    kind: argument.Enum(name="Hold", description="What is held", items=PIN_KINDS, default="POSITION")

    motion: argument.Bool(
        name="Keep Motion",
        description="Keep the bones at their own animation in each frame, instead of at one place",
    )

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.effectors import pin

        depsgraph = context.evaluated_depsgraph_get()
        pin(armature, self.bones(context, armature), self.kind, depsgraph, motion=self.motion)


class ARTICULATE_OT_unpin(OnBones):
    """Remove the pins of the selected bones; the pose stays."""

    bl_label = "Unpin"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        _let_go(self, armature, self.bones(context, armature))


class ARTICULATE_OT_unpin_all(OnArmature):
    """Remove all pins of the armature; effectors with targets and the pose stay."""

    bl_label = "Unpin All"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        _let_go(self, armature, None)


class ARTICULATE_OT_mirror(OnBones):
    """Copy effectors and pins of the selected bones to the other side.

    Sides are found by names (.L and .R) or by position.
    """

    bl_label = "Mirror Effectors"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.rig.effectors import mirror

        count = mirror(armature, self.bones(context, armature), context.evaluated_depsgraph_get())
        self.report({"INFO"}, f"{counted(count, 'effector')} mirrored")


def _let_go(operator: OnArmature, armature: bpy.types.Object, bones: list[str] | None) -> None:
    from ..control.rig.effectors import unpin

    count, off = unpin(armature, bones)
    operator.tell(f"{counted(count, 'pin')} removed", off)
