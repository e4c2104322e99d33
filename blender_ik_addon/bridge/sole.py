# SPDX-License-Identifier: GPL-3.0-or-later
"""The sole of a foot that carries a figure: flat on the ground while the ankle can bend, then on its ball."""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

import ikmath as ik
from ikmath.goals import Residual
from ikmath.model.figure_map import Kind

from .armature import Array, Flags, Indices
from .bone_map import BoneMap

ANKLE_BENDS: Final = np.radians(40.0)
"""By which a loaded ankle bends at most; the weight-bearing lunge test measures 38 to 45 degrees."""
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
