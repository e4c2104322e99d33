# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint limits that are reached, as arcs and swing boundaries in world space.

The joint rotations are read from the bones that Blender has evaluated, without forward kinematics.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation

from ...bridge.armature import Array, Flags, Floats
from ...bridge.skeleton import Figure
from ...bridge.space import Space, nearest_rotation

AT_LIMIT: Final = 1e-3  # radians; the precision of a pose in single precision
_STEPS: Final = 24  # chords of an arc
_RADIUS: Final = 0.4  # of an arc, as a share of its bone's length


@dataclass(frozen=True, eq=False)
class Limit:
    """A joint limit that is reached, with the curve on which a point of the bone can move.

    Attributes:
        axis: "x", "y", "z" of the bone, or "xz" for a swing that both limits bound.
        curve: (S, 3) world: the arc within the limits, or the boundary of the swing.
        place: (3,) the point, world; head: (3,) the joint, world.
    """

    axis: str
    curve: Array
    place: Array
    head: Array


def at_limits(skeleton: ik.Skeleton, q: Array) -> Flags:
    """Which coordinates (..., n) are at a limit; without those whose limits leave no room to turn."""
    room: Flags = skeleton.upper - skeleton.lower > AT_LIMIT
    return np.asarray(skeleton.joint_limits.at_limit(q, AT_LIMIT) & room)


def reached_limits(figure: Figure, basis: Floats, matrix: Floats, space: Space) -> list[Limit]:
    """The joint limits that a figure is at; basis, matrix: (B, 4, 4) of the armature's bones now."""
    skeleton = figure.skeleton
    joints = np.unique(skeleton.owner[np.isfinite(skeleton.lower) | np.isfinite(skeleton.upper)])
    turns = np.zeros((len(figure.plan.bone), 3))
    turns[joints] = rotation.swing_twist_turns(nearest_rotation(basis[figure.plan.bone[joints], :3, :3]))
    at = at_limits(skeleton, np.where(skeleton.is_turn, turns[skeleton.owner, skeleton.slot - 3], 0.0))
    pairs = skeleton.joint_limits.pairs
    single = at.copy()
    single[pairs] = False
    found = [(column, column) for column in np.flatnonzero(single).tolist()]
    found += [(x, z) for x, z in pairs.tolist() if at[x] or at[z]]
    return [_limit(figure, x, z, turns[skeleton.owner[x]], matrix, space) for x, z in found]


def _limit(figure: Figure, x: int, z: int, now: Array, matrix: Floats, space: Space) -> Limit:
    """One limit, of a swing unless both columns are equal; now: (3,) the joint's rotation."""
    skeleton, joint = figure.skeleton, int(figure.skeleton.owner[x])
    axis, turns = _arc(skeleton, x, now) if x == z else _rim(skeleton, x, z, now)
    place = matrix[figure.plan.bone[joint]].astype(float)
    # A swing moves the tip. A twist does not, so its curve is for a point beside the bone.
    long = figure.bones.length[figure.plan.bone[joint]] * float(np.linalg.norm(place[:3, 1])) * space.scale
    arm = _RADIUS * long * np.array([1.0, 0.0, 0.0] if axis == "y" else [0.0, 1.0, 0.0])
    frame, head = nearest_rotation(place[:3, :3]), place[:3, 3] * space.scale
    base = frame @ rotation.swing_twist_matrix(now).T
    ways = rotation.swing_twist_matrix(turns) @ arm
    return Limit(
        axis=axis,
        curve=space.point_out(head + ways @ base.T),
        place=space.point_out(head + frame @ arm),
        head=space.point_out(head),
    )


def _arc(skeleton: ik.Skeleton, column: int, now: Array) -> tuple[str, Array]:
    """The axis, and the rotations (S, 3) of one coordinate between its limits."""
    turn = int(skeleton.slot[column]) - 3
    low, high = max(skeleton.lower[column], -np.pi), min(skeleton.upper[column], np.pi)
    turns = np.repeat(now[None], _STEPS + 1, 0)
    turns[:, turn] = np.linspace(low, high, _STEPS + 1)
    return "xyz"[turn], turns


def _rim(skeleton: ik.Skeleton, x: int, z: int, now: Array) -> tuple[str, Array]:
    """The boundary of the swings within two limits: Blender's ellipses in the sines of half angles."""
    ends = np.stack([skeleton.lower[[x, z]], skeleton.upper[[x, z]]])
    free = ~np.isfinite(ends).all(0)
    if free.any():
        return _arc(skeleton, z if free[0] else x, now)
    low, high = np.sin(0.5 * np.clip(ends, -np.pi, np.pi))
    centre = np.clip(0.0, low, high)
    angle = np.linspace(0.0, 2.0 * np.pi, 2 * _STEPS + 1)
    way = np.stack([np.cos(angle), np.sin(angle)], 1)
    sine = centre + way * np.where(way > 0.0, high - centre, centre - low)
    size = np.maximum(np.sqrt((sine * sine).sum(1, keepdims=True)), 1e-12)
    turns = np.repeat(now[None], len(angle), 0)
    turns[:, [0, 2]] = sine / size * 2.0 * np.arcsin(np.minimum(size, 1.0))
    return "xz", turns
