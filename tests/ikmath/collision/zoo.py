# SPDX-License-Identifier: GPL-3.0-or-later
"""One entry a kind of shape: how to make a random one, and points that cover its surface densely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import meshes
import numpy as np

from ikmath.collision import Box, Capsule, Cylinder, HalfSpace, Rectangle, Shape, Sphere, TriangleMesh

Rng = np.random.Generator


def rotation(rng: Rng) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def _ball(rng: Rng, count: int) -> np.ndarray:
    d = rng.normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def _frame(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    other = np.eye(3)[np.abs(axis).argmin()]
    u = np.cross(axis, other)
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


def sphere(rng: Rng) -> Sphere:
    return Sphere(rng.normal(size=3), rng.uniform(0.1, 1.5))


def sphere_surface(shape: Sphere, rng: Rng, count: int) -> np.ndarray:
    return shape.center + shape.radius * _ball(rng, count)


def half_space(rng: Rng) -> HalfSpace:
    return HalfSpace(rng.normal(size=3), rng.normal(size=3))


def half_space_surface(shape: HalfSpace, rng: Rng, count: int) -> np.ndarray:
    u, v = _frame(shape.normal)
    grid = rng.uniform(-6, 6, size=(count, 2))
    return shape.origin + grid[:, :1] * u + grid[:, 1:] * v


def rectangle(rng: Rng) -> Rectangle:
    axes = rotation(rng)
    return Rectangle(rng.normal(size=3), axes[0] * rng.uniform(0.1, 1.5), axes[1] * rng.uniform(0.1, 1.5))


def rectangle_surface(shape: Rectangle, rng: Rng, count: int) -> np.ndarray:
    grid = rng.uniform(-1, 1, size=(count, 2))
    grid[: count // 10, 0] = np.sign(grid[: count // 10, 0])
    grid[count // 20 : count // 8, 1] = np.sign(grid[count // 20 : count // 8, 1])
    return shape.center + grid[:, :1] * shape.axis_u + grid[:, 1:] * shape.axis_v


def box(rng: Rng) -> Box:
    return Box(rng.normal(size=3), rng.uniform(0.1, 2.0, 3))


def box_surface(shape: Box, rng: Rng, count: int) -> np.ndarray:
    grid = rng.uniform(-0.5, 0.5, size=(count, 3))
    rows = np.arange(count)
    for share in (1, 3, 9):  # faces, a third of them edges, a ninth corners
        some = rows[: count // share]
        axis = (some + share // 3) % 3
        grid[some, axis] = 0.5 * np.where(rng.uniform(size=len(some)) < 0.5, -1.0, 1.0)
    return shape.center + grid * shape.size


def cylinder(rng: Rng) -> Cylinder:
    a = rng.normal(size=3)
    return Cylinder(a, a + _ball(rng, 1)[0] * rng.uniform(0.1, 2.0), rng.uniform(0.1, 1.0))


def cylinder_surface(shape: Cylinder, rng: Rng, count: int) -> np.ndarray:
    along = shape.b - shape.a
    size = np.linalg.norm(along)
    u, v = _frame(along / size)
    turn = rng.uniform(0, 2 * np.pi, count)
    round_ = np.cos(turn)[:, None] * u + np.sin(turn)[:, None] * v
    height = rng.uniform(0, 1, count)
    spread = np.full(count, shape.radius)
    ends = count // 2
    height[:ends] = np.round(height[:ends])
    spread[:ends] *= np.sqrt(rng.uniform(0, 1, ends))
    spread[: ends // 4] = shape.radius
    return shape.a + height[:, None] * along + spread[:, None] * round_


def capsule(rng: Rng) -> Capsule:
    a = rng.normal(size=3)
    return Capsule(a, a + _ball(rng, 1)[0] * rng.uniform(0.0, 2.0), rng.uniform(0.1, 1.0))


def capsule_surface(shape: Capsule, rng: Rng, count: int) -> np.ndarray:
    direction = _ball(rng, count)
    along = shape.b - shape.a
    # the side: a place on the axis and a direction at right angles to it; the caps: an end and any direction
    place = rng.uniform(0, 1, count)
    size = np.linalg.norm(along)
    if size > 0:
        unit = along / size
        side = slice(0, count // 2)
        flat = direction[side] - (direction[side] @ unit)[:, None] * unit
        direction[side] = flat / np.linalg.norm(flat, axis=1, keepdims=True)
        outward = direction[count // 2 :] @ unit
        place[count // 2 :] = (outward > 0).astype(float)
    return shape.a + place[:, None] * along + shape.radius * direction


def mesh(rng: Rng) -> TriangleMesh:
    return TriangleMesh(*meshes.bumpy(rng))


def mesh_surface(shape: TriangleMesh, rng: Rng, count: int) -> np.ndarray:
    corners = shape.geometry.corners
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=-1)
    face = rng.choice(len(corners), count, p=area / area.sum())
    weights = rng.dirichlet((1, 1, 1), count)
    return (weights[:, :, None] * corners[face]).sum(1)


def least_along(shape: Shape, a: np.ndarray, b: np.ndarray, halvings: int) -> np.ndarray:
    """(S,) the least distance among 2 ** halvings + 1 places on each of S segments, from end to end.

    Spans are halved only where a place in them may be nearer: a distance changes by no more than the way.
    """
    of, size = np.arange(len(a)), np.linalg.norm(b - a, axis=-1)
    at_a, at_b = shape.nearest(a).distance, shape.nearest(b).distance
    least = np.minimum(at_a, at_b)
    for _ in range(halvings):
        middle, size = 0.5 * (a + b), 0.5 * size
        parts = np.array_split(middle, 1 + len(middle) // 4000)  # as many as the processor's cache holds
        at_middle = np.concatenate([shape.nearest(part).distance for part in parts])
        for at_end in (at_a, at_b):
            assert (np.abs(at_middle - at_end) <= size + 1e-9).all()
        np.minimum.at(least, of, at_middle)
        of, size = np.tile(of, 2), np.tile(size, 2)
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
        at_a, at_b = np.concatenate([at_a, at_middle]), np.concatenate([at_middle, at_b])
        may = 0.5 * (at_a + at_b - size) < least[of]
        of, size, a, b, at_a, at_b = (each[may] for each in (of, size, a, b, at_a, at_b))
    return least


@dataclass(frozen=True)
class Entry:
    make: Callable[[Rng], Shape]
    surface: Callable[[Shape, Rng, int], np.ndarray]
    convex: bool = True  # the signed distance is convex
    solid: bool = True  # it has an inside
    depth_error: float = 0.0  # of a segment's length, where a depth is sampled
    scenes: int = 25


ZOO = {
    "sphere": Entry(sphere, sphere_surface),
    "half_space": Entry(half_space, half_space_surface),
    "rectangle": Entry(rectangle, rectangle_surface, solid=False),
    "box": Entry(box, box_surface),
    "cylinder": Entry(cylinder, cylinder_surface),
    "capsule": Entry(capsule, capsule_surface),
    "mesh": Entry(mesh, mesh_surface, convex=False, depth_error=1 / 32, scenes=3),
}
