# SPDX-License-Identifier: GPL-3.0-or-later
"""What the extension recognises in an armature with captured motion."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
from blender_scene import addon_module


@dataclass(frozen=True)
class CapturedRig:
    """Names of bones.

    Attributes:
        hips: that carry everything; ends: head, hands and feet, or paws.
        middle: the bones between the hips and these.
        limbs: the upper and the lower bone of those that have an end, and the end.
        size: of the figure, in the armature's units.
    """

    hips: str
    ends: list[str]
    middle: list[str]
    limbs: list[list[str]]
    size: float

    @classmethod
    def of(cls, rig: bpy.types.Object) -> CapturedRig:
        """Read the map of an armature."""
        bones = addon_module("bridge.armature").read_bones(rig)
        up = addon_module("bridge.space").upward(rig)
        found = addon_module("bridge.bone_map").bone_map(rig, bones, up).kinds
        ends = [limb.end if limb.end >= 0 else limb.joints[-1] for limb in found.limbs]
        ends += [found.head] if found.head >= 0 else []
        ways = {n for end in ends for n in bones.ancestors(bones.names[end])}
        between = [n for n in sorted(ways) if found.body in bones.ancestors(bones.names[n])]
        return cls(
            bones.names[found.body],
            [bones.names[end] for end in ends],
            [bones.names[n] for n in between if n != found.body and n not in ends],
            [[bones.names[j] for j in (*limb.joints[:2], limb.end)] for limb in found.limbs if limb.end >= 0],
            float(found.size),
        )
