# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a pose bone besides its IK settings: `PoseBone.articulate`."""

from typing import Any

import bpy
from bpy.props import FloatProperty, StringProperty

from .options import OVERRIDE, moved, reshaped


class ArticulateBone(bpy.types.PropertyGroup):
    """Settings of one bone."""

    __slots__ = ()

    posture: FloatProperty(
        name="Keep Posture",
        description=(
            "How strongly this bone keeps its pose where the effectors leave it free, as a share of the "
            "solver's setting"
        ),
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=OVERRIDE,
        update=moved,
    )
    mass: FloatProperty(
        name="Mass",
        description=(
            "Mass of this part of the figure for Balance, in kilograms. 0: as much as water of its volume"
        ),
        default=0.0,
        min=0.0,
        soft_max=100.0,
        precision=2,
        override=OVERRIDE,
        update=reshaped,
    )
    # See `bone_names`. It is no setting: an override has no bones of its own to rename.
    remembered_name: StringProperty(options={"HIDDEN"})


def bone_settings(armature: bpy.types.Object, name: str) -> dict[str, float]:
    """One setting of all bones that have any of their own, by name; what nobody has touched is left out.

    To look at a bone's settings would make them: it is asked first whether they are there.
    """
    owners: Any = armature.pose.bones
    told = (bone for bone in owners if bone.is_property_set("articulate"))
    return {bone.name: getattr(bone.articulate, name) for bone in told}
