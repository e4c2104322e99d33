# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigify's wolf with a coat, and its everyday poses; see `everyday`."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
from everyday import Pose, beside
from garments import Bone, Garment, both, hang, rest_bones, shifted
from mathutils import Vector

from ikmath.examples.solids import Solid, capsule, ellipsoid, mirrored

TRUNK = ("spine.004", "spine.005", "spine.006", "spine.007", "spine.008")
NECK = ("spine.009", "spine.010")
TAIL = ("spine.003", "spine.002", "spine.001", "spine")
HEAD = "spine.011"
FORE = ("shoulder", "front_thigh", "front_shin", "front_foot", "front_toe")
HIND = ("thigh", "shin", "foot", "toe")
FLESH = {  # radius around a bone, metres
    **dict.fromkeys(TRUNK, 0.17), "spine.008": 0.19, **dict.fromkeys(NECK, 0.11), HEAD: 0.10,
    **dict.fromkeys(TAIL, 0.05),
    "shoulder": 0.06, "front_thigh": 0.055, "front_shin": 0.035, "front_foot": 0.03, "front_toe": 0.03,
    "thigh": 0.09, "shin": 0.05, "foot": 0.03, "toe": 0.03,
}  # fmt: skip
PAWS = ("front_toe.L", "front_toe.R", "toe.L", "toe.R")
MUZZLE = (0.0, 0.08, 0.235)
"""From the tip of the head's bone to the tip of the muzzle, metres along the axes of the bone."""


def dress(armature: bpy.types.Object, materials: Mapping[str, bpy.types.Material]) -> list[bpy.types.Object]:
    """Model the coat on the wolf's metarig in rest pose and hang it on the bones.

    Args:
        armature: the metarig.
        materials: by the garments' names.
    """
    return hang(_garments(rest_bones(armature)), armature, materials, FLESH)


def _garments(bones: Mapping[str, Bone]) -> list[Garment]:
    dark = [
        *both(ellipsoid((0.044, -0.690, 0.905), (0.010, 0.010, 0.012))),
        ellipsoid((0.0, -0.846, 0.842), (0.019, 0.014, 0.014)),
    ]
    return [
        Garment("Coat", _coat(bones), (*TRUNK, *NECK, HEAD, *TAIL, *FORE, *HIND), 0.009, soft=0.02, smooth=5),
        Garment("Eyes", tuple(dark), (HEAD,), 0.003),
    ]


def _coat(bones: Mapping[str, Bone]) -> tuple[Solid, ...]:
    trunk = [
        ellipsoid((0.0, -0.20, 0.690), (0.125, 0.235, 0.195)),
        ellipsoid((0.0, 0.06, 0.715), (0.105, 0.30, 0.130)),
        ellipsoid((0.0, 0.27, 0.730), (0.118, 0.190, 0.125)),
        capsule((0.0, -0.30, 0.750), (0.0, -0.55, 0.880), 0.135, 0.085),
    ]
    head = [
        ellipsoid((0.0, -0.610, 0.900), (0.082, 0.100, 0.080)),
        capsule((0.0, -0.660, 0.868), (0.0, -0.815, 0.822), 0.056, 0.030),
        *both(capsule((0.055, -0.560, 0.955), (0.078, -0.550, 1.045), 0.032, 0.008)),
    ]
    tail = [capsule(*bones[name], start, end) for name, start, end in _tapers()]
    return (*trunk, *head, *tail, *_both_sides(_fore(bones)), *_both_sides(_hind(bones)))


def _tapers() -> list[tuple[str, float, float]]:
    """Bones of the tail from the body on, with the radius at head and tail of each."""
    thick = (0.038, 0.048, 0.060, 0.050, 0.018)
    return [(name, thick[k], thick[k + 1]) for k, name in enumerate(TAIL)]


def _fore(bones: Mapping[str, Bone]) -> list[Solid]:
    top, point = bones["shoulder.L"]
    shoulder, elbow = bones["front_thigh.L"]
    _, wrist = bones["front_shin.L"]
    _, ball = bones["front_foot.L"]
    _, toe = bones["front_toe.L"]
    return [
        capsule(0.3 * top + 0.7 * point, shoulder, 0.065, 0.068),
        capsule(shoulder, elbow, 0.070, 0.046),
        capsule(elbow, wrist, 0.044, 0.030),
        capsule(wrist, ball, 0.030, 0.034),
        capsule(shifted(ball, 0.0, 0.0, -0.006), shifted(toe, 0.0, 0.015, 0.028), 0.036, 0.030),
    ]


def _hind(bones: Mapping[str, Bone]) -> list[Solid]:
    hip, knee = bones["thigh.L"]
    _, hock = bones["shin.L"]
    _, ball = bones["foot.L"]
    _, toe = bones["toe.L"]
    return [
        capsule(shifted(hip, -0.02, 0.01, -0.02), knee, 0.105, 0.062),
        capsule(shifted(hip, -0.02, 0.07, -0.08), knee, 0.075, 0.060),
        capsule(knee, hock, 0.058, 0.029),
        capsule(hock, ball, 0.029, 0.034),
        capsule(shifted(ball, 0.0, 0.0, -0.006), shifted(toe, 0.0, 0.015, 0.028), 0.036, 0.030),
    ]


def _both_sides(solids: list[Solid]) -> list[Solid]:
    return [*solids, *map(mirrored, solids)]


def _muzzle_at(x: float, y: float, z: float) -> Pose:
    """The muzzle at a place in the world, metres."""
    return Pose(
        {HEAD: lambda figure: figure.matrix_world @ Vector((x, y, z))}, holds=PAWS, offsets={HEAD: MUZZLE}
    )


POSES: Mapping[str, Pose] = {
    "drink": _muzzle_at(0.0, -0.60, 0.03),
    "look back": Pose(turns={HEAD: ("Z", 120.0)}, holds=PAWS),
    "lift a paw": Pose(
        {"front_toe.L": beside("front_toe.L", "tail", 0.0, -0.12, 0.28)},
        holds=("front_toe.R", "toe.L", "toe.R"),
    ),
    "sit": Pose(
        {"spine": lambda figure: figure.matrix_world @ Vector((0.15, 0.92, 0.07))},
        heads={"spine.003": beside("spine.003", "head", 0.0, -0.05, -0.56)},
        steps={"front_toe.L": (0.0, 0.15, 0.0), "front_toe.R": (0.0, 0.15, 0.0)},
        holds=PAWS,
    ),
    "crouch": Pose(
        heads={"spine.008": beside("spine.008", "head", 0.0, 0.05, -0.35)},
        steps={"front_toe.L": (0.0, -0.25, 0.0), "front_toe.R": (0.0, -0.25, 0.0)},
        holds=PAWS,
    ),
    "step up": Pose(
        steps={"front_toe.L": (0.0, -0.2, 0.3), "front_toe.R": (0.0, -0.2, 0.3)},
        holds=PAWS,
        block=((-0.3, 0.3), (-1.0, -0.35), (0.0, 0.3)),
    ),
}  # fmt: skip
