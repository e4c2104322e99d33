# SPDX-License-Identifier: GPL-3.0-or-later
"""How the faces of a mesh hang together, though it is torn at its seams.

Corners at the same place are one corner, and a face that is there twice is one face. Where that leaves an
open rim, corners of the rim that lie as near to each other as rounding brings them are one, too: the poles of
a surface of revolution, or a half that was mirrored, meet to single precision only.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .radix_order import Index, order_by

_MIX: Final = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
_ROUNDING: Final = 1e-6  # a few times that of single precision, in which meshes are kept


def welded(vertices: Array, faces: Index) -> Index:
    """The faces, with the first vertex at the same place in place of each."""
    places = vertices + 0.0  # so that -0.0 is 0.0
    bits = places.view(np.uint64)
    mixed = bits[:, 0] * _MIX[0] + bits[:, 1] * _MIX[1] + bits[:, 2] * _MIX[2]
    ranked = np.sort(mixed)
    if not (ranked[1:] == ranked[:-1]).any():
        return faces  # the rule, told in a fraction of the time
    order = np.lexsort(places.T)
    sorted_ = places.take(order, 0)
    new = np.concatenate([[True], (sorted_[1:] != sorted_[:-1]).any(1)])
    first = np.empty(len(vertices), dtype=np.intp)
    first[order] = order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]
    return first.take(faces)


def drawn_together(vertices: Array, faces: Index, rim: Index) -> Index | None:
    """The faces, with one vertex in place of those that lie together but for rounding; None if none do.

    Args:
        vertices: (V, 3); faces: (F, 3), welded.
        rim: numbers of the vertices that may be drawn together.
    """
    places = vertices.take(rim, 0)
    near = _ROUNDING * float(np.abs(vertices.take(faces.ravel(), 0)).max())
    group, groups = np.zeros(len(rim), dtype=np.intp), 0
    while groups != group.max() + 1:  # split along one axis after the other, until nothing is split any more
        groups = int(group.max()) + 1
        for along in places.T:
            order = np.lexsort((along, group))
            apart = (np.diff(along.take(order)) > near) | (np.diff(group.take(order)) > 0)
            group[order] = np.concatenate([[0], np.cumsum(apart)])
    first = np.full(groups, -1)
    first[group[::-1]] = rim[::-1]
    into = first.take(group)
    into = np.where((np.abs(places - vertices.take(into, 0)) <= 2 * near).all(1), into, rim)  # no long rows
    if (into == rim).all():
        return None
    new = np.arange(len(vertices))
    new[rim] = into
    return np.asarray(new.take(faces))


def repeated(faces: Index, vertices: int) -> npt.NDArray[np.bool_]:
    """(F,) faces with the same corners in the same direction as an earlier one."""
    a, b, c = (np.ascontiguousarray(faces[:, k]) for k in range(3))
    least = np.minimum(np.minimum(a, b), c)
    second = np.where(a == least, b, np.where(b == least, c, a))
    third = a + b + c - least - second
    same = np.zeros(len(faces), dtype=bool)
    mixed = least.astype(np.uint64) * _MIX[0] + second.astype(np.uint64) * _MIX[1] + third.astype(np.uint64)
    ranked = np.sort(mixed)
    if not (ranked[1:] == ranked[:-1]).any():
        return same
    order = order_by(third, second, least, below=vertices)
    later, before = order[1:], order[:-1]
    same[later] = (
        (least[later] == least[before]) & (second[later] == second[before]) & (third[later] == third[before])
    )
    return same
