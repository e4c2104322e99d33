# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a pose bone besides its IK settings: `PoseBone.articulate`."""

from typing import Any

import bpy
from bpy.props import StringProperty

from . import saved
from .session import reshaped

FROM_FIGURE = "FIGURE"
KINDS = (
    (FROM_FIGURE, "From Figure", "As recognised from the shape of the figure", 0),
    ("root", "Hips", "Carries the trunk and the legs", 1),
    ("spine", "Spine", "Part of the trunk", 2),
    ("neck", "Neck", "Between trunk and head", 3),
    ("head", "Head", "The head", 4),
    ("clavicle", "Clavicle", "Collar bone or shoulder blade: between the trunk and a limb", 5),
    ("shoulder", "Shoulder", "Upper arm, or the upper bone of a front leg: an arm begins here", 6),
    ("elbow", "Elbow", "Forearm", 7),
    ("wrist", "Wrist", "Hand", 8),
    ("hip", "Hip", "Thigh: a leg begins here", 9),
    ("knee", "Knee", "Shin", 10),
    ("ankle", "Ankle", "Foot", 11),
    ("paw", "Paw", "Toes, or what is beyond a foot or a hand", 12),
    ("tail", "Tail", "Part of a tail", 13),
    ("wing", "Wing", "Part of a wing", 14),
    ("finger", "Finger", "Part of a finger", 16),
    (
        "appendage",
        "Appendage",
        "Ear, jaw, hair, cape or another part that hangs on the trunk or the head",
        17,
    ),
    ("other", "Other", "None of these", 15),
)
"""Kinds of bones, by the joint at the head; identifiers as in `ikmath.model.figure_kinds.Kind`."""


class ArticulateBone(bpy.types.PropertyGroup):
    """Settings of one bone."""

    __slots__ = ()

    posture: saved.Share(
        name="Keep Posture",
        description=(
            "How strongly this bone keeps its pose where the effectors leave it free, as a share of the "
            "solver's setting"
        ),
        default=1.0,
    )
    mass: saved.Float(
        description=(
            "Mass of this part of the figure for Balance, in kilograms. 0: as much as water of its volume"
        ),
        min=0.0,
        soft_max=100.0,
        precision=2,
        update=reshaped,
    )
    kind: saved.Enum(
        description=(
            "What the joint at the bone's head is, for the natural choice of poses. The bone of the other "
            "side is the same, unless it is set too"
        ),
        items=KINDS,
        default=FROM_FIGURE,
        update=reshaped,
    )
    # See `bone_names`. Not overridable, because bones of an override cannot be renamed.
    remembered_name: StringProperty(options={"HIDDEN"})


def bone_settings(armature: bpy.types.Object, name: str) -> dict[str, Any]:
    """One setting of all bones with own settings, by bone; unset bones are skipped.

    Reading a bone's settings would create them, so their existence is checked first.
    """
    owners: Any = armature.pose.bones
    told = (bone for bone in owners if bone.is_property_set("articulate"))
    return {bone.name: getattr(bone.articulate, name) for bone in told}
