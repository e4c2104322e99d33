# SPDX-License-Identifier: GPL-3.0-or-later
"""How near a figure really is to its obstacles, found in another way than the library does it.

Every distance from a place to a convex thing is convex along a bone, so its minimum is found by shrinking an
interval; meshes are asked triangle by triangle. Nothing here is clever, and nothing here is shared with
`ikmath.collision` but the numbers that a shape was made of.
"""

from __future__ import annotations

import numpy as np

from ikmath import Box, Capsule, Cylinder, HalfSpace, Pose, Rectangle, Sphere

_ROUNDS = 34  # of the golden section: the interval shrinks to 1e-7 of its length
_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def clearances(skeleton, body, obstacles, q, pairs=(), exact=np.inf):
    """(T, K + 1) smallest clearance to each obstacle, and last that of the pairs of links; q (T, n).

    What is above `exact` may be told too small, but not below `exact`: a bone is no nearer than its middle
    less half its length.
    """
    a, b = body.segments(Pose.forward(skeleton, q))
    half = 0.5 * body.length
    columns = []
    for shape in obstacles:
        gap = axis_distance(shape, *[0.5 * (a + b)] * 2, point=True) - half - body.radius
        near = gap < exact
        radius = np.broadcast_to(body.radius, near.shape)[near]
        gap[near] = axis_distance(shape, a[near], b[near]) - radius
        columns.append(gap.min(-1, initial=np.inf))
    one, two = np.asarray(pairs, dtype=int).reshape(-1, 2).T
    middle = 0.5 * (a[:, one] + b[:, one])
    gap = _to_segment(middle, a[:, two], b[:, two]) - half[one] - body.radius[one] - body.radius[two]
    near = gap < exact
    ends = a[:, two][near], b[:, two][near]
    thick = np.broadcast_to(body.radius[one] + body.radius[two], near.shape)[near]
    gap[near] = _least(lambda p: _to_segment(p, *ends), a[:, one][near], b[:, one][near]) - thick
    return np.stack([*columns, gap.min(-1, initial=np.inf)], -1)


def axis_distance(shape, a, b, *, point=False):
    """Distance between segments (..., 3) and a shape; below zero, or zero for a sheet, where they meet.

    Args:
        point: whether a and b are the same places.
    """
    least = _at_place if point else _least
    if isinstance(shape, Sphere):
        return _to_segment(np.asarray(shape.center), a, b) - shape.radius
    if isinstance(shape, HalfSpace):
        normal = np.asarray(shape.normal) / np.linalg.norm(shape.normal)
        return np.minimum((a - shape.origin) @ normal, (b - shape.origin) @ normal)
    if isinstance(shape, Capsule):
        return least(lambda p: _to_segment(p, shape.a, shape.b), a, b) - shape.radius
    if isinstance(shape, Cylinder):
        return least(lambda p: _to_cylinder(p, shape), a, b)
    if isinstance(shape, Box):
        return least(lambda p: _to_box(p, shape), a, b)
    if isinstance(shape, Rectangle):
        return least(lambda p: _to_rectangle(p, shape), a, b)
    corners = shape.vertices[shape.faces]
    gap = np.min([least(_to_triangle(*t), a, b) for t in corners], 0)
    if shape.mode == "solid":
        gap = np.where(winding(a, corners) > 0.5, -gap, gap)
    return gap


def crosses(rectangle, a, b):
    """Whether segments (..., 3) pass through a rectangle without thickness."""
    u, v = np.asarray(rectangle.axis_u), np.asarray(rectangle.axis_v)
    normal = np.cross(u, v)
    above, below = (a - rectangle.center) @ normal, (b - rectangle.center) @ normal
    flat = np.where(above == below, 1.0, above - below)
    hit = a + (above / flat)[..., None] * (b - a) - rectangle.center
    inside = (np.abs(hit @ u) < u @ u) & (np.abs(hit @ v) < v @ v)
    return (above * below < 0.0) & inside


def winding(p, corners):
    """How often closed triangles (F, 3, 3) wind around places (..., 3): 1 inside, 0 outside."""
    total = np.zeros(p.shape[:-1])
    for triangle in corners:
        x, y, z = (corner - p for corner in triangle)
        lx, ly, lz = (np.linalg.norm(w, axis=-1) for w in (x, y, z))
        triple = np.einsum("...i,...i->...", x, np.cross(y, z))
        dots = lambda s, t: np.einsum("...i,...i->...", s, t)  # noqa: E731
        below = lx * ly * lz + dots(x, y) * lz + dots(y, z) * lx + dots(z, x) * ly
        total += 2.0 * np.arctan2(triple, below)
    return total / (4.0 * np.pi)


def _at_place(distance, a, b):
    return distance(a)


def _least(distance, a, b):
    """Minimum along segments of a distance that is convex there."""
    low, high = np.zeros(a.shape[:-1]), np.ones(a.shape[:-1])
    at = lambda t: distance(a + t[..., None] * (b - a))  # noqa: E731
    best = np.minimum(at(low), at(high))
    one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    f, g = at(one), at(two)
    for _ in range(_ROUNDS):
        left = f < g
        low, high = np.where(left, low, one), np.where(left, two, high)
        moved = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        one, two = np.where(left, moved, two), np.where(left, one, moved)
        value = at(moved)
        f, g = np.where(left, value, g), np.where(left, f, value)
    return np.minimum(best, np.minimum(f, g))


def _to_segment(p, a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    along = b - a
    square = (along * along).sum(-1)
    t = ((p - a) * along).sum(-1) / np.where(square > 0.0, square, 1.0)
    return np.linalg.norm(p - a - np.clip(t, 0.0, 1.0)[..., None] * along, axis=-1)


def _to_cylinder(p, shape):
    a, b = np.asarray(shape.a), np.asarray(shape.b)
    size = np.linalg.norm(b - a)
    height = (p - a) @ (b - a) / size
    across = np.linalg.norm(p - a - height[..., None] * (b - a) / size, axis=-1) - shape.radius
    along = np.maximum(-height, height - size)
    outside = np.hypot(np.maximum(across, 0.0), np.maximum(along, 0.0))
    return np.where((across < 0.0) & (along < 0.0), np.maximum(across, along), outside)


def _to_box(p, shape):
    local = (p - shape.translation) @ shape.rotation - shape.center
    beyond = np.abs(local) - 0.5 * np.asarray(shape.size)
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
    return np.where(outside > 0.0, outside, beyond.max(-1))


def _to_rectangle(p, shape):
    u, v = np.asarray(shape.axis_u), np.asarray(shape.axis_v)
    way = p - shape.center
    s = np.clip(way @ u / (u @ u), -1.0, 1.0)[..., None] * u
    t = np.clip(way @ v / (v @ v), -1.0, 1.0)[..., None] * v
    return np.linalg.norm(way - s - t, axis=-1)


def _to_triangle(a, b, c):
    """The distance from places to a triangle, as a function of the places."""
    sides = ((a, b), (b, c), (c, a))
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal)
    inwards = [np.cross(normal, end - start) for start, end in sides]

    def distance(p):
        edges = np.min([_to_segment(p, *side) for side in sides], 0)
        if size == 0.0:
            return edges
        over = np.ones(p.shape[:-1], dtype=bool)
        for (start, _), inward in zip(sides, inwards, strict=True):
            over &= (p - start) @ inward >= 0.0
        return np.where(over, np.abs((p - a) @ normal) / size, edges)

    return distance
