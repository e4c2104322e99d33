# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs on joints that stand at what the figure keeps clear of: a lamp on its table, hips on a chair.

A joint that nothing moves stays at the obstacle, and with it the part of the limb beside it, whichever way
that turns. Asked to keep out all the same, the limb could hardly turn at all, and the figure with it. So that
part does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final

import numpy as np

import ikmath as ik
from ikmath.collision import Shape

from ...bridge.armature import Array
from ...bridge.skeleton import Figure

_LEAN: Final = 2.0  # thicknesses of a limb from its joint on which it counts; it can lean by 60 degrees then
_MOST: Final = 100  # thicknesses; who is rooted deeper does not meet obstacles


@dataclass(frozen=True, eq=False)
class Held:
    """Limbs whose joints nothing moves; K of them.

    Attributes:
        rows: (K,) their numbers among all limbs; joints: (K,) of the skeleton.
        thick: (K,) metres that each keeps its joint from obstacles: its radius and the common margin.
    """

    rows: tuple[int, ...]
    joints: tuple[int, ...]
    thick: tuple[float, ...]


def held_links(figure: Figure, links: Sequence[ik.Link], margin: float) -> Held:
    """The limbs that hang on joints that nothing moves.

    Args:
        figure: at any pose; links: capsules of it.
        margin: metres that are kept from all obstacles.
    """
    skeleton = figure.skeleton
    joints = [skeleton.index(link.joint) for link in links]
    rows = []
    for row, (link, joint) in enumerate(zip(links, joints, strict=True)):
        turns_itself = (skeleton.owner == joint) & skeleton.is_turn
        if link.meets_obstacles and not (skeleton.influence[:, joint] & ~turns_itself).any():
            rows.append(row)
    return Held(
        rows=tuple(rows),
        joints=tuple(joints[row] for row in rows),
        thick=tuple(float(links[row].radius) + margin for row in rows),
    )


def roots_of(held: Held, figure: Figure, obstacles: Sequence[Shape]) -> tuple[int, ...]:
    """(K,) how many of their thicknesses the joints of limbs are in obstacles, or nearer than that; 0: free.

    Args:
        held: of the figure; figure: in the frame; obstacles: there, in figure space.
    """
    if not held.rows:
        return ()
    places, thickest, deep = _places(held, figure), max(held.thick), [0] * len(held.rows)
    for shape in obstacles:
        center, radius = shape.bounds
        gap = places - center
        if not (gap * gap).sum(1).min() <= (radius + thickest + shape.margin) ** 2:
            continue  # in every frame, and most are far away
        keep = np.array(held.thick) + shape.margin
        away = shape.nearest(places, float(keep.max())).distance
        for row, (lacks, thick) in enumerate(zip((keep - away).tolist(), keep.tolist(), strict=True)):
            if lacks > 0.0:
                deep[row] = max(deep[row], ceil(min(lacks / thick, _MOST)))
    return tuple(deep)


def _places(held: Held, figure: Figure) -> Array:
    """(K, 3) where the joints are, figure space."""
    skeleton, joints = figure.skeleton, list(held.joints)
    if (skeleton.parents[joints] < 0).all():
        return np.asarray(skeleton.constants.translation[joints])
    return np.asarray(ik.Pose.forward(skeleton, figure.q).position[joints])


def above_roots(links: Sequence[ik.Link], held: Held, roots: Sequence[int]) -> list[ik.Link]:
    """All limbs, those that are rooted without what is beside their joints.

    Args:
        links: the figure's; held: those of them that may be rooted; roots: (K,) how deep, see `roots_of`.
    """
    found = list(links)
    for row, thick, root in zip(held.rows, held.thick, roots, strict=True):
        if root:
            found[row] = _from(links[row], _LEAN * root * thick)
    return found


def _from(link: ik.Link, away: float) -> ik.Link:
    """A limb without what is nearer to its joint than `away`, metres; where nothing is left, out of all."""
    a, b = np.asarray(link.a, dtype=float), np.asarray(link.b, dtype=float)
    near, far = sorted((a, b), key=np.linalg.norm)
    if not np.linalg.norm(far) > away:
        return replace(link, meets_obstacles=False)
    way = far - near
    # where |near + t way| = away
    square, half, rest = way @ way, near @ way, near @ near - away * away
    t = max(0.0, (-half + np.sqrt(max(half * half - square * rest, 0.0))) / square) if square > 0.0 else 0.0
    return replace(link, a=near + t * way, b=far)
