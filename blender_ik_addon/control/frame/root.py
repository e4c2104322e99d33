# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolves the setting *Root* for the effectors of an armature.

If Root is Automatic, an effector on a hand or on one foot must not slide the whole figure, so only the limb
moves. Feet alone do not move the root either, because when sliding feet of a clip are repaired, the body
must keep its motion. If effectors place the hips, or a foot and a hand, only a moving root can satisfy all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...bridge.animation import is_animated
from ...bridge.armature import Array, Bones, read_bones
from ...bridge.feet import feet
from ...bridge.space import upward
from ...properties.access import rig_of


@dataclass(frozen=True)
class Placed:
    """A bone that an effector or pin places.

    Attributes:
        bone: its name; chain_root: the topmost bone that may move for it, "" for all.
        lasting: whether it is placed in all frames; otherwise the figure would slide in the others.
    """

    bone: str
    chain_root: str = ""
    lasting: bool = True


def bones_that_free(bones: Bones, placed: Sequence[Placed], up: Array) -> tuple[str, ...]:
    """Names of the bones because of which the root moves; empty if it stays.

    The trunk is the chain from the topmost bone to the one that carries the legs; without legs it is the
    topmost bone alone. The root moves for a bone of the trunk, or for a bone of a leg together with one
    outside the legs, if both are lasting.
    """
    legs = [frozenset(bones.ancestors(foot)) for foot in feet(bones, up)]
    # the topmost bones, and their descendants that carry all legs
    trunk = frozenset(np.flatnonzero(bones.parents < 0).tolist())
    if len(legs) > 1:
        trunk |= legs[0].intersection(*legs[1:])
    whole = [one for one in placed if not one.chain_root or bones.number(one.chain_root) in trunk]
    for one in whole:
        if bones.number(one.bone) in trunk:
            return (one.bone,)
    count = Counter(number for leg in legs for number in leg)
    own = {number for number, several in count.items() if several == 1}  # not the chest above two forelegs
    lasting = [one.bone for one in whole if one.lasting]
    on_leg = {bone: not own.isdisjoint(bones.ancestors(bone)) for bone in lasting}
    standing = [bone for bone in lasting if on_leg[bone]]
    reaching = [bone for bone in lasting if not on_leg[bone]]
    return (reaching[0], standing[0]) if reaching and standing else ()


def placed_bones(armature: bpy.types.Object) -> tuple[Placed, ...]:
    """Bones that effectors and pins place, if the root depends on them.

    Excluded are disabled effectors, and those whose influence or weight is zero and not animated.
    """
    rig, found = rig_of(armature), list[Placed]()
    if rig.solver.root != "AUTO":
        return ()
    for index, effector in enumerate(rig.effectors):
        if not (effector.enabled and effector.kind_info.places and effector.bone in armature.data.bones):
            continue
        # `path_from_id` takes a millisecond, and this runs in redraws
        path = f"articulate.effectors[{index}]"
        lasting = not any(is_animated(armature, f"{path}.{name}") for name in ("influence", "weight"))
        if not lasting or effector.influence * effector.weight > 0.0:
            found.append(Placed(effector.bone, effector.chain_root, lasting))
    return tuple(found)


def root_setting(armature: bpy.types.Object, bones: Bones, more: Iterable[Placed] = ()) -> str:
    """Whether the root is PINNED or FREE; `more` are placed by effectors that are not on the rig."""
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
