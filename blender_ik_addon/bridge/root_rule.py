# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the root of a figure moves along, where its setting is Automatic.

An effector on a hand or on one foot must not slide the figure through the room: the limb moves. Feet alone do
not move it either: they are held still under a body that keeps its motion, as where sliding feet of a clip
are mended. If something places the hips themselves, or a foot and a hand, only a root that moves can satisfy
all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .armature import Array, Bones
from .feet import feet


@dataclass(frozen=True)
class Placed:
    """A bone that an effector or pin brings to a place.

    Attributes:
        bone: its name; chain_root: the topmost bone that may move for it, "" for all.
        lasting: it is placed in all frames; a figure that is held in some only would slide in the others.
    """

    bone: str
    chain_root: str = ""
    lasting: bool = True


def bones_that_free(bones: Bones, placed: Sequence[Placed], up: Array) -> tuple[str, ...]:
    """Names of the bones for which the root moves along; none if it stays.

    The trunk reaches from the topmost bone down to the one from which the legs hang; without legs it is the
    topmost bone alone. The root moves for a bone of the trunk, and for a bone of a leg together with one that
    is on no leg, where both are lasting.

    Args:
        bones: the armature; placed: of it; up: (3,) away from the ground, armature space.
    """
    legs = [frozenset(bones.ancestors(bones.names[foot])) for foot in feet(bones, up)]
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
    """Numbers of the topmost bones and of those below them that all legs hang from.

    Args:
        bones: the armature; legs: the ways up from the feet.
    """
    top = frozenset(number for number, parent in enumerate(bones.parents.tolist()) if parent < 0)
    return top | legs[0].intersection(*legs[1:]) if len(legs) > 1 else top
