# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that the caller gives: they take the place of those that were recognised wrongly."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from .figure_kinds import Kind
from .limb_rows import LIMB_KINDS, FoundLimb, Rows, Sides, are_twins

_TWIN: Final = 0.1  # by which the lengths of two limbs that are told may differ
_BEGIN: Final = (Kind.SHOULDER, Kind.HIP)


def with_told_limbs(rows: Rows, found: Sequence[Sides], told: Mapping[int, Kind]) -> list[Sides]:
    """Pairs of limbs that were found, with those that are told and without those that contradict these."""
    begins = [j for j, kind in told.items() if kind in _BEGIN]
    limbs = [one for j in sorted(begins) if (one := _told_limb(rows, j, told)) is not None]
    taken = {bone for one in limbs for bone in one.bones}
    kept: list[Sides] = []
    for pair in found:
        if any(_contradicts(own, told) for own in pair):
            continue
        free = [own for own in pair if not taken.intersection((*own.bones, *rows.ways[own.bones[0]]))]
        if len(free) == len(pair):
            kept.append(pair)
        else:  # the other side of a limb that is told
            own_kind = [(own, one.kind) for own in free for one in limbs if _told_twins(rows, one, own)]
            limbs += [replace(own, kind=kind) for own, kind in own_kind]
    while limbs:
        one = limbs.pop(0)
        twins = [other for other in limbs if _told_twins(rows, one, other)][:1]
        kept.append((one, *twins))
        limbs = [other for other in limbs if other not in twins]
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
    row = rows.down(girdle, lower if end < 0 else end)
    joints, beyond = (row.index(first), row.index(lower)), len(row) - (end >= 0)
    row += rows.row_from(row[-1])[1:] if end >= 0 else []
    ends = rows.heads[first], rows.heads[lower], rows.heads[end] if end >= 0 else rows.tails[lower]
    upper, under = (float(np.linalg.norm(b - a)) for a, b in pairwise(ends))
    return FoundLimb(tuple(row), joints, beyond, (upper, under), told[first])


def _below(rows: Rows, joint: int, kind: Kind, told: Mapping[int, Kind]) -> int:
    """The joint of a kind below another one, as told, else the one from which most hangs; -1 if none."""
    known = [j for j, own in told.items() if own == kind and joint in rows.ways[j][1:]]
    hung = [j for j in rows.children[joint] if j not in told]
    return known[0] if known else max(hung, key=lambda j: float(rows.reach[j]), default=-1)


def _contradicts(one: FoundLimb, told: Mapping[int, Kind]) -> bool:
    """Whether a joint of a found limb is told to be no joint of a limb."""
    limb_kinds = {kind for kinds in LIMB_KINDS.values() for kind in kinds}
    return any(told.get(one.bones[k], Kind.HIP) not in limb_kinds for k in one.joints)


def _told_twins(rows: Rows, one: FoundLimb, other: FoundLimb) -> bool:
    """The same of a limb that is told and one that is not told to be of another kind."""
    return other.kind in (None, one.kind) and are_twins(rows, one, other, _TWIN)
