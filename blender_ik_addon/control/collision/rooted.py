# SPDX-License-Identifier: GPL-3.0-or-later
"""Links on joints that cannot move away from an obstacle: a lamp on its table, hips on a chair.

If no coordinate moves a joint, it stays at the obstacle, and so does the part of the link next to it, however
the joint turns. Keeping that part clear would almost block the joint, and the figure with it. So that part is
exempt.
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

_LEAN: Final = 2.0  # exempt length from the joint, in thicknesses of the link; it can then lean by 60 degrees
_MOST: Final = 100  # thicknesses; a link that is deeper inside does not meet obstacles at all


@dataclass(frozen=True, eq=False)
class HeldLinks:
    """Links whose joints nothing moves; K of them.

    Attributes:
        rows: (K,) their indices among all links; joints: (K,) of the skeleton.
        thick: (K,) metres, required distance of the joint from obstacles: radius plus common margin.
    """

    rows: tuple[int, ...]
    joints: tuple[int, ...]
    thick: tuple[float, ...]


def held_links(figure: Figure, links: Sequence[ik.Link], margin: float) -> HeldLinks:
    """The links on joints that no coordinate moves.

    Args:
        figure: in any pose; links: its capsules.
        margin: metres, required clearance from all obstacles.
    """
    skeleton = figure.skeleton
    joints = [skeleton.index(link.joint) for link in links]
    rows = []
    for row, (link, joint) in enumerate(zip(links, joints, strict=True)):
        turns_itself = (skeleton.owner == joint) & skeleton.is_turn
        if link.meets_obstacles and not (skeleton.influence[:, joint] & ~turns_itself).any():
            rows.append(row)
    return HeldLinks(
        rows=tuple(rows),
        joints=tuple(joints[row] for row in rows),
        thick=tuple(float(links[row].radius) + margin for row in rows),
    )


def roots_of(held: HeldLinks, figure: Figure, obstacles: Sequence[Shape]) -> tuple[int, ...]:
    """(K,) how deep the joints of links are inside the required clearance, in thicknesses; 0: free.

    Args:
        held: of the figure; figure: in this frame; obstacles: in this frame, figure space.
    """
    if not held.rows:
        return ()
    places, thickest, deep = _places(held, figure), max(held.thick), [0] * len(held.rows)
    for shape in obstacles:
        center, radius = shape.bounds
        gap = places - center
        if not (gap * gap).sum(1).min() <= (radius + thickest + shape.margin) ** 2:
            continue  # runs in every frame, and most obstacles are far away
        keep = np.array(held.thick) + shape.margin
        away = shape.nearest(places, float(keep.max())).distance
        for row, (lacks, thick) in enumerate(zip((keep - away).tolist(), keep.tolist(), strict=True)):
            if lacks > 0.0:
                deep[row] = max(deep[row], ceil(min(lacks / thick, _MOST)))
    return tuple(deep)


def _places(held: HeldLinks, figure: Figure) -> Array:
    """(K, 3) positions of the joints, figure space."""
    skeleton, joints = figure.skeleton, list(held.joints)
    if (skeleton.parents[joints] < 0).all():
        return np.asarray(skeleton.constants.translation[joints])
    return np.asarray(ik.Pose.forward(skeleton, figure.q).position[joints])


def above_roots(links: Sequence[ik.Link], held: HeldLinks, roots: Sequence[int]) -> list[ik.Link]:
    """All links, where rooted ones lack the part next to their joints.

    Args:
        links: of the figure; held: those that may be rooted; roots: (K,) depths, see `roots_of`.
    """
    found = list(links)
    for row, thick, root in zip(held.rows, held.thick, roots, strict=True):
        if root:
            found[row] = _from(links[row], _LEAN * root * thick)
    return found


def _from(link: ik.Link, away: float) -> ik.Link:
    """A link without the part within `away` metres of its joint; it meets no obstacles if nothing is left."""
    a, b = np.asarray(link.a, dtype=float), np.asarray(link.b, dtype=float)
    near, far = sorted((a, b), key=np.linalg.norm)
    if not np.linalg.norm(far) > away:
        return replace(link, meets_obstacles=False)
    way = far - near
    # where |near + t way| = away
    square, half, rest = way @ way, near @ way, near @ near - away * away
    t = max(0.0, (-half + np.sqrt(max(half * half - square * rest, 0.0))) / square) if square > 0.0 else 0.0
    return replace(link, a=near + t * way, b=far)
