# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures for measurements, told so plainly that every solver can have the identical one.

A figure is a tree of joints with one degree of freedom each, all frames along the world's axes where all
coordinates are zero. A ball joint is three turns about x, y and z at one place. `skeleton` makes ikmath's
figure out of it, joint by joint; `native` uses ikmath's own ball joints instead, which bound the same turns
by other limits. What a solver found is judged here too, by forward kinematics that shares nothing with
ikmath.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import ikmath as ik

Array = np.ndarray
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
Limits = tuple[float, float]


@dataclass
class Model:
    """A figure.

    Attributes:
        name: of the figure; scale: its size in metres, to which errors are compared.
        joints: (name, parent number or -1, offset from the parent, axis, slides?, lower, upper); radians,
            metres.
        effectors: (name, joint number, point in the joint's frame).
        balls: first joint numbers of the three that make up a ball.
        spheres: (joint number, centre in its frame, radius): the body, where obstacles count.
        start: (n,) where solves start.
    """

    name: str
    scale: float
    joints: list[tuple[str, int, tuple[float, ...], tuple[float, ...], bool, float, float]] = field(
        default_factory=list
    )
    effectors: list[tuple[str, int, tuple[float, ...]]] = field(default_factory=list)
    balls: list[int] = field(default_factory=list)
    spheres: list[tuple[int, tuple[float, ...], float]] = field(default_factory=list)
    start: Array = field(default_factory=lambda: np.empty(0))

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return len(self.joints)

    @property
    def lower(self) -> Array:
        """(n,) limits."""
        return np.array([joint[5] for joint in self.joints])

    @property
    def upper(self) -> Array:
        """(n,) limits."""
        return np.array([joint[6] for joint in self.joints])

    def turn(self, name: str, parent: int, offset: Sequence[float], axis: str, limits: Limits) -> int:
        """Add a hinge; limits in degrees; its number."""
        low, high = np.radians(limits)
        self.joints.append((name, parent, tuple(offset), AXES[axis], False, float(low), float(high)))
        return self.n - 1

    def slide(self, name: str, parent: int, offset: Sequence[float], axis: str, limits: Limits) -> int:
        """Add a slide; limits in metres; its number."""
        self.joints.append((name, parent, tuple(offset), AXES[axis], True, *map(float, limits)))
        return self.n - 1

    def ball(self, name: str, parent: int, offset: Sequence[float], limits: Sequence[Limits]) -> int:
        """Add three turns about x, y, z; limits in degrees; the number of the last."""
        self.balls.append(self.n)
        for axis, allowed, place in zip("xyz", limits, (offset, (0, 0, 0), (0, 0, 0)), strict=True):
            parent = self.turn(f"{name}_{axis}", parent, place, axis, allowed)
        return parent

    def write(self, path: Path, **more: Any) -> None:
        """As JSON, for solvers that run in a process of their own."""
        path.write_text(
            json.dumps(
                {
                    "name": self.name,
                    "scale": self.scale,
                    "joints": self.joints,
                    "effectors": self.effectors,
                    "spheres": self.spheres,
                    "start": self.start.tolist(),
                    **more,
                }
            ),
            encoding="utf-8",
        )


def skeleton(model: Model) -> ik.Skeleton:
    """The figure hinge by hinge, so that its limits are exactly the model's."""
    letters = {axis: letter for letter, axis in AXES.items()}
    return ik.Skeleton(
        ik.Joint(
            name,
            None if parent < 0 else model.joints[parent][0],
            translation=offset,
            slides=letters[axis] if slides else "",
            turns="" if slides else letters[axis],
            lower=low,
            upper=high,
        )
        for name, parent, offset, axis, slides, low, high in model.joints
    )


def native(model: Model) -> ik.Skeleton:
    """The figure with ikmath's own ball joints, along Y as bones are; same places, same numbers as limits.

    Of a ball's limits, the swing's pair (two axes together) is an ellipse here and a box in `skeleton`; so
    this is another problem with the same targets, within the same reach.
    """
    up = ik.rotation.about(0, np.pi / 2)  # bone frame: local Y to the model's Z
    firsts = set(model.balls)
    joints: list[ik.Joint] = []
    owner: dict[int, str] = {}  # model joint -> ikmath joint
    pending: list[int] = []
    number = 0
    while number < model.n:
        name, parent, offset, _, slides, _, _ = model.joints[number]
        if slides:
            pending.append(number)
            number += 1
            continue
        place = np.asarray(offset, float)
        slide_options: dict[str, Any] = {"slides": ""}
        lower: list[float] = []
        upper: list[float] = []
        if pending:  # slides of the root become the ball's own
            place = place + np.sum([model.joints[i][2] for i in pending], axis=0)
            parent = model.joints[pending[0]][1]
            order = [0, 2, 1]  # of the bone's frame: x, then y (the model's z), then z (the model's -y)
            slide_options = {"slides": "xyz"}
            lower += [model.joints[pending[i]][5] for i in order]
            upper += [model.joints[pending[i]][6] for i in order]
            pending = []
        if number not in firsts:
            raise ValueError(f"{name} is no ball; only figures of balls have a native form")
        turned = parent >= 0
        if turned:
            place = up.T @ place
        limits = [model.joints[number + i][5:7] for i in range(3)]
        lower += [limits[0][0], limits[2][0], -limits[1][1]]
        upper += [limits[0][1], limits[2][1], -limits[1][0]]
        joints.append(
            ik.Joint(
                name.removesuffix("_x"),
                owner[parent] if turned else None,
                rotation=np.eye(3) if turned else up,
                translation=place,
                turns="xyz",
                lower=lower,
                upper=upper,
                **slide_options,
            )
        )
        for i in range(3):
            owner[number + i] = joints[-1].name
        number += 3
    return ik.Skeleton(joints)


def native_effectors(model: Model) -> tuple[list[str], Array]:
    """Joint names and offsets of the effectors on `native`'s figure."""
    up = ik.rotation.about(0, np.pi / 2)
    names = [model.joints[joint][0].removesuffix("_z").removesuffix("_x") for _, joint, _ in model.effectors]
    return names, np.array([up.T @ np.asarray(point) for _, _, point in model.effectors])


# ---------------------------------------------------------------- judging
def forward(model: Model, q: Array) -> tuple[Array, Array]:
    """Frames of all joints: rotations (B, n, 3, 3) and places (B, n, 3) for q (B, n); plain loops."""
    q = np.atleast_2d(q)
    rotation, place = np.empty((len(q), model.n, 3, 3)), np.empty((len(q), model.n, 3))
    for i, (_, parent, offset, axis, slides, _, _) in enumerate(model.joints):
        above = rotation[:, parent] if parent >= 0 else np.broadcast_to(np.eye(3), (len(q), 3, 3))
        start = place[:, parent] if parent >= 0 else 0.0
        place[:, i] = start + above @ np.asarray(offset)
        if slides:
            rotation[:, i] = above
            place[:, i] += (above @ np.asarray(axis)) * q[:, i, None]
            continue
        a, b, c = axis
        cross = np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
        sine, cosine = np.sin(q[:, i])[:, None, None], np.cos(q[:, i])[:, None, None]
        rotation[:, i] = above @ (np.eye(3) + sine * cross + (1.0 - cosine) * (cross @ cross))
    return rotation, place


def tips(model: Model, q: Array) -> tuple[Array, Array]:
    """Effectors: places (B, E, 3) and rotations (B, E, 3, 3)."""
    rotation, place = forward(model, q)
    where = [joint for _, joint, _ in model.effectors]
    local = np.array([point for _, _, point in model.effectors])
    frames = rotation[:, where]
    return place[:, where] + np.einsum("beij,ej->bei", frames, local), frames


def clearance(model: Model, q: Array, obstacles: Array) -> Array:
    """(B,) smallest distance between the model's spheres and obstacles (K, 4) as centre and radius."""
    rotation, place = forward(model, q)
    where = [joint for joint, _, _ in model.spheres]
    local = np.array([centre for _, centre, _ in model.spheres])
    radius = np.array([r for _, _, r in model.spheres])
    centres = place[:, where] + np.einsum("bsij,sj->bsi", rotation[:, where], local)
    away = np.linalg.norm(centres[:, :, None] - obstacles[:, :3], axis=-1)
    return (away - obstacles[:, 3] - radius[:, None]).reshape(len(away), -1).min(1)


def turned(a: Array, b: Array) -> Array:
    """(...,) angle between rotations (..., 3, 3), radians."""
    d = np.swapaxes(a, -1, -2) @ b
    v = np.stack([d[..., 2, 1] - d[..., 1, 2], d[..., 0, 2] - d[..., 2, 0], d[..., 1, 0] - d[..., 0, 1]], -1)
    return np.arctan2(np.linalg.norm(v, axis=-1), np.trace(d, axis1=-2, axis2=-1) - 1.0)
