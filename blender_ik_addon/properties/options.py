# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of all kinds of effectors; `kinds` has the options of each kind.

Which kind has which is in `kinds`.
"""

from typing import Any, Final, Literal

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    PointerProperty,
    StringProperty,
)

from .bone_names import remember
from .older_files import store_root

OVERRIDE: set[Literal["LIBRARY_OVERRIDABLE"]] = {"LIBRARY_OVERRIDABLE"}

POINTS = (
    ("TIP", "Tip", "The tip of the bone is brought to the target", "BONE_DATA", 0),
    ("HEAD", "Head", "The head of the bone is brought to the target", "BONE_DATA", 1),
)

AXES = (
    ("X", "X", "Across the bone, along its own X axis", "NONE", 0),
    ("Y", "Y", "Along the bone, from its head to its tip", "NONE", 1),
    ("Z", "Z", "Across the bone, along its own Z axis", "NONE", 2),
    ("-X", "-X", "Across the bone, against its own X axis", "NONE", 3),
    ("-Y", "-Y", "Against the bone, from its tip to its head", "NONE", 4),
    ("-Z", "-Z", "Across the bone, against its own Z axis", "NONE", 5),
)

SPACES = (
    ("WORLD", "World", "The axes of the world", "NONE", 0),
    ("TARGET", "Target", "The axes of the target, as it is turned", "NONE", 1),
    ("BONE", "Bone", "The axes of the bone, as it is turned", "NONE", 2),
)

KEEPS = (
    ("AT", "At", "Exactly at this distance, like on a rod", "NONE", 0),
    ("INSIDE", "Within", "Not farther away than this, like on a leash", "NONE", 1),
    ("OUTSIDE", "Outside", "Not nearer than this", "NONE", 2),
)

OVERS = (
    ("TARGET", "Target", "The centre of mass is over the target", "NONE", 0),
    (
        "SUPPORT",
        "Support",
        "The centre of mass is over the area that the planted effectors span",
        "NONE",
        1,
    ),
)

ALL_AXES: Final = (True, True, True)


def moved(owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Tag the armature after a change, so that live solving notices it, and clear the old message."""
    armature: Any = owner.id_data
    armature.update_tag()
    forget_message(armature)
    if armature.library is None:
        store_root(armature.articulate)


def forget_message(armature: Any) -> None:
    """Clear the message on the last solve, which no longer applies; live solving writes a new one."""
    rig = armature.articulate
    if rig.message and not rig.live and armature.library is None:
        rig.message = ""


def named(owner: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Store the name of a referenced bone, and tag the armature."""
    armature: Any = owner.id_data
    remember(armature)
    if armature.library is None:
        store_root(armature.articulate)
    moved(owner, context)


def reshaped(owner: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Count a change of thickness or mass, which the overlay could not distinguish from a motion."""
    moved(owner, context)
    manager: Any = context.window_manager
    manager.articulate.flesh_changes += 1


def _point(bone: bpy.types.Bone, end: str, offset: Any):
    from mathutils import Vector

    return Vector((0.0, bone.length if end == "TIP" else 0.0, 0.0)) + Vector(offset)


class EffectorOptions:
    """The option properties, and functions of these alone."""

    __slots__ = ()

    point: EnumProperty(
        name="Point",
        description="Point of the bone that is brought to the target",
        items=POINTS,
        default="TIP",
        override=OVERRIDE,
        update=moved,
    )
    offset: FloatVectorProperty(
        name="Offset",
        description="Offset of that point along the bone's axes. Y runs along the bone",
        subtype="XYZ",
        size=3,
        override=OVERRIDE,
        update=moved,
    )
    axis: EnumProperty(
        name="Axis",
        description="Axis of the bone that points at the target; Y runs along the bone",
        items=AXES,
        default="Y",
        override=OVERRIDE,
        update=moved,
    )
    one_sided: BoolProperty(
        name="One-Sided",
        description="A floor: the bone may be anywhere on the side to which the target's Z axis points",
        default=False,
        override=OVERRIDE,
        update=moved,
    )
    axes: BoolVectorProperty(
        name="Axes",
        description="Along which axes the bone's place counts; along the others it is free",
        subtype="XYZ",
        size=3,
        default=ALL_AXES,
        override=OVERRIDE,
        update=moved,
    )
    turn_axes: BoolVectorProperty(
        name="Turn Axes",
        description="About which axes the bone's orientation counts; about the others it is free",
        subtype="XYZ",
        size=3,
        default=ALL_AXES,
        override=OVERRIDE,
        update=moved,
    )
    space: EnumProperty(
        name="Space",
        description="Which axes are used",
        items=SPACES,
        default="WORLD",
        override=OVERRIDE,
        update=moved,
    )
    slack: FloatProperty(
        name="Slack",
        description="Radius around the target inside which the bone is free. Can be animated",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        subtype="DISTANCE",
        precision=4,
        override=OVERRIDE,
        update=moved,
    )
    turn_slack: FloatProperty(
        name="Slack Angle",
        description="Angle to the target inside which the bone is free. Can be animated",
        default=0.0,
        min=0.0,
        max=3.141592653589793,
        subtype="ANGLE",
        override=OVERRIDE,
        update=moved,
    )
    stretch: FloatProperty(
        name="Stretch",
        description=(
            "How far the limb may lengthen where the target is out of its reach, as a share of its length. 0:"
            " not at all"
        ),
        default=0.0,
        min=0.0,
        soft_max=1.0,
        max=10.0,
        subtype="FACTOR",
        override=OVERRIDE,
        update=moved,
    )
    planted: BoolProperty(
        name="Planted",
        description="The figure stands on this effector: Balance counts it. Can be animated",
        default=False,
        override=OVERRIDE,
        update=moved,
    )
    footprint: FloatProperty(
        name="Footprint",
        description="Radius of the ground that a planted effector covers around its target",
        default=0.0,
        min=0.0,
        soft_max=0.5,
        subtype="DISTANCE",
        precision=4,
        override=OVERRIDE,
        update=moved,
    )
    keep: EnumProperty(
        name="Keep",
        description="On which side of the distance the bone is kept",
        items=KEEPS,
        default="AT",
        override=OVERRIDE,
        update=moved,
    )
    distance: FloatProperty(
        name="Distance",
        description="Length that is kept, in world space. Can be animated",
        default=1.0,
        soft_min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
        precision=4,
        override=OVERRIDE,
        update=moved,
    )
    second_bone: StringProperty(
        name="Second Bone",
        description="The bone that this one is joined to, or kept at a distance from",
        override=OVERRIDE,
        update=named,
    )
    second_point: EnumProperty(
        name="Second Point",
        description="Point of the second bone that counts",
        items=POINTS,
        default="TIP",
        override=OVERRIDE,
        update=moved,
    )
    second_offset: FloatVectorProperty(
        name="Second Offset",
        description="Offset of that point along the second bone's axes",
        subtype="XYZ",
        size=3,
        precision=4,
        override=OVERRIDE,
        update=moved,
    )
    second_rotation: FloatVectorProperty(
        name="Second Rotation",
        description="Rotation of the bone in the second bone's axes, if they are joined rigidly",
        subtype="QUATERNION",
        size=4,
        default=(1.0, 0.0, 0.0, 0.0),
        override=OVERRIDE,
        update=moved,
    )
    rigid: BoolProperty(
        name="Rigid",
        description="Join the bones as if welded. Off: join them at one point, about which they can turn",
        default=False,
        override=OVERRIDE,
        update=moved,
    )
    over: EnumProperty(
        name="Over",
        description="What the centre of mass is kept over",
        items=OVERS,
        default="TARGET",
        override=OVERRIDE,
        update=moved,
    )
    margin: FloatProperty(
        name="Margin",
        description="How far inside the edge of the supporting area the centre of mass is kept",
        default=0.0,
        min=0.0,
        soft_max=0.2,
        subtype="DISTANCE",
        precision=4,
        override=OVERRIDE,
        update=moved,
    )
    alternatives: PointerProperty(
        name="Targets",
        description="Collection of objects, usually Empties; the bone goes to one of them",
        type=bpy.types.Collection,
        override=OVERRIDE,
        update=moved,
    )

    def point_in_bone(self, bone: bpy.types.Bone):
        """(3,) the effector's point in the bone's own axes, the armature's units."""
        return _point(bone, self.point, self.offset)

    def second_in_bone(self, bone: bpy.types.Bone):
        """(3,) the second bone's point in that bone's own axes, the armature's units."""
        return _point(bone, self.second_point, self.second_offset)

    @property
    def direction(self) -> tuple[float, float, float]:
        """The aiming direction in the bone's own axes, a unit vector."""
        x, y, z = (float(self.axis[-1] == letter) for letter in "XYZ")
        return (-x, -y, -z) if self.axis.startswith("-") else (x, y, z)
