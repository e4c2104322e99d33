# SPDX-License-Identifier: GPL-3.0-or-later
"""The anatomical kind of each bone of an armature: recognised, with the user's corrections."""

from __future__ import annotations

import bpy
import numpy as np

from ...bridge.armature import Array, Bones, Flags
from ...bridge.figure_map import BoneMap, read_map
from ...bridge.sides import other_side
from ...properties.bone import FROM_FIGURE, bone_settings


def bone_map(armature: bpy.types.Object, bones: Bones, up: Array) -> BoneMap:
    """The map of an armature.

    Args:
        armature: the original object; bones: its bones; up: (3,) up direction, armature space.
    """
    deforming = np.array([armature.data.bones[name].use_deform for name in bones.names], dtype=np.bool_)
    return read_map(bones, up, deforming, told_kinds(armature))


def long_bones(whole: BoneMap) -> Flags:
    """(B,) the long bones of arms and legs."""
    found = np.zeros(len(whole.mass), dtype=np.bool_)
    found[[joint for limb in whole.kinds.limbs for joint in limb.joints]] = True
    return found


def told_kinds(armature: bpy.types.Object) -> dict[str, str]:
    """Kinds that the user has set, by bone; they also apply to the other side, unless that has its own."""
    told = {name: kind for name, kind in bone_settings(armature, "kind").items() if kind != FROM_FIGURE}
    others = {other_side(armature.data.bones, name): kind for name, kind in told.items()}
    others.pop("", None)
    return others | told
