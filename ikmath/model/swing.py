# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's swing region of one joint in plain floats, and which joints swing.

Of a figure's joints only a few stand at their limits in any one frame. For those few, numpy's calls would
cost several times more than the arithmetic (measured: four pairs, 37 us in arrays, 8 us here).
"""

from math import asin, pi, sin, sqrt
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index, Mask

FLOOR: Final = 1e-10  # radius of a side that has no room, so that nothing divides by zero
NARROW: Final = 1e-9  # a side narrower than this has no room
EDGE: Final = 1e-3  # where the boundary of such a side is taken to be: enough for the side and the normal

_ROOM: Final = 1e-6  # in squares of half-angle sines; limits nearer than this to half a turn leave no room
ALMOST: Final = 1.0 - 1e-14  # share of half a turn that swings may have, so as to stay inside


class Room(NamedTuple):
    """The region: centre in half-angle sines, reciprocal radii of the sides, 0 where there is no limit.

    `half_turn` is 1 / pi if the radii go beyond half a turn, where the region ends, else 0.
    """

    centre_x: float
    centre_z: float
    low_x: float
    low_z: float
    high_x: float
    high_z: float
    half_turn: float


def edge_of(x: float, z: float, room: Room, measure: float) -> tuple[float, float, float, float] | None:
    """Where the swing x, z (radians) is put on the boundary (x, z), and the outward unit normal there.

    None if the region's measure of the swing, 1 on the boundary, is not above the given one. Each sine goes
    to its own limit first, then both along the ray.
    """
    centre_x, centre_z, low_x, low_z, high_x, high_z, half_turn = room
    t = sqrt(x * x + z * z) + 1e-150
    # beyond half a turn the sine falls again; there the turn itself goes on measuring
    ratio = sin(0.5 * t) / t if t < pi else 1.0 / pi
    sx, sz = x * ratio - centre_x, z * ratio - centre_z  # half-angle sines from the centre
    kx = low_x if sx < 0.0 else high_x
    kz = low_z if sz < 0.0 else high_z
    wx, wz = sx * kx, sz * kz  # the same in radii
    if wx * wx + wz * wz <= measure * measure and t * half_turn <= measure:
        return None
    most_x, most_z = (1.0 if k < 1.0 / NARROW else EDGE for k in (kx, kz))
    wx, wz = min(max(wx, -most_x), most_x), min(max(wz, -most_z), most_z)
    size = wx * wx + wz * wz
    shrink = (1.0 - 1e-15) / sqrt(size) if size > 1.0 else 1.0 - 1e-15
    wx, wz = wx * shrink, wz * shrink
    way_x = wx / kx if kx > 0.0 else sx
    way_z = wz / kz if kz > 0.0 else sz
    sx, sz = centre_x + way_x, centre_z + way_z
    square = sx * sx + sz * sz
    if square > 1.0:  # more than half a turn: back towards the centre, so as to stay inside
        a = max(way_x * way_x + way_z * way_z, 1e-300)
        b = centre_x * way_x + centre_z * way_z
        share = (sqrt(b * b + a * (1.0 - centre_x**2 - centre_z**2)) - b) / a
        sx, sz = centre_x + share * way_x, centre_z + share * way_z
        square = min(sx * sx + sz * sz, 1.0)
    length = sqrt(square)
    if half_turn and length > ALMOST:
        return sx * (pi * ALMOST), sz * (pi * ALMOST), sx, sz
    factor = 2.0 * asin(length) / length if length > 1e-8 else 2.0  # v = S t / sin(t/2), t = 2 asin |S|
    # the measure's gradient by S, then through S(v) = sin(t/2)/t v
    gx, gz = kx * wx, kz * wz
    along = (0.5 * sqrt(1.0 - square) - 1.0 / factor) * (gx * sx + gz * sz)
    along /= square if square > 1e-24 else 1e-24
    nx, nz = gx / factor + along * sx, gz / factor + along * sz
    size = sqrt(nx * nx + nz * nz) or 1e-300
    return sx * factor, sz * factor, nx / size, nz / size


def swing_pairs(owner: Index, slot: Index) -> list[tuple[int, int]]:
    """Columns (x, z) of the swing turns of every joint that is free in both."""
    slots = list(enumerate(zip(owner.tolist(), slot.tolist(), strict=True)))
    x_of = {joint: c for c, (joint, k) in slots if k == 3}
    return [(x_of[joint], c) for c, (joint, k) in slots if k == 5 and joint in x_of]


def without_swing(owner: Index, slot: Index, lower: Array, upper: Array) -> Mask:
    """(n,) the swing turns of joints whose limits exclude all swings below half a turn.

    A swing of half a turn has half-angle sines of length 1, and none is longer. The limits leave no room if
    the point of theirs that is nearest to rest is there or beyond.
    """
    pairs = np.array(swing_pairs(owner, slot), dtype=int).reshape(-1, 2)
    nearest = np.clip(0.0, lower[pairs], upper[pairs])
    beyond = (np.abs(nearest) >= np.pi).any(1)
    beyond |= (np.sin(np.clip(nearest, -np.pi, np.pi) / 2) ** 2).sum(1) > 1.0 - _ROOM
    out = np.zeros(len(owner), dtype=bool)
    out[pairs[beyond]] = True
    return out
