# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolves the setting *Root* for the effectors of an armature.

If Root is Automatic, an effector on a hand or on one foot must not slide the whole figure, so only the limb
moves. If effectors place the hips, or a foot and a hand, only a moving root can satisfy all. If they place
all feet and nothing else, the hips are where the animator or the clip has them. They resist, and follow only
as far as the legs are too short: pinned, they would turn instead, and the trunk would dive forward.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import bpy
import numpy as np

from ...bridge.animation import is_animated
from ...bridge.armature import Array, Bones, read_bones
from ...bridge.feet import feet
from ...bridge.space import upward
from ...properties.access import rig_of

RESISTANCE: Final = (0.999,) * 6
"""Stiffness of a root that resists: 1000 times that of a joint.

Where the legs reach, the hips of Rigify's human then keep to their place within 0.1 mm; at 0.99 within 1 mm.
At 0.9 hips lowered by 100 mm come up again by 40. At 0.9999 steps are short, and live frames end elsewhere.
"""


class Root(NamedTuple):
    """What *Root* means for the present effectors.

    Attributes:
        setting: PINNED or FREE; resists: whether a free root moves only where the legs are too short.
    """

    setting: str
    resists: bool = False


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
    legs = _legs(bones, up)
    # the topmost bones, and their descendants that carry all legs
    trunk = frozenset(np.flatnonzero(bones.parents < 0).tolist())
    if len(legs) > 1:
        trunk |= legs[0].intersection(*legs[1:])
    whole = [one for one in placed if not one.chain_root or bones.number(one.chain_root) in trunk]
    for one in whole:
        if bones.number(one.bone) in trunk:
            return (one.bone,)
    own = _below_the_trunk(legs)
    lasting = [one.bone for one in whole if one.lasting]
    on_leg = {bone: not own.isdisjoint(bones.ancestors(bone)) for bone in lasting}
    standing = [bone for bone in lasting if on_leg[bone]]
    reaching = [bone for bone in lasting if not on_leg[bone]]
    return (reaching[0], standing[0]) if reaching and standing else ()


def is_placed_on_every_leg(bones: Bones, placed: Sequence[Placed], up: Array) -> bool:
    """Whether something lasting is placed on each leg, of two or more."""
    legs = _legs(bones, up)
    own = _below_the_trunk(legs)
    held = [own & {*bones.ancestors(one.bone)} for one in placed if one.lasting and not one.chain_root]
    return len(legs) > 1 and all(any(leg & bone for bone in held) for leg in legs)


def _legs(bones: Bones, up: Array) -> list[frozenset[int]]:
    """The feet, each with all bones above it."""
    return [frozenset(bones.ancestors(foot)) for foot in feet(bones, up)]


def _below_the_trunk(legs: Sequence[frozenset[int]]) -> set[int]:
    """The bones of one leg alone, so not the chest above two forelegs."""
    count = Counter(number for leg in legs for number in leg)
    return {number for number, several in count.items() if several == 1}


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


def root_now(armature: bpy.types.Object, bones: Bones, more: Iterable[Placed] = ()) -> Root:
    """What *Root* means; `more` are placed by effectors that are not on the rig."""
    setting = str(rig_of(armature).solver.root)
    if setting != "AUTO":
        return Root(setting)
    placed, up = (*placed_bones(armature), *more), upward(armature)
    if bones_that_free(bones, placed, up):
        return Root("FREE")
    return Root("FREE", resists=True) if _resists(armature, bones, placed, up) else Root("PINNED")


def _resists(armature: bpy.types.Object, bones: Bones, placed: Sequence[Placed], up: Array) -> bool:
    """Whether the root moves only where the legs are too short; only the posture objective can do that."""
    solver = rig_of(armature).solver
    return solver.chooses_naturally(solver.method) and is_placed_on_every_leg(bones, placed, up)


def describe_root(armature: bpy.types.Object) -> str:
    """Whether the root stays or moves, and why, as a sentence."""
    setting = rig_of(armature).solver.root
    if setting != "AUTO":
        return f"The root {'stays' if setting == 'PINNED' else 'moves'}, as Root is set"
    bones, placed, up = read_bones(armature), placed_bones(armature), upward(armature)
    found = bones_that_free(bones, placed, up)
    if found:
        return f"The root moves: {' and '.join(found)} {'is' if len(found) == 1 else 'are'} placed"
    if _resists(armature, bones, placed, up):
        return "The root stays as far as the legs reach: of all bones only the feet are placed"
    return "The root stays: effectors and pins place neither the hips nor a foot and a hand"
