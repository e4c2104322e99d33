# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the root of a figure moves along, where its setting is Automatic.

An effector on a hand or on one foot must not slide the figure through the room: the limb moves. Feet alone do
not move it either: they are held still under a body that keeps its motion, as where sliding feet of a clip
are mended. If something places the hips themselves, or a foot and a hand, only a root that moves can satisfy
all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

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
    topmost bone alone. The root moves for a bone of the trunk, and for two lasting ones whose branches part
    there, unless both are on legs.

    Args:
        bones: the armature; placed: of it; up: (3,) away from the ground, armature space.
    """
    legs = [bones.ancestors(bones.names[foot]) for foot in feet(bones, up)]
    trunk = _trunk(bones, legs)
    whole = [one for one in placed if not one.chain_root or bones.number(one.chain_root) in trunk]
    ways = {one.bone: bones.ancestors(one.bone) for one in whole}
    for name, way in ways.items():
        if way[0] in trunk:
            return (name,)
    lasting = dict.fromkeys(one.bone for one in whole if one.lasting)
    for one, two in combinations(lasting, 2):
        parting = _meeting_bone(ways[one], ways[two])
        if parting in trunk and not (_on_leg(ways[one], legs) and _on_leg(ways[two], legs)):
            return one, two
    return ()


def _trunk(bones: Bones, legs: Sequence[tuple[int, ...]]) -> frozenset[int]:
    """Numbers of the topmost bones and of those below them that all legs hang from.

    Args:
        bones: the armature; legs: the ways up from the feet.
    """
    top = frozenset(number for number, parent in enumerate(bones.parents.tolist()) if parent < 0)
    return top.union(set(legs[0]).intersection(*legs[1:])) if len(legs) > 1 else top


def _meeting_bone(one: Sequence[int], two: Sequence[int]) -> int:
    """The lowest bone above two bones, given the ways up from them; -1 if they are of separate trees."""
    above = set(two)
    return next((number for number in one if number in above), -1)


def _on_leg(way: Sequence[int], legs: Sequence[tuple[int, ...]]) -> bool:
    """Whether a bone below the trunk, given the way up from it, is part of a leg or hangs from a foot."""
    return any(way[0] in leg or leg[0] in way for leg in legs)
