# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that a figure stands on, their soles, and the bone that carries it, from its map and its bones.

The ground is not given. But the lowest bones touch it, and in a standing figure the middle is above them and
the trunk is off the ground. A fish, for example, does not stand on its fins, though they are lowest.

The sole of a foot that carries a figure is flat on the ground while the ankle can bend, then on its ball.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np

import ikmath as ik
from ikmath.goals import Residual
from ikmath.model.figure_kinds import Kind

from .armature import Array, Bones, Flags, Indices, Matrices
from .bone_map import BoneMap

_FOOT: Final = re.compile(r"(?<![a-z])(fore|hind)?(foot|feet|paw|hoof|fuss|pied)(?![a-z])", re.IGNORECASE)
_WAY: Final = 0.25  # minimum distance of a foot from the root, as a share of the longest one
_CLOSE: Final = 0.06  # share of the figure's size; height above the lowest point that counts as touching
_LEAN: Final = 0.1  # share of the height of its middle that a figure may lean beyond its contacts
_HIGH: Final = 0.25  # share of the figure's size; shorter limbs, for example fingers, must carry most of it
_LYING: Final = 0.8  # share of a limb on the ground above which it is not a foot or a supporting forearm
_SLOPE: Final = 0.71  # sine of 45 degrees; a foot whose bone is steeper stands on its toes
_HEELED: Final = 0.87  # that of 60 degrees, for those with arms: high heels and boots raise the ankle so far
_AROUND: Final = 2.0 * np.pi * np.arange(32) / 32
_WAYS: Final = np.stack([np.cos(_AROUND), np.sin(_AROUND)])

ANKLE_BENDS: Final = np.radians(40.0)
"""By which a loaded ankle bends at most; the weight-bearing lunge test measures 38 to 45 degrees."""
_ALONG: Final = 0.9  # minimum cosine of the ankle's hinge with a bone axis, to use the rotation about that
_LIFT: Final = 0.4  # minimum share of the foot's length by which a small turn about the ball lifts its heel
_BEFORE: Final = 0.5  # share of the way from the ankle to the ball, beyond which a bone is a toe


class Stance:
    """The bones of a figure in one pose (B, 4, 4); limbs are given by the indices of their end bones."""

    def __init__(self, whole: BoneMap, matrix: Matrices) -> None:
        self.bones = bones = whole.bones
        self._mass, self._upward = whole.mass, whole.kinds.up
        self._level = np.linalg.svd(self._upward[None])[2][1:].T  # two horizontal directions in columns
        self._heads = matrix[:, :3, 3].astype(float)
        self._tails = self._heads + matrix[:, :3, 1].astype(float) * bones.length[:, None]
        # heights
        self._head, self._tail = self._heads @ self._upward, self._tails @ self._upward
        self._low = np.minimum(self._head, self._tail)
        ends = np.setdiff1d(np.arange(len(bones)), bones.parents)
        self._ground = float(self._low[ends].min())
        self._close = self._ground + _CLOSE * bones.extent  # up to which a point touches the ground
        low = [end for end in ends.tolist() if self._low[end] <= self._close and not self.is_control(end)]
        self.touching = tuple(end for end in low if whole.kinds.kinds[end] is not Kind.APPENDAGE)
        self._has_only_arms = bool(whole.kinds.limbs) and not whole.kinds.feet
        has_arms = Kind.SHOULDER in whole.kinds.kinds and not whole.kinds.on_fours
        self._slope = _HEELED if has_arms else _SLOPE

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Indices of the end bones on which the figure stands; empty if it lies, leans or floats."""
        return self.touching if self.stands_on({self.foot(end) for end in self.touching}) else ()

    def stands_on(self, limbs: Collection[int]) -> bool:
        """Whether some limbs, two at least, carry the figure, and it does not lie on the ground."""
        if len(limbs) < 2 or self._has_only_arms:
            return False
        return not self.lies(limbs) and self.carried_by(limbs)

    def lies(self, limbs: Collection[int]) -> bool:
        """Whether the bone that carries some limbs is on the ground, or connected to a bone there."""
        body = self._where_meet(limbs)
        while body >= 0 and self.bones.connected[body] and self._head[body] > self._close:
            body = int(self.bones.parents[body])
        return body >= 0 and bool(self._head[body] <= self._close)

    def above(self, limbs: Collection[int]) -> bool:
        """Whether the bone that carries some limbs is higher than the lowest of them."""
        body = self._where_meet(limbs)
        return body >= 0 and bool(
            self._head[body] > self._low[list(limbs)].min() + _CLOSE * self.bones.extent
        )

    def carried_by(self, limbs: Collection[int]) -> bool:
        """Whether the middle of the figure is above the ground contacts of some limbs."""
        body, length, mass = self._where_meet(limbs), self.bones.length, self._mass
        if body < 0:
            return False
        high = self._head[body] > self._ground + _HIGH * self.bones.extent
        hung = self.bones.nearest(np.array([body])) >= 0
        if not high and length[hung].sum() < 0.5 * length.sum():
            return False
        own = self.bones.nearest(np.array(sorted(limbs)))
        middle = mass @ (0.5 * (self._heads + self._tails))
        lowest = np.full(len(limbs), np.inf)
        np.minimum.at(lowest, own[own >= 0], self._low[own >= 0])
        near = np.append(lowest, -np.inf)[own] + _CLOSE * self.bones.extent
        touching = np.concatenate([self._heads[self._head <= near], self._tails[self._tail <= near]])
        lean = _LEAN * float(middle @ self._upward - self._ground)
        reach = (touching @ self._level @ _WAYS).max(0, initial=-np.inf)
        return bool((middle @ self._level @ _WAYS <= reach + lean).all())

    def foot(self, end: int, top: int = -1) -> int:
        """Index of the topmost bone, up to `top`, that is on the ground with an end bone, or of the end bone.

        An octopus's arm on the ground is not a foot; only its end counts.
        """
        meeting = self._where_meet(self.touching)
        trunk = self.bones.ancestors(meeting) if meeting >= 0 else ()
        limb = [number for number in self.bones.ancestors(end) if number not in trunk]
        flat = [end]
        for above in limb[1:]:
            if flat[-1] == top or not self.is_flat(above):
                break
            flat.append(above)
        lengths = self.bones.length
        return end if lengths[flat].sum() > _LYING * lengths[limb].sum() else flat[-1]

    def is_control(self, number: int) -> bool:
        """Whether a bone hangs from nothing above the ground, for example one that moves a foot."""
        return bool((self._head[list(self.bones.ancestors(number))] <= self._close).all())

    def is_flat(self, number: int) -> bool:
        """Whether a bone is on the ground, or slopes gently down to it, for example from an ankle."""
        if self._head[number] <= self._close:
            return True
        way = self._tails[number] - self._heads[number]
        down, long = abs(float(way @ self._upward)), float(np.linalg.norm(way))
        return bool(self._tail[number] <= self._close and down < self._slope * long)

    def _where_meet(self, limbs: Collection[int]) -> int:
        """The common ancestor of limbs; for a single limb the topmost bone; -1 if there is none."""
        ways = [self.bones.ancestors(limb) for limb in limbs]
        if len(ways) == 1:
            return ways[0][-1]
        shared = set(ways[0]).intersection(*ways) if ways else set()
        return max(shared, key=lambda number: int(self.bones.depth[number]), default=-1)


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


def feet(whole: BoneMap) -> tuple[int, ...]:
    """Indices of the bones that a figure stands on in the rest pose.

    These are bones with names like "foot", and the ends of its other legs if it stands on its legs. If they
    do not carry it alone, as in a kangaroo, the other ends on the ground are included. If such a bone is
    steep, as in animals that walk on their toes, the part below it on the ground counts. Of several bones in
    one chain the topmost counts.
    """
    bones, legs = whole.bones, whole.kinds.feet
    rest = Stance(whole, bones.rest)
    named = [number for number in _named(bones) if not rest.is_control(number)]
    called = {i for i in named if not set(named) & set(bones.ancestors(i)[1:])}
    ends = rest.ends
    if rest.stands_on(legs):
        begin, ends = {limb.joints[0] for limb in whole.kinds.limbs}, rest.touching
        called = {i for i in called if begin & set(bones.ancestors(i))}  # others are controls
        along = {i for name in called for i in bones.ancestors(name)}
        called |= {leg for leg in legs if leg not in along and called.isdisjoint(bones.ancestors(leg))}
    found: set[int] = set()
    for number in called:
        own = [end for end in ends if number in bones.ancestors(end)]
        steep = own and not rest.is_flat(number)
        found |= {rest.foot(end, number) for end in own} if steep else {number}
    if not called or (rest.ends and not rest.carried_by(called)):
        known = called | found
        others = [end for end in rest.ends if not known & set(bones.ancestors(end))]
        found |= {rest.foot(end) for end in others}
    return tuple(sorted(found))


def footing(whole: BoneMap, matrix: Matrices) -> Footing:
    """The contacts in a pose (B, 4, 4), armature space: the feet, and other limbs that carry the figure."""
    bones, own, now = whole.bones, set(feet(whole)), Stance(whole, matrix)
    planted = {number for end in now.ends for number in own & set(bones.ancestors(end))}
    if now.ends and not (planted and now.carried_by(planted)):
        free = [end for end in now.ends if not own & set(bones.ancestors(end))]
        others = {now.foot(end) for end in free}
        own = (own | others) if planted else others  # in a handstand the feet are in the air
    rest = Stance(whole, bones.rest)
    flat = {i for i in own if now.is_flat(i) or rest.is_flat(i) or _FOOT.search(_plain(bones.names[i]))}
    return Footing(tuple(sorted(own)), frozenset(flat), now.above(own) and not now.lies(own))


def carrier(whole: BoneMap) -> int:
    """Index of the bone that carries a figure; -1 if it is simply the topmost one.

    Game characters have a parent bone of the hips on the ground, which places them in the world. It must not
    sink into the floor when the hips move down, so the hips move instead.
    """
    bones, body = whole.bones, whole.kinds.body
    way = bones.ancestors(body)[:-1] if body >= 0 else ()
    return next((i for i in way if not bones.connected[i] and not bones.lock_location[i].all()), -1)


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


@dataclass(frozen=True)
class Sole:
    """A foot whose heel can rise.

    Attributes:
        ball: (3,) in the axes of the foot's bone; toes: indices of the bones that begin there.
        hinge: axis of the bone about which the ankle bends, 0 for X or 2 for Z.
        side: sign of the rotation about it that lifts the heel; the ankle bends the other way.
    """

    ball: Array
    toes: tuple[int, ...]
    hinge: int
    side: float

    @classmethod
    def of(cls, whole: BoneMap, foot: int) -> Self | None:
        """That of a bone; None if it is no foot below a knee, or no turn about its axes lifts the heel."""
        bones, kinds = whole.bones, whole.kinds
        limb = next((limb for limb in kinds.limbs if limb.end == foot), None)
        if limb is None or kinds.kinds[foot] != Kind.ANKLE:
            return None
        frame, ball = bones.rest[foot, :3, :3], whole.ends[foot]
        knee = kinds.hinge[limb.joints[-1]]  # turned like a bending knee, the foot lifts its heel
        axis, lift = knee @ frame, np.cross(frame @ ball, knee) @ kinds.up
        hinge = int(np.abs(axis).argmax())
        locked = bones.lock_ik[foot, hinge] or bones.lock_rotation[foot, hinge]
        if hinge == 1 or abs(axis[hinge]) < _ALONG or locked or lift < _LIFT * np.linalg.norm(ball):
            return None
        below = np.flatnonzero(bones.parents == foot)
        along = (bones.heads[below] - bones.heads[foot]) @ frame @ ball
        toes = tuple(below[along > _BEFORE * float(ball @ ball)].tolist())
        return cls(ball, toes, hinge, float(np.sign(axis[hinge])))


class FlatFoot(ik.Orientation):
    """A foot that stays as it is turned, and rises at its heel only while its ankle is bent as far as it can.

    About the hinge either the heel is down or the ankle has no room: the smaller of the heel's angle and the
    room of the ankle should be zero. So no weight between the two has to be found.

    Args:
        joint, target, weight, priority: see `ik.Orientation`.
        hinge, side: (E,) of the soles.
        column: (E,) index of the coordinate that bends the ankle; most: (E,) radians by which it can.
    """

    kind = "Orientation"

    def __init__(self, *, hinge: Indices, side: Array, column: Indices, most: Array, **told: Any) -> None:
        super().__init__(**told)
        self._hinge, self._side, self._column, self._most = hinge, side, column, most

    def evaluate(self, pose: ik.Pose) -> Residual:
        """The error, about the hinge the smaller of both angles."""
        turned = super().evaluate(pose)
        stuck, missing = self._stuck(pose, turned)
        if not stuck.any():
            return turned
        axes, shape = self._axes, (*stuck.shape, 3)
        error = turned.error.reshape(shape) + np.where(stuck, missing, 0.0)[..., None] * axes

        def jacobian() -> Array:
            rows = turned.jacobian.reshape(*shape, -1)
            bends = np.eye(pose.skeleton.n)[self._column] - (axes[..., None] * rows).sum(-2)
            change = np.where(stuck[..., None], bends, 0.0)
            return (rows + axes[..., None] * change[..., None, :]).reshape(turned.jacobian.shape)

        return Residual(error.reshape(turned.error.shape), jacobian)

    def curvature(self, pose: ik.Pose, pull: Array, step: Array) -> Array:
        """See `Goal`; that of a coordinate is zero."""
        stuck, _ = self._stuck(pose, super().evaluate(pose))
        turns = pull.reshape(self.effectors, 3)
        about = np.where(stuck, (turns * self._axes).sum(-1), 0.0)
        return super().curvature(pose, (turns - about[:, None] * self._axes).ravel(), step)

    @property
    def _axes(self) -> Array:
        """(E, 3) the hinges in the world while the feet are turned as their targets."""
        return self.target[np.arange(self.effectors), :, self._hinge]

    def _stuck(self, pose: ik.Pose, turned: Residual) -> tuple[Flags, Array]:
        """(*batch, E) whether an ankle has no room for the heel; by how much its room exceeds the angle."""
        angle = (turned.error.reshape(*pose.batch, self.effectors, 3) * self._axes).sum(-1)
        missing = self._side * self._most + pose.q.take(self._column, -1) - angle
        return self._side * missing < 0.0, missing
