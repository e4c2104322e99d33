# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of all kinds, of which no bone says by its name what it is, and poses of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import cos, pi, radians, sin

import bpy
from bridge_rigs import make_rig
from mathutils import Matrix, Quaternion, Vector

_SAME = Matrix.Identity(4)
Rows = list[tuple[str, str | None, Sequence[float], Sequence[float]]]


def _chain(rows: Rows, name: str, parent: str | None, *places: Sequence[float]) -> str:
    """A row of bones name.1, name.2, ... through places; the last one's name."""
    for number, (head, tail) in enumerate(pairwise(places), 1):
        rows.append((f"{name}.{number}", parent, head, tail))
        parent = f"{name}.{number}"
    return str(parent)


def person() -> Rows:
    """A person of 1.8 m with arms held out, called a to h."""
    rows: Rows = []
    _chain(
        rows, "a", None, (0, 0, 1.0), (0, 0.01, 1.15), (0, 0.01, 1.3), (0, 0, 1.5), (0, 0, 1.6), (0, 0, 1.8)
    )
    for s, arm, leg in ((1, "b", "c"), (-1, "d", "e")):
        _chain(
            rows, arm, "a.3", (0.05 * s, 0, 1.45), (0.2 * s, 0.02, 1.45), (0.48 * s, 0.03, 1.45),
            (0.74 * s, 0, 1.45), (0.84 * s, 0, 1.45), (0.92 * s, 0, 1.45),
        )  # fmt: skip
        _chain(
            rows, leg, "a.1", (0.1 * s, 0, 0.95), (0.1 * s, -0.02, 0.52), (0.1 * s, 0.03, 0.09),
            (0.1 * s, -0.11, 0.02), (0.1 * s, -0.18, 0.02),
        )  # fmt: skip
    return rows


def spider(legs: int = 8) -> Rows:
    """Legs all round that go up to a knee and steeply down."""
    rows: Rows = []
    _chain(rows, "body", None, (0, 0.15, 0.3), (0, -0.15, 0.3), (0, -0.3, 0.28))
    for number in range(legs):
        angle = 2 * pi * (number + 0.5) / legs
        way = Vector((cos(angle), sin(angle), 0))
        knots = [(0.1, 0.3), (0.35, 0.55), (0.75, 0.4), (0.9, 0.0)]
        _chain(rows, f"l{number}", "body.1", *(tuple(r * way + Vector((0, 0, z))) for r, z in knots))
    return rows


def wading_bird() -> Rows:
    """Long legs like a Z, a long neck, folded wings."""
    rows: Rows = []
    last = _chain(rows, "a", None, (0, 0.15, 0.95), (0, 0, 0.98), (0, -0.2, 1))
    _chain(
        rows, "n", last, (0, -0.2, 1), (0, -0.3, 1.15), (0, -0.28, 1.35), (0, -0.25, 1.5), (0, -0.3, 1.58),
        (0, -0.6, 1.52),
    )  # fmt: skip
    for s, n in ((1, "L"), (-1, "R")):
        _chain(
            rows, f"leg.{n}", "a.1", (0.07 * s, 0, 0.93), (0.08 * s, -0.1, 0.75), (0.08 * s, 0.08, 0.42),
            (0.08 * s, 0, 0.04), (0.08 * s, -0.14, 0.01),
        )  # fmt: skip
        _chain(
            rows, f"wing.{n}", "a.2", (0.09 * s, -0.15, 1.02), (0.2 * s, 0.05, 1), (0.22 * s, -0.1, 0.95),
            (0.2 * s, 0.3, 0.9),
        )  # fmt: skip
    return rows


def robot_arm(down: bool = False) -> Rows:
    """A chain with two fingers, up from the ground or down from the ceiling."""
    rows: Rows = []
    s = -1 if down else 1
    last = _chain(
        rows, "link", None, (0, 0, 0), (0, 0, 0.2 * s), (0, -0.02, 0.7 * s), (0, 0, 1.1 * s), (0, 0, 1.2 * s)
    )
    for side in (1, -1):
        _chain(
            rows, f"f{side}", last, (0, 0, 1.2 * s), (0.04 * side, 0, 1.26 * s), (0.02 * side, 0, 1.32 * s)
        )
    return rows


def snake() -> Rows:
    """Sixteen bones along the ground."""
    rows: Rows = []
    _chain(rows, "s", None, *((0.05 * sin(k), 0.2 * k, 0.05) for k in range(17)))
    return rows


def kangaroo() -> Rows:
    """Long feet flat on the ground, a tail that touches it, short arms."""
    rows: Rows = []
    _chain(rows, "a", None, (0, 0.1, 0.7), (0, 0, 1.0), (0, -0.1, 1.3), (0, -0.2, 1.5), (0, -0.4, 1.5))
    _chain(rows, "t", "a.1", (0, 0.2, 0.65), (0, 0.5, 0.3), (0, 0.9, 0.1), (0, 1.3, 0.03))
    for s, arm, leg in ((1, "b", "c"), (-1, "d", "e")):
        _chain(rows, arm, "a.2", (0.1 * s, -0.1, 1.2), (0.12 * s, -0.25, 1.0), (0.12 * s, -0.4, 0.95))
        _chain(
            rows,
            leg,
            "a.1",
            (0.1 * s, 0.05, 0.65),
            (0.15 * s, -0.25, 0.5),
            (0.15 * s, 0.25, 0.12),
            (0.15 * s, -0.25, 0.02),
        )
    return rows


def centaur() -> Rows:
    """Four legs and two arms."""
    rows: Rows = []
    _chain(
        rows,
        "a",
        None,
        (0, 0.6, 1.2),
        (0, 0, 1.15),
        (0, -0.5, 1.2),
        (0, -0.55, 1.6),
        (0, -0.55, 1.9),
        (0, -0.55, 2.2),
    )
    for s, arm, fore, hind in ((1, "b", "c", "d"), (-1, "e", "f", "g")):
        _chain(rows, arm, "a.4", (0.2 * s, -0.55, 1.85), (0.3 * s, -0.5, 1.55), (0.3 * s, -0.6, 1.25))
        _chain(
            rows,
            fore,
            "a.2",
            (0.15 * s, -0.5, 1.1),
            (0.15 * s, -0.55, 0.65),
            (0.15 * s, -0.5, 0.1),
            (0.15 * s, -0.56, 0),
        )
        _chain(
            rows,
            hind,
            "a.1",
            (0.15 * s, 0.6, 1.1),
            (0.15 * s, 0.5, 0.65),
            (0.15 * s, 0.7, 0.1),
            (0.15 * s, 0.64, 0),
        )
    return rows


def quadruped(height: float = 0.0) -> Rows:
    """A large animal; its fore legs end at a height above the ground."""
    rows: Rows = []
    _chain(rows, "a", None, (0, 0.6, 1.2), (0, 0, 1.2), (0, -0.6, 1.25), (0, -0.9, 1.4), (0, -1.2, 1.4))
    for s, side in ((1, "a"), (-1, "b")):
        x = 0.25 * s
        _chain(
            rows, f"fore{side}", "a.2", (x, -0.55, 1.1), (x, -0.5, 0.65), (x, -0.55, 0.2 + height),
            (x, -0.6, height),
        )  # fmt: skip
        _chain(rows, f"hind{side}", "a.1", (x, 0.6, 1.1), (x, 0.5, 0.65), (x, 0.62, 0.15), (x, 0.55, 0.0))
    return rows


def game_person() -> Rows:
    """The person with a bone on the ground above the hips, as games have it."""
    return [("ground", None, (0, 0, 0), (0, 0.3, 0)), *((n, p or "ground", h, t) for n, p, h, t in person())]


def palm() -> Rows:
    """A stem, and leaves that hang to the ground."""
    rows: Rows = []
    top = _chain(rows, "stem", None, (0, 0, 0), (0, 0, 0.5), (0, 0, 1))
    for number in range(5):
        angle = 2 * pi * number / 5
        x, y = cos(angle), sin(angle)
        _chain(
            rows,
            f"l{number}",
            top,
            (0, 0, 1),
            (0.4 * x, 0.4 * y, 1),
            (0.7 * x, 0.7 * y, 0.5),
            (0.8 * x, 0.8 * y, 0),
        )
    return rows


POSES: dict[str, Mapping[str, tuple[float, ...]]] = {
    # degrees about the world's X, Y, Z as the bones stand at rest
    "standing": {},
    "knees bent": {
        "c.1": (-50, 0, 0), "e.1": (-50, 0, 0), "c.2": (90, 0, 0), "e.2": (90, 0, 0),
        "c.3": (-40, 0, 0), "e.3": (-40, 0, 0),
    },
    "one leg lifted": {"c.1": (-60, 0, 0), "c.2": (80, 0, 0)},
    "lying on the back": {"a.1": (-90, 0, 0)},
    "lying on the belly": {"a.1": (90, 0, 0), "c.3": (60, 0, 0), "e.3": (60, 0, 0)},
    "sitting on the ground": {"c.1": (-90, 0, 0), "e.1": (-90, 0, 0), "b.2": (0, 45, 0), "d.2": (0, -45, 0)},
    "sitting on a chair": {
        "c.1": (-90, 0, 0), "e.1": (-90, 0, 0), "c.2": (90, 0, 0), "e.2": (90, 0, 0),
        "b.2": (0, 60, 0), "d.2": (0, -60, 0),
    },
    "running": {
        "a.1": (20, 0, 0), "c.1": (-70, 0, 0), "c.2": (40, 0, 0), "e.1": (10, 0, 0), "e.2": (60, 0, 0),
    },
    "hanging by the hands": {"b.2": (0, -85, 0), "d.2": (0, 85, 0), "c.3": (40, 0, 0), "e.3": (40, 0, 0)},
    "somersault": {
        "a.1": (150, 0, 0), "c.1": (-100, 0, 0), "e.1": (-100, 0, 0), "c.2": (120, 0, 0), "e.2": (120, 0, 0),
    },
    "on all fours": {
        "a.1": (80, 0, 0), "c.1": (-60, 0, 0), "e.1": (-60, 0, 0), "c.2": (65, 0, 0), "e.2": (65, 0, 0),
        "c.3": (35, 0, 0), "e.3": (35, 0, 0), "c.4": (-80, 0, 0), "e.4": (-80, 0, 0),
        "b.2": (0, 0, -82), "d.2": (0, 0, 82),
    },
    "on the hands": {
        "a.1": (180, 0, 0), "b.2": (0, -85, 0), "d.2": (0, 85, 0), "b.4": (80, 0, 0), "d.4": (80, 0, 0),
    },
}  # fmt: skip


def build(rows: Rows, axes: Matrix = _SAME) -> bpy.types.Object:
    """The armature, with bones connected where a child begins at its parent's tail, in other axes if told."""

    def edit(bone: bpy.types.EditBone) -> None:
        bone.use_connect = bone.parent is not None and (bone.head - bone.parent.tail).length < 1e-6

    return make_rig([(n, p, axes @ Vector(head), axes @ Vector(tail)) for n, p, head, tail in rows], edit)


def take_pose(figure: bpy.types.Object, pose: str) -> None:
    """Turn the bones of a person, each about the world's axes at rest, carried along by its parent."""
    for name, turns in POSES[pose].items():
        bone, rest = figure.pose.bones[name], figure.data.bones[name].matrix_local.to_3x3()
        turn = Quaternion()
        for axis, angle in zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), turns, strict=True):
            turn = Quaternion(axis, radians(angle)) @ turn
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = (rest.inverted() @ turn.to_matrix() @ rest).to_quaternion()
    bpy.context.view_layer.update()
