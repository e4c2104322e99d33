# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of segments: the base of capsules, of links against links, and of meshes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ..rotation import Array
from .vectors import TINY, clamp, cross, dot

_SLENDER: Final = 1e-6  # squared sine of an angle below which it is worth computing more carefully
_PARALLEL: Final = 1e-26  # squared sine of an angle that is rounding


def closest_to_point(a: Array, b: Array, point: Array) -> Array:
    """Parameter in [0, 1] of the point of the segment a-b that is closest to `point`; rows, (P, 3) -> (P,).

    0 for a segment without length.
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
        a: (P, 3) start of the first segment.
        d: (P, 3) from its start to its end.
        c: (P, 3) start of the second segment.
        e: (P, 3) from its start to its end.

    Returns:
        s, t: (P,) each.
    """
    w = a - c

    def carefully() -> tuple[Array, Array]:
        normal = cross(d, e)
        return dot(normal, normal), dot(cross(e, w), normal)

    return closest_by_products(dot(d, d), dot(e, e), dot(d, e), dot(d, w), dot(e, w), carefully)


def closest_by_products(
    dd: Array,
    ee: Array,
    de: Array,
    dw: Array,
    ew: Array,
    carefully: Callable[[], tuple[Array, Array]],
    inverse_e: Array | None = None,
) -> tuple[Array, Array]:
    """`closest_of_segments` from dot products, with `w = a - c`; any shapes.

    Args:
        dd: d . d, nowhere negative.
        ee: e . e.
        de: d . e.
        dw: d . w.
        ew: e . w.
        carefully: gives `|d x e|^2` and `(e x w) . (d x e)`, only for nearly parallel ones.
        inverse_e: 1 / ee, if known.
    """
    if inverse_e is None:
        inverse_e = 1.0 / np.maximum(ee, TINY)
    if not np.count_nonzero(dd):  # points
        return np.zeros_like(ew), clamp(ew * inverse_e)
    inverse_d = 1.0 / np.maximum(dd, TINY)
    product = dd * ee
    area = product - de * de
    least = _SLENDER * product
    slender = area <= least  # nearly parallel: the differences have lost their digits
    s = (de * ew - dw * ee) / np.maximum(area, least + TINY)
    if not np.count_nonzero(slender):
        t = clamp((de * clamp(s) + ew) * inverse_e)
        return clamp((de * t - dw) * inverse_d), t
    # those of the cross product have not
    square, along = carefully()
    parallel = slender & (square <= _PARALLEL * product)
    s = np.where(slender, along / np.maximum(square, TINY), s)
    # where the other segment's two ends fall on this one, and the middle between them
    first, last = clamp(-dw * inverse_d), clamp((de - dw) * inverse_d)
    s = clamp(np.where(parallel, 0.5 * (first + last), s))
    t = clamp((de * s + ew) * inverse_e)
    return np.where(parallel & (t > 0.0) & (t < 1.0), s, clamp((de * t - dw) * inverse_d)), t
