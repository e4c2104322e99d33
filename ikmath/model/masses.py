# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of a figure's bones, as shares of the whole, from their kinds and lengths.

A bone's mass is its length times the linear density of its kind. Densities are a person's: mass and length of
the segments in Winter, "Biomechanics and Motor Control of Human Movement" (2009), table 4.1 and figure 4.1.
However many bones a segment is cut into, it keeps its mass.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from ..arrays import Array, Index
from .figure_map import FigureMap, Kind
from .pose import Pose

_TRUNK: Final = 0.497 / 0.288
_LIMB_END: Final = 0.056
_ROD: Final = 1.0 / sqrt(12.0)
DENSITY: Final[Mapping[Kind, float]] = {
    Kind.ROOT: _TRUNK,
    Kind.SPINE: _TRUNK,
    Kind.NECK: 0.081 / 0.182,
    Kind.HEAD: 0.081 / 0.182,
    Kind.CLAVICLE: 0.15,
    Kind.SHOULDER: 0.028 / 0.186,
    Kind.ELBOW: 0.016 / 0.146,
    Kind.WRIST: 0.006 / 0.108,
    Kind.HIP: 0.100 / 0.245,
    Kind.KNEE: 0.0465 / 0.246,
    Kind.ANKLE: 0.0145 / 0.152,
    Kind.PAW: 0.0145 / 0.152,
    Kind.TAIL: 0.1,
    Kind.WING: _LIMB_END,
    Kind.FINGER: _LIMB_END,
    Kind.APPENDAGE: _LIMB_END,
    Kind.OTHER: _LIMB_END,
}
"""Share of the figure's mass for each share of its height, by the kind of the joint at the bone's head."""


def mass_shares(figure: FigureMap) -> Array:
    """(J,) masses of the bones, which sum to 1; all equal for a figure without extent.

    A root bone on the ground, above the body, has no mass if the figure has limbs. A hand has the mass of its
    fingers, which can then bend wherever the hand goes.
    """
    length = np.sqrt(((figure.tails - figure.heads) ** 2).sum(-1))
    density = np.array([DENSITY[kind] for kind in figure.kinds])
    if figure.limbs:
        above = [j for j in figure.of_kind(Kind.ROOT) if j != figure.body]
        density[above] = 0.0
    mass = density * length
    hands = np.array(figure.of_kind(Kind.WRIST))
    for j in figure.of_kind(Kind.FINGER) if len(hands) else ():
        hand = hands[((figure.heads[hands] - figure.heads[j]) ** 2).sum(1).argmin()]
        mass[hand] += mass[j]
        mass[j] = 0.0
    total = float(mass.sum())
    if not total > 0.0:
        return np.full(len(mass), 1.0 / len(mass))
    return np.asarray(mass / total)


@dataclass(frozen=True, eq=False)
class MassPoints:
    """A figure's mass as points on its joints."""

    joints: Index  # (P,) joint of each point
    offsets: Array  # (P, 3) in the joints' axes, metres
    mass: Array  # (P,) shares of the whole


def rod_points(tips: Array, masses: Array) -> MassPoints:
    """Two points a bone at its middle plus and minus L / sqrt(12), the inertia of a slender rod.

    The tips (J, 3) of the bones are in their joints' axes.
    """
    heavy = np.flatnonzero(masses > 0)
    ends = np.stack([(0.5 - _ROD) * tips[heavy], (0.5 + _ROD) * tips[heavy]], 1).reshape(-1, 3)
    return MassPoints(np.repeat(heavy, 2), ends, np.repeat(0.5 * masses[heavy], 2))


def on_carriers(points: MassPoints, figure: FigureMap, parents: Index, pose: Pose) -> MassPoints:
    """The masses of ears, hair and other appendages on the joints that these hang on, as in a pose.

    They would otherwise stay behind where these turn.
    """
    carrier = np.arange(len(parents))
    for j in figure.of_kind(Kind.APPENDAGE):
        carrier[j] = carrier[parents[j]]
    on, own = carrier[points.joints], points.joints
    away = pose.point(own, points.offsets) - pose.position[on]
    return gathered(MassPoints(on, np.einsum("pji,pj->pi", pose.rotation[on], away), points.mass))


def gathered(points: MassPoints) -> MassPoints:
    """The same mass, centre and inertia on every joint with at most six points.

    Joints that carry more get two points on each principal axis of their mass, sqrt(3) standard deviations
    from its centre.
    """
    parts = [(points.joints[:0], points.offsets[:0], points.mass[:0])]
    for joint in np.unique(points.joints).tolist():
        own = points.joints == joint
        offsets, mass = points.offsets[own], points.mass[own]
        if len(mass) > 6:
            total = float(mass.sum())
            center = mass @ offsets / total
            away = offsets - center
            size, axes = np.linalg.eigh((away.T * mass) @ away / total)
            way = np.sqrt(3.0 * np.maximum(size, 0.0))[:, None] * axes.T
            offsets, mass = center + np.concatenate([way, -way]), np.full(6, total / 6.0)
        parts.append((np.full(len(mass), joint), offsets, mass))
    return MassPoints(*map(np.concatenate, zip(*parts, strict=True)))
