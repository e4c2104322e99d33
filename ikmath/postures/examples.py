# SPDX-License-Identifier: GPL-3.0-or-later
"""A posture from a character's own actions: the poses in which the effectors were at similar places.

Kernel ridge regression from the effectors, relative to the hips, to the rotations of all joints. With `k` the
kernel's values at the examples, K its matrix and y the rotation vectors of the examples, it is

    y0 + k^T (K + ridge I)^-1 (y - y0)

with y0 the posture of the frame. So far from all examples the result is y0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Index
from ..errors import BadShape, BadValue
from ..model.figure_map import FigureMap
from ..model.frame_points import FramePoints
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..rotation import Array, exp, log, swing_twist_turns
from .parameters import DEFAULTS, PostureParameters

_NEAR: Final = 0.05  # share of a figure's size; tolerance of mirrored joints


class Examples:
    """A regression of poses of a figure for some effectors; immutable.

    Args:
        skeleton: the figure; figure: its map, for the hips, the size and the mirrored joints.
        q: (P, n) poses, P at least 1; the positions of roots do not matter.
        effectors: (E,) joints; offsets: (E, 3) points in their axes, metres; oriented: (E,) which of them
            have an orientation.
        mirrored: whether to add each pose's mirror image, if the figure's rest pose is symmetric.
        parameters: constants.

    Raises:
        BadShape, BadValue: arrays that do not fit the figure.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        figure: FigureMap,
        q: npt.ArrayLike,
        effectors: Sequence[int],
        offsets: npt.ArrayLike,
        oriented: Sequence[bool],
        *,
        mirrored: bool = True,
        parameters: PostureParameters = DEFAULTS,
    ) -> None:
        poses = arguments.numbers(q, "q")
        if poses.ndim != 2 or poses.shape[1] != skeleton.n or not len(poses):
            raise BadShape("q", f"(P, {skeleton.n}), P at least 1", poses.shape)
        if len(oriented) != len(effectors):
            raise BadShape("oriented", f"({len(effectors)},)", (len(oriented),))
        if figure.body < 0:
            raise BadValue("figure", "has no hips; examples need limbs.")
        self.skeleton, self.figure, self.parameters = skeleton, figure, parameters
        self.points = FramePoints(skeleton, list(effectors), offsets)
        self.oriented = np.flatnonzero(np.asarray(oriented, dtype=bool))
        all_poses = Pose.forward(skeleton, poses)
        rotations, places = all_poses.rotation, all_poses.position
        features = self._features(rotations, places)
        if mirrored and (mirror := _Mirror.of(skeleton, figure)) is not None:
            other = mirror.rotations(rotations)
            features = np.concatenate([features, self._features(other, _placed(skeleton, other, places))])
            rotations = np.concatenate([rotations, other])
        kept = _farthest(features, parameters.examples)
        rotations, features = rotations[kept], features[kept]
        self.mean, spread = features.mean(0), features.std(0)
        self.spread = np.where(spread > 1e-6, spread, 1.0)
        self.known = (features - self.mean) / self.spread
        self.squares = (self.known**2).sum(-1)
        local = _local(skeleton, rotations)
        self.middle = _mean_rotation(local)
        vectors = log(self.middle.swapaxes(-1, -2) @ local).reshape(len(kept), -1)
        matrix = self._kernel(self.known)
        matrix[np.diag_indices_from(matrix)] += parameters.ridge
        solved = np.linalg.solve(matrix, np.column_stack([vectors, np.ones(len(kept))]))
        self.weights, self.trust = solved[:, :-1], solved[:, -1]

    def __len__(self) -> int:
        """Number of stored poses."""
        return len(self.known)

    def _kernel(self, features: Array) -> Array:
        """(..., P) values of the kernel for features (..., D)."""
        squares = (features**2).sum(-1)[..., None] + self.squares - 2.0 * features @ self.known.T
        wide = 2.0 * self.known.shape[1] * self.parameters.bandwidth
        return np.asarray(np.exp(-squares / wide))

    def _features(self, rotations: Array, places: Array) -> Array:
        """(P, D) features of poses given as world frames (P, J, 3, 3) and (P, J, 3)."""
        joints = self.points.joints
        turned, there = rotations[:, joints], places[:, joints]
        ends = there + np.einsum("peij,ej->pei", turned, self.points.offsets)
        hips, middle = rotations[:, self.figure.body], places[:, self.figure.body]
        return self.seen(hips, middle, ends, turned)

    def seen(self, hips: Array, middle: Array, places: Array, frames: Array) -> Array:
        """(D,) features of effectors as seen from the hips: places, distances, vertical, two axes per frame.

        Args:
            hips: (3, 3) rotation of the hips' joint; middle: (3,) its position; places: (E, 3); frames: (E,
                3, 3) of the effectors, of which only those of oriented ones are used; all in the world, with
                leading axes for many poses.
        """
        back, batch = hips.swapaxes(-1, -2), middle.shape[:-1]
        own = (places - middle[..., None, :]) @ hips / self.figure.size
        with_hips = np.concatenate([np.zeros((*batch, 1, 3)), own], -2)
        first, second = np.triu_indices(with_hips.shape[-2], 1)
        distances = np.sqrt(((with_hips[..., first, :] - with_hips[..., second, :]) ** 2).sum(-1))
        axes = (back[..., None, :, :] @ frames)[..., self.oriented, :, :2]
        parts = own.reshape(*batch, -1), distances, back @ self.figure.up, axes.reshape(*batch, -1)
        return np.concatenate(parts, -1)

    def posture(self, features: Array, q: npt.ArrayLike) -> Array:
        """Coordinates (n,) of the posture for what `seen` gives.

        The roots and the hips keep their coordinates.

        Args:
            features: (D,) of the targets; q: (n,) the posture of the frame.
        """
        skeleton = self.skeleton
        was = Pose.forward(skeleton, q)
        local = _local(skeleton, was.rotation[None])[0]
        before = log(self.middle.swapaxes(-1, -2) @ local).ravel()
        kernel = self._kernel((features - self.mean) / self.spread)
        vectors = before + kernel @ self.weights - (kernel @ self.trust) * before
        wanted = self.middle @ exp(vectors.reshape(-1, 3))
        out = np.array(q, dtype=float)
        turns = swing_twist_turns(skeleton.rest_rotation.swapaxes(-1, -2) @ wanted)
        above = skeleton.ancestors[self.figure.body]
        own = np.flatnonzero(skeleton.is_turn & ~above[skeleton.owner])
        out[own] = turns[skeleton.owner[own], skeleton.slot[own] - 3]
        return skeleton.project(out)


@dataclass(frozen=True, eq=False)
class _Mirror:
    """Mirrors poses of a figure with a symmetric rest pose."""

    twin: Index  # (J,), see `FigureMap`
    rest: Array  # (J, 3, 3) world rotations
    across: Array  # (3, 3) reflection

    @classmethod
    def of(cls, skeleton: Skeleton, figure: FigureMap) -> _Mirror | None:
        """Make the mirror; None if the sides differ or the figure has no sides."""
        pose = Pose.forward(skeleton, skeleton.rest)
        across = np.eye(3) - 2.0 * np.outer(figure.left, figure.left)
        own = np.flatnonzero(figure.twin != np.arange(len(skeleton)))
        if not len(own):
            return None
        middle = pose.position[figure.body]
        off = (pose.position - middle) @ across.T - (pose.position - middle)[figure.twin]
        if float(np.sqrt((off[own] ** 2).sum(-1)).max()) > _NEAR * figure.size:
            return None
        return cls(figure.twin, pose.rotation.copy(), across)

    def rotations(self, rotations: Array) -> Array:
        """World rotations (P, J, 3, 3) of the mirrored poses."""
        turned = rotations @ self.rest.swapaxes(-1, -2)
        return np.asarray((self.across @ turned @ self.across)[:, self.twin] @ self.rest)


def _placed(skeleton: Skeleton, rotations: Array, places: Array) -> Array:
    """(P, J, 3) positions that result from rotations; roots as in `places`."""
    there = places.copy()
    for j, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            there[:, j] = there[:, parent] + rotations[:, parent] @ skeleton.rest_translation[j]
    return there


def _local(skeleton: Skeleton, rotations: Array) -> Array:
    """(P, J, 3, 3) rotations in the parents' frames."""
    above = rotations[:, skeleton.parents]
    above[:, (skeleton.parents < 0) | ~skeleton.inherits] = np.eye(3)
    return np.asarray(above.swapaxes(-1, -2) @ rotations)


def _mean_rotation(rotations: Array) -> Array:
    """(J, 3, 3) rotations nearest to the sums of (P, J, 3, 3)."""
    u, _, v = np.linalg.svd(rotations.sum(0))
    signs = np.ones((*u.shape[:-2], 3))
    signs[..., 2] = np.linalg.det(u @ v)
    return np.asarray(u * signs[..., None, :] @ v)


def _farthest(features: Array, most: int) -> Index:
    """Indices of `most` examples, each the one farthest from the previous ones."""
    scaled = features - features.mean(0)
    spread = features.std(0)
    scaled = scaled / np.where(spread > 1e-6, spread, 1.0)
    squares = (scaled**2).sum(1)

    def squared_distance(k: int) -> Array:
        return np.asarray(squares + squares[k] - 2.0 * scaled @ scaled[k])

    kept = [int(squares.argmin())]
    distance = squared_distance(kept[0])
    while len(kept) < min(most, len(features)) and distance.max() > 1e-10:
        kept.append(int(distance.argmax()))
        distance = np.minimum(distance, squared_distance(kept[-1]))
    return np.array(kept, dtype=np.intp)
