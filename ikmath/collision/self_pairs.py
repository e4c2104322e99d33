# SPDX-License-Identifier: GPL-3.0-or-later
"""The pairs of links of a figure that must not touch.

Neighbours in the tree overlap where they meet, and the armpits and thighs of skinned figures touch in the
rest pose. Such pairs would lock the figure in its rest pose, so they are left out. Callers can add and remove
pairs.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Index, Mask
from ..errors import BadShape, BadValue, UnknownName, told
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from .body import Body
from .scene import Scene

Pair = tuple[str | int, str | int]


def self_pairs(
    skeleton: Skeleton,
    body: Body,
    q: npt.ArrayLike | None = None,
    *,
    add: Iterable[Pair] = (),
    remove: Iterable[Pair] = (),
    slack: float = 0.0,
) -> Index:
    """Pairs of links that must not touch.

    Left out are links of one joint, links with no other link between them in the tree, and pairs that touch
    in the rest pose.

    Args:
        skeleton: the figure; body: its links;
        q: (n,) the pose in which touching pairs are left out; the rest pose if not given.
        add: pairs to watch in any case, by link names or indices; a name stands for all links that have it.
        remove: pairs not to watch.
        slack: metres; pairs with less clearance than this in the rest pose count as touching.

    Returns:
        (P, 2) indices of links, the smaller first, sorted.

    Raises:
        UnknownName: a link of `add` or `remove` does not exist; BadValue: a link paired with itself;
        BadShape: several poses.
    """
    joints = arguments.of_kind(body, Body, "body").bind(arguments.of_kind(skeleton, Skeleton, "skeleton"))
    slack = arguments.number(slack, "slack of self_pairs")
    first, second = np.triu_indices(len(body), 1)
    pose = Pose.forward(skeleton, skeleton.rest if q is None else q)
    if pose.batch:
        raise BadShape("q", f"({skeleton.n},)", pose.q.shape)
    near = Scene(skeleton, body, (), np.stack([first, second], 1)).near(pose, np.inf)
    clear = near.clearance > slack
    clear &= ~_neighbours(skeleton, joints)[first, second]
    chosen = set(zip(first[clear].tolist(), second[clear].tolist(), strict=True))
    chosen |= _named(body, add)
    chosen -= _named(body, remove)
    return np.array(sorted(chosen), dtype=np.intp).reshape(-1, 2)


def _neighbours(skeleton: Skeleton, joints: Index) -> Mask:
    """(L, L) links of one joint, and links whose joints have no joint with a link between them."""
    carrying = set(joints.tolist())
    above = np.full(len(skeleton), -1)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            above[joint] = parent if parent in carrying else above[parent]
    same: Mask = joints[:, None] == joints
    over: Mask = above[joints][:, None] == joints
    return same | over | over.T


def _named(body: Body, pairs: Iterable[Pair]) -> set[tuple[int, int]]:
    found = set()
    for pair in arguments.several(pairs, Iterable, "pairs of links"):  # type: ignore[type-abstract]
        names = tuple(pair)
        if len(names) != 2:
            raise BadValue(f"The pair {told(pair)}", "is not a pair; name two links.")
        one, two = (_links(body, name) for name in names)
        both = {(min(i, j), max(i, j)) for i in one for j in two if i != j}
        if not both:
            raise BadValue(f"The pair {pair!r}", "is a link with itself; name two different links.")
        found |= both
    return found


def _links(body: Body, name: object) -> list[int]:
    if isinstance(name, str):
        found = [i for i, known in enumerate(body.names) if known == name]
        if not found:
            raise UnknownName("link", name, body.names)
        return found
    if not isinstance(name, int | np.integer) or not 0 <= name < len(body):
        raise UnknownName("link", name, [str(i) for i in range(len(body))])
    return [int(name)]
