# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes from the root outward that bring the end of a limb to a given distance from its target.

The law of cosines for any kind of joint: a rotation moves the carried point on a part of a sphere. The point
is at distance b from the target if `s . g = (a^2 + c^2 - b^2) / 2`, with the carried vector s (length a) and
the vector g to the target (length c). This value is the *level*. `Turning.levelled` finds the smallest
rotation with it, within the limits. If there is none, it comes as near as possible: it points at a target
that is too far, and away from one that is too near. Triangulation and the reach hierarchy use different
distances b.
"""

from collections.abc import Callable
from typing import Final

from .alignment import davenport
from .arithmetic import Number, Vector, add, conjugate, dot, length, rotate, scaled, subtract
from .chains import Aim, Group, Place
from .posing import Posing
from .sweeps import Wish, carried_by, turn_group

Wanted = Callable[[Number, Number, Aim, int], Number]
"""(length of the carried vector, distance of the target, aim, index of its end) -> level of s . g."""

_ORIGIN: Final[Vector] = (0.0, 0.0, 0.0)


def level_group(
    posing: Posing, group: Group, aim: Aim, target: Vector, wanted: Callable[[Number, Number], Number]
) -> None:
    """Rotate the nodes of a group in turn until their aim has the given level towards a point.

    Args:
        posing: with the group's head up to date; afterwards the group is up to date.
        group: whose nodes rotate; aim: the carried point; target: world space, minus the drifts.
        wanted: (a, c) -> level.
    """
    m = posing.m
    for index in group.nodes:
        posing.place(index)
        node = posing.limbs.nodes[index]
        source = carried_by(posing, index, aim)
        if node.turning is None or source is None:
            continue
        goal = rotate(conjugate(posing.base[index]), subtract(target, posing.head[index]))
        level = wanted(length(m, source), length(m, goal))
        k, size = davenport([(source, goal, 1.0)])
        posing.turned[index] = node.turning.levelled(m, posing.turned[index], k, size, level)
        posing.place(index)


def outward(posing: Posing, wanted: Wanted, shared: Wanted) -> None:
    """One pass from the roots to the tips.

    Groups above one effector are levelled. If there are several effectors, each determines a position of the
    next head by its own level, and the group is fitted to these by weights.

    Args:
        posing: up to date afterwards.
        wanted: level for a group of a single chain; shared: level of each effector in a shared
            group.
    """
    for group in posing.limbs.groups:
        for index in group.nodes:
            posing.place(index)
        ends = [(aim, number) for aim in group.aims for number in range(len(aim.ends))]
        if len(ends) == 1:
            aim, number = ends[0]
            end, _, drift = aim.ends[number]
            target = subtract(posing.targets[end], drift)

            def level(a: Number, c: Number, aim: Aim = aim, number: int = number) -> Number:
                return wanted(a, c, aim, number)

            level_group(posing, group, aim, target, level)
        elif ends:
            turn_group(posing, group, [_wish(posing, group, aim, number, shared) for aim, number in ends])
    posing.place_tips()


def _wish(posing: Posing, group: Group, aim: Aim, number: int, wanted: Wanted) -> Wish:
    """Target of a group's aim for one effector: at its level, in the plane of the limb and the target."""
    m = posing.m
    end, _, drift = aim.ends[number]
    weight = posing.limbs.effectors[end].weight
    head = posing.head[group.nodes[0]]
    way = subtract(subtract(posing.targets[end], drift), head)
    c = m.maximum(length(m, way), 1e-12)
    now = subtract(subtract(posing.placed(aim.place), aim.place.drift), head)
    ahead = scaled(way, 1.0 / c)
    level = wanted(aim.length, c, aim, number)
    cosine = m.minimum(m.maximum(level / (m.maximum(aim.length, 1e-12) * c), -1.0), 1.0)
    beside = subtract(now, scaled(ahead, dot(now, ahead)))
    width = length(m, beside)
    beside = scaled(beside, 1.0 / m.maximum(width, 1e-12))
    sine = m.where(width > 1e-9 * aim.length, m.sqrt((1.0 - cosine) * (1.0 + cosine)), 0.0)
    relative = add(scaled(ahead, cosine * aim.length), scaled(beside, sine * aim.length))
    return aim, add(add(head, relative), aim.place.drift), weight


def reshape(posing: Posing) -> None:
    """Straighten a limb, bend it joint by joint to the distance of its target, and point it there.

    Unlike a pass that only uses the target, it does not stop at a limit while another joint can still bend:
    the distance from root to tip changes from straight to fully bent and passes the required one. With an
    unlimited root, this always reaches the target.
    """
    limbs = posing.limbs
    way = [g for g in limbs.groups if any(index in limbs.ways[0] for index in g.nodes)]
    aims = [group.aims[0] for group in way]
    root, m = way[0], posing.m
    ahead: Vector | None = None
    for group, aim in zip(way, aims, strict=True):
        for index in group.nodes:
            posing.place(index)
        head = posing.head[group.nodes[0]]
        if ahead is not None:
            turn_group(
                posing, group, [(aim, add(add(head, scaled(ahead, aim.length)), aim.place.drift), 1.0)]
            )
        now = subtract(subtract(posing.placed(aim.place), aim.place.drift), head)
        if aim.length > 0.0:
            ahead = scaled(now, 1.0 / m.maximum(length(m, now), 1e-12))
    posing.place_tips()
    drift = aims[0].ends[0][2]
    anchor = posing.head[root.nodes[0]]
    target = subtract(posing.targets[0], drift)
    reach = subtract(target, anchor)
    square = dot(reach, reach)
    tips = [stiff_tip(posing, aim) for aim in aims]
    for group, tip in zip(way[1:], tips[1:], strict=True):
        level_group(posing, group, tip, anchor, lambda a, c: 0.5 * (a * a + c * c - square))
    for group in way[1:]:
        for index in group.nodes:
            posing.place(index)
    posing.place_tips()
    turn_group(posing, root, [(stiff_tip(posing, aims[0]), target, 1.0)])
    posing.place_all()


def stiff_tip(posing: Posing, aim: Aim, effector: int = 0) -> Aim:
    """An effector's tip as a point carried by an aim's node, with the rest of the limb rigid."""
    last = aim.place.node
    drift = next(drift for end, _, drift in aim.ends if end == effector)
    carried = subtract(subtract(posing.tip[effector], drift), posing.head[last])
    place = Place(last, rotate(conjugate(posing.frame[last]), carried), _ORIGIN)
    return Aim(place, 0.0, -1, effector, ((effector, 0.0, _ORIGIN),))
