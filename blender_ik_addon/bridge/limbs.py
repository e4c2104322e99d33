# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of arms and legs that bend like hinges, the direction in which they do, and limits that keep it.

Skeletons of games and motion capture have no limits that would tell. The limbs are those that `ikmath` finds
among rows of bones. If the two bones of a limb are bent at rest, they bend in that direction; above a foot, a
knee bends towards the toes. The leg of an animal that walks on its toes is folded like a Z: knee and hock are
both hinges.
"""

from dataclasses import dataclass, fields
from typing import Final, Self

import numpy as np

import ikmath as ik
from ikmath import rotation
from ikmath.model.figure_map import FigureMap

from .armature import Array, Bones, Flags, Indices
from .space import applied

_BENT: Final = np.sin(np.radians(0.5))  # a limb that is straighter at rest has no direction of its own
POSED: Final = np.sin(np.radians(10.0))  # a larger bend in the animation defines the direction
_SQUARE: Final = 0.95  # minimum sine of a limb's hinge axis with the bone, to limit swings about it
# Ranges of a leg's bones about themselves, of a thigh and of a bone below a knee or a hock: slightly more
# than a person's hip and bent knee have.
_TWISTS: Final = np.radians(60.0), np.radians(30.0)
_BACKWARDS: Final = np.radians(10.0)  # a limb that starts bent backwards by less than this counts as straight


@dataclass(frozen=True)
class Limb:
    """Two bones with a hinge, and the bone at their end.

    Attributes:
        upper, lower: indices of the bones; end: of the bone after the lower one, -1 if there is none.
        axis: (3,) of the bend, in the axes of the upper bone; a unit vector.
        drawn: whether the limb is bent at rest; otherwise its direction comes from the feet.
        stands: whether it is a part of a leg.
        first, second: (3,) along the upper and the lower bone, each in its own axes; unit vectors.
    """

    upper: int
    lower: int
    end: int
    axis: Array
    drawn: bool
    stands: bool
    first: Array
    second: Array


def find_limbs(bones: Bones, kinds: FigureMap) -> tuple[Limb, ...]:
    """The limbs of an armature. In a limb folded like a Z, each joint counts as the middle of one.

    Joints with limits or locks are skipped, because these already define the bend.
    """
    told = (bones.use_ik_limit | bones.lock_ik | bones.lock_rotation).any(-1)
    limbs = []
    for limb, lower in ((one, low) for one in kinds.limbs for low in one.folds if not told[low]):
        row, stands = limb.row, limb.foot in kinds.feet
        place = row.index(lower)
        upper, end = row[place - 1], [*row, -1][place + 1]
        beyond = bones.heads[end] if end >= 0 else bones.tails[lower]
        first, second = unit(bones.heads[lower] - bones.heads[upper]), unit(beyond - bones.heads[lower])
        folded = np.cross(first, second)
        axis = kinds.hinge[lower] if kinds.hinge[lower].any() else unit(folded)
        if axis.any():
            into, out = (bones.rest[bone, :3, :3].T for bone in (upper, lower))
            drawn = float(np.linalg.norm(folded)) >= _BENT
            limbs.append(Limb(upper, lower, end, into @ axis, drawn, stands, into @ first, out @ second))
    return tuple(limbs)


def unit(way: Array) -> Array:
    """A direction (3,) with length one; zero stays zero."""
    return way / max(float(np.linalg.norm(way)), 1e-12)


def side_of_bend(bones: Bones, kinds: FigureMap, lower: str) -> Array:
    """(3,) direction in which the joint of a limb moves in a bend, in the lower bone's axes; Z if unknown."""
    for limb in find_limbs(bones, kinds):
        if bones.names[limb.lower] == lower:
            turned = bones.rest[limb.lower, :3, :3].T @ bones.rest[limb.upper, :3, :3]
            return np.asarray(turned @ np.cross(limb.first, limb.axis))
    return np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class LimbJoints:
    """The limbs of a figure whose bones turn freely; k of them.

    Attributes:
        upper, lower, end: (k,) joints; the end is -1 if it is not a joint.
        turns: (k, 3) indices of the lower joint's rotation coordinates.
        twists: (k, 2) indices of the coordinates that turn the upper and the lower bone about themselves.
        first: (k, 3) along the upper bone, second: along the lower one, axis: of the bend; unit vectors in
            the axes of the lower bone with zero rotation.
        stands: (k,) whether it is a part of a leg.
        least: (k,) cosine between a bend and the axis below which the bend is wrong; slight: (k,) sine of a
            bend that is too small to be wrong.
    """

    upper: Indices
    lower: Indices
    end: Indices
    turns: Indices
    twists: Indices
    first: Array
    second: Array
    axis: Array
    stands: Flags
    least: Array
    slight: Array

    def some(self, which: Flags) -> Self:
        """The limbs selected by flags (k,)."""
        return type(self)(*(getattr(self, column.name)[which] for column in fields(self)))

    def proper(self, q: Array) -> Array:
        """(k, 3) unit vectors of the bend axes, for a figure that starts from coordinates (n,).

        A limb that is clearly bent in the start keeps that axis.
        """
        bends, sines = self._bends(q)
        clear = sines > POSED
        return np.where(clear[:, None], bends / np.where(clear, sines, 1.0)[:, None], self.axis)

    def wrong(self, proper: Array, q: Array) -> Flags:
        """(k,) which limbs are bent the wrong way at coordinates (n,); with bend axes from `proper`."""
        bends, sines = self._bends(q)
        return (sines >= self.slight) & ((bends * proper).sum(1) < self.least * sines)

    def angles(self, second: Array) -> Array:
        """(k,) radians about the axes from `first` to others (k, 3), in the same axes."""
        across = (np.cross(self.first, second) * self.axis).sum(-1)
        return np.asarray(np.arctan2(across, (self.first * second).sum(-1)))

    def seconds(self, q: Array) -> Array:
        """(k, 3) unit vectors along the lower bones at coordinates (n,), in the same axes as `first`."""
        return applied(rotation.swing_twist_matrix(q.take(self.turns)), self.second)

    def _bends(self, q: Array) -> tuple[Array, Array]:
        """(k, 3) cross products of the bones' directions, and (k,) their lengths, the sines of the bends."""
        bends = rotation.cross(self.first, self.seconds(q))
        return bends, np.sqrt((bends * bends).sum(1))


class Hinges:
    """How limbs bend as hinges; k of them, of a figure whose coordinates belong to joints `owner` (n,).

    Limits are meant about an axis of the bone, turned about the bone so that it is the hinge's.

    Attributes:
        at_rest: (k,) radians, bend if the coordinates are 0.
        which: (k,) whether the hinge axis is square to the bone.
        bends: (k,) index of the coordinate whose limits bound the bend; sides: (k,) its sign.
        own: (k, n) 1.0 for the coordinates of the limb's joints, else 0.0.
    """

    def __init__(self, limbs: LimbJoints, owner: Indices) -> None:
        self._limbs = limbs
        swing, rows = limbs.axis[:, [0, 2]], np.arange(len(limbs.axis))
        size = np.linalg.norm(swing, axis=1)
        self.which: Flags = size > _SQUARE
        self._swings, self._axes = limbs.turns[:, [0, 2]], swing / np.maximum(size, 1e-12)[:, None]
        best = np.abs(swing).argmax(1)
        along, beside = self._axes[rows, best], self._axes[rows, 1 - best]
        self.bends, self._across = self._swings[rows, best], self._swings[rows, 1 - best]
        self.sides: Array = np.sign(along)
        self._aside = np.stack([-self.sides * beside, np.abs(along)], 1)  # what bends sideways, of both
        # from the nearest axis of the bone to the hinge's, about the bone
        self._turned = np.where(best == 0, -1.0, 1.0) * np.arctan2(self.sides * beside, np.abs(along))
        self.at_rest = limbs.angles(limbs.second)
        joints = np.stack([limbs.upper, limbs.lower, limbs.end], 1)
        self.own = (joints[:, :, None] == owner).any(1).astype(float)

    def bent(self, q: Array) -> Array:
        """(k,) radians by which the limbs are bent at coordinates (n,)."""
        return np.asarray(self.at_rest + (self._axes * q[self._swings]).sum(1))

    def bend(self, q: Array, rows: Indices, more: Array) -> None:
        """Bend some limbs by more (k,) radians at coordinates (n,), in place."""
        q[self._swings[rows]] += self._axes[rows] * more[:, None]

    def limited(self, skeleton: ik.Skeleton, q: Array, which: Flags, aside: Array | float) -> ik.Skeleton:
        """The skeleton with limits that keep some limbs from bending the wrong way, for a starting pose (n,).

        A limb that starts bent the wrong way is excepted, because a knee bent backwards by hand is intended.
        Those whose hinge axis is not square to the bone are skipped. They may bend sideways by `aside`,
        radians. The bones of legs may turn about themselves by `_TWISTS`.
        """
        backwards = self._limbs.angles(self._limbs.seconds(q)) < -_BACKWARDS
        now, straight = self.bent(q) - self.at_rest, -self.at_rest
        least = np.where(backwards, -np.inf, np.minimum(straight, now))
        most = np.where(backwards, np.maximum(straight, now), np.inf)
        rows = which & self.which
        lower, upper, turned = skeleton.lower.copy(), skeleton.upper.copy(), skeleton.limits_turned.copy()
        lower[self.bends[rows]] = np.where(self.sides > 0, least, -most)[rows]
        upper[self.bends[rows]] = np.where(self.sides > 0, most, -least)[rows]
        turned[self._limbs.lower[rows]] = self._turned[rows]
        across, room = self._across[rows], np.broadcast_to(aside, rows.shape)[rows]
        beside = (self._aside * q[np.stack([self.bends, self._across], 1)]).sum(1)[rows]
        lower[across], upper[across] = np.minimum(-room, beside), np.maximum(room, beside)
        unlimited = ~np.isfinite(skeleton.lower) & ~np.isfinite(skeleton.upper)
        for column, room in enumerate(_TWISTS):  # the lower bone of one limb may be the upper one of another
            twist = self._limbs.twists[rows & self._limbs.stands, column]
            twist = twist[unlimited[twist]]
            lower[twist], upper[twist] = np.minimum(-room, q[twist]), np.maximum(room, q[twist])
        return skeleton.with_limits(lower, upper, turned)
