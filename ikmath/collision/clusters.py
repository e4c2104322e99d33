# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounding spheres in clusters of neighbours: where a cluster is far away, no member is looked at."""

from typing import Final

import numpy as np

from ..arrays import Array, Index
from .bvh import hilbert_order
from .vectors import ONES, TINY, length

AIR: Final = 1e-9  # relative enlargement of the spheres, far above the rounding of their distances
_FEW: Final = 64  # spheres that are looked at one by one: clusters of fewer gain less than 10 %


class SphereClusters:
    """The bounding spheres of N obstacles.

    Args:
        centers: (*frames, N, 3), in frames for those that move.
        radii: (N,) metres; infinite around an unbounded obstacle, whose centre is on its surface.

    Attributes:
        clustered: whether there are clusters; few spheres, and those that move, are looked at one by one.
    """

    def __init__(self, centers: Array, radii: Array) -> None:
        self._centers, self._radii, count = centers, radii, len(radii)
        # C clusters of S members, filled up with -1, and their spheres
        self._members, self._middles = np.arange(count)[:, None], centers
        away, self.clustered = np.zeros((count, 1)), count > _FEW and centers.ndim == 2
        if self.clustered:
            size, order = int(np.ceil(np.sqrt(count))), hilbert_order(centers)
            self._members = np.append(order, order[-1:].repeat(-count % size)).reshape(-1, size)
            self._middles = centers.take(self._members, 0).mean(1)
            away = length(centers.take(self._members, 0) - self._middles[:, None])
        self._reaches = (away + radii.take(self._members)).max(-1)
        self._sizes = (away + np.where(np.isfinite(radii), radii, 0.0).take(self._members)).max(-1)
        self._members.reshape(-1)[count:] = -1

    def near(self, axes: Array, thick: Array, detect: float) -> Index:
        """Numbers k * N + n of the axes k and spheres n that can be nearer than `detect`, metres.

        Args:
            axes: (*frames, K, 3, 3) ends and middles, one a row; thick: (K,) their radii, metres.
        """
        clusters, size = self._members.shape
        limit = limit_of(thick[:, None] + self._reaches, detect)
        found: Index = (self._squares(axes) <= limit).ravel().nonzero()[0]
        if not self.clustered:
            return found
        axis, cluster = np.divmod(found, clusters)
        member = self._members.take(cluster, 0)
        axis, sphere = axis.repeat(size)[member.ravel() >= 0], member[member >= 0]
        square = squared_distances(axes.reshape(-1, 3, 3).take(axis, 0), self._centers.take(sphere, 0))
        near = square <= limit_of(thick.take(axis % len(thick)) + self._radii.take(sphere), detect)
        return (len(self._radii) * axis + sphere)[near]

    def farthest(self, axes: Array) -> Array:
        """(*frames,) metres from axes within which there is an obstacle in any case."""
        return np.asarray((np.sqrt(self._squares(axes)) + self._sizes).min((-2, -1)))

    def _squares(self, axes: Array) -> Array:
        """(*frames, K, C) squared distances of the clusters' centres from axes."""
        return squared_distances(axes[..., None, :, :], self._middles[..., None, :, :])


def squared_distances(axes: Array, points: Array) -> Array:
    """Squared distances of points (..., 3) from axes (..., 3, 3)."""
    middle = axes[..., 2, :]
    half, gap = axes[..., 1, :] - middle, points - middle
    share = (gap * half).dot(ONES) / np.maximum((half * half).dot(ONES), TINY)
    gap -= np.minimum(np.maximum(share, -1.0), 1.0)[..., None] * half
    gap *= gap
    return np.asarray(gap.dot(ONES))


def limit_of(reach: Array, detect: float) -> Array:
    """The squared distance of two centres from which on surfaces are not nearer than `detect`."""
    limit = (reach + detect) * (1.0 + AIR) + AIR
    np.maximum(limit, 0.0, out=limit)
    limit *= limit
    return limit
