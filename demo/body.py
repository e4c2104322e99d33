# SPDX-License-Identifier: GPL-3.0-or-later
"""What the metarig wears: skin, hair, shirt, trousers and shoes, modelled on its bones in rest pose.

See `garments`: how they come to be one surface each, and follow the bones.
"""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from garments import Bone, Garment, both, hang, rest_bones, shifted

from ikmath.examples.solids import Solid, capsule, ellipsoid, loft, mirrored

FINGERS = ("thumb", "f_index", "f_middle", "f_ring", "f_pinky")
HAND = ("hand", *(f"palm.0{i}" for i in range(1, 5)), *(f"{f}.0{i}" for f in FINGERS for i in range(1, 4)))
TORSO = ("spine", "spine.001", "spine.002", "spine.003")
FLESH = {  # radius around a bone, metres
    "spine": 0.13, "spine.001": 0.125, "spine.002": 0.14, "spine.003": 0.15, "spine.004": 0.055,
    "spine.005": 0.05, "spine.006": 0.09, "shoulder": 0.055, "upper_arm": 0.05, "forearm": 0.037,
    "hand": 0.03, "thigh": 0.075, "shin": 0.05, "foot": 0.045, "toe": 0.035,
}  # fmt: skip
FLESH |= {name: FLESH.get(name, 0.012) for name in HAND}


def dress(armature: bpy.types.Object, materials: Mapping[str, bpy.types.Material]) -> list[bpy.types.Object]:
    """Model all garments on an armature in rest pose and hang them on its bones.

    Args:
        armature: the human metarig.
        materials: by the garments' names.
    """
    return hang(_garments(rest_bones(armature)), armature, materials, FLESH)


def _garments(bones: Mapping[str, Bone]) -> list[Garment]:
    face = ("spine.003", "spine.004", "spine.005", "spine.006")
    eyes = both(ellipsoid((0.031, -0.1165, 1.883), (0.0115, 0.008, 0.0135)))
    hips = ("spine", "spine.001", "thigh", "shin")
    return [
        Garment("Skin", _skin(bones), (*face, "upper_arm", "forearm", *HAND), 0.005, smooth=4),
        Garment("Hair", _hair(), ("spine.006",), 0.006, smooth=4),
        Garment("Eyes", eyes, ("spine.006",), 0.002),
        Garment("Shirt", _shirt(bones), (*TORSO, "shoulder", "upper_arm"), 0.009, soft=0.022, smooth=6),
        Garment("Trousers", _trousers(bones), hips, 0.009, soft=0.018, smooth=6),
        Garment("Shoes", _shoes(bones), ("foot", "toe"), 0.007, smooth=5),
    ]


def _skin(bones: Mapping[str, Bone]) -> tuple[Solid, ...]:
    head = [
        ellipsoid((0.0, -0.020, 1.890), (0.079, 0.099, 0.094)),
        loft(
            [
                (1.742, -0.078, 0.026, 0.036),
                (1.752, -0.072, 0.040, 0.050),
                (1.772, -0.064, 0.051, 0.060),
                (1.800, -0.056, 0.060, 0.066),
                (1.830, -0.048, 0.067, 0.073),
                (1.860, -0.036, 0.074, 0.084),
                (1.895, -0.022, 0.078, 0.096),
            ]
        ),
        ellipsoid((0.0, -0.112, 1.764), (0.022, 0.018, 0.018)),
        capsule((0.0, -0.114, 1.880), (0.0, -0.138, 1.846), 0.008, 0.0115),
        *both(ellipsoid((0.079, -0.010, 1.866), (0.009, 0.020, 0.030))),
        capsule((0.0, 0.014, 1.600), (0.0, -0.008, 1.800), 0.057, 0.050),
    ]
    arm: list[Solid] = []
    for name, start, end, bulge in (("upper_arm", 0.047, 0.040, 0.0), ("forearm", 0.040, 0.0255, 0.004)):
        a, b = bones[f"{name}.L"]
        arm.append(capsule(a, b, start, end))
        if bulge:
            arm.append(
                capsule(a + 0.15 * (b - a), a + 0.4 * (b - a), start + bulge * 0.4, start + bulge * 0.2)
            )
    wrist, knuckles = bones["hand.L"]
    arm.append(capsule(wrist, wrist + 0.6 * (knuckles - wrist), 0.025, 0.029, flat=0.85))
    for number in range(1, 5):
        a, b = bones[f"palm.0{number}.L"]
        arm.append(capsule(wrist + 0.35 * (a - wrist), b, 0.016, 0.0135))
    for finger in FINGERS:
        thick = 0.0125 if finger == "thumb" else 0.0082 if finger == "f_pinky" else 0.0095
        for number, share in ((1, 1.1), (2, 1.0), (3, 0.9)):
            arm.append(capsule(*bones[f"{finger}.0{number}.L"], thick * share, thick * share * 0.9))
    return (*head, *arm, *map(mirrored, arm))


def _hair() -> tuple[Solid, ...]:
    return (
        ellipsoid((0.0, 0.004, 1.902), (0.0865, 0.1, 0.098)),
        ellipsoid((0.0, -0.040, 1.950), (0.072, 0.074, 0.050)),
        ellipsoid((0.0, 0.035, 1.850), (0.068, 0.062, 0.070)),
    )


def _shirt(bones: Mapping[str, Bone]) -> tuple[Solid, ...]:
    trunk = loft(
        [
            (0.975, 0.022, 0.181, 0.132), (1.020, 0.020, 0.176, 0.130), (1.080, 0.016, 0.163, 0.122),
            (1.140, 0.010, 0.151, 0.113), (1.210, 0.006, 0.147, 0.109), (1.300, 0.002, 0.154, 0.114),
            (1.390, 0.000, 0.167, 0.124), (1.470, 0.000, 0.175, 0.127), (1.530, 0.004, 0.176, 0.119),
            (1.575, 0.010, 0.164, 0.102), (1.605, 0.014, 0.134, 0.084), (1.630, 0.015, 0.098, 0.072),
            (1.652, 0.013, 0.070, 0.066),
        ]
    )  # fmt: skip
    a, b = bones["upper_arm.L"]
    sleeve = [
        capsule((0.04, 0.014, 1.615), shifted(a, -0.01, 0.0, 0.002), 0.042, 0.060),
        capsule((0.11, 0.004, 1.520), a, 0.085, 0.062),
        capsule((0.10, 0.010, 1.440), a + 0.12 * (b - a), 0.060, 0.050),
        capsule(a, a + 0.55 * (b - a), 0.062, 0.0565),
    ]
    return (trunk, *sleeve, *map(mirrored, sleeve))


def _trousers(bones: Mapping[str, Bone]) -> tuple[Solid, ...]:
    seat = loft(
        [
            (0.930, 0.022, 0.120, 0.090), (0.960, 0.024, 0.152, 0.108), (1.000, 0.024, 0.157, 0.112),
            (1.050, 0.020, 0.148, 0.108), (1.080, 0.016, 0.138, 0.100),
        ]
    )  # fmt: skip
    hip, knee = bones["thigh.L"]
    _, ankle = bones["shin.L"]
    back = np.array([0.0, 0.012, 0.0])
    low = shifted(ankle, 0.0, 0.008, 0.035)
    leg = [
        capsule(shifted(hip, -0.014, 0.010, -0.10), knee, 0.086, 0.062),
        capsule(knee, low, 0.061, 0.050),
        capsule(knee + 0.2 * (ankle - knee) + back, knee + 0.42 * (ankle - knee) + back, 0.055, 0.050),
        ellipsoid(shifted(hip, -0.024, 0.050, -0.095), (0.076, 0.066, 0.080)),
    ]
    return (seat, *leg, *map(mirrored, leg))


def _shoes(bones: Mapping[str, Bone]) -> tuple[Solid, ...]:
    ankle, ball = bones["foot.L"]
    _, toe = bones["toe.L"]
    heel = np.array([ankle[0], ankle[1] + 0.022, 0.040])
    instep = np.array([ball[0], ball[1] + 0.045, 0.052])
    shoe = [
        capsule(shifted(ankle, 0.0, 0.008, 0.0), heel, 0.046, 0.041),
        capsule(heel, (ball[0], ball[1], 0.030), 0.041, 0.044),
        capsule(ankle, instep, 0.042, 0.034),
        capsule((ball[0], ball[1], 0.026), (toe[0], toe[1] - 0.005, 0.022), 0.046, 0.036),
        capsule(instep, (toe[0], toe[1] + 0.01, 0.030), 0.032, 0.026),
    ]
    return (*shoe, *map(mirrored, shoe))
