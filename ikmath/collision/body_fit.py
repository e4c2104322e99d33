# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits capsules to a skinned mesh: the thickness of a figure, from the vertices that its bones move.

A capsule lies along its bone (the joint's +Y), or beside it where the flesh is beside it, as in a back. Its
size comes from quantiles, not extremes, so that stray vertices or small weights do not enlarge it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import arguments
from ..arrays import Array, Index
from ..errors import BadShape, BadValue
from .body import Link


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How capsules are fitted.

    Attributes:
        cover: share of a bone's vertices that its capsule contains, in (0, 1].
        least_weight: vertices with a smaller weight are ignored for this bone, in [0, 1].
        least_points: the capsule of a bone with fewer vertices depends on the bone's length only.
        slender: radius of such a capsule as a share of the bone's length.
        beside: whether the capsule may lie beside the bone, if its vertices do.
    """

    cover: float = 0.8
    least_weight: float = 0.3
    least_points: int = 6
    slender: float = 0.1
    beside: bool = True

    def __post_init__(self) -> None:
        arguments.number(self.cover, "cover", above=0, most=1)
        arguments.number(self.least_weight, "least_weight", least=0, most=1)
        arguments.whole(self.least_points, "least_points", least=1)
        arguments.number(self.slender, "slender", above=0)


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
    options: FitOptions | None = None,
) -> list[Link]:
    """One capsule for each of B bones, in its joint's frame.

    Args:
        names: of the bones' joints; length: (B,) of the bones, metres;
        rotation: (B, 3, 3), position: (B, 3) of their heads, metres, world, in the skin's pose.
        skin: vertices and weights; without it all capsules depend on the bones' lengths only.
        options: see `FitOptions`.
    """
    options = options or FitOptions()
    count = len(names)
    rotation = arguments.shaped(rotation, "rotation", (count, 3, 3))
    position = arguments.shaped(position, "position", (count, 3))
    length = arguments.shaped(length, "length", (count,))
    links = []
    for bone, name in enumerate(names):
        link = None
        if skin is not None:
            mine = (skin.bone == bone) & (skin.weight >= options.least_weight) & (skin.weight > 0)
            if int(mine.sum()) >= options.least_points:
                local = (skin.points[skin.vertex[mine]] - position[bone]) @ rotation[bone]
                link = _around(name, local, skin.weight[mine], options)
        links.append(link or _along(name, float(length[bone]), options))
    return links


def _along(name: str, length: float, options: FitOptions) -> Link:
    """A capsule as long as the bone, its round ends included."""
    radius = options.slender * length
    return Link(
        name, (0.0, min(radius, 0.5 * length), 0.0), (0.0, max(length - radius, 0.5 * length), 0.0), radius
    )


def _around(name: str, points: Array, weight: Array, options: FitOptions) -> Link | None:
    """A capsule around points of the joint's frame, or None if they have no extent."""
    middle = (weight @ points) / weight.sum() if options.beside else np.zeros(3)
    beside = np.hypot(points[:, 0] - middle[0], points[:, 2] - middle[2])
    radius = quantile(beside, weight, options.cover)
    rest = 0.5 * (1.0 - options.cover)
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
