# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of one step for an avoidance method: rows of the goals and critical points.

All lengths are in figure sizes, so that parameters mean the same for figures of any size. Coordinates are
scaled by the square roots of their mobilities, so that stiff joints contribute less. Each obstacle has one
entry, for its nearest link: its critical point R, the obstacle point S, and the critical distance d between
them (Ge, figure 4.1). A pair of the figure's own links counts as an obstacle.
"""

from functools import cached_property
from typing import Any, Final

import numpy as np

from ...arrays import Index
from ...collision import ClosestPairs
from ...model.pose import Pose
from ...rotation import Array
from ..linalg.pseudoinverse import null_space_projector
from ..svd.svd import lapack

_THRESHOLD: Final = 1e-3  # of singular values, as for the pseudo-inverse
_LEAST: Final = 1e-3  # least critical distance, also for contact and overlap, figure sizes
_STRIDE: Final = 0.02  # maximum change of any critical distance by one push, figure sizes


class Situation:
    """The figure and its nearest obstacles in one step.

    Args:
        near: critical pairs of the pose, at least one; pose: of the figure; length: its size, metres; margin:
            subtracted from the clearances, metres.
        error: (k,) scaled errors of the goals; jacobian: (k, n) of these; plain: (n,) step without obstacles;
        root: (n,) roots of the coordinates' mobilities, None if all are alike.
        memory: state of the method, kept between the steps of one solve.

    Attributes:
        distance: (K,) critical distance d of each obstacle, nearest first, with a positive lower bound;
        away: (K, 3) unit vectors from obstacle point to critical point;
        rate: (K, n) derivative of the distances by the coordinates.
    """

    def __init__(
        self,
        near: ClosestPairs,
        pose: Pose,
        length: float,
        margin: float,
        error: Array,
        jacobian: Array,
        plain: Array,
        root: Array | None,
        memory: dict[str, Any],
    ) -> None:
        self.near, self.pose, self.length = near, pose, length
        self.root = np.ones(len(plain)) if root is None else root
        self.error, self.jacobian, self.plain = error, jacobian * self.root, plain / self.root
        self.memory = memory
        room = (near.room - margin) / length
        self.rows = _worst_rows(near, room)
        self.distance = np.maximum(room[self.rows], _LEAST)
        self.away: Array = near.normal[self.rows]
        every = near.jacobian(pose) * self.root / length
        self.all_rates: Array = every
        self.rate: Array = every[self.rows]

    @property
    def delta(self) -> Array:
        """(K, 3) vectors (dx, dy, dz) = x_S - x_R of the texts."""
        return -self.distance[:, None] * self.away

    @cached_property
    def free(self) -> Array:
        """(n, n) the projection operator I - J^+ J."""
        if not len(self.jacobian):
            return np.eye(len(self.plain))
        decomposition, _ = lapack(self.jacobian)
        return null_space_projector(decomposition, threshold=_THRESHOLD)

    def homogeneous(self, z: Array) -> Array:
        """(I - J^+ J) z: the part of a step that does not change the goals."""
        result: Array = self.free @ z
        return result

    def bounded(self, push: Array) -> Array:
        """A push, shortened to the range of the linear model; gains of 1 / d^3 are unbounded."""
        far = float(np.abs(self.all_rates @ push).max(initial=0.0))
        longest = float(np.abs(push).max(initial=0.0))
        share = min(1.0, _STRIDE / max(far, 1e-300), 0.5 / max(longest, 1e-300))
        return share * push

    def critical_jacobian(self, obstacle: int) -> Array:
        """(3, n) the critical point Jacobian J_o of the k-th nearest obstacle.

        For a pair of links, the relative velocity.
        """
        row = int(self.rows[obstacle])
        place = self.near.critical[row]
        moved = self._moved(int(self.near.link[row]), place)
        other = int(self.near.other[row])
        if other >= 0:
            moved = moved - self._moved(other, place)
        return moved * self.root / self.length

    def _moved(self, link: int, place: Array) -> Array:
        """(3, n) derivative, by the coordinates, of a link's point at a world position."""
        joint = int(self.near.motion.joints[link])
        offset = self.pose.rotation[joint].T @ (place - self.pose.position[joint])
        return np.asarray(self.pose.jacobian(joint, offset))


def _worst_rows(near: ClosestPairs, room: Array) -> Index:
    """The nearest row of every obstacle and every pair of links; nearest first."""
    links = len(near.body)
    own = -1 - (near.link * links + near.other)
    thing = np.where(near.obstacle >= 0, near.obstacle, own)
    order = room.argsort(kind="stable")
    _, first = np.unique(thing[order], return_index=True)
    return np.asarray(order[np.sort(first)])
