# SPDX-License-Identifier: GPL-3.0-or-later
"""How the coordinates of a skeleton move the links of a body."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Index
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from .body import Body
from .vectors import cross


class LinkMotion:
    """A body bound to a skeleton.

    Args:
        skeleton: the figure.
        body: its links.

    Attributes:
        joints: (L,) index of the joint of each link.
        moves: (L + 1, n) 1 where a coordinate moves a link; a row of zeros at the end stands for "no link".
    """

    def __init__(self, skeleton: Skeleton, body: Body) -> None:
        self.joints = body.bind(skeleton)
        self.moves = np.zeros((len(body) + 1, skeleton.n))
        self.moves[:-1] = skeleton.influence[:, self.joints].T
        self._cuts = skeleton.cuts_above(self.joints)

    def derivatives(
        self, pose: Pose, frame: Index | None, point: Array, normal: Array, link: Index, other: Index | None
    ) -> Array:
        """(P, n) derivatives of the positions of points on links along normals, less those on other links.

        Args:
            pose: one pose or a batch.
            frame: (P,) pose of each row in the flattened batch; None for a single pose.
            point, normal: (P, 3) world. Any point on the line along the normal serves for both links.
            link, other: (P,) the links, -1 for none; no other links at all if `other` is None.
        """
        turning = cross(point, normal)
        w, v = pose.screws
        if frame is not None:
            screws = np.ascontiguousarray(np.concatenate([w, v]).transpose(2, 0, 1)).take(frame, 0)
            wrench = np.concatenate([turning, normal], 1)
            rows: Array = np.matmul(wrench[:, None], screws)[:, 0]
        else:
            rows = turning.dot(w.T)
            rows += normal.dot(v.T)
        share = self.moves.take(link, 0)
        if not self._cuts:
            if other is not None:
                share -= self.moves.take(other, 0)
            rows *= share
            return rows
        opposite = np.zeros_like(rows)
        if other is not None:
            opposite = rows * self.moves.take(other, 0)
            self._correct(pose, frame, normal, opposite, other)
        rows *= share
        self._correct(pose, frame, normal, rows, link)
        return rows - opposite

    def _correct(self, pose: Pose, frame: Index | None, normal: Array, rows: Array, links: Index) -> None:
        """Correct the rows of links below a joint that does not inherit rotation, in place."""
        for link, above, carrier in self._cuts:
            own = (links == link).nonzero()[0]
            if not len(own):
                continue
            at = np.zeros(len(own), dtype=np.intp) if frame is None else frame.take(own)
            position = pose.position.reshape(-1, len(pose.skeleton), 3)[at, carrier]
            turning, along = cross(position, normal[own]), normal[own]
            w, v = pose.screws
            if frame is not None:
                swept = np.einsum("pi,inp->pn", turning, w[:, above][:, :, at])
                swept += np.einsum("pi,inp->pn", along, v[:, above][:, :, at])
            else:
                swept = turning @ w[above].T + along @ v[above].T
            rows[np.ix_(own, above.nonzero()[0])] = swept
