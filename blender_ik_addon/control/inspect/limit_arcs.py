# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits that are reached, as arcs and swing boundaries in world space.

The joint rotations are read from the bones that Blender has evaluated, without forward kinematics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation
from ikmath.model.joint_limits import JointLimits

from ...bridge.armature import Array, Flags, Floats, Indices
from ...bridge.skeleton import Figure
from ...bridge.space import Space, nearest_rotation

AT_LIMIT: Final = 1e-3  # radians; the precision of a pose in single precision
_STEPS: Final = 24  # chords of an arc
_RADIUS: Final = 0.4  # of an arc, as a share of its bone's length


@dataclass(frozen=True, eq=False)
class Limit:
    """A joint limit that is reached, with the curve on which a point of the bone can move.

    Attributes:
        bone: its name; axis: "x", "y", "z" of the bone, or "xz" for a swing that both limits bound.
        curve: (S, 3) world: the arc within the limits, or the boundary of the swing.
        place: (3,) the point, world; head: (3,) the joint, world.
    """

    bone: str
    axis: str
    curve: Array
    place: Array
    head: Array


def at_limits(skeleton: ik.Skeleton, q: Array) -> Flags:
    """Which coordinates (..., n) are at a limit; without those whose limits leave no room to turn."""
    room: Flags = skeleton.upper - skeleton.lower > AT_LIMIT
    return np.asarray(skeleton.joint_limits.at_limit(q, AT_LIMIT) & room)


class LimitedJoints:
    """The limited rotation coordinates of a figure, which are read again when it moves.

    Args:
        figure: in any pose.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure, skeleton = figure, figure.skeleton
        limited = np.isfinite(skeleton.lower) | np.isfinite(skeleton.upper)
        columns = np.flatnonzero(skeleton.is_turn & np.isin(skeleton.owner, skeleton.owner[limited]))
        joints, rows = np.unique(skeleton.owner[columns], return_inverse=True)
        slots, lower, upper = skeleton.slot[columns], skeleton.lower[columns], skeleton.upper[columns]
        self._columns = columns
        self._places = 3 * rows + slots - 3  # of the coordinates in a list of three rotations per joint
        self._joint_limits = JointLimits(rows, slots, lower, upper)
        self._roomy = upper - lower > AT_LIMIT
        self._bones: Indices = figure.plan.bone[joints]

    def standing(self, basis: Floats, matrix: Floats, space: Space) -> list[Limit]:
        """The limits that the joints are at; basis, matrix: (B, 4, 4) of the armature's bones now."""
        if not len(self._columns):
            return []
        turns = rotation.swing_twist_turns(nearest_rotation(basis[self._bones, :3, :3]))
        at = self._joint_limits.at_limit(turns.take(self._places), AT_LIMIT) & self._roomy
        if not np.count_nonzero(at):
            return []
        pairs = self._joint_limits.pairs
        single = at.copy()
        single[pairs] = False
        found = [(row, row) for row in np.flatnonzero(single).tolist()]
        found += [(x, z) for x, z in pairs.tolist() if at[x] or at[z]]
        own = (self._places // 3).tolist()
        return [
            self._limit(int(self._columns[x]), int(self._columns[z]), turns[own[x]], matrix, space)
            for x, z in found
        ]

    def _limit(self, x: int, z: int, now: Array, matrix: Floats, space: Space) -> Limit:
        """One limit, of a swing unless both columns are equal; now: (3,) the joint's rotation."""
        figure, joint = self.figure, int(self.figure.skeleton.owner[x])
        axis, turns = self._arc(x, now) if x == z else self._rim(x, z, now)
        place = matrix[figure.plan.bone[joint]].astype(float)
        # A swing moves the tip. A twist does not, so its curve is for a point beside the bone.
        long = (
            figure.bones.length[figure.plan.bone[joint]] * float(np.linalg.norm(place[:3, 1])) * space.scale
        )
        arm = _RADIUS * long * np.array([1.0, 0.0, 0.0] if axis == "y" else [0.0, 1.0, 0.0])
        frame, head = nearest_rotation(place[:3, :3]), place[:3, 3] * space.scale
        base = frame @ rotation.swing_twist_matrix(now).T
        ways = rotation.swing_twist_matrix(turns) @ arm
        return Limit(
            bone=figure.plan.names[joint],
            axis=axis,
            curve=space.point_out(head + ways @ base.T),
            place=space.point_out(head + frame @ arm),
            head=space.point_out(head),
        )

    def _arc(self, column: int, now: Array) -> tuple[str, Array]:
        """The axis, and the rotations (S, 3) of one coordinate between its limits."""
        skeleton = self.figure.skeleton
        turn = int(skeleton.slot[column]) - 3
        low, high = max(skeleton.lower[column], -np.pi), min(skeleton.upper[column], np.pi)
        turns = np.repeat(now[None], _STEPS + 1, 0)
        turns[:, turn] = np.linspace(low, high, _STEPS + 1)
        return "xyz"[turn], turns

    def _rim(self, x: int, z: int, now: Array) -> tuple[str, Array]:
        """The boundary of the swings within two limits: Blender's ellipses in the sines of half angles."""
        skeleton = self.figure.skeleton
        ends = np.stack([skeleton.lower[[x, z]], skeleton.upper[[x, z]]])
        free = ~np.isfinite(ends).all(0)
        if free.any():
            return self._arc(z if free[0] else x, now)
        low, high = np.sin(0.5 * np.clip(ends, -np.pi, np.pi))
        centre = np.clip(0.0, low, high)
        angle = np.linspace(0.0, 2.0 * np.pi, 2 * _STEPS + 1)
        way = np.stack([np.cos(angle), np.sin(angle)], 1)
        sine = centre + way * np.where(way > 0.0, high - centre, centre - low)
        size = np.maximum(np.sqrt((sine * sine).sum(1, keepdims=True)), 1e-12)
        turns = np.repeat(now[None], len(angle), 0)
        turns[:, [0, 2]] = sine / size * 2.0 * np.arcsin(np.minimum(size, 1.0))
        return "xz", turns
