# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that look or point at a place: heads, eyes, lamps, barrels.

A position or an orientation would constrain a head too much that should only look at a place. Aiming leaves
the turn about the line of sight and the distance free. The error is the missing turn, `e = t a`: the angle t
between the direction and the way to the target, about the axis a perpendicular to both. Unlike the difference
of the two directions it is largest when the target is behind, where that difference has no slope. The error
is perpendicular to the direction, so it has two components, along two axes fixed to the bone. These change
smoothly with it.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Index
from ..model.forward_kinematics import SKEW_ROWS
from ..model.pose import Pose
from ..model.residual import Residual, blocks, outer, readiest, unit_vectors, with_slack
from ..rotation import Array, across
from .base import Effectors, Names

_TINY: Final = 1e-300  # keeps the angle of no turn from being exactly zero
_SMALL: Final = 1e-8  # squared sine below which the slope of t / sin t is a constant to double precision
_NEARLY: Final = 1e-2  # squared sine below which a target behind has formulas of its own
_STRAIGHT: Final = 1e-8  # sine below which the axis of a turn is only rounding
_LEAST: Final = 1e-4  # sine that a target nearly behind is taken to have; a turn about that way costs 1/sine
_HERE: Final = 1e-9  # metres; a target nearer than this to the eye has no direction
_IDENTITY: Final = np.eye(3)
_SKEW: Final = -SKEW_ROWS  # d @ _SKEW = [d]x, row after row


class Aim(Effectors):
    """A direction fixed to each effector's joint should point at its target.

    A target at the start of the direction counts as met, since it has no direction.

    Args:
        joint: a joint's name, or several names.
        target: (*batch, 3) for one name, (*batch, E, 3) for several; the places to aim at, world, metres.
            Several may share one, (3,) or (*batch, 1, 3).
        offset: (3,) or (E, 3) where the direction starts, in the joint's own frame, metres.
        direction: (3,) or (E, 3) the direction, in the joint's own frame, of any length but zero.
        weight, priority, name: see `Goal`.
        slack: half the opening of the cone inside which the goal costs nothing, radians.
    """

    kind: str = "Aim"
    targets: ClassVar[Mapping[str, int]] = {"target": 2}
    unit: str = "rad"
    rows: int = 2

    def __init__(
        self,
        joint: Names,
        target: npt.ArrayLike,
        offset: npt.ArrayLike = (0.0, 0.0, 0.0),
        direction: npt.ArrayLike = (0.0, 1.0, 0.0),
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        slack: float = 0.0,
        name: str | None = None,
    ) -> None:
        self._hold(joint, offset)
        self._begin(self.joints, weight, priority, name)
        self.target = self._shared(target, "target")
        what = f"direction of {self.describe()}"
        self.direction = unit_vectors(self._each(direction, what), what)
        self.slack = arguments.number(slack, f"slack of {self.describe()}", least=0)
        self.across = across(self.direction)  # (E, 2, 3), in the joint's frame

    def evaluate(self, pose: Pose) -> Residual:
        points, count = self.points_at(pose), self.effectors
        x = pose.points(points)
        way = (self.target - x).reshape(-1, 3)
        far = np.sqrt((way * way).sum(1))
        here = far < _HERE
        far = np.where(here, 1.0, far)
        u = way / far[:, None]
        frames = pose.frames(points)
        d = np.matmul(frames, self.direction[:, :, None]).reshape(-1, 3)
        d_cross = d.dot(_SKEW).reshape(-1, 3, 3)
        c = np.matmul(u[:, None], d_cross)[:, 0]  # u x d
        square, cosine = (c * c).sum(1), (u * d).sum(1)
        sine = np.sqrt(square + _TINY)
        angle = np.arctan2(sine, cosine)
        # e = f c with f = t / sin t, whose slope by cos t is g
        f = (angle / sine)[:, None]
        g = (np.where(square > _SMALL, (angle * cosine - sine) / (square * sine + _TINY), -1 / 3))[:, None]
        error = f * c
        gc = g * c
        turning = f[:, :, None] * (cosine[:, None, None] * _IDENTITY - outer(d, u)) - outer(gc, c)
        moving = f[:, :, None] * (d_cross + outer(c, u))
        moving -= outer(gc, d - cosine[:, None] * u)
        behind = (cosine < 0.0) & (square < _NEARLY)
        if behind.any():
            which = np.flatnonzero(behind)
            axis = self._axes(pose, c, d, sine, which)
            error[which] = axis * angle[which, None]
            turning[which], moving[which] = _from_behind(axis, u[which], d[which], angle[which], sine[which])
        moving /= far[:, None, None]
        if here.any():
            error[here] = turning[here] = moving[here] = 0.0
        # the axes of its components turn with the bone: d (b . e) = b . (de + e x w)
        turning += error.dot(_SKEW).reshape(-1, 3, 3)
        axes = np.matmul(self.across, frames.swapaxes(-1, -2))
        flat = np.matmul(axes.reshape(-1, 2, 3), error[:, :, None]).reshape(*pose.batch, 2 * count)
        whole = pose.turned_jacobian(points, turning.reshape(*pose.batch, 3 * count, 3))
        whole += blocks(moving.reshape(*pose.batch, count, 3, 3), pose.point_jacobian(points, x))
        jacobian = blocks(axes, whole)
        return with_slack(flat, jacobian, self.slack, count)

    def _axes(self, pose: Pose, c: Array, d: Array, sine: Array, which: Index) -> Array:
        """Axes of the turns of `which`, of all frames' effectors, whose targets are behind."""
        # if the target is straight behind, every way round is as short: they turn the way that costs least
        out: Array = c[which] / sine[which, None]
        turn = None
        for row, i in zip(out, which.tolist(), strict=True):
            if sine[i] < _STRAIGHT:
                if turn is None:
                    turn = pose.turn_jacobian(self.points(pose.skeleton)).reshape(len(d), 3, -1)
                row[:] = readiest(turn[i], square_to=d[i])
        return out


def _from_behind(axis: Array, u: Array, d: Array, angle: Array, sine: Array) -> tuple[Array, Array]:
    """Derivatives (m, 3, 3) of `angle * axis` by angular velocity and by motion of the eye times distance.

    In parts along the axis and perpendicular to it, since near half a turn the whole is a difference of large
    numbers: `(a a^T + g (a x u)(a x d)^T) w + (a (a x u)^T - g (a x d) a^T) dx`.
    """
    ends = np.cross(axis, np.stack([d, u]))
    growth = (angle / np.maximum(sine, _LEAST))[:, None]
    turning = outer(axis, axis) + outer(growth * ends[1], ends[0])
    return turning, outer(axis, ends[1]) - outer(growth * ends[0], axis)
