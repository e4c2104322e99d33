# SPDX-License-Identifier: GPL-3.0-or-later
"""The sole of a foot that carries a figure: flat on the ground while the ankle can bend, then on its ball."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import ikmath as ik
from ikmath.goals import Residual
from ikmath.model.figure_map import Kind

from .armature import Array, Flags, Indices
from .bone_map import BoneMap

_BENT: Final = np.radians(40.0)  # of a loaded ankle; the weight-bearing lunge test measures 38 to 45 degrees
_ALONG: Final = 0.9  # minimum cosine of the ankle's hinge with a bone axis, to use the rotation about that
_LIFT: Final = 0.4  # minimum share of the foot's length by which a small turn about the ball lifts its heel
_BEFORE: Final = 0.5  # share of the way from the ankle to the ball, beyond which a bone is a toe


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
    def of(cls, whole: BoneMap, foot: int) -> Sole | None:
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
        column: (E,) index of the coordinate that bends the ankle.
        start: (E,) its value in the pose that the drag starts from; an ankle bent by more may stay so.
    """

    def __init__(self, *, hinge: Indices, side: Array, column: Indices, start: Array, **told: Any) -> None:
        super().__init__(**told)
        self.space, self.mask = "target", [0, 1, 2]  # all axes count, and the error is in the target's axes
        self._own, self._hinge, self._side, self._column = np.arange(self.effectors), hinge, side, column
        self._most = side * np.maximum(_BENT, -side * start)

    def evaluate(self, pose: ik.Pose) -> Residual:
        """The error in the target's axes, about the hinge the smaller of both angles."""
        turned = super().evaluate(pose)
        error, stuck, room = self._angles(pose, turned)
        error[..., self._own, self._hinge] = np.where(stuck, room, error[..., self._own, self._hinge])

        def jacobian() -> Array:
            rows = turned.jacobian.reshape(*error.shape, -1)
            if stuck.any():
                bends = np.eye(pose.skeleton.n)[self._column]
                heel = rows[..., self._own, self._hinge, :]
                rows[..., self._own, self._hinge, :] = np.where(stuck[..., None], bends, heel)
            return rows.reshape(turned.jacobian.shape)

        return Residual(error.reshape(turned.error.shape), jacobian)

    def curvature(self, pose: ik.Pose, pull: Array, step: Array) -> Array:
        """See `Goal`; that of a coordinate is zero."""
        _, stuck, _ = self._angles(pose, super().evaluate(pose))
        turns = pull.reshape(self.effectors, 3).copy()
        turns[self._own[stuck], self._hinge[stuck]] = 0.0
        return super().curvature(pose, turns.ravel(), step)

    def _angles(self, pose: ik.Pose, turned: Residual) -> tuple[Array, Flags, Array]:
        """(*batch, E, 3) the error, (*batch, E) whether the ankle has no room for the heel, and its room."""
        error = turned.error.reshape(*pose.batch, self.effectors, 3)
        room = self._most + pose.q.take(self._column, -1)
        return error, self._side * room < self._side * error[..., self._own, self._hinge], room
