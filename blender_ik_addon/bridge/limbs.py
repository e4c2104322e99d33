# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms and legs among the bones, and which way their knees and elbows bend.

Most rigs say nothing of that: game and capture skeletons have no limits. But two long bones in a row that are
drawn slightly bent are drawn so because they bend that way, and above a foot a knee bends towards the toes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from .armature import Array, Bones

_ALIKE: Final = 0.65  # share of the longer bone's length that the shorter one of a limb has at least
_LONG: Final = 0.25  # of the figure's extent, that two bones of a limb have at least together
_TWIN: Final = 0.05  # by which the lengths of left and right may differ; a neck, a tail has no twin
_BENT: Final = np.radians(0.5)  # a limb that is drawn straighter than this does not say which way it bends
_FOOT: Final = np.radians(30.0)  # from the line of its limb; what lies straighter in it is no foot

_Pair = tuple[int, int, int, Array, Array]  # upper, lower, end, and the directions of both
_Lengths = tuple[float, float]


@dataclass(frozen=True)
class Limb:
    """Two bones and what hangs from them.

    Attributes:
        upper, lower: numbers of the bones; end: of the bone at the end of the lower one, -1 if there is none.
        axis: (3,) about which the lower bone bends, in the axes of the upper bone; a unit vector.
        drawn: the limb is bent at rest; otherwise the figure's feet told which way it bends.
        first, second: (3,) along the upper bone in its own axes, along the lower one in its own, to their
            ends; unit vectors.
    """

    upper: int
    lower: int
    end: int
    axis: Array
    drawn: bool
    first: Array
    second: Array


def find_limbs(bones: Bones) -> tuple[Limb, ...]:
    """The limbs of an armature whose middle joint nobody has limited or locked, which would say it better.

    Args:
        bones: the armature.
    """
    heads = bones.rest[:, :3, 3]
    tails = heads + bones.rest[:, :3, 1] * bones.length[:, None]
    size = float(np.ptp(np.concatenate([heads, tails]), axis=0).max())
    children: list[list[int]] = [[] for _ in bones.names]
    for number, above in enumerate(bones.parents.tolist()):
        if above >= 0:
            children[above].append(number)
    pairs: list[tuple[_Lengths, _Pair]] = []
    first = heads - heads[bones.parents]
    long_enough = np.sqrt((first * first).sum(-1)) > 0.3 * _LONG * size
    told = (bones.use_ik_limit | bones.lock_ik | bones.lock_rotation).any(-1)
    for lower in np.flatnonzero((bones.parents >= 0) & long_enough & ~told).tolist():
        going_on = [bone for bone in children[lower] if children[bone]] or children[lower]
        if len(going_on) > 1:
            continue  # a chest, a hand
        upper, end = int(bones.parents[lower]), going_on[0] if going_on else -1
        a, b = first[lower], (tails[lower] if end < 0 else heads[end]) - heads[lower]
        lengths = float(np.linalg.norm(a)), float(np.linalg.norm(b))
        if min(lengths) < _ALIKE * max(lengths) or sum(lengths) < _LONG * size:
            continue
        pairs.append((lengths, (upper, lower, end, a / lengths[0], b / lengths[1])))
    pairs = [it for it in pairs if any(_twins(bones, *it, *other) for other in pairs)]
    return _bending(bones, _apart(pairs))


def _apart(pairs: list[tuple[_Lengths, _Pair]]) -> list[_Pair]:
    """Pairs that share no bone, the longest first: upper arm and forearm, not shoulder and upper arm."""
    taken: set[int] = set()
    found = []
    for _, pair in sorted(pairs, key=lambda it: -sum(it[0])):
        if taken.isdisjoint(pair[:2]):
            found.append(pair)
            taken.update(pair[:2])
    return found


def _twins(bones: Bones, mine: _Lengths, pair: _Pair, lengths: _Lengths, other: _Pair) -> bool:
    """Whether two pairs of bones are equally long, and neither is above the other."""
    if not np.allclose(mine, lengths, rtol=_TWIN):
        return False
    above = bones.ancestors(bones.names[pair[1]]), bones.ancestors(bones.names[other[1]])
    return pair[0] not in above[1] and other[0] not in above[0]


def _bending(bones: Bones, pairs: list[_Pair]) -> tuple[Limb, ...]:
    """The limbs of which it can be told which way they bend."""
    feet = [_toes(bones, end, a + b) for _, _, end, a, b in pairs]
    facing = sum((toes for toes in feet if toes is not None), np.zeros(3))
    limbs = []
    for (upper, lower, end, a, b), toes in zip(pairs, feet, strict=True):
        axis, drawn = np.cross(a, b), True
        if float(np.linalg.norm(axis)) < np.sin(_BENT):
            # a knee goes where the toes point, an elbow where the back is
            axis, drawn = np.cross(toes if toes is not None else -facing, a + b), False
        length = float(np.linalg.norm(axis))
        if length > 1e-6:
            into, low = bones.rest[upper, :3, :3].T, bones.rest[lower, :3, :3].T
            limbs.append(Limb(upper, lower, end, into @ axis / length, drawn, into @ a, low @ b))
    return tuple(limbs)


def _toes(bones: Bones, end: int, line: Array) -> Array | None:
    """Which way a foot at the end of a limb points, square to the limb; None if there is no foot."""
    if end < 0:
        return None
    line = line / np.linalg.norm(line)
    way = bones.rest[end, :3, 1]
    aside = way - line * (way @ line)
    length = float(np.linalg.norm(aside))
    return aside / length if length > np.sin(_FOOT) else None
