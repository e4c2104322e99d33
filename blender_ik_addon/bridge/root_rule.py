# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the root of a figure moves if Root is Automatic.

An effector on a hand or on one foot must not slide the whole figure, so only the limb moves. Feet alone do
not move the root either, because when sliding feet of a clip are repaired, the body must keep its motion. If
effectors place the hips, or a foot and a hand, only a moving root can satisfy all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .armature import Array, Bones
from .feet import feet


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

    Args:
        bones: the armature; placed: its placed bones; up: (3,) up direction, armature space.
    """
    legs = [frozenset(bones.ancestors(foot)) for foot in feet(bones, up)]
    trunk = _trunk(bones, legs)
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


def _trunk(bones: Bones, legs: Sequence[frozenset[int]]) -> frozenset[int]:
    """Indices of the topmost bones and of their descendants that carry all legs.

    Args:
        bones: the armature; legs: the feet, each with its ancestors.
    """
    top = frozenset(number for number, parent in enumerate(bones.parents.tolist()) if parent < 0)
    return top | legs[0].intersection(*legs[1:]) if len(legs) > 1 else top
