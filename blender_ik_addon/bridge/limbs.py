# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of arms and legs that bend like hinges, and the direction in which they do.

Skeletons of games and motion capture have no limits that would tell. The limbs are those that `ikmath` finds
among rows of bones. If the two bones of a limb are slightly bent at rest, they bend in that direction; above
a foot, a knee bends towards the toes. The leg of an animal that walks on its toes is folded like a Z: knee
and hock are both hinges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ikmath.model.limb_rows import Rows, limbs_of

from .armature import UPRIGHT, Array, Bones

_BENT: Final = np.sin(np.radians(0.5))  # a limb that is straighter at rest has no direction of its own
_FOOT: Final = np.sin(np.radians(30.0))  # against the line of its limb; a straighter end bone is not a foot


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
class _Joint:
    """A joint of a limb at rest, armature space.

    Attributes:
        upper, lower, end: see `Limb`.
        first, second: (3,) from the head of each bone to that of the next one; unit vectors.
    """

    upper: int
    lower: int
    end: int
    first: Array
    second: Array

    def toes(self, bones: Bones) -> Array | None:
        """Direction of the foot at the end of the limb, perpendicular to the limb; None without a foot."""
        if self.end < 0:
            return None
        line = self.first + self.second
        line = line / np.linalg.norm(line)
        way = bones.rest[self.end, :3, 1]
        aside = way - line * (way @ line)
        length = float(np.linalg.norm(aside))
        return aside / length if length > _FOOT else None


def find_limbs(bones: Bones, up: Array = UPRIGHT) -> tuple[Limb, ...]:
    """The limbs of an armature. In a limb folded like a Z, each joint counts as the middle of one.

    Joints with limits or locks are skipped, because these already define the bend.
    """
    told = (bones.use_ik_limit | bones.lock_ik | bones.lock_rotation).any(-1)
    joints = [joint for joint in _joints(bones, up) if not told[joint.lower]]
    feet = [joint.toes(bones) for joint in joints]
    facing = sum((toes for toes in feet if toes is not None), np.zeros(3))
    limbs = []
    for joint, toes in zip(joints, feet, strict=True):
        axis, drawn = np.cross(joint.first, joint.second), True
        if float(np.linalg.norm(axis)) < _BENT:
            # knees bend towards the toes, elbows backwards
            axis, drawn = np.cross(toes if toes is not None else -facing, joint.first + joint.second), False
        length = float(np.linalg.norm(axis))
        if length > 1e-6:
            into, out = (bones.rest[bone, :3, :3].T for bone in (joint.upper, joint.lower))
            axis, first, second = into @ axis / length, into @ joint.first, out @ joint.second
            limbs.append(Limb(joint.upper, joint.lower, joint.end, axis, drawn, first, second))
    return tuple(limbs)


def side_of_bend(bones: Bones, lower: str, up: Array) -> Array:
    """(3,) direction in which the joint of a limb moves in a bend, in the lower bone's axes; Z if unknown."""
    for limb in find_limbs(bones, up):
        if bones.names[limb.lower] == lower:
            turned = bones.rest[limb.lower, :3, :3].T @ bones.rest[limb.upper, :3, :3]
            return np.asarray(turned @ np.cross(limb.first, limb.axis))
    return np.array([0.0, 0.0, 1.0])


def _joints(bones: Bones, up: Array) -> Sequence[_Joint]:
    """The joints of all limbs, the longest limbs first."""
    order, parents = bones.parents_first
    children: list[list[int]] = [[] for _ in parents]
    for row, parent in enumerate(parents.tolist()):
        if parent >= 0:
            children[parent].append(row)
    rows = Rows(parents, bones.heads[order], bones.tails[order], children)
    found = []
    for limb in limbs_of(rows, bones.extent, up / np.linalg.norm(up)):
        ways = rows.ways(limb.bones)
        ways /= np.maximum(np.linalg.norm(ways, axis=1), 1e-12)[:, None]
        chain = [*order[list(limb.bones)].tolist(), -1]
        found += [_Joint(*chain[low - 1 : low + 2], *ways[low - 1 : low + 1]) for low in limb.joints]
    return found
