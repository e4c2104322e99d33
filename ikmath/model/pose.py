# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton at given coordinates, with its forward kinematics.

`Pose.forward` is the only way to make a pose, so positions, rotations and coordinates always belong together.
A pose never changes.

Velocities are kept as screws: coordinate i moves a point x of the figure by `w_i x x + v_i` (for a turn about
a through p: `w = a, v = p x a`; for a slide along a: `w = 0, v = a`). Every Jacobian is read off them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Index
from ..errors import BadValue
from ..rotation import Array, skew
from .forward_kinematics import SKEW_ROWS, OneFrame, forward_one
from .frame_points import FramePoints
from .many_frames import ManyFrames
from .skeleton import Skeleton
from .topology import Columns

_ALONG: Final = np.eye(3)[:, None]
Joints = str | int | Sequence[str] | Sequence[int] | Index


class Pose:
    """See the module. Make one with `Pose.forward`.

    Attributes:
        skeleton: the figure; q: (*batch, n) its coordinates, read-only.
    """

    skeleton: Skeleton
    q: Array
    batch: tuple[int, ...]
    _one: OneFrame | None
    _many: ManyFrames | None

    def __init__(self, *_given: object, **_named: object) -> None:
        raise TypeError("Make a pose with Pose.forward(skeleton, q).")

    @classmethod
    def forward(cls, skeleton: Skeleton, q: npt.ArrayLike) -> Pose:
        """Forward kinematics.

        Args:
            skeleton: the figure; q: (n,) or (*batch, n) coordinates, metres and radians; copied.

        Raises:
            BadShape: q does not have the figure's number of coordinates; BadValue: a value that is not a
                finite number.
        """
        arguments.of_kind(skeleton, Skeleton, "skeleton")
        array = arguments.coordinates(q, skeleton.n, "q", endless=True)
        if not np.isfinite(array).all():
            bad = int(np.argmax(~np.isfinite(array.reshape(-1, skeleton.n)).all(0)))
            raise BadValue(f"Coordinate {skeleton.coordinate_names[bad]!r}", "must be a finite number.")
        return cls.trusted(skeleton, arguments.frozen(array))

    @classmethod
    def trusted(cls, skeleton: Skeleton, q: Array) -> Pose:
        """As `forward` for solvers: q is a fresh, finite array of the right shape, never written to."""
        self = object.__new__(cls)
        self.skeleton = skeleton
        self.q = q
        self.batch = q.shape[:-1]
        self._one = self._many = None
        if not self.batch:
            self._one = forward_one(skeleton.topology, skeleton.constants, q)
        else:
            columns = np.ascontiguousarray(q.reshape(prod(self.batch), skeleton.n).T)
            self._many = skeleton.many_frames.at(columns)
        return self

    # ------------------------------------------------------------------ whole figure
    @property
    def rotation(self) -> Array:
        """(*batch, J, 3, 3) world rotations of the joints."""
        if self._one is not None:
            return self._one.rotation[:-1]
        return self._all.rotation.transpose(3, 2, 0, 1).reshape(*self.batch, len(self.skeleton), 3, 3)

    @property
    def position(self) -> Array:
        """(*batch, J, 3) world positions of the joints, metres."""
        if self._one is not None:
            return self._one.position
        return self._all.position.transpose(2, 1, 0).reshape(*self.batch, len(self.skeleton), 3)

    @property
    def _all(self) -> ManyFrames:
        if self._many is None:
            raise TypeError("This is a single pose, not a batch.")
        return self._many

    @cached_property
    def twists(self) -> Array:
        """(n, 6) the screws of one pose, w and v side by side."""
        if self._one is None:
            raise TypeError("This is a batch of poses, not a single one.")
        return self._one.twists(self.skeleton.topology)

    @cached_property
    def screws(self) -> tuple[Array, Array]:
        """(w, v) of every coordinate: (n, 3) each for one pose, (3, n, B) for many."""
        if self._one is not None:
            return self.twists[:, :3], self.twists[:, 3:]
        columns, many = self.skeleton.topology.every, self._all
        w = np.zeros((3, columns.count, many.position.shape[-1]))
        v = np.empty_like(w)
        turn, p = many.axes[:, columns.axes], many.position.take(columns.heads, 1)
        w[:, columns.turning] = turn
        v[:, columns.turning] = _cross(p, turn, np.empty_like(turn))
        if len(columns.heads) < columns.count:
            v[:, columns.sliding] = many.slide_axes[:, columns.slide_axes]
        return w, v

    # ------------------------------------------------------------------ points and frames of joints
    def point(self, joint: Joints, offset: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """World position of a point fixed to a joint: (*batch, 3), or (*batch, E, 3) for several joints."""
        points, which = self._bind(joint, offset)
        return np.asarray(self.points(points)[..., which, :])

    def frame(self, joint: Joints) -> Array:
        """World rotation of a joint: (*batch, 3, 3), or (*batch, E, 3, 3) for several."""
        points, which = self._bind(joint, (0.0, 0.0, 0.0))
        return np.asarray(self.frames(points)[..., which, :, :])

    def jacobian(self, joint: Joints, offset: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Derivative of `point` by q: (*batch, 3, n), or (*batch, E, 3, n) for several joints."""
        points, which = self._bind(joint, offset)
        jacobian = self.point_jacobian(points, self.points(points))
        return jacobian.reshape(*self.batch, points.count, 3, self.skeleton.n)[..., which, :, :]

    def rotation_jacobian(self, joint: Joints) -> Array:
        """Angular velocity of a joint's frame (world) by q: (*batch, 3, n) or (*batch, E, 3, n)."""
        points, which = self._bind(joint, (0.0, 0.0, 0.0))
        jacobian = self.turn_jacobian(points)
        return jacobian.reshape(*self.batch, points.count, 3, self.skeleton.n)[..., which, :, :]

    def _bind(self, joint: Joints, offset: npt.ArrayLike) -> tuple[FramePoints, int | slice]:
        """The points of one joint or several, and which of them are meant: the only one, or all."""
        if isinstance(joint, str) or not isinstance(joint, Iterable):
            return FramePoints(self.skeleton, [joint], offset), 0
        names = list(joint)
        if not names:
            raise BadValue("joint", "is empty; name at least one.")
        return FramePoints(self.skeleton, names, offset), slice(None)

    def points(self, points: FramePoints) -> Array:
        """World positions (*batch, E, 3) of bound points."""
        if self._one is not None:
            turned = np.matmul(self._one.rotation.take(points.joints, 0), points.offsets[:, :, None])
            return np.asarray(self._one.position.take(points.joints, 0) + turned[:, :, 0])
        many = self._all
        x = np.einsum("ijeb,ej->ieb", many.rotation.take(points.joints, 2), points.offsets)
        x += many.position.take(points.joints, 1)
        return np.asarray(x.transpose(2, 1, 0).reshape(*self.batch, points.count, 3))

    def frames(self, points: FramePoints) -> Array:
        """World rotations (*batch, E, 3, 3) of the joints that bound points are fixed to."""
        if self._one is not None:
            return self._one.rotation.take(points.joints, 0)
        many = self._all
        rotation = many.rotation.take(points.joints, 2)
        return rotation.transpose(3, 2, 0, 1).reshape(*self.batch, points.count, 3, 3)

    def point_jacobian(self, points: FramePoints, x: Array) -> Array:
        """Derivative of bound points that now are at x (*batch, E, 3): (*batch, 3 E, n).

        In memory the coordinates lie first for one pose and the frames innermost for many.
        """
        count = points.count
        if self._one is not None:
            rows: Array = self.twists.dot(carriage(x))
            for e, mask, carrier in points.cuts:
                w, v = self.screws
                head = skew(self._one.position[carrier])
                rows[mask, 3 * e : 3 * e + 3] = w[mask].dot(head) + v[mask]
            rows *= points.reach
            return rows.T
        every = self.skeleton.topology.every
        out = np.empty((3 * count, every.count, self._all.position.shape[-1]))
        self.point_block(points, x, np.arange(count), every, out)
        out *= points.reach.T[:, :, None]
        return out.transpose(2, 0, 1).reshape(*self.batch, 3 * count, self.skeleton.n)

    def point_block(self, points: FramePoints, x: Array, which: Index, columns: Columns, out: Array) -> None:
        """Derivative of some bound points by coordinates that move them, in many poses.

        Args:
            points: the points; x: (*batch, E, 3) where they are; which: (e,) of them;
            columns: c coordinates; out: (3 e, c, B), where to write it.
        """
        many, p = self._all, self._all.position
        place = x.reshape(-1, points.count, 3).transpose(2, 1, 0).take(which, 1)  # (3, e, B)
        arm = place[:, :, None] - p.take(columns.heads, 1)[:, None]
        for e, mask, carrier in points.cuts:
            own, number = np.flatnonzero(mask[columns.which][columns.turning]), np.flatnonzero(which == e)
            arm[:, number[:, None], own] = (p[:, carrier, None] - p[:, columns.heads[own]])[:, None]
        rows = out.reshape(len(which), 3, columns.count, p.shape[2])
        by_turns = rows[:, :, columns.turning].swapaxes(0, 1)
        _cross(many.axes[:, columns.axes][:, None], arm, by_turns)
        if not isinstance(columns.turning, slice):  # then numpy has copied
            rows[:, :, columns.turning] = by_turns.swapaxes(0, 1)
        if len(columns.heads) < columns.count:
            rows[:, :, columns.sliding] = many.slide_axes[:, columns.slide_axes]

    def turn_jacobian(self, points: FramePoints) -> Array:
        """Angular velocity of the joints of bound points by q: (*batch, 3 E, n)."""
        return self.turned_jacobian(points, np.tile(np.eye(3), (*self.batch, points.count, 1)))

    def turned_jacobian(self, points: FramePoints, rows: Array) -> Array:
        """`rows` (*batch, 3 E, 3), three for each bound point, times its joint's angular velocity by q.

        Returns:
            (*batch, 3 E, n), with memory as in `point_jacobian`.
        """
        if self._one is not None:
            turned: Array = self.screws[0].dot(rows.T)
            turned *= points.turn_reach
            return turned.T
        every, count = self.skeleton.topology.every, points.count
        out = np.empty((3 * count, every.count, self._all.position.shape[-1]))
        self.turned_block(rows.reshape(-1, 3 * count, 3), every, out)
        out *= points.turn_reach.T[:, :, None]
        return out.transpose(2, 0, 1).reshape(*self.batch, 3 * count, self.skeleton.n)

    def turned_block(self, rows: Array, columns: Columns, out: Array) -> None:
        """`rows` (B, r, 3) times the angular velocity that coordinates give those they turn, in many poses.

        Args:
            rows: see `turned_jacobian`; columns: c coordinates; out: (r, c, B), where to write it.
        """
        if len(columns.heads) < columns.count:
            out[:, columns.sliding] = 0.0
        factors = np.ascontiguousarray(rows.transpose(2, 1, 0))
        out[:, columns.turning] = np.einsum("irf,icf->rcf", factors, self._all.axes[:, columns.axes])


def carriage(x: Array) -> Array:
    """(6, 3 E) the map S from a screw to velocities of points x (E, 3): `(w, v) @ S = w x x + v`."""
    out = np.empty((6, len(x), 3))
    out[:3] = x.dot(SKEW_ROWS).reshape(-1, 3, 3).transpose(2, 0, 1)
    out[3:] = _ALONG
    return out.reshape(6, 3 * len(x))


def _cross(a: Array, b: Array, out: Array) -> Array:
    """The products a x b of (3, ...) each, into `out`, which is returned."""
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[j], b[k], out=out[i])
        out[i] -= a[k] * b[j]
    return out
