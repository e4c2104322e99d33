# SPDX-License-Identifier: GPL-3.0-or-later
"""The fingers of a hand, and the axes about which they bend.

A hand branches into digits, rows of at least two bones. The thumb is the one whose tip is nearest to the
wrist. On which side of the knuckles the palm is follows from which hand it is, so that fingers which are
straight bend the right way too. Without a thumb it is not known.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final

import numpy as np

from ..arrays import Array
from .limb_rows import Rows

_PALM: Final = 1.0 / 3.0
"""Share of the way from the wrist to a finger's tip; bones that begin nearer belong to the palm."""
_LONG: Final = 1.5
"""Forearms from the wrist to a fingertip; the digits of a bat's wing are longer, and so is a sword."""
_THUMB: Final = 0.9  # share of the fingers' mean reach from the wrist; a thumb's is less
_AHEAD: Final = 0.7
"""Cosine between a forearm and its fingers from which they go on in its direction; toes have less."""
_BONES: Final = 4  # bones of a finger at most, with one in the palm; tentacles have more
_WIDE: Final = 1.5
"""Lengths of a finger between the first bones of two at most; the legs of a body are farther apart."""
_SPREAD: Final = 0.5  # cosine between a digit and the mean direction of all at least; a thumb's is about 0.6
_BENT: Final = 0.1  # mean bend of a hand's fingers, radians, from which it tells where the palm is


def finger_axes(rows: Rows, elbow: int, wrist: int, *, left: bool | None) -> Mapping[int, Array]:
    """The joints of a hand's fingers -> (3,) axis about which each bends, zero if it has no single one.

    The bone turns about it positively when the finger bends.

    Args:
        rows: of the figure; elbow, wrist: joints of the arm, elbow -1 for a hand alone;
        left: whether it is the left one; if that is not known, bent fingers tell where the palm is.
    """
    reach = np.linalg.norm(rows.tails - rows.heads[wrist], axis=1)
    thumb, *fingers = _digits(rows, elbow, wrist) or [[]]
    if not fingers:
        return {}
    tips = [way[-1] for way in fingers]
    if reach[thumb[-1]] > _THUMB * reach[tips].mean():
        return {j: np.zeros(3) for way in (thumb, *fingers) for j in way}
    tip = rows.tails[thumb[-1]]
    knuckles = [rows.heads[way[0]] for way in fingers]
    knuckles.sort(key=lambda place: float(np.linalg.norm(place - tip)))
    across = (knuckles[0] if len(knuckles) > 1 else tip) - knuckles[-1]  # towards the thumb
    ahead = rows.tails[tips].mean(0) - rows.heads[wrist]
    # seen from the palm, with its fingers up, a left hand has its thumb on the left
    palm = np.cross(ahead, across)
    palm *= _inward(rows, fingers, palm) if left is None else 1.0 if left else -1.0
    found = {thumb[0]: np.zeros(3)}  # its first joint turns about two axes
    for way, inward in [(thumb[1:], np.mean(knuckles, axis=0) - tip), *((way, palm) for way in fingers)]:
        for j in way:
            axis = np.cross(rows.tails[way[-1]] - rows.heads[way[0]], inward)
            found[j] = axis / (float(np.linalg.norm(axis)) or 1.0)
    return found


def _inward(rows: Rows, fingers: list[list[int]], palm: Array) -> float:
    """1.0 or -1.0: whether fingers bend towards a direction (3,) or away from it; 0.0 for straight ones."""
    inward = 0.0
    for way in fingers:
        first, last = (span / np.linalg.norm(span) for span in rows.spans(tuple(way))[[0, -1]])
        inward += float((last - first) @ palm)
    return float(np.sign(inward)) if abs(inward) > _BENT * len(fingers) * np.linalg.norm(palm) else 0.0


def hands_alone(rows: Rows) -> list[int]:
    """The joints from which four to six digits go on side by side, in the direction of the joint's bone."""
    found = []
    for hand, hung in enumerate(rows.children):
        ways = [rows.row_from(first) for first in hung] if len(hung) >= 4 else []
        ways = [way for way in ways if 1 < len(way) <= _BONES]
        others = [first for first in hung if rows.children[first] and not any(first in way for way in ways)]
        if not 4 <= len(ways) <= 6 or len(others) > 1:  # a pelvis has legs beside a skirt
            continue
        begin, tip = rows.heads[[way[0] for way in ways]], rows.tails[[way[-1] for way in ways]]
        length = np.linalg.norm(tip - begin, axis=1)
        units = (tip - begin) / np.maximum(length, 1e-12)[:, None]
        ahead = units.sum(0) / (float(np.linalg.norm(units.sum(0))) or 1.0)
        own = rows.tails[hand] - rows.heads[hand]
        wide = float(np.linalg.norm(begin[:, None] - begin, axis=2).max())
        near = wide < _WIDE * float(np.median(length)) and float((units @ ahead).min()) > _SPREAD
        if near and float(own @ ahead) > _AHEAD * float(np.linalg.norm(own)):
            found.append(hand)
    return found


def goes_on_in_fingers(rows: Rows, elbow: int, wrist: int) -> bool:
    """Whether a limb has several digits in its own direction; toes turn away from it."""
    fingers = _digits(rows, elbow, wrist)[1:]
    ways = [rows.tails[way[-1]] - rows.heads[way[0]] for way in fingers]
    way, ahead = rows.heads[wrist] - rows.heads[elbow], np.sum(ways, axis=0)
    sizes = float(np.linalg.norm(way)) * sum(float(np.linalg.norm(one)) for one in ways)
    return len(fingers) > 1 and float(way @ ahead) > _AHEAD * sizes


def _digits(rows: Rows, elbow: int, wrist: int) -> list[list[int]]:
    """The joints of each digit of a hand, the digit first whose tip is nearest to the wrist."""
    away = np.linalg.norm(rows.heads - rows.heads[wrist], axis=1)
    reach = np.linalg.norm(rows.tails - rows.heads[wrist], axis=1)
    longest = _LONG * away[elbow] if elbow >= 0 else np.inf
    ends = [j for j in range(len(away)) if not rows.children[j] and reach[j] <= longest]
    ways = [rows.down(wrist, j)[1:] for j in ends if wrist in rows.ways[j][2:]]  # at least two bones each
    carried = Counter(joint for way in ways for joint in way)  # a palm's bone carries several digits
    ways.sort(key=lambda way: float(reach[way[-1]]))
    digits: list[list[int]] = []
    for way in ways:
        least = _PALM * reach[way[-1]] if digits else 0.0
        digits.append([j for j in way if carried[j] == 1 and away[j] > least])
    return [way for way in digits if way]
