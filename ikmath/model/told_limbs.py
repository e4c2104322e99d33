# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that the caller gives: they take the place of those that were recognised wrongly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from .figure_kinds import Kind
from .limb_rows import LIMB_KINDS, FoundLimb, Rows, are_twins

_TWIN: Final = 0.1  # by which the lengths of two limbs that are told may differ
_BEGIN: Final = (Kind.SHOULDER, Kind.HIP)


def with_told_limbs(rows: Rows, found: Sequence[FoundLimb], told: Mapping[int, Kind]) -> list[FoundLimb]:
    """Limbs that were found, in pairs, with those that are told and without those that contradict these."""
    begins = [j for j, kind in told.items() if kind in _BEGIN]
    limbs = [one for j in sorted(begins) if (one := _told_limb(rows, j, told)) is not None]
    taken = {bone for one in limbs for bone in one.bones}
    kept: list[FoundLimb] = []
    for one in found[::2]:
        pair = one, found[one.twin]
        if any(_contradicts(own, told) for own in pair):
            continue
        free = [own for own in pair if not taken.intersection((*own.bones, *rows.ways[own.bones[0]]))]
        if len(free) == 2:
            kept += [replace(one, twin=len(kept) + 1), replace(pair[1], twin=len(kept))]
        else:  # the other side of a limb that is told
            limbs += [replace(own, kind=one.kind) for own in free for one in limbs if _told_twins(one, own)]
    while limbs:
        one = limbs.pop(0)
        other = next((k for k, other in enumerate(limbs) if _told_twins(one, other)), -1)
        count = len(kept)
        kept.append(replace(one, twin=count if other < 0 else count + 1))
        if other >= 0:
            kept.append(replace(limbs.pop(other), twin=count))
    return kept


def _told_limb(rows: Rows, first: int, told: Mapping[int, Kind]) -> FoundLimb | None:
    """The limb that begins at a joint; None where no bone hangs from it."""
    kinds = LIMB_KINDS[told[first]]
    lower = _below(rows, first, kinds[1], told)
    if lower < 0:
        return None
    end = _below(rows, lower, kinds[2], told)
    girdle = first
    while (above := int(rows.parents[girdle])) >= 0 and told.get(above) == Kind.CLAVICLE:
        girdle = above
    up = rows.ways[lower]
    row = [*reversed(up[: up.index(girdle) + 1])]
    joint, last = len(row) - 1, 1
    if end >= 0:
        up = rows.ways[end]
        own = [*reversed(up[: up.index(lower)])]
        last, row = len(own), [*row, *own[:-1], *rows.row_from(own[-1])]
    ends = rows.heads[first], rows.heads[lower], rows.heads[end] if end >= 0 else rows.tails[lower]
    upper, under = (float(np.linalg.norm(b - a)) for a, b in pairwise(ends))
    return FoundLimb(
        tuple(row),
        (joint,),
        joint - row.index(first),
        last,
        int(rows.depth[first]),
        (upper, under),
        kind=told[first],
    )


def _below(rows: Rows, joint: int, kind: Kind, told: Mapping[int, Kind]) -> int:
    """The joint of a kind below another one, as told, else the one from which most hangs; -1 if none."""
    known = [j for j, own in told.items() if own == kind and joint in rows.ways[j][1:]]
    hung = [j for j in rows.children[joint] if j not in told]
    return known[0] if known else max(hung, key=lambda j: float(rows.reach[j]), default=-1)


def _contradicts(one: FoundLimb, told: Mapping[int, Kind]) -> bool:
    """Whether a joint of a found limb is told to be no joint of a limb."""
    knots = [one.joints[0] - one.above, *one.joints]
    limb_kinds = {kind for kinds in LIMB_KINDS.values() for kind in kinds}
    return any(told.get(one.bones[k], Kind.HIP) not in limb_kinds for k in knots)


def _told_twins(one: FoundLimb, other: FoundLimb) -> bool:
    """The same of a limb that is told and one that is not told to be of another kind."""
    return other.kind in (None, one.kind) and are_twins(one, other, _TWIN)
