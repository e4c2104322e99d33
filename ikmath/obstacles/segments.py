# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of points and segments: the base of capsules, of links against links, and of triangles' edges."""

from __future__ import annotations

import numpy as np

from ..rotation import Array
from .vectors import TINY, clamp, dot


def closest_to_point(a: Array, b: Array, point: Array) -> Array:
    """Parameter in [0, 1] of the point of the segment a-b that is closest to `point`; rows, (P, 3) -> (P,).

    A segment of no length answers 0.
    """
    d = b - a
    return clamp(dot(point - a, d) / np.maximum(dot(d, d), TINY))


def closest_of_segments(a: Array, d: Array, c: Array, e: Array) -> tuple[Array, Array]:
    """Parameters of the closest points `a + s d` and `c + t e` of two segments.

    The distance squared is a convex quadratic on a square. Its minimum is found by the unconstrained s, put into
    [0, 1], the best t for it, and once more the best s for that (Ericson, Real-Time Collision Detection, 5.1.9).
    Segments without length, parallel, overlapping and crossing ones need no case of their own. Where two parallel
    segments overlap all of a stretch is equally near; the middle of the stretch is taken, so that a bone which
    lies along another is pushed at its middle and not now at one end, now at the other.

    Args:
        a, d, c, e: (P, 3), or (P, k, 3) for k pairs a row.

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
    parallel = area <= 1e-14 * dd * ee
    s = (de * ew - dw * ee) / np.where(parallel, 1.0, area)
    if parallel.any():
        # where the other segment's two ends fall on this one, and the middle between them
        first = clamp(-dw * inverse_d)
        last = clamp((de - dw) * inverse_d)
        s = np.where(parallel, 0.5 * (first + last), s)
    clamp(s)
    t = clamp((de * s + ew) * inverse_e)
    s = np.where(parallel & (t > 0.0) & (t < 1.0), s, clamp((de * t - dw) * inverse_d))
    return s, t
