# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolves the setting *Root* for the effectors of an armature."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...bridge.armature import Bones, read_bones
from ...bridge.fingerprint import is_animated
from ...bridge.root_rule import Placed, bones_that_free
from ...bridge.space import upward
from ...properties.access import rig_of


def placed_bones(armature: bpy.types.Object) -> tuple[Placed, ...]:
    """Bones that effectors and pins place, if the root depends on them.

    Excluded are disabled effectors, and those whose influence or weight is zero and not animated.

    Args:
        armature: the original object.
    """
    rig, found = rig_of(armature), list[Placed]()
    if rig.solver.root != "AUTO":
        return ()
    for effector in rig.effectors:
        if not (effector.enabled and effector.kind_info.places and effector.bone in armature.data.bones):
            continue
        path = effector.path_from_id()
        lasting = not any(is_animated(armature, f"{path}.{name}") for name in ("influence", "weight"))
        if not lasting or effector.influence * effector.weight > 0.0:
            found.append(Placed(effector.bone, effector.chain_root, lasting))
    return tuple(found)


def root_setting(armature: bpy.types.Object, bones: Bones, more: Iterable[Placed] = ()) -> str:
    """Whether the root is PINNED or FREE.

    Args:
        armature: the original object; bones: of the armature.
        more: bones placed by effectors that are not on the rig.
    """
    setting = str(rig_of(armature).solver.root)
    if setting != "AUTO":
        return setting
    placed = *placed_bones(armature), *more
    return "FREE" if bones_that_free(bones, placed, upward(armature)) else "PINNED"


def describe_root(armature: bpy.types.Object) -> str:
    """Whether the root stays or moves, and why, as a sentence."""
    setting = rig_of(armature).solver.root
    if setting != "AUTO":
        return f"The root {'stays' if setting == 'PINNED' else 'moves'}, as Root is set"
    found = bones_that_free(read_bones(armature), placed_bones(armature), upward(armature))
    if not found:
        return "The root stays: effectors and pins place neither the hips nor a foot and a hand"
    return f"The root moves: {' and '.join(found)} {'is' if len(found) == 1 else 'are'} placed"
