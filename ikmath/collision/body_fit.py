# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits capsules to a skinned mesh: the thickness of a figure, from the vertices that its bones move.

A capsule lies along its bone (the joint's +Y), or beside it where the flesh is beside it, as in a back. Its
size comes from quantiles, not extremes, so that stray vertices or small weights do not enlarge it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from .. import arguments
from ..arrays import Array, Index
from ..errors import BadShape, BadValue
from .body import Link

COVER: Final = 0.8  # share of a bone's vertices that its capsule contains
_LEAST_WEIGHT: Final = 0.3  # vertices with a smaller weight are ignored for a bone
_LEAST_POINTS: Final = 6  # the capsule of a bone with fewer vertices depends on the bone's length only
_SLENDER: Final = 0.1  # radius of such a capsule as a share of the bone's length


@dataclass(frozen=True, eq=False)
class Skin:
    """Vertices of a figure in its rest pose, and the weights of its bones.

    Attributes:
        points: (V, 3) metres, world.
        vertex: (W,) index of a vertex, bone: (W,) index of a bone that moves it, weight: (W,) how much, 0
            to 1.
    """

    points: Array
    vertex: Index
    bone: Index
    weight: Array

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape[1] != 3:
            raise BadShape("points of the skin", "(V, 3)", self.points.shape)
        if not np.isfinite(self.points).all():
            raise BadValue("The skin", "has a vertex that is not at a finite place; repair the mesh.")
        if not len(self.vertex) == len(self.bone) == len(self.weight):
            raise BadShape("weight of the skin", f"({len(self.vertex)},), one a pair", self.weight.shape)
        if len(self.vertex) and not 0 <= self.vertex.min() <= self.vertex.max() < len(self.points):
            raise BadValue(
                "vertex of the skin", f"names a vertex that does not exist; there are {len(self.points)}."
            )


def fit_links(
    names: list[str],
    rotation: Array,
    position: Array,
    length: Array,
    skin: Skin | None = None,
    cover: float = COVER,
) -> list[Link]:
    """One capsule for each of B bones, in its joint's frame.

    Args:
        names: of the bones' joints; length: (B,) of the bones, metres;
        rotation: (B, 3, 3), position: (B, 3) of their heads, metres, world, in the skin's pose.
        skin: vertices and weights; without it all capsules depend on the bones' lengths only.
        cover: share of a bone's vertices that its capsule contains, in (0, 1].
    """
    cover, count = arguments.number(cover, "cover", above=0, most=1), len(names)
    rotation = arguments.shaped(rotation, "rotation", (count, 3, 3))
    position = arguments.shaped(position, "position", (count, 3))
    length = arguments.shaped(length, "length", (count,))
    links = []
    for bone, name in enumerate(names):
        link = None
        if skin is not None:
            mine = (skin.bone == bone) & (skin.weight >= _LEAST_WEIGHT)
            if int(mine.sum()) >= _LEAST_POINTS:
                local = (skin.points[skin.vertex[mine]] - position[bone]) @ rotation[bone]
                link = _around(name, local, skin.weight[mine], cover)
        links.append(link or _along(name, float(length[bone])))
    return links


def _along(name: str, length: float) -> Link:
    """A capsule as long as the bone, its round ends included."""
    radius = _SLENDER * length
    return Link(
        name, (0.0, min(radius, 0.5 * length), 0.0), (0.0, max(length - radius, 0.5 * length), 0.0), radius
    )


def _around(name: str, points: Array, weight: Array, cover: float) -> Link | None:
    """A capsule around points of the joint's frame, or None if they have no extent."""
    middle = (weight @ points) / weight.sum()
    beside = np.hypot(points[:, 0] - middle[0], points[:, 2] - middle[2])
    radius = quantile(beside, weight, cover)
    rest = 0.5 * (1.0 - cover)
    low, high = quantile(points[:, 1], weight, rest), quantile(points[:, 1], weight, 1.0 - rest)
    if not (radius > 0 or high > low):
        return None
    if high - low < 2.0 * radius:
        center = (float(middle[0]), 0.5 * (low + high), float(middle[2]))
        return Link(name, center, center, radius)
    ends = [(float(middle[0]), y, float(middle[2])) for y in (low + radius, high - radius)]
    return Link(name, ends[0], ends[1], radius)


def quantile(values: Array, weight: Array, share: float) -> float:
    """The value below which a share (0 to 1) of the weight lies, interpolated; values, weight (N,), N > 0."""
    order = values.argsort(kind="stable")
    ranked, below = values[order], np.cumsum(weight[order])
    place = (below - 0.5 * weight[order]) / below[-1]
    return float(
        np.interp(share, np.concatenate([[0.0], place, [1.0]]), ranked[[0, *range(len(ranked)), -1]])
    )
