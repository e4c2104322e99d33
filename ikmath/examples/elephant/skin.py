# SPDX-License-Identifier: GPL-3.0-or-later
"""The elephant's surface: overlapping solids along its bones at rest, to be joined into one skin."""

from typing import Final

import numpy as np

from ...rotation import about
from ..solids import Solid, capsule, ellipsoid, mirrored
from .figure import Elephant
from .scene import ElephantScene

_LEAVES: Final = 45  # at the end of each twig


def hide(elephant: Elephant) -> list[Solid]:
    """The hide, in parts that overlap. Nowhere is it farther from a bone of the trunk than its radius."""
    ear = about(2, -0.42) @ about(1, 0.12)
    sides = [
        ellipsoid((0.14, -0.92, 2.19), (0.19, 0.24, 0.17)),
        ellipsoid((0.23, -1.02, 1.72), (0.15, 0.24, 0.20)),
        ellipsoid((0.58, -0.58, 1.82), (0.34, 0.055, 0.45), ear),
        ellipsoid((0.54, -0.60, 1.48), (0.21, 0.055, 0.27), ear),
        ellipsoid((0.32, -0.12, 1.35), (0.27, 0.34, 0.45)),
        ellipsoid((0.32, 1.05, 1.32), (0.29, 0.36, 0.48)),
        capsule((0.36, -0.18, 1.2), (0.36, -0.2, 0.16), 0.24, 0.185),
        capsule((0.36, 1.08, 1.2), (0.36, 1.16, 0.16), 0.25, 0.185),
        ellipsoid((0.36, -0.23, 0.07), (0.215, 0.235, 0.13)),
        ellipsoid((0.36, 1.13, 0.07), (0.215, 0.235, 0.13)),
    ]
    middle = [
        ellipsoid((0.0, 0.48, 1.42), (0.60, 0.98, 0.62)),
        ellipsoid((0.0, 1.02, 1.50), (0.53, 0.62, 0.56)),
        ellipsoid((0.0, -0.05, 1.55), (0.50, 0.55, 0.55)),
        capsule((0.0, -0.05, 1.58), (0.0, -0.8, 1.86), 0.44, 0.36),
        ellipsoid((0.0, -0.92, 1.92), (0.37, 0.40, 0.43)),
        ellipsoid((0.0, -1.16, 1.86), (0.25, 0.22, 0.29)),
        capsule((0.0, -0.95, 1.60), (0.0, -1.25, 1.44), 0.13, 0.06),
        capsule((0.0, 1.58, 1.58), (0.0, 1.82, 1.15), 0.055, 0.035),
        capsule((0.0, 1.82, 1.15), (0.0, 1.84, 0.85), 0.035, 0.03),
        ellipsoid((0.0, 1.84, 0.80), (0.05, 0.05, 0.12)),
    ]
    return [*middle, *sides, *map(mirrored, sides), *_trunk(elephant)]


def tusks() -> list[Solid]:
    """Two tusks, each of two rods."""
    left = [
        capsule((0.20, -1.12, 1.62), (0.29, -1.50, 1.40), 0.058, 0.048),
        capsule((0.29, -1.50, 1.40), (0.27, -1.80, 1.46), 0.048, 0.016),
    ]
    return [*left, *map(mirrored, left)]


def eyes() -> list[Solid]:
    """Two eyes."""
    left = ellipsoid((0.315, -1.10, 1.98), (0.035, 0.042, 0.042))
    return [left, mirrored(left)]


def leaves(scene: ElephantScene) -> list[Solid]:
    """Leaves at the ends of the twigs: flat and pointed, with four corners; they are not obstacles."""
    drawn, found = np.random.default_rng(scene.seed), []
    b = scene.branches
    ends = b.end[[not (np.abs(b.start - end).sum(1) < 1e-9).any() for end in b.end]]
    for end in ends:
        for way in drawn.normal(size=(_LEAVES, 3)):
            along = way / np.linalg.norm(way)
            side = np.cross(along, drawn.normal(size=3))
            side *= 0.035 / np.linalg.norm(side)
            start = end + 0.16 * drawn.uniform(0.1, 1.0) * along
            corners = [start, start + 0.05 * along + side, start + 0.13 * along, start + 0.05 * along - side]
            found.append(Solid(np.array(corners), ((0, 1, 2, 3),)))
    return found


def _trunk(elephant: Elephant) -> list[Solid]:
    bones = [bone for bone in elephant.bones if bone.name in set(elephant.trunk)]
    # between the middles of neighbours, so that the hide narrows steadily
    ends = [*(bone.radius for bone in bones), 0.8 * bones[-1].radius]
    return [capsule(bone.head, bone.tail, 0.94 * ends[k], 0.94 * ends[k + 1]) for k, bone in enumerate(bones)]
