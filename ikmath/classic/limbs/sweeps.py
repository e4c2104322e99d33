# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps over the joints, shared by the geometric methods.

A sweep rotates single joints from the tips inward (Wang & Chen's cyclic coordinate descent) and never
increases the error. The limits of one joint do not depend on those of others, so where sweeps converge no
single joint can improve the pose: a local minimum. Sweeps are a method of their own, and the last stage of
methods whose passes stop at limits.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from .alignment import Pair, davenport
from .arithmetic import Number, Vector, add, conjugate, dot, inner, length, rotate, scaled, subtract
from .chains import Aim, Group
from .posing import Posing

Wish = tuple[Aim, Vector, Number]
"""An aim, the target of its socket in world space, and the weight."""

_GROUP_ROUNDS: Final = 12  # rounds over joints that coincide and aim together
_STILL: Final = 1e-13


def sweep(posing: Posing, damping: float = np.inf) -> None:
    """Rotate all movable joints, from the tips inward, each to its best fit for the effectors below it.

    Args:
        posing: up to date, also afterwards.
        damping: maximum rotation of a joint in one sweep, radians.
    """
    m, limbs = posing.m, posing.limbs
    tip, targets, head = list(posing.tip), posing.targets, list(posing.head)
    for index in reversed(posing.moving):
        node = limbs.nodes[index]
        pulls = limbs.pulls[index]
        base = posing.base[index]
        if node.slides:
            slide(
                posing,
                index,
                [
                    (subtract(targets[e], tip[e]), limbs.effectors[e].weight)
                    for p in pulls
                    for e in p.effectors
                ],
            )
            shift = subtract(posing.head[index], head[index])
            head[index] = posing.head[index]
            for pull in pulls:
                for end in pull.effectors:
                    tip[end] = add(tip[end], shift)
                for other in pull.heads:
                    head[other] = add(head[other], shift)
        if node.turning is None:
            continue
        turned = posing.turned[index]
        out, back = conjugate(base), conjugate(turned[0])
        pairs: list[Pair] = []
        rests: list[Vector] = []
        for pull in pulls:
            at = head[pull.node] if pull.node >= 0 else tip[pull.effectors[0]]
            carried = subtract(subtract(at, pull.drift), head[index])
            rest = rotate(out, carried)
            rests.append(rest)
            source = rotate(back, rest)
            for end in pull.effectors:
                wanted = add(rest, rotate(out, subtract(targets[end], tip[end])))
                pairs.append((source, wanted, limbs.effectors[end].weight))
        k, size = davenport(pairs)
        new = node.turning.best(m, turned, k, size, len(pairs) > 1)
        share: Number = node.mobility
        if damping < np.inf:
            cosine = m.minimum(abs(inner(turned[0], new[0])), 1.0)
            angle = 2.0 * m.atan2(m.sqrt(m.maximum(1.0 - cosine * cosine, 0.0)), cosine)
            share = m.minimum(share, damping / m.maximum(angle, 1e-9))
        if node.mobility < 1.0 or damping < np.inf:
            new = node.turning.mixed(m, turned, new, share)
        posing.turned[index] = new
        for pull, rest in zip(pulls, rests, strict=True):
            shift = rotate(base, subtract(rotate(new[0], rotate(back, rest)), rest))
            for end in pull.effectors:
                tip[end] = add(tip[end], shift)
            for other in pull.heads:
                head[other] = add(head[other], shift)
    posing.place_all()


def slide(posing: Posing, index: int, wishes: Sequence[tuple[Vector, Number]]) -> None:
    """Translate one node by the weighted mean of shifts (world space), within its limits; moves its head."""
    m, node, rail = posing.m, posing.limbs.nodes[index], posing.rail(index)
    total: Number = sum(weight for _, weight in wishes)
    if total == 0.0:
        return
    mean: Vector = (0.0, 0.0, 0.0)
    for shift, weight in wishes:
        mean = add(mean, scaled(shift, weight / total))
    local = rotate(conjugate(rail), mean)
    slides = list(posing.slid[index])
    moved: list[Number] = [0.0, 0.0, 0.0]
    for free in node.slides:
        old = slides[free.axis]
        slides[free.axis] = m.minimum(m.maximum(old + local[free.axis], free.low), free.high)
        moved[free.axis] = slides[free.axis] - old
    posing.slid[index] = (slides[0], slides[1], slides[2])
    posing.head[index] = add(posing.head[index], rotate(rail, (moved[0], moved[1], moved[2])))


def turn_group(posing: Posing, group: Group, wishes: Sequence[Wish]) -> None:
    """Rotate the nodes of a group so that its aims fit their targets best.

    The group is up to date afterwards; the nodes below it are not.
    """
    m, limbs = posing.m, posing.limbs
    for index in group.nodes:
        posing.place(index)
    resting: Number = False
    for _ in range(1 if len(group.nodes) == 1 else _GROUP_ROUNDS):
        quiet: Number = True
        for index in group.nodes:
            node = limbs.nodes[index]
            posing.place(index)
            if node.turning is None:
                continue
            out = conjugate(posing.base[index])
            pairs: list[Pair] = []
            for aim, wanted, weight in wishes:
                source = carried_by(posing, index, aim)
                if source is not None:
                    goal = rotate(out, subtract(subtract(wanted, aim.place.drift), posing.head[index]))
                    pairs.append((source, goal, weight))
            if not pairs:
                continue
            k, size = davenport(pairs)
            old = posing.turned[index]
            new = node.turning.best(m, old, k, size, len(pairs) > 1)
            same = inner(old[0], new[0])
            quiet = quiet & (1.0 - same * same < _STILL)
            posing.turned[index] = posing.prefer(resting, old, new)
            posing.place(index)
        resting = quiet
        if m.all(resting):
            break


def carried_by(posing: Posing, index: int, aim: Aim) -> Vector | None:
    """A group's aim in the frame of one of the group's nodes; None if that node does not carry it."""
    source, at = aim.place.socket, aim.place.node
    while at != index:
        node = posing.limbs.nodes[at]
        if at < index or not node.attached:
            return None
        source = rotate(node.rest, rotate(posing.turned[at][0], source))
        at = node.place.node
    return source


def straighten(posing: Posing) -> None:
    """Point every joint at the targets below it: the nearest pose if these are out of reach."""
    for group in posing.limbs.groups:
        for index in group.nodes:
            posing.place(index)
        head = posing.head[group.nodes[0]]
        wishes: list[Wish] = []
        for aim in group.aims:
            for end, _, drift in aim.ends:
                way = subtract(subtract(posing.targets[end], drift), head)
                distance = posing.m.maximum(length(posing.m, way), 1e-12)
                wanted = add(add(head, scaled(way, aim.length / distance)), aim.place.drift)
                wishes.append((aim, wanted, posing.limbs.effectors[end].weight))
        turn_group(posing, group, wishes)
    posing.place_tips()


def stretch_where_far(posing: Posing) -> None:
    """Stretch the limb in frames whose target is out of reach; others are unchanged."""
    far = out_of_reach(posing)
    if posing.m.any(far):
        before = posing.state()
        straighten(posing)
        posing.restore(posing.prefer(far, posing.state(), before))
        posing.place_all()


def out_of_reach(posing: Posing) -> Number:
    """Whether the one target is farther from the one fixed root than the length of the stretched limb."""
    limbs = posing.limbs
    if len(limbs.effectors) != 1 or not limbs.groups or any(node.slides for node in limbs.nodes):
        return False
    root = limbs.groups[0]
    if len(root.aims) != 1 or root.nodes[0] != limbs.ways[0][0]:
        return False
    _, rest, drift = root.aims[0].ends[0]
    way = subtract(subtract(posing.targets[0], drift), posing.head[root.nodes[0]])
    return dot(way, way) >= (root.aims[0].length + rest) * (root.aims[0].length + rest)
