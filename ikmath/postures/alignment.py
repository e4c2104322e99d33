# SPDX-License-Identifier: GPL-3.0-or-later
"""The rigid motion of a posture to its targets: a rotation about the vertical and a translation.

It is a least-squares fit of the effectors in the posture to their targets. Drags, and solves with planted
effectors, use the identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import atan2
from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..model.figure_map import Kind
from ..model.skeleton import Skeleton
from ..rotation import Array, axial, exp, swing_twist_matrix, swing_twist_turns
from .parameters import DEFAULTS

_UP: Final = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class RigidMotion:
    """A rotation about the vertical through the origin, followed by a translation.

    Attributes:
        turn: radians about `up`; shift: (3,) metres; up: (3,) unit vector.
    """

    turn: float = 0.0
    shift: Array = field(default_factory=lambda: np.zeros(3))
    up: Array = field(default_factory=_UP.copy)

    @property
    def rotation(self) -> Array:
        """(3, 3) rotation matrix."""
        return exp(self.turn * self.up)

    def places(self, points: Array) -> Array:
        """Apply the motion to points (..., 3)."""
        return np.asarray(points @ self.rotation.T + self.shift)

    def inverse(self) -> RigidMotion:
        """The inverse motion."""
        return replace(self, turn=-self.turn, shift=-self.rotation.T @ self.shift)


@dataclass(frozen=True, eq=False)
class Correspondence:
    """An effector of the posture and its target; world, metres."""

    place: Array | None = None  # (3,) position in the posture; None for an orientation only
    target: Array | None = None  # (3,) where it should be
    rotation: Array | None = None  # (3, 3) in the posture
    target_rotation: Array | None = None  # (3, 3) as it should be
    offset: Array | None = None  # (3,) of the position from the joint, in the joint's axes; None at the joint
    weight: float = 1.0  # of the position
    ahead: bool = False  # whether it is a head or a foot, whose orientation determines the heading
    hips: bool = False  # whether it is the hips, which determine the motion
    with_body: bool = False  # whether the body follows it sideways and in height, see `moves_with_body`

    def at_joint(self) -> Correspondence:
        """The correspondence of its joint, which is nearer to the body, if its target has an orientation."""
        place, target, offset, first, then = (
            self.place, self.target, self.offset, self.rotation, self.target_rotation,
        )  # fmt: skip
        if self.hips or place is None or target is None or offset is None or first is None or then is None:
            return self
        return replace(self, place=place - first @ offset, target=target - then @ offset, offset=None)


def moves_with_body(kind: Kind, *, on_fours: bool) -> bool:
    """Whether the body follows bones of a kind sideways and up; hands and heads on four legs reach out."""
    return kind in (Kind.ANKLE, Kind.PAW) or (kind == Kind.HEAD and not on_fours)


def align(
    effectors: Sequence[Correspondence],
    forward: npt.ArrayLike,
    size: float,
    up: npt.ArrayLike = _UP,
) -> RigidMotion:
    """The motion of a posture to its targets.

    The rotation is that of the hips if they have an orientation, else a least-squares fit of all effectors.
    The translation puts the hips exactly at their target if they have one. Otherwise its part along the
    heading is the weighted mean over all effectors: a bow moves the head forward, and the others balance
    that. Its other parts are the mean over heads and feet, because hands move up and sideways without the
    body.

    Args:
        effectors: with their targets; forward: (3,) heading of the posture; size: of the figure, metres; up:
            (3,) up direction.
    """
    upward = arguments.shaped(up, "up", (3,))
    upward = upward / np.linalg.norm(upward)
    facing = arguments.shaped(forward, "forward", (3,))
    facing = facing - upward * (facing @ upward)
    level = float(np.linalg.norm(facing))
    facing = facing / level if level > 0.0 else facing
    first = [one for one in effectors if one.hips]
    placed = [one.at_joint() for one in effectors if one.place is not None and one.target is not None]
    if not placed:
        return RigidMotion(_turn_of(first, upward), np.zeros(3), upward)
    centred = [one for one in placed if one.hips] or placed
    source, goal = _mean_places(centred)
    if any(one.rotation is not None and one.target_rotation is not None for one in first):
        turn = _turn_of(first, upward)
    else:
        turn = _least_squares_turn(effectors, placed, source, goal, facing, size, upward)
    motion = RigidMotion(turn, np.zeros(3), upward)
    ahead = motion.rotation @ facing
    body = [one for one in centred if one.with_body and one.weight > 0] or centred
    body_source, body_goal = _mean_places(body)
    shift = body_goal - motion.places(body_source)
    return replace(motion, shift=shift + ahead * (ahead @ (goal - motion.places(source) - shift)))


def _mean_places(effectors: Sequence[Correspondence]) -> tuple[Array, Array]:
    """(3,) weighted means of the positions in the posture and of the target positions, metres."""
    weights = [one.weight for one in effectors]
    places = np.array([(one.place, one.target) for one in effectors])
    source, goal = np.average(places, axis=0, weights=weights)
    return source, goal


def _turn_of(effectors: Sequence[Correspondence], up: Array) -> float:
    """The rotation about the vertical nearest to those of oriented effectors, radians."""
    sums = np.zeros(2)
    for one in effectors:
        if one.rotation is not None and one.target_rotation is not None:
            turn = one.target_rotation @ one.rotation.T
            # scaled sine and cosine of the vertical rotation that maximises the trace of the remaining one
            sums += (axial(turn) @ up, np.trace(turn) - up @ turn @ up)
    return atan2(*sums) if sums.any() else 0.0


def _least_squares_turn(
    effectors: Sequence[Correspondence],
    placed: Sequence[Correspondence],
    source: Array,
    goal: Array,
    facing: Array,
    size: float,
    up: Array,
) -> float:
    rows = [(one.weight, one.place - source, one.target - goal) for one in placed]  # type: ignore[operator]
    for one in effectors:
        if one.ahead and one.rotation is not None and one.target_rotation is not None:
            turned = one.target_rotation @ one.rotation.T @ facing
            ahead = DEFAULTS.ahead * size
            rows.append((one.weight, ahead * facing, ahead * turned))
    sums = np.zeros(2)
    for weight, a, b in rows:
        flat = a - up * (a @ up)
        sums += weight * np.array([up @ np.cross(flat, b), flat @ b])
    if float(np.linalg.norm(sums)) < 1e-12 * size * size:
        return 0.0
    return atan2(*sums)


def smoothed(motions: Sequence[RigidMotion], frame: int, anchor: Array) -> RigidMotion:
    """The motion of one frame of a clip, with its rotation averaged over neighbouring frames.

    The image of the anchor (3,), a point of the posture, does not change.
    """
    # symmetric, so that a figure with constant rotation does not lag at the ends
    reach = min(DEFAULTS.smoothing, frame, len(motions) - 1 - frame)
    turns, own = np.unwrap([one.turn for one in motions]), motions[frame]
    turned = RigidMotion(float(turns[frame - reach : frame + reach + 1].mean()), np.zeros(3), own.up)
    return replace(turned, shift=own.places(anchor) - turned.places(anchor))


def carried(skeleton: Skeleton, q: Array, motion: RigidMotion) -> Array:
    """Coordinates (n,) of a pose after a motion, as far as the roots are free to move.

    Limits are not applied.
    """
    out = np.array(q, dtype=float)
    rotation = motion.rotation
    for joint in np.flatnonzero((skeleton.parents < 0) | ~skeleton.inherits).tolist():
        own = np.flatnonzero(skeleton.owner == joint)
        six = skeleton.fixed[joint].copy()
        six[skeleton.slot[own]] = q[own]
        rest, free = skeleton.rest_rotation[joint], skeleton.slot[own]
        turns = swing_twist_turns(rest.T @ rotation @ rest @ swing_twist_matrix(six[3:]))
        if skeleton.parents[joint] < 0:
            place = skeleton.rest_translation[joint] + rest @ six[:3]
            six[:3] = rest.T @ (motion.places(place) - skeleton.rest_translation[joint])
        if (free >= 3).sum() == 3:  # otherwise a moved joint could not keep its pose
            six[3:] = turns
        out[own] = six[free]
    return out
