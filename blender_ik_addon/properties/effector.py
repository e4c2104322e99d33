# SPDX-License-Identifier: GPL-3.0-or-later
"""One effector: which point of which bone is to be where. Saved with the armature object."""

from typing import Any, Literal

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .kinds import KINDS, Kind, kind_items

OVERRIDE: set[Literal["LIBRARY_OVERRIDABLE"]] = {"LIBRARY_OVERRIDABLE"}

POINTS = (
    ("TIP", "Tip", "The far end of the bone is brought to the target", "BONE_DATA", 0),
    ("HEAD", "Head", "The joint at the bone's beginning is brought to the target", "BONE_DATA", 1),
)

AXES = (
    ("X", "X", "", "NONE", 0),
    ("Y", "Y", "Along the bone", "NONE", 1),
    ("Z", "Z", "", "NONE", 2),
    ("-X", "-X", "", "NONE", 3),
    ("-Y", "-Y", "", "NONE", 4),
    ("-Z", "-Z", "", "NONE", 5),
)


def _can_be_target(effector: "ArticulateEffector", candidate: bpy.types.Object) -> bool:
    """The figure cannot chase itself; a bone of its own that stays put can still be named in a script."""
    return candidate is not effector.id_data


def _hold_place(effector: "ArticulateEffector", _context: bpy.types.Context) -> None:
    """When a pin is set, remember where the effector is now, in world space."""
    if not effector.pinned:
        return
    armature: Any = effector.id_data
    pose_bone = armature.pose.bones.get(effector.bone) if armature.pose else None
    if pose_bone is None:
        return
    matrix = armature.matrix_world @ pose_bone.matrix
    effector.pin_location = matrix @ effector.first_target(pose_bone.bone)
    # A plane is pinned level; whoever wants a slope sets it by a target.
    level = (1.0, 0.0, 0.0, 0.0)
    effector.pin_rotation = level if effector.kind == "PLANE" else matrix.to_quaternion()


def _moved(effector: "ArticulateEffector", _context: bpy.types.Context) -> None:
    """A pin that is moved by a script has to be noticed where the armature is live."""
    effector.id_data.update_tag()


class ArticulateEffector(bpy.types.PropertyGroup):
    """An effector; its `name` is what scripts and messages call it."""

    bone: StringProperty(name="Bone", description="Bone that is brought to the target", override=OVERRIDE)
    kind: EnumProperty(
        name="Kind",
        description="What the bone does with the target",
        items=kind_items(),
        default="POSITION",
        override=OVERRIDE,
    )
    target: PointerProperty(
        name="Target",
        description="Object to follow, usually an Empty. Move or animate it, then Solve or Bake",
        type=bpy.types.Object,
        poll=_can_be_target,
        override=OVERRIDE,
    )
    subtarget: StringProperty(
        name="Target Bone", description="Bone to follow where the target is an armature", override=OVERRIDE
    )
    enabled: BoolProperty(
        name="Enabled",
        description="Off: the effector is ignored",
        default=True,
        override=OVERRIDE,
        update=_moved,
    )
    weight: FloatProperty(
        name="Weight",
        description="How much this effector counts where not all of one priority can be satisfied",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        override=OVERRIDE,
        update=_moved,
    )
    priority: IntProperty(
        name="Priority",
        description="0 comes first; an effector of a higher number gets what the stronger ones leave free",
        default=0,
        min=0,
        max=15,
        override=OVERRIDE,
    )
    influence: FloatProperty(
        name="Influence",
        description="0: the bone keeps its own animation, 1: it follows the target. Can be animated",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=OVERRIDE,
        update=_moved,
    )
    pinned: BoolProperty(
        name="Pinned",
        description="Hold the bone where it is now. An effector that has a target follows the target instead",
        default=False,
        override=OVERRIDE,
        update=_hold_place,
    )
    pin_location: FloatVectorProperty(
        name="Pin Location",
        description="Where a pinned effector stays, in world space",
        subtype="XYZ",
        size=3,
        override=OVERRIDE,
        update=_moved,
    )
    pin_rotation: FloatVectorProperty(
        name="Pin Rotation",
        description="How a pinned effector stays turned, in world space",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
        override=OVERRIDE,
        update=_moved,
    )
    chain_root: StringProperty(
        name="Chain Root",
        description="Topmost bone that may move for this effector. Empty: the whole figure takes part",
        override=OVERRIDE,
    )
    point: EnumProperty(
        name="Point",
        description="Point of the bone that is brought to the target",
        items=POINTS,
        default="TIP",
        override=OVERRIDE,
    )
    offset: FloatVectorProperty(
        name="Offset",
        description="Shift of that point, along the bone's own axes (Y runs along the bone)",
        subtype="XYZ",
        size=3,
        override=OVERRIDE,
    )
    axis: EnumProperty(
        name="Axis",
        description="Axis of the bone that points at the target; Y runs along the bone",
        items=AXES,
        default="Y",
        override=OVERRIDE,
    )
    one_sided: BoolProperty(
        name="One-Sided",
        description="A floor: the bone may be anywhere on the side to which the target's Z axis points",
        default=False,
        override=OVERRIDE,
    )

    # Written after a solve or a bake, for reading only.
    status: StringProperty(
        name="Status", description="How the last solve ended for this effector", options={"HIDDEN"}
    )
    error: FloatProperty(
        name="Error",
        description="Distance to the target after the last solve; the worst frame after a bake",
        subtype="DISTANCE",
        options={"HIDDEN"},
        precision=4,
    )
    angle: FloatProperty(
        name="Angle",
        description="Angle to the target's orientation after the last solve; the worst frame after a bake",
        subtype="ANGLE",
        options={"HIDDEN"},
    )
    message: StringProperty(name="Message", description="What holds this effector back", options={"HIDDEN"})

    @property
    def kind_info(self) -> Kind:
        """The row of the table of kinds."""
        return KINDS[self.kind]

    def point_in_bone(self, bone: bpy.types.Bone):
        """The point that is brought to the target, in the bone's own axes and the armature's units (3,)."""
        from mathutils import Vector

        tip = Vector((0.0, bone.length if self.point == "TIP" else 0.0, 0.0))
        return tip + Vector(self.offset)

    @property
    def direction(self) -> tuple[float, float, float]:
        """The axis that aims, in the bone's own axes."""
        x, y, z = (float(self.axis[-1] == letter) for letter in "XYZ")
        return (-x, -y, -z) if self.axis.startswith("-") else (x, y, z)

    def first_target(self, bone: bpy.types.Bone):
        """Where a target asks for what is there already, in the bone's own axes (3,): ahead of what aims."""
        from mathutils import Vector

        ahead = 2.0 * bone.length * Vector(self.direction) if "aim" in self.kind_info.asks else Vector()
        return self.point_in_bone(bone) + ahead
