# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds arms and legs among the bones, and the direction in which their joints bend.

Skeletons of games and motion capture have no limits that would tell. But a limb has a mirrored twin and two
long bones in a row, while flexible parts (tails, tentacles, ears) have many bones. If the two bones are
slightly bent at rest, they bend in that direction; above a foot, a knee bends towards the toes. The leg of an
animal that walks on its toes is folded like a Z: knee and hock are both hinges.

Limbs are sought on branches: sequences of bones that continue each other. If several bones have the same
parent, for example the next bone of an arm and helpers for twist, feathers and sleeves, one of them continues
the branch. If fingers branch from a hand, none does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from .armature import Array, Bones

_ALIKE: Final = 0.65  # minimum length of a limb's shorter bone, as a share of the longer one
_MANY: Final = 5  # with this many similar bones in a row they are not a limb, unless it is folded
_MOST: Final = 9  # with this many parts in a row they are never a limb
_NEARLY: Final = 0.95  # share of the longest pair's length; a clavicle may be as long as an arm
_SHARE: Final = 0.25  # minimum length of two bones, as a share of the longest limb; fingers have less
_LEAST: Final = 0.08  # the same as a share of the figure's extent; ears and cheeks have less
_TWIN: Final = 0.05  # tolerance for the lengths of left and right; necks and tails have no twin
_BENT: Final = np.radians(0.5)  # a limb that is straighter at rest has no direction of its own
_FOLDED: Final = np.sin(np.radians(15.0)), 0.9  # sine of a clear bend, cosine of two opposite ones
_FOLD: Final = 0.5  # like _ALIKE, for folded bones
_FOOT: Final = np.radians(30.0)  # angle from the line of its limb; a straighter end bone is not a foot
_AT: Final = 0.1  # share of a bone's length, from its tail, within which a continuing bone starts
_FARTHER: Final = 1.5  # the continuing child must reach this many times as far as the other ones


@dataclass(frozen=True, eq=False)
class Branch:
    """Bones that continue each other; n of them.

    Attributes:
        bones: (n,) their indices; ways: (n, 3) from each head to the next one, for the last bone to its tail,
            armature space; lengths: (n,) of these vectors.
    """

    bones: tuple[int, ...]
    ways: Array
    lengths: Array

    def below(self, place: int) -> int:
        """Index of the bone after the one at a place, -1 if there is none."""
        return self.bones[place + 1] if place + 1 < len(self.bones) else -1


@dataclass(frozen=True)
class Limb:
    """Two bones with a hinge, and the bone at their end.

    Attributes:
        upper, lower: indices of the bones; end: of the bone after the lower one, -1 if there is none.
        axis: (3,) of the bend, in the axes of the upper bone; a unit vector.
        drawn: whether the limb is bent at rest; otherwise its direction comes from the feet.
        first, second: (3,) along the upper and the lower bone, each in its own axes; unit vectors.
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
    """Bones of a branch in one line, for example a thigh and its twist bone.

    Attributes:
        top, last: places of its first and last bone in the branch; length: from head to end.
    """

    top: int
    last: int
    length: float


@dataclass(frozen=True)
class _Found:
    """The joints of a branch that bend in one direction, if it is a limb.

    Attributes:
        branch: of the armature; joints: places in it of the bones below the joints, the main one first.
        depth: number of ancestors; lengths: of the parts above and below the first joint.
    """

    branch: Branch
    joints: tuple[int, ...]
    depth: int
    lengths: tuple[float, float]


def find_limbs(bones: Bones) -> tuple[Limb, ...]:
    """The limbs of an armature. In a limb folded like a Z, each joint counts as the middle of one.

    Joints with limits or locks are skipped, because these already define the bend.
    """
    least = _LEAST * bones.extent
    found = [it for branch in branches(bones, least) if (it := _look_at(bones, branch))]
    found = [it for it in found if any(_are_twins(it, other) for other in found if other is not it)]
    long = max(_SHARE * max((sum(it.lengths) for it in found), default=0.0), least)
    found = sorted((it for it in found if sum(it.lengths) >= long), key=lambda it: -sum(it.lengths))
    told = (bones.use_ik_limit | bones.lock_ik | bones.lock_rotation).any(-1)
    joints = [(it.branch, low) for it in found for low in it.joints if not told[it.branch.bones[low]]]
    return _bending(bones, joints)


def side_of_bend(bones: Bones, lower: str) -> Array:
    """(3,) direction in which the joint of a limb moves in a bend, in the lower bone's axes; Z if unknown."""
    for limb in find_limbs(bones):
        if bones.names[limb.lower] == lower:
            turned = bones.rest[limb.lower, :3, :3].T @ bones.rest[limb.upper, :3, :3]
            return np.asarray(turned @ np.cross(limb.first, limb.axis))
    return np.array([0.0, 0.0, 1.0])


def _look_at(bones: Bones, branch: Branch) -> _Found | None:
    """The joints of a branch that could be a limb, None if it cannot."""
    ways = branch.ways / np.maximum(branch.lengths, 1e-12)[:, None]
    bends = np.cross(ways[:-1], ways[1:])
    single = [_Part(k, k, length) for k, length in enumerate(branch.lengths.tolist())]
    # parts, and the lengths of pairs of similar parts
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
    depth = int(bones.depth[branch.bones[upper.last]])
    return _Found(branch, joints, depth, (upper.length, lower.length))


def _in_line(branch: Branch, bends: Array) -> list[_Part]:
    """The parts of a branch; bones in one line are combined."""
    starts = [0, *(np.flatnonzero(np.linalg.norm(bends, axis=1) >= np.sin(_BENT)) + 1).tolist()]
    stops = [*starts[1:], len(branch.bones)]
    return [
        _Part(top, stop - 1, float(branch.lengths[top:stop].sum()))
        for top, stop in zip(starts, stops, strict=True)
    ]


def _pairs(parts: Sequence[_Part]) -> list[float]:
    """Lengths of pairs of successive parts, 0 if they are not similar."""
    return [a.length + b.length if _are_alike(a, b) else 0.0 for a, b in pairwise(parts)]


def _folded(parts: Sequence[_Part], bends: Array, middle: int) -> tuple[int, ...]:
    """Places in the branch: the joint below part `middle`, and its neighbours in a limb folded like a Z."""
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
    """The number of similar parts in a row around two of them."""
    count = 2
    for step in (-1, 1):
        now = middle + step
        while 0 <= now < len(parts) - 1 and _are_alike(parts[now], parts[now + 1]):
            count, now = count + 1, now + step
    return count


def _are_alike(a: _Part, b: _Part, share: float = _ALIKE) -> bool:
    return min(a.length, b.length) >= share * max(a.length, b.length) > 0.0


def _are_twins(one: _Found, other: _Found) -> bool:
    """Whether two limbs have the same depth in the tree and the same lengths."""
    return one.depth == other.depth and np.allclose(one.lengths, other.lengths, rtol=_TWIN)


def _bending(bones: Bones, joints: Sequence[tuple[Branch, int]]) -> tuple[Limb, ...]:
    """The limbs with a known bend direction, of branches with the place of the bone below a joint."""
    feet = [_toes(bones, branch, low) for branch, low in joints]
    facing = sum((toes for toes in feet if toes is not None), np.zeros(3))
    limbs = []
    for (branch, low), toes in zip(joints, feet, strict=True):
        a, b = branch.ways[low - 1 : low + 1] / branch.lengths[low - 1 : low + 1, None]
        upper, lower = branch.bones[low - 1 : low + 1]
        axis, drawn = np.cross(a, b), True
        if float(np.linalg.norm(axis)) < np.sin(_BENT):
            # knees bend towards the toes, elbows backwards
            axis, drawn = np.cross(toes if toes is not None else -facing, a + b), False
        length = float(np.linalg.norm(axis))
        if length > 1e-6:
            into, out = bones.rest[upper, :3, :3].T, bones.rest[lower, :3, :3].T
            axis = into @ axis / length
            limbs.append(Limb(upper, lower, branch.below(low), axis, drawn, into @ a, out @ b))
    return tuple(limbs)


def _toes(bones: Bones, branch: Branch, low: int) -> Array | None:
    """Direction of a foot at the end of a limb, perpendicular to the limb; None without a foot."""
    end = branch.below(low)
    if end < 0:
        return None
    line = (branch.ways[low - 1 : low + 1] / branch.lengths[low - 1 : low + 1, None]).sum(0)
    line /= np.linalg.norm(line)
    way = bones.rest[end, :3, 1]
    aside = way - line * (way @ line)
    length = float(np.linalg.norm(aside))
    return aside / length if length > np.sin(_FOOT) else None


def branches(bones: Bones, least: float = 0.0) -> list[Branch]:
    """The branches of an armature with a minimum length, in its units; no bone is in two branches."""
    after = _going_on(bones)
    found = []
    for number in sorted(set(range(len(bones))).difference(after.values())):
        row = [number]
        while (following := after.get(row[-1], -1)) >= 0:
            row.append(following)
        ways = np.diff(np.concatenate([bones.heads[row], bones.tails[row[-1:]]]), axis=0)
        lengths = np.sqrt((ways * ways).sum(-1))
        if lengths.sum() >= least:
            found.append(Branch(tuple(row), ways, lengths))
    return found


def _going_on(bones: Bones) -> dict[int, int]:
    """Maps each bone to the one that continues it, if there is one."""
    above, rows = bones.parents, np.arange(len(bones))
    children: dict[int, list[int]] = {}
    for number in rows[above >= 0].tolist():
        children.setdefault(int(above[number]), []).append(number)
    from_head, from_tail = (
        np.sqrt(((bones.heads - ends[above]) ** 2).sum(-1)).tolist() for ends in (bones.heads, bones.tails)
    )
    reach = bones.length.tolist()  # from each head to the farthest tip, along the bones
    for level in reversed(bones.levels):
        for number in level.tolist():
            reach[number] = max(
                [reach[number], *(from_head[it] + reach[it] for it in children.get(number, ()))]
            )
    after = {}
    for number, hung in children.items():
        close = [it for it in hung if from_tail[it] <= _AT * bones.length[number]]
        carrying = sorted(
            (it for it in hung if it in children), key=lambda it: from_head[it] + reach[it], reverse=True
        )
        far = [from_head[it] + reach[it] for it in carrying]
        if len(hung) == 1:
            after[number] = hung[0]
        elif len(close) == 1:
            after[number] = close[0]
        elif len(far) == 1 or (len(far) > 1 and far[0] >= _FARTHER * far[1]):
            after[number] = carrying[0]
    return after
