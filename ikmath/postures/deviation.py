# SPDX-License-Identifier: GPL-3.0-or-later
"""Deviation of joints from a posture: rotation vectors, weighted by kind of joint and stiffness.

Let R be a joint's rotation in its parent's frame, and R0 that of the posture. The deviation `phi = log(R0^T
R)`, in the joint's axes, changes with the joint's angular velocity w by `phi' = Jr(phi)^-1 w`, the inverse of
the right Jacobian of the exponential, which is the left one's transpose (Sola, "A micro Lie theory", 2018,
eq. 144 to 146).

Hips of upright figures hardly turn backwards, their knees hardly bend the wrong way, and knees and fingers
fold only so far: what a joint turns beyond its range has a weight of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import atan2
from typing import Final

import numpy as np

from ..arrays import Index, Mask
from ..model.figure_map import FigureMap, Kind, Limb
from ..model.geometric_stiffness import Curvature, Loads
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..rotation import Array, log, log_and_derivative, log_curvature
from .parameters import PostureParameters

_HANGS: Final = 0.5  # cosine of the angle up to which a leg hangs down
_SAME: Final = 1e-3  # share of the figure's size; closer joints are in one place


@dataclass(frozen=True, eq=False)
class JointRanges:
    """How far hips turn backwards, and knees and fingers bend both ways, before that costs more."""

    which: Index  # (r,) index of each joint in `JointWeights.joints`
    axis: Array  # (r, 3) about which it turns, in the reference frame
    local: Array  # (r, 3, 3) its rotation in the pose in which the map was made
    room: Array  # (r, 2) radians that it may turn from that pose, back and on
    weight: Array  # (r,) per squared radian beyond

    @classmethod
    def of(
        cls,
        figure: FigureMap,
        parents: Index,
        joints: Index,
        frames: Array,
        local: Array,
        keeps: Array,
        parameters: PostureParameters,
    ) -> JointRanges:
        """The ranges of an upright figure's legs, and of fingers.

        Args:
            parents: (J,) of all joints; joints: (K,) rotating joints;
            frames, local: (K, 3, 3) rotations of their reference frames and of themselves in them, in the
                pose in which the map was made; keeps: (J,) factors of the weights.
        """
        found: list[tuple[int, Array, float, float]] = []  # joint, axis in the world, room back and on
        for limb in () if figure.on_fours else _hanging_legs(figure):
            upper, lower = limb.joints
            first, second = limb.long_bones(figure.heads, figure.tails)
            back = atan2(-first @ figure.forward, -first @ figure.up)
            axis = figure.hinge[lower]
            found.append((upper, figure.left, np.inf, parameters.hip_back - back))
            bent = _bend(first, second, axis)
            found.append((lower, axis, parameters.knee_back + bent, parameters.fold - bent))
        for j in figure.of_kind(Kind.FINGER):
            axis, above = figure.hinge[j], int(parents[j])
            if not axis.any():
                continue
            first, second = figure.heads[j] - figure.heads[above], figure.tails[j] - figure.heads[j]
            bent = _bend(first, second, axis)
            found.append((j, axis, parameters.finger_back + bent, parameters.finger_fold - bent))
        found = [one for one in found if one[0] in joints]
        owner = np.array([one[0] for one in found], dtype=np.intp)
        which = np.searchsorted(joints, owner)
        axis = np.array([one[1] for one in found]).reshape(-1, 3)
        axis = np.matmul(frames[which].swapaxes(1, 2), axis[:, :, None])[:, :, 0]
        room = np.array([one[2:] for one in found]).reshape(-1, 2)
        return cls(which, axis, local[which], room, parameters.beyond * keeps[owner])


@dataclass(frozen=True, eq=False)
class JointWeights:
    """The weights of the K rotating joints."""

    skeleton: Skeleton
    joints: Index  # (K,)
    above: Index  # (K,) reference joint of each, -1 for the world
    plain: Array  # (K, 3, 3) weights per squared radian in the joints' axes
    hinges: Array  # (K,) their reduction about `FigureMap.hinge`, which turns with the posture
    axes: Array  # (K, 3) these axes in the reference frame
    stiff: Array  # (K, 3) factors from the stiffness
    ranges: JointRanges  # of its legs and fingers
    turns: Index  # (t,) rotation coordinates of these joints
    which: Index  # (t,) index of the joint in `joints`
    place: Index  # (t,) 0, 1, 2 for the axis
    pairs: Index  # (p,) flat indices in (n, n) of pairs of coordinates of one joint
    flat: Index  # (p,) the same in (K, 3, 3)

    @classmethod
    def of(
        cls,
        skeleton: Skeleton,
        figure: FigureMap,
        pose: Pose,
        body: int,
        even: bool,
        keeps: Array,
        parameters: PostureParameters,
    ) -> JointWeights:
        """The weights of a figure.

        Args:
            pose: in which its map was made; body: the joint of which only the tilt counts;
            even: whether all joints have equal weights; keeps: (J,) factors of the weights.
        """
        turns = np.flatnonzero(skeleton.is_turn)
        joints = np.unique(skeleton.owner[turns])
        if not even:
            joints = joints[joints != body]
            turns = turns[np.isin(skeleton.owner[turns], joints)]
        above = np.where(skeleton.inherits[joints], skeleton.parents[joints], -1)
        which = np.searchsorted(joints, skeleton.owner[turns])
        place = skeleton.slot[turns] - 3
        weight = np.array([_weight(figure, j, even, parameters) for j in joints.tolist()]).reshape(-1)
        if not even:
            weight = np.where(_doubles(figure, skeleton.parents)[joints], parameters.double, weight)
        weight = weight * keeps[joints]
        frames = pose.rotation[above]
        frames[above < 0] = np.eye(3)
        axes = np.matmul(frames.swapaxes(1, 2), figure.hinge[joints][:, :, None])[:, :, 0]
        hinged = (axes != 0).any(1) & (not even)
        local = np.matmul(frames.swapaxes(1, 2), pose.rotation[joints])
        measured = joints[:0] if even else joints
        ranges = JointRanges.of(figure, skeleton.parents, measured, frames, local, keeps, parameters)
        stiff = np.ones((len(joints), 3))
        stiff[which, place] = 1.0 / np.sqrt(1.0 - skeleton.stiffness[turns])
        hinges = np.where(hinged, weight * (parameters.hinge_aside - 1.0), 0.0)
        plain = np.where(hinged, weight * parameters.hinge_aside, weight)[:, None, None] * np.eye(3)
        if not even:
            turned = pose.rotation[joints]
            hard = np.matmul(np.matmul(turned.swapaxes(1, 2), _hard_turns(figure)[joints]), turned)
            plain = plain + weight[:, None, None] * (parameters.hard_turn - 1.0) * hard
        same = which[:, None] == which[None]
        rows, columns = np.nonzero(same)
        flat = 9 * which[rows] + 3 * place[rows] + place[columns]
        pairs = skeleton.n * turns[rows] + turns[columns]
        return cls(
            skeleton, joints, above, plain, hinges, axes, stiff, ranges, turns, which, place, pairs, flat
        )


def _bend(first: Array, second: Array, axis: Array) -> float:
    """Radians about an axis (3,) from one bone (3,) to the next."""
    return atan2(np.cross(first, second) @ axis, first @ second - (first @ axis) * (second @ axis))


def _hanging_legs(figure: FigureMap) -> list[Limb]:
    """The legs under the body, not those that stick out, as a spider's."""
    legs = []
    for limb in figure.limbs:
        way, _ = limb.long_bones(figure.heads, figure.tails)
        if limb.foot in figure.feet and -way @ figure.up > _HANGS * np.linalg.norm(way):
            legs.append(limb)
    return legs


def _hard_turns(figure: FigureMap) -> Array:
    """(J, 3, 3) projections, in the world, onto the axes about which legs turn less easily."""
    hard = np.zeros((len(figure.heads), 3, 3))
    for leg in _hanging_legs(figure):
        way, _ = leg.long_bones(figure.heads, figure.tails)
        about_itself = np.outer(way, way) / (way @ way)
        hard[leg.joints[0]] = (
            np.eye(3) - np.outer(figure.left, figure.left) if figure.on_fours else about_itself
        )
    return hard


def _doubles(figure: FigureMap, parents: Index) -> Mask:
    """(J,) whether joints only carry appendages, in the place of the joint above, which turns for them."""
    hangs = np.isin(np.arange(len(parents)), figure.of_kind(Kind.APPENDAGE))
    length = np.linalg.norm(figure.tails - figure.heads, axis=1)
    apart, same = np.linalg.norm(figure.heads - figure.heads[parents], axis=1), _SAME * figure.size
    found: Mask = hangs & (apart < same) & (figure.reach > length + same)
    return found


def _weight(figure: FigureMap, joint: int, even: bool, parameters: PostureParameters) -> float:
    if even:
        return parameters.even_joint
    kind = figure.kinds[joint]
    if kind == Kind.ROOT and figure.body < 0:  # of a figure without a body, the root has no kind of its own
        kind = Kind.OTHER
    weight = parameters.weights(figure)[kind] * float(figure.row[joint])
    if kind == Kind.APPENDAGE:
        inertia = parameters.appendage * float(figure.reach[joint] / figure.size) ** 3
        return min(max(parameters.least_appendage, inertia), weight)
    return weight


@dataclass(frozen=True, eq=False)
class Deviations:
    """The deviation from one posture."""

    joints: JointWeights
    back: Array  # (K, 3, 3) transposed local rotations of the posture
    weight: Array  # (K, 3, 3) per squared radian
    ways: Array  # (r, 3) axes of the ranges, in the joints' axes
    room: Array  # (r, 2) radians that their joints may turn from the posture, back and on

    @classmethod
    def at(cls, joints: JointWeights, pose: Pose) -> Deviations:
        """Make the deviation from a pose."""
        back = _local(joints, pose).swapaxes(1, 2)
        axis = np.matmul(back, joints.axes[:, :, None])
        hinged = joints.hinges[:, None, None] * axis * axis.swapaxes(1, 2)
        weight = joints.stiff[:, :, None] * (joints.plain - hinged) * joints.stiff[:, None, :]
        ranges, own = joints.ranges, back[joints.ranges.which]
        ways = np.matmul(own, ranges.axis[:, :, None])[:, :, 0]
        turned = log(np.matmul(own, ranges.local))  # back to the pose in which the map was made
        on = (turned * ways).sum(1)
        room = np.maximum(ranges.room + np.stack([-on, on], 1), 0.0)  # a posture beyond keeps its own
        return cls(joints, np.ascontiguousarray(back), weight, ways, room)

    def turned(self, rotation: Array) -> Deviations:
        """The deviation from the posture rotated by (3, 3); joints with the world as reference rotate."""
        free: Mask = self.joints.above < 0
        if not free.any():
            return self
        back = self.back.copy()
        back[free] = back[free] @ rotation.T
        return replace(self, back=back)

    def _vectors(self, pose: Pose) -> tuple[Array, Callable[[], Array]]:
        """(K, 3) rotation vectors, radians; and what gives their derivatives, see `log_and_derivative`."""
        return log_and_derivative(np.matmul(self.back, _local(self.joints, pose)))

    def _pulled(self, phi: Array) -> tuple[Array, Array, float]:
        """(K, 3) half the gradient by rotation vectors (K, 3), its derivative (K, 3, 3), and the value."""
        pulled = np.matmul(self.weight, phi[:, :, None])[:, :, 0]
        value, ranges = float((pulled * phi).sum()), self.joints.ranges
        turn = (phi[ranges.which] * self.ways).sum(1)
        over = turn - np.clip(turn, -self.room[:, 0], self.room[:, 1])
        if not over.any():
            return pulled, self.weight, value
        weight, stiff = ranges.weight * (over != 0.0), self.weight.copy()
        pulled[ranges.which] += (weight * over)[:, None] * self.ways
        stiff[ranges.which] += weight[:, None, None] * self.ways[:, :, None] * self.ways[:, None, :]
        return pulled, stiff, value + float(weight @ over**2)

    def add(self, pose: Pose, gradient: Array, hessian: Array) -> float:
        """Add the derivatives to a gradient (n,) and a Gauss-Newton matrix (n, n); returns the value."""
        own = self.joints
        if not len(own.joints):
            return 0.0
        phi, derivative = self._vectors(pose)
        pulled, weight, value = self._pulled(phi)
        axes = self._axes(pose, pose.rotation.take(own.joints, 0))
        slopes = np.matmul(axes, derivative())
        half = slopes.copy()
        down = np.matmul(slopes, pulled[:, :, None])[:, :, 0]
        gradient[own.turns] += 2.0 * down[own.which, own.place]
        slopes *= 2.0
        squares = np.matmul(np.matmul(slopes, weight), half.swapaxes(1, 2))
        hessian.reshape(-1)[own.pairs] += squares.ravel().take(own.flat)
        return value

    def curvature(self, pose: Pose) -> Curvature:
        """What the Gauss-Newton matrix of `add` leaves out of the second derivative."""
        own, n = self.joints, self.joints.skeleton.n
        phi, derivative = self._vectors(pose)
        pulled = 2.0 * self._pulled(phi)[0]
        rotation = pose.rotation.take(own.joints, 0)
        axes = self._axes(pose, rotation)
        bent = np.matmul(np.matmul(axes, log_curvature(-phi, -pulled)), axes.swapaxes(1, 2))
        rest = np.zeros((n, n))
        rest.reshape(-1)[own.pairs] += bent.ravel().take(own.flat)
        down = np.matmul(derivative(), pulled[:, :, None])
        return Curvature(Loads.of(own.joints, inner=np.matmul(rotation, down)[:, :, 0]), rest)

    def _axes(self, pose: Pose, rotation: Array) -> Array:
        """(K, 3, 3) [k, c] the axis of the rotation c, in the axes of the joint with a rotation (K, 3, 3)."""
        axes = np.zeros((len(rotation), 3, 3))
        axes[self.joints.which, self.joints.place] = pose.screws[0][self.joints.turns]
        return np.asarray(np.matmul(axes, rotation))


def _local(joints: JointWeights, pose: Pose) -> Array:
    """(K, 3, 3) rotations of the joints in their reference frames."""
    own = pose.rotation.take(joints.joints, 0)
    above = pose.rotation.take(joints.above, 0)
    above[joints.above < 0] = np.eye(3)
    return np.asarray(np.matmul(above.swapaxes(1, 2), own))
