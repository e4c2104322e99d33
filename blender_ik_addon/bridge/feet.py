# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that a figure stands on, and the bone that carries it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from .armature import Array, Bones, Matrices
from .standing import Stance

_FOOT: Final = re.compile(r"(?<![a-z])(fore|hind)?(foot|feet|paw|hoof|fuss|pied)(?![a-z])", re.IGNORECASE)
_WAY: Final = 0.25  # minimum distance of a foot from the root, as a share of the longest one
_MOST: Final = 0.8  # minimum share of the bones below the one that carries the figure


@dataclass(frozen=True)
class Footing:
    """The contacts of a figure with the ground in a pose.

    Attributes:
        feet: indices of the bones that stay in place.
        flat: those of them that lie flat on the ground; the others touch it with their tips and may turn.
        upright: whether the body is above them; False if it sits or lies on the ground, or without feet.
    """

    feet: tuple[int, ...]
    flat: frozenset[int]
    upright: bool


def feet(bones: Bones, up: Array) -> tuple[int, ...]:
    """Indices of the bones that a figure stands on in the rest pose.

    These are bones with names like "foot". If they do not carry the figure alone, for example because a cat
    has "hands" in front, the other ends of limbs on the ground are included. If a named bone is steep, as in
    animals that walk on their toes, the part below it on the ground counts. Of several bones in one chain the
    topmost counts.

    Args:
        bones: the armature; up: (3,) up direction, armature space.
    """
    rest = Stance(bones, bones.rest, up)
    named = _named(bones)
    called = {i for i in named if not set(named) & set(bones.ancestors(i)[1:])}
    found: set[int] = set()
    for number in called:
        own = [end for end in rest.ends if number in bones.ancestors(end)]
        steep = own and not rest.is_flat(number)
        found |= {rest.foot(end, number) for end in own} if steep else {number}
    if not called or (rest.ends and not rest.carried_by(called)):
        known = called | found
        others = [end for end in rest.ends if not known & set(bones.ancestors(end))]
        found |= {rest.foot(end) for end in others}
    return tuple(sorted(found))


def footing(bones: Bones, matrix: Matrices, up: Array) -> Footing:
    """The contacts in a pose: the feet, and other limbs that carry the figure.

    Args:
        bones: the armature; matrix: (B, 4, 4) of the pose; up: (3,) up direction; armature space.
    """
    own, now = set(feet(bones, up)), Stance(bones, matrix, up)
    planted = {number for end in now.ends for number in own & set(bones.ancestors(end))}
    if now.ends and not (planted and now.carried_by(planted)):
        free = [end for end in now.ends if not own & set(bones.ancestors(end))]
        others = {now.foot(end) for end in free}
        own = (own | others) if planted else others  # in a handstand the feet are in the air
    rest = Stance(bones, bones.rest, up)
    flat = {i for i in own if now.is_flat(i) or rest.is_flat(i) or _FOOT.search(_plain(bones.names[i]))}
    return Footing(tuple(sorted(own)), frozenset(flat), now.above(own) and not now.lies(own))


def carrier(bones: Bones, up: Array) -> int:
    """Index of the bone that carries a figure on its feet; -1 if it is simply the topmost one.

    Game characters have a parent bone of the hips on the ground, which places them in the world. It must not
    sink into the floor when the hips move down, so the hips move instead.

    Args:
        bones: the armature; up: (3,) up direction, armature space.
    """
    stands = [set(bones.ancestors(number)) for number in feet(bones, up)]
    if not stands:
        return -1
    size = np.zeros(len(bones), dtype=int)  # number of descendants, including the bone
    for name in bones.names:
        size[list(bones.ancestors(name))] += 1
    below, found = min(set.intersection(*stands), key=lambda i: -size[i], default=-1), -1
    while below >= 0:
        hung = np.flatnonzero(bones.parents == below)
        below = next(
            (i for i in hung.tolist() if size[i] >= _MOST * size[below] and all(i in way for way in stands)),
            -1,
        )
        if below >= 0 and not bones.connected[below] and not bones.lock_location[below].all():
            found = below
    return found


def _named(bones: Bones) -> list[int]:
    """Indices of the bones with a foot's name at the end of a leg.

    Game characters also have markers on the ground with such names; these do not count.
    """
    called = [number for number, name in enumerate(bones.names) if _FOOT.search(_plain(name))]
    steps = np.sqrt(((bones.heads - bones.heads[bones.parents]) ** 2).sum(-1))
    ways = {number: float(steps[list(bones.ancestors(number)[:-1])].sum()) for number in called}
    return [number for number in called if ways[number] >= _WAY * max(ways.values())]


def _plain(name: str) -> str:
    """A name with its words separated by spaces: "LeftFoot", "mixamorig:LeftFoot" and "foot.L" alike."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("_", " ")
