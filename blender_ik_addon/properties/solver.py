# SPDX-License-Identifier: GPL-3.0-or-later
"""How the figure is solved: saved with the armature object."""

import bpy
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty

from .menus import DEFAULT_LIMITS, default_method, limit_items, method_items
from .options import OVERRIDE, moved
from .parameters import ArticulateParameters

ROOTS = (
    ("PINNED", "Pinned", "The topmost bone stays in its place; it may still turn", "PINNED", 0),
    (
        "FREE",
        "Free",
        "The topmost bone may move too, unless it is connected or its location is locked",
        "UNPINNED",
        1,
    ),
)

UNPINNED = (
    (
        "FEET",
        "Feet",
        (
            "The feet hold while nothing is pinned, and as long as the figure stands on them or on their pins"
            " the root comes along. Feet are bones that are called so and other ends of limbs on which the"
            " figure stands; what has none is held by its root"
        ),
        "CON_FLOOR",
        0,
    ),
    ("ROOT", "Root", "The root holds, or comes along, as it is set", "PINNED", 1),
)


EFFORTS = (
    (
        "WEIGHT",
        "By Weight",
        (
            "An arm or a leg does what it can before the trunk follows: a bone turns the less, the more hangs"
            " on it besides its own limb, and the shorter it is"
        ),
        "NONE",  # with icons the words have no room in the sidebar
        0,
    ),
    ("EVEN", "Even", "All bones turn alike, as in the methods of the texts", "NONE", 1),
)


class ArticulateSolver(bpy.types.PropertyGroup):
    """Method and limits of the solver."""

    __slots__ = ()

    method: EnumProperty(
        name="Method",
        description="Way of solving",
        items=method_items(),
        default=default_method(),
        override=OVERRIDE,
        update=moved,
    )
    root: EnumProperty(
        name="Root",
        description="Whether the whole figure may be carried along",
        items=ROOTS,
        default="PINNED",
        override=OVERRIDE,
        update=moved,
    )
    unpinned: EnumProperty(
        name="Hold",
        description="What holds the figure while a bone is dragged, besides its pins and effectors",
        items=UNPINNED,
        default="FEET",
        override=OVERRIDE,
        update=moved,
    )
    effort: EnumProperty(
        name="Effort",
        description=(
            "Which bones turn where several could do the same; their IK stiffness counts on top of it"
        ),
        items=EFFORTS,
        default="WEIGHT",
        override=OVERRIDE,
        update=moved,
    )
    root_location_stiffness: FloatVectorProperty(
        name="Root Stiffness",
        description=(
            "How unwilling a free root is to move along each of its own axes, as its location channels have"
            " them; near 1 it moves last"
        ),
        subtype="XYZ",
        size=3,
        min=0.0,
        max=0.99,
        override=OVERRIDE,
        update=moved,
    )
    root_rotation_stiffness: FloatVectorProperty(
        name="Turning",
        description="How unwilling a free root is to turn about each of its own axes; near 1 it turns last",
        subtype="XYZ",
        size=3,
        min=0.0,
        max=0.99,
        override=OVERRIDE,
        update=moved,
    )
    limits: EnumProperty(
        name="Joint Limits",
        description="How the bones' own IK limits (Bone properties > Inverse Kinematics) are held",
        items=limit_items(),
        default=DEFAULT_LIMITS,
        override=OVERRIDE,
        update=moved,
    )
    max_iterations: IntProperty(
        name="Iterations",
        description="The solver stops after so many steps a frame, at the latest; 0 lets the method choose",
        default=0,
        min=0,
        soft_max=500,
        max=10000,
        override=OVERRIDE,
        update=moved,
    )
    tolerance: FloatProperty(
        name="Tolerance",
        description="A target counts as reached within this distance (in metres; on small figures within a"
        " ten thousandth of their size) or angle (in radians)",
        default=1e-5,
        min=1e-9,
        soft_max=0.1,
        max=10.0,
        precision=6,
        override=OVERRIDE,
        update=moved,
    )
    posture: FloatProperty(
        name="Keep Posture",
        description="How strongly the figure keeps its pose where the effectors leave it free",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=OVERRIDE,
        update=moved,
    )
    parameters: PointerProperty(
        name="Parameters",
        description="What the methods themselves can be told",
        type=ArticulateParameters,
        override=OVERRIDE,
    )
