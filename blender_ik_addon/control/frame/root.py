# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolves the setting *Root* for the effectors of an armature.

If Root is Automatic, an effector on a hand must not slide the whole figure, so only the limb and the trunk
move. If effectors place the hips, or a foot and a hand, only a moving root can satisfy all. If they place
feet and nothing else, the hips are where the animator or the clip has them. They resist, and follow only as
far as the legs are too short: pinned, they would turn instead, and the trunk would dive forward.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import bpy
import numpy as np

from ...bridge.animation import is_animated
from ...bridge.bone_map import BoneMap, bone_map
from ...bridge.feet import feet
from ...properties.access import rig_of

RESISTANCE: Final = (0.999,) * 6
"""Stiffness of a root that resists: 1000 times that of a joint.

Where the legs reach, the hips of Rigify's human then keep to their place within 0.4 mm; at 0.99 within 4 mm.
At 0.9 hips lowered by 100 mm come up again by 40. At 0.9999 steps are short, and live frames end elsewhere.
"""


class Root(NamedTuple):
    """What *Root* means for the present effectors.

    Attributes:
        setting: PINNED or FREE; resists: whether a free root moves only where the legs are too short.
        because: names of the bones for which it moves, if it is Automatic.
    """

    setting: str
    resists: bool = False
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placed:
    """A bone that an effector or pin places.

    Attributes:
        bone: its name; chain_root: the topmost bone that may move for it, "" for all.
        lasting: whether it is placed in all frames; otherwise a hand would slide the figure in the others.
    """

    bone: str
    chain_root: str = ""
    lasting: bool = True


def automatic_root(whole: BoneMap, placed: Sequence[Placed]) -> Root:
    """What *Automatic* means.

    The trunk is the chain from the topmost bone to the one that carries the legs; without legs it is the
    topmost bone alone. The root moves for a bone of the trunk, or for a bone of a leg together with one
    outside the legs, if both are lasting. For bones of legs alone it resists.
    """
    bones = whole.bones
    legs = [frozenset(bones.ancestors(foot)) for foot in feet(whole)]
    # the topmost bones, and their descendants that carry all legs
    trunk = frozenset(np.flatnonzero(bones.parents < 0).tolist())
    if len(legs) > 1:
        trunk |= legs[0].intersection(*legs[1:])
    through = [one for one in placed if not one.chain_root or bones.number(one.chain_root) in trunk]
    for one in through:
        if bones.number(one.bone) in trunk:
            return Root("FREE", because=(one.bone,))
    count = Counter(number for leg in legs for number in leg)
    own = {number for number, several in count.items() if several == 1}  # not the chest above two forelegs
    standing = [one for one in through if not own.isdisjoint(bones.ancestors(one.bone))]
    reaching = [one for one in through if one not in standing]
    if len(legs) > 1 and standing and not reaching:
        return Root("FREE", resists=True, because=tuple(one.bone for one in standing))
    lasting = [next((one.bone for one in some if one.lasting), "") for some in (reaching, standing)]
    return Root("FREE", because=tuple(lasting)) if all(lasting) else Root("PINNED")


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


def root_now(armature: bpy.types.Object, whole: BoneMap, more: Iterable[Placed] = ()) -> Root:
    """What *Root* means; `more` are placed by effectors that are not on the rig."""
    solver = rig_of(armature).solver
    if solver.root != "AUTO":
        return Root(solver.root)
    found = automatic_root(whole, (*placed_bones(armature), *more))
    # only the posture objective can resist
    return Root("PINNED") if found.resists and not solver.chooses_naturally(solver.method) else found


def describe_root(armature: bpy.types.Object) -> str:
    """Whether the root stays or moves, and why, as a sentence."""
    now = root_now(armature, bone_map(armature))
    if rig_of(armature).solver.root != "AUTO":
        return f"The root {'stays' if now.setting == 'PINNED' else 'moves'}, as Root is set"
    if now.resists:
        return "The root stays as far as the legs reach: effectors and pins place feet and nothing else"
    if now.setting == "FREE":
        placed = " and ".join(now.because)
        return f"The root moves: {placed} {'is' if len(now.because) == 1 else 'are'} placed"
    return "The root stays: effectors and pins place neither the hips nor a foot and a hand"
