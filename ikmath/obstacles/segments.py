# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of segments: the base of capsules, of links against links, and of meshes."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..rotation import Array
from .vectors import TINY, clamp, cross, dot

_SLENDER: Final = 1e-6  # squared sine of an angle below which it is worth computing more carefully
_PARALLEL: Final = 1e-26  # squared sine of an angle that is rounding


def closest_to_point(a: Array, b: Array, point: Array) -> Array:
    """Parameter in [0, 1] of the point of the segment a-b that is closest to `point`; rows, (P, 3) -> (P,).

    A segment of no length answers 0.
    """
    d = b - a
    return clamp(dot(point - a, d) / np.maximum(dot(d, d), TINY))


def closest_of_segments(a: Array, d: Array, c: Array, e: Array) -> tuple[Array, Array]:
    """Parameters of the closest points `a + s d` and `c + t e` of two segments.

    The distance squared is a convex quadratic on a square. Its minimum is found by the unconstrained s, put
    into [0, 1], the best t for it, and once more the best s for that (Ericson, Real-Time Collision
    Detection, 5.1.9). Segments without length, parallel, overlapping and crossing ones need no case of
    their own. Where two parallel segments overlap all of a stretch is equally near; the middle of the
    stretch is taken, so that a bone which lies along another is pushed at its middle and not now at one
    end, now at the other.

    Args:
        a: (P, 3) start of the first segment; all four may also be (P, k, 3), k pairs a row.
        d: (P, 3) from its start to its end.
        c: (P, 3) start of the second segment.
        e: (P, 3) from its start to its end.

    Returns:
        s, t: (P,) each, or (P, k).
    """
    if a.ndim > 2 or c.ndim > 2:
        a, d, c, e = np.broadcast_arrays(a, d, c, e)
        shape = a.shape[:-1]
        s, t = closest_of_segments(a.reshape(-1, 3), d.reshape(-1, 3), c.reshape(-1, 3), e.reshape(-1, 3))
        return s.reshape(shape), t.reshape(shape)
    w = a - c
    dd, ee, de = dot(d, d), dot(e, e), dot(d, e)
    dw, ew = dot(d, w), dot(e, w)
    inverse_d, inverse_e = 1.0 / np.maximum(dd, TINY), 1.0 / np.maximum(ee, TINY)
    area = dd * ee - de * de
    s = (de * ew - dw * ee) / np.maximum(area, TINY)
    slender = area <= _SLENDER * dd * ee
    parallel = slender
    if slender.any():
        # nearly parallel: the differences above have lost their digits, those of the cross product have not
        normal = cross(d, e)
        square = dot(normal, normal)
        parallel = slender & (square <= _PARALLEL * dd * ee)
        s = np.where(slender, dot(cross(e, w), normal) / np.maximum(square, TINY), s)
        # where the other segment's two ends fall on this one, and the middle between them
        first = clamp(-dw * inverse_d)
        last = clamp((de - dw) * inverse_d)
        s = np.where(parallel, 0.5 * (first + last), s)
    clamp(s)
    t = clamp((de * s + ew) * inverse_e)
    s = np.where(parallel & (t > 0.0) & (t < 1.0), s, clamp((de * t - dw) * inverse_d))
    return s, t
