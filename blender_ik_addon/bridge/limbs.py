# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms and legs among the bones, and which way their joints bend.

Most rigs do not say: skeletons of games and motion capture have no limits. But a limb has a twin and two long
bones in a row. What bends everywhere has many: a tail, an octopus's arm, an ear. Two such bones that are
drawn slightly bent bend that way, and above a foot a knee bends towards the toes. A leg that stands on its
toes is folded like a Z: knee and hock both are hinges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from .armature import Array, Bones
from .branches import Branch, branches

_ALIKE: Final = 0.65  # share of the longer bone's length that the shorter one of a limb has at least
_MANY: Final = 5  # bones alike in a row, from which on they are no limb unless it is folded
_MOST: Final = 9  # parts in a row, from which on they are none in any case
_NEARLY: Final = 0.95  # as long as the longest pair; a clavicle may be as long as an arm
_SHARE: Final = (
    0.25  # of the figure's longest limb, that two bones of another have at least; fingers have less
)
_LEAST: Final = 0.08  # of the figure's extent, that they have at least; ears and cheeks have less
_TWIN: Final = 0.05  # by which the lengths of left and right may differ; a neck, a tail has no twin
_BENT: Final = np.radians(0.5)  # a limb drawn straighter than this has no direction of its own
_FOLDED: Final = np.sin(np.radians(15.0)), 0.9  # sine of a clear bend, cosine of two opposite ones
_FOLD: Final = 0.5  # as _ALIKE, of bones that are folded
_FOOT: Final = np.radians(30.0)  # from the line of its limb; what lies straighter in it is no foot


@dataclass(frozen=True)
class Limb:
    """Two bones and what hangs from them.

    Attributes:
        upper, lower: numbers of the bones; end: of the bone at the end of the lower one, -1 if there is none.
        axis: (3,) about which the lower bone bends, in the axes of the upper bone; a unit vector.
        drawn: the limb is bent at rest; otherwise its direction comes from the figure's feet.
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


@dataclass(frozen=True)
class _Part:
    """Bones of a branch in one line, as a thigh with a bone for its twist.

    Attributes:
        top, last: places in the branch of its outermost bones; length: from head to end.
    """

    top: int
    last: int
    length: float


@dataclass(frozen=True)
class _Found:
    """The joints of a branch that bend one way, if it is a limb.

    Attributes:
        branch: of the armature; joints: places in it of the bones below them, the most telling one first.
        depth: number of bones above; lengths: of the parts above and below the first joint.
    """

    branch: Branch
    joints: tuple[int, ...]
    depth: int
    lengths: tuple[float, float]


def find_limbs(bones: Bones) -> tuple[Limb, ...]:
    """The limbs of an armature; of one that is folded like a Z each joint counts as the middle of a limb.

    Joints with limits or locks are left out: these define how the joint bends.

    Args:
        bones: the armature.
    """
    least = _LEAST * _extent(bones)
    found = [it for branch in branches(bones, least) if (it := _look_at(bones, branch))]
    found = [it for it in found if any(_are_twins(it, other) for other in found if other is not it)]
    long = max(_SHARE * max((sum(it.lengths) for it in found), default=0.0), least)
    found = sorted((it for it in found if sum(it.lengths) >= long), key=lambda it: -sum(it.lengths))
    told = (bones.use_ik_limit | bones.lock_ik | bones.lock_rotation).any(-1)
    joints = [(it.branch, low) for it in found for low in it.joints if not told[it.branch.bones[low]]]
    return _bending(bones, joints)


def side_of_bend(bones: Bones, lower: str) -> Array:
    """(3,) where the joint above a limb's lower bone goes in a bend, in that bone's axes; Z if unknown."""
    for limb in find_limbs(bones):
        if bones.names[limb.lower] == lower:
            turned = bones.rest[limb.lower, :3, :3].T @ bones.rest[limb.upper, :3, :3]
            return np.asarray(turned @ np.cross(limb.first, limb.axis))
    return np.array([0.0, 0.0, 1.0])


def _look_at(bones: Bones, branch: Branch) -> _Found | None:
    """What of a branch would be a limb, if it has a twin."""
    ways = branch.ways / np.maximum(branch.lengths, 1e-12)[:, None]
    bends = np.cross(ways[:-1], ways[1:])
    single = [_Part(k, k, length) for k, length in enumerate(branch.lengths.tolist())]
    # parts, and the lengths of those two by two, where they are alike
    rows = [(parts, _pairs(parts)) for parts in (_in_line(branch, bends), single)]
    parts, pairs = max(rows, key=lambda row: max(row[1], default=0.0))
    longest = max(pairs, default=0.0)
    if longest == 0.0 or len(rows[0][0]) >= _MOST:
        return None
    middle = max(k for k, length in enumerate(pairs) if length >= _NEARLY * longest)
    joints = _folded(parts, bends, middle)
    if len(joints) == 1 and _alike_around(parts, middle) >= _MANY:
        return None
    upper, lower = parts[middle : middle + 2]
    depth = len(bones.ancestors(bones.names[branch.bones[upper.last]]))
    return _Found(branch, joints, depth, (upper.length, lower.length))


def _in_line(branch: Branch, bends: Array) -> list[_Part]:
    """The bones of a branch, those that lie in one line taken together."""
    starts = [0, *(np.flatnonzero(np.linalg.norm(bends, axis=1) >= np.sin(_BENT)) + 1).tolist()]
    stops = [*starts[1:], len(branch.bones)]
    return [
        _Part(top, stop - 1, float(branch.lengths[top:stop].sum()))
        for top, stop in zip(starts, stops, strict=True)
    ]


def _pairs(parts: Sequence[_Part]) -> list[float]:
    """Lengths of all parts with the next one together, 0 where they are not alike."""
    return [a.length + b.length if _are_alike(a, b) else 0.0 for a, b in pairwise(parts)]


def _folded(parts: Sequence[_Part], bends: Array, middle: int) -> tuple[int, ...]:
    """The joint below part `middle`, and those next to it about which the limb is folded like a Z.

    Returns:
        Places in the branch of the bones below them.
    """
    joints = [parts[middle + 1].top]
    tells, opposite = _FOLDED
    for step in (-1, 1):
        now = middle
        while 0 <= (other := now + step) < len(parts) - 1 and _are_alike(
            parts[other], parts[other + 1], _FOLD
        ):
            one, two = bends[parts[now].last], bends[parts[other].last]
            sizes = float(np.linalg.norm(one)), float(np.linalg.norm(two))
            if min(sizes) < tells or one @ two > -opposite * sizes[0] * sizes[1]:
                break
            joints.append(parts[other + 1].top)
            now = other
    return tuple(joints)


def _alike_around(parts: Sequence[_Part], middle: int) -> int:
    """How many parts in a row are each as long as the next, around two of them."""
    count = 2
    for step in (-1, 1):
        now = middle + step
        while 0 <= now < len(parts) - 1 and _are_alike(parts[now], parts[now + 1]):
            count, now = count + 1, now + step
    return count


def _are_alike(a: _Part, b: _Part, share: float = _ALIKE) -> bool:
    return min(a.length, b.length) >= share * max(a.length, b.length) > 0.0


def _are_twins(one: _Found, other: _Found) -> bool:
    """Whether two limbs hang equally deep in the tree and are equally long."""
    return one.depth == other.depth and np.allclose(one.lengths, other.lengths, rtol=_TWIN)


def _extent(bones: Bones) -> float:
    """Of the figure at rest, along the axis along which it is largest."""
    heads = bones.rest[:, :3, 3]
    tails = heads + bones.rest[:, :3, 1] * bones.length[:, None]
    return float(np.ptp(np.concatenate([heads, tails]), axis=0).max())


def _bending(bones: Bones, joints: Sequence[tuple[Branch, int]]) -> tuple[Limb, ...]:
    """The limbs with a known direction of bending.

    Args:
        bones: the armature; joints: branches, and the place in each of the bone below a joint.
    """
    feet = [_toes(bones, branch, low) for branch, low in joints]
    facing = sum((toes for toes in feet if toes is not None), np.zeros(3))
    limbs = []
    for (branch, low), toes in zip(joints, feet, strict=True):
        a, b = branch.ways[low - 1 : low + 1] / branch.lengths[low - 1 : low + 1, None]
        upper, lower = branch.bones[low - 1 : low + 1]
        axis, drawn = np.cross(a, b), True
        if float(np.linalg.norm(axis)) < np.sin(_BENT):
            # a knee goes where the toes point, an elbow where the back is
            axis, drawn = np.cross(toes if toes is not None else -facing, a + b), False
        length = float(np.linalg.norm(axis))
        if length > 1e-6:
            into, out = bones.rest[upper, :3, :3].T, bones.rest[lower, :3, :3].T
            axis = into @ axis / length
            limbs.append(Limb(upper, lower, branch.below(low), axis, drawn, into @ a, out @ b))
    return tuple(limbs)


def _toes(bones: Bones, branch: Branch, low: int) -> Array | None:
    """Which way a foot at the end of a limb points, square to the limb; None if there is no foot."""
    end = branch.below(low)
    if end < 0:
        return None
    line = (branch.ways[low - 1 : low + 1] / branch.lengths[low - 1 : low + 1, None]).sum(0)
    line /= np.linalg.norm(line)
    way = bones.rest[end, :3, 1]
    aside = way - line * (way @ line)
    length = float(np.linalg.norm(aside))
    return aside / length if length > np.sin(_FOOT) else None
