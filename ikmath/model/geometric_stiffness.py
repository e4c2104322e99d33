# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometric stiffness: how the generalised forces of loads on a figure change as it moves.

A force F on a point x of the figure has the generalised forces `F . dx/dq`. Where the force keeps its size
and direction, their derivative `F . d2x/dq2` is the geometric stiffness, as structural mechanics calls it.
For a goal or a cost with the gradient F it is the part of the second derivative that Gauss and Newton leave
out.

If coordinate i is above coordinate j, it carries what j moves along: `d2x/dqi dqj = w_i x dx/dqj`. So
`K_ij = w_i . m_j`, where `m_j = sum over points of dx/dqj x F` needs only sums over all that j moves: of the
forces, and of `x F^T`. Coordinates of one ball joint are neither above nor below one another, and the axes of
its swing turn as it swings (`_turning_axes`).
"""

from __future__ import annotations

from typing import Final, NamedTuple, Self

import numpy as np

from ..arrays import Index
from ..rotation import Array, axial, cross, log_and_derivative, log_curvature
from .frame_points import FramePoints
from .pose import Pose

_SMALL: Final = 0.1  # radians; below it three terms of the series are as exact as the closed form


class Loads(NamedTuple):
    """Loads on joints of a figure, all (m, ...) in world axes.

    Attributes:
        joints: (m,) on which they act; force: (m, 3);
        second: (m, 3, 3) sums of `x F^T` over the points x at which the forces act; a direction d that is
            fixed to the joint, with the cost's gradient F by d, gives `d F^T` without a force;
        torque: (m, 3) on the joint's rotation in the world;
        inner: (m, 3) on its rotation against the joint that carries it.
    """

    joints: Index
    force: Array
    second: Array
    torque: Array
    inner: Array

    @classmethod
    def of(cls, joints: Index, **given: Array) -> Self:
        """Loads by their names; those that are not given are zero."""
        none, square = np.zeros((len(joints), 3)), np.zeros((len(joints), 3, 3))
        return cls(joints, **({"force": none, "second": square, "torque": none, "inner": none} | given))

    @classmethod
    def on_points(cls, joints: Index, x: Array, force: Array) -> Self:
        """Forces (m, 3) on points x (m, 3) of joints (m,)."""
        return cls.of(joints, force=force, second=x[:, :, None] * force[:, None, :])

    def along_with(self, other: Loads) -> Loads:
        """Both."""
        return Loads(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))

    def scaled(self, factor: float) -> Loads:
        """All multiplied by a factor."""
        return Loads(self.joints, *(factor * part for part in self[1:]))


class Curvature(NamedTuple):
    """A second derivative by the coordinates."""

    loads: Loads  # whose geometric stiffness is in it
    rest: Array  # (n, n) what there is besides, symmetric

    def along_with(self, other: Curvature) -> Curvature:
        """The sum."""
        return Curvature(self.loads.along_with(other.loads), self.rest + other.rest)

    def scaled(self, factor: float) -> Curvature:
        """Multiplied by a factor."""
        return Curvature(self.loads.scaled(factor), factor * self.rest)

    def matrix(self, pose: Pose) -> Array:
        """(n, n) at the pose that it was made at."""
        return geometric_stiffness(pose, self.loads) + self.rest


def turned_curvature(pose: Pose, points: FramePoints, turn: Array, torque: Array) -> Curvature:
    """Second derivative of the rotation vectors of m joints' turns (m, 3, 3), by torques (m, 3), added up."""
    vectors, derivative = log_and_derivative(turn)
    loads = Loads.of(points.joints, torque=np.matmul(torque[:, None, :], derivative())[:, 0])
    axes = pose.turn_jacobian(points).T.reshape(pose.skeleton.n, -1, 3)
    bent = np.matmul(axes.swapaxes(0, 1), log_curvature(vectors, torque))
    return Curvature(loads, np.tensordot(bent, axes, ((0, 2), (1, 2))))


def geometric_stiffness(pose: Pose, loads: Loads) -> Array:
    """(n, n) derivative of the loads' generalised forces by the coordinates, symmetric, at a single pose."""
    skeleton, topology = pose.skeleton, pose.skeleton.topology
    own = np.zeros((topology.count, 18))
    flat = [loads.force, loads.second.reshape(-1, 9), loads.torque, loads.inner]
    np.add.at(own, loads.joints, np.concatenate(flat, 1))
    force = topology.above.T.dot(own[:, :3])
    along = topology.above
    if len(topology.cuts):  # what hangs on a joint that does not turn along is carried as that joint's head
        along = topology.turned_along
        heads = pose.position[topology.cuts][:, :, None] * force[topology.cuts][:, None, :]
        np.add.at(own[:, 3:12], skeleton.parents[topology.cuts], heads.reshape(-1, 9))
    sums = along.T.dot(own[:, 3:15])
    second, torque, owner = sums[:, :9].reshape(-1, 3, 3), sums[:, 9:], skeleton.owner
    w, v = pose.screws
    # moments of what each coordinate moves, `(sum of x F^T - its trace) w + v x f`
    spread = second.copy()
    spread[:, (0, 1, 2), (0, 1, 2)] -= np.einsum("jii->j", second)[:, None]
    moment = np.matmul(spread.take(owner, 0), w[:, :, None])[:, :, 0]
    moment += cross(v, force.take(owner, 0))
    # the two derivatives of a rotation vector, in either order, differ by half of this each
    turned = moment + 0.5 * cross(w, torque.take(owner, 0))
    out = w.dot(turned.T) * topology.coordinates_above
    out += out.T
    pairs = topology.coordinates_beside
    about_head = -axial(second) - cross(pose.position, force) + torque + own[:, 15:]
    between = (w[pairs.rows] * moment[pairs.columns]).sum(1)
    out[pairs.rows, pairs.columns] = 0.5 * (between + between[pairs.swapped])
    out[pairs.rows, pairs.columns] += _turning_axes(pose, about_head)
    return np.asarray(out)


def _turning_axes(pose: Pose, torque: Array) -> Array:
    """(p,) half of `torque . (dw_a/dq_b + dw_b/dq_a)` for the pairs (a, b) of `Topology.coordinates_beside`.

    The axes of a swing s are the columns of the left Jacobian `A I + B [s]x + C s s^T` of the exponential in
    the joint's rest frame, and the twist turns about what the swing has made of the joint's y axis.
    """
    skeleton, topology = pose.skeleton, pose.skeleton.topology
    pairs, w = topology.coordinates_beside, pose.screws[0]
    out = np.zeros(len(pairs.rows))
    swing, twist = pairs.swing_of_twist, pairs.twist
    turned = cross(w[swing], w[twist])  # the swing carries the twist's axis
    out[pairs.twisted] = 0.5 * (turned * torque[skeleton.owner[twist]]).sum(1)
    joints = pairs.swinging
    if not len(joints):
        return out
    frames = np.concatenate([pose.rotation, np.eye(3)[None]]).take(topology.turn_parent[joints], 0)
    frames = np.matmul(frames, skeleton.rest_rotation[joints])
    pull = np.matmul(torque[joints][:, None, :], frames)[:, 0]
    coordinates = skeleton.fixed.copy()
    coordinates.ravel()[topology.flat] = pose.q
    s = coordinates[joints, 3:] * (1.0, 0.0, 1.0)
    own_c, by_a, by_b, by_c = _swing_series((s * s).sum(1))
    crossed, whole = cross(pull, s), (pull * s).sum(1)  # pull . (s x e) = e . (pull x s)
    lever = 0.5 * (by_a + own_c)[:, None] * pull + 0.5 * by_b[:, None] * crossed
    bent = s[:, :, None] * lever[:, None, :]
    bent += bent.swapaxes(1, 2) + (by_c * whole)[:, None, None] * (s[:, :, None] * s[:, None, :])
    bent[:, (0, 1, 2), (0, 1, 2)] += (own_c * whole)[:, None]
    out[pairs.swung] = bent.ravel()[pairs.entries]
    return out


def _swing_series(square: Array) -> tuple[Array, Array, Array, Array]:
    """C of the left Jacobian, and the derivatives of A, B, C by t over t, for squared angles t^2 (m,)."""
    small = square < _SMALL * _SMALL
    near, t2 = np.where(small, square, 0.0), np.where(small, 1.0, square)
    t = np.sqrt(t2)
    cosine, a = np.cos(t), np.sin(t) / t
    b, c = (1.0 - cosine) / t2, (1.0 - a) / t2
    return (
        np.where(small, 1.0 / 6.0 - near / 120.0 + near * near / 5040.0, c),
        np.where(small, -1.0 / 3.0 + near / 30.0 - near * near / 840.0, (cosine - a) / t2),
        np.where(small, -1.0 / 12.0 + near / 180.0 - near * near / 6720.0, (a - 2.0 * b) / t2),
        np.where(small, -1.0 / 60.0 + near / 1260.0 - near * near / 60480.0, (b - 3.0 * c) / t2),
    )
