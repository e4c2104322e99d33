# SPDX-License-Identifier: GPL-3.0-or-later
"""The resistance of each joint to turning, from the mass that it moves: a metric for the redundancy.

If several joints could do the same, least squares divides the work by their levers alone. A spine of many
joints with long levers then does most of the work of an arm. Weighting each coordinate by the inertia that it
moves (Whitney 1969; Khatib 1987) lets light parts move first. Two rules are specific to animated figures:

- The mass of a joint's heaviest limb does not count, only what the joint carries besides: the other arm and
the head for a spine, almost nothing for an upper arm. So the joints of an arm, a leg or a tail share the work
evenly, and the wrist does not do all of it.
- Short bones turn less than long ones, as the pieces of an elastic rod do: a bone cut in two bends as before.

Slides are weighed against turns by the figure's extent, so that it moves alike in metres and in centimetres.
The weights depend on the rest pose only, so that the pose that is nearest to another one in this metric is
the same from wherever it is looked for.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index
from ..errors import BadShape, BadValue

_CARRIED: Final = 100.0  # weight of a joint that carries along as much as the whole figure is hard to turn,
HEAVIEST: Final = 25.0  # but no more than this: steps become poor in a metric that is too uneven
_SHORTEST: Final = 10.0  # how much more a short bone weighs at most
# A slide as long as an even rod of the figure's radius of gyration weighs as a radian of what is heaviest.
_ROD: Final = math.sqrt(12.0)


def inertia_weights(
    parents: npt.ArrayLike,
    heads: npt.ArrayLike,
    lengths: npt.ArrayLike,
    masses: npt.ArrayLike,
    centers: npt.ArrayLike,
) -> Array:
    """Weights of the coordinates of J joints, for `Skeleton.with_inertia`.

    Args:
        parents: (J,) index of each parent, -1 for roots; no circles.
        heads: (J, 3) places of the joints in the rest pose, in one frame, in the unit in which they slide.
        lengths: (J,) of what is rigid at each joint, to the next joint or its tip.
        masses: (J,) of it, zero or more; centers: (J, 3) where it is, as the heads.

    Returns:
        (J, 6) of slides x, y, z, for each squared unit of length, and of turns x, y, z: 1 for what turns the
        most readily, more for other turns.
        All 1 for a figure without mass or extent.

    Raises:
        BadShape, BadValue: arrays that do not fit together, a parent that does not exist, negative masses.
    """
    above = arguments.indices(parents, "parents")
    if above.ndim != 1:
        raise BadShape("parents", "(J,)", above.shape)
    count = len(above)
    if ((above < -1) | (above >= count)).any():
        raise BadValue("parents", f"must be from -1 to {count - 1}.")
    size = arguments.shaped(lengths, "lengths", (count,))
    mass = arguments.shaped(masses, "masses", (count,))
    for name, values in (("lengths", size), ("masses", mass)):
        if (values < 0).any():
            raise BadValue(name, "must not be negative.")
    places = arguments.shaped(heads, "heads", (count, 3))
    center = arguments.shaped(centers, "centers", (count, 3))
    out = np.ones((len(above), 6))
    total = float(mass.sum())
    if not total > 0.0:
        return out
    middle = mass @ center / total
    places, center = places - middle, center - middle
    whole = float(mass @ (center**2).sum(1))
    if not whole > 0.0:
        return out
    own = np.column_stack([mass, mass[:, None] * center, mass * (center**2).sum(1)])
    below, alone = own.copy(), own.copy()  # of all that a joint moves; of its heaviest limb
    for level in reversed(_levels(above)):
        level = level[above[level] >= 0]
        if not len(level):
            continue
        up = above[level]
        np.add.at(below, up, below[level])
        order = np.lexsort((_moment(below[level], places[up]), up))
        last = np.append(up[order][1:] != up[order][:-1], True)
        heaviest = level[order[last]]
        alone[above[heaviest]] += alone[heaviest]
    carried = np.maximum(_moment(below - alone, places), 0.0) / whole
    gyration = np.sqrt(whole / total)
    short = np.clip(gyration / np.maximum(size, 1e-12 * gyration), 1.0, _SHORTEST)
    weight = short * np.minimum(1.0 + _CARRIED * carried, HEAVIEST)
    out[:, :3] = HEAVIEST / (_ROD * gyration) ** 2
    out[:, 3:] = (weight / weight.min())[:, None]
    return out


def _levels(parents: Index) -> list[Index]:
    """Joints by depth, roots first."""
    levels, now = [], np.flatnonzero(parents < 0)
    while len(now):
        levels.append(now)
        now = np.flatnonzero(np.isin(parents, now))
    if sum(map(len, levels)) < len(parents):
        raise BadValue("parents", "must form a tree.")
    return levels


def _moment(sums: Array, about: Array) -> Array:
    """(K,) mass times squared distance from places (K, 3); sums (K, 5) of mass times 1, place, its square."""
    squares = (about**2).sum(1)
    return np.asarray(sums[:, 4] - 2.0 * (sums[:, 1:4] * about).sum(1) + sums[:, 0] * squares)
