# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of bones that continue each other, and the limbs among them.

A limb has a twin of equal depth and length, and two long bones in a row that are about equally long. Bones in
one line count as one part, as a thigh with a bone for its twist. A row of many such bones, such as a tail or
an arm of an octopus, is not a limb unless it is folded. A thigh does not begin in the middle of the body, and
a shin does not lie on the ground.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product
from math import log
from types import MappingProxyType
from typing import Final

import numpy as np

from ..arrays import Array, Index
from .figure_kinds import Kind

_AT: Final = 0.1  # of a bone's length, from its tail: a bone that begins there continues it
_ELSEWHERE: Final = 0.5  # of its length, by which a bone may miss the one after it without pointing elsewhere
_FARTHER: Final = 1.5  # times as long as its siblings is the bone that continues a row
_MORE: Final = 3  # times as many bones as on its siblings hang on the bone that continues a row
_ALIKE: Final = 0.65  # share of the longer bone's length that the shorter one of a limb has at least
_WALKS: Final = 0.55  # times that for what touches the ground: with a twin it is a leg, however it is divided
GROUND: Final = 0.08  # of the figure's size: an end no higher than this above the lowest is on the ground
_WHOLE: Final = 0.9  # times that for a row of four bones, which has a girdle and a hand
_FOLD: Final = 0.5  # the same of bones that are folded
_MANY: Final = 5  # bones alike in a row, from which on they are no limb unless it is folded
_MOST: Final = 9  # parts in a row, from which on they are none in any case
_NEARLY: Final = 0.95  # as long as the longest pair of bones
_REACH: Final = 0.3  # of the longest reach, that a limb has at least; fingers and eyebrows have less
_LEAST: Final = 0.08  # of the figure's size, that its two long bones have at least
_TWIN: Final = 0.05  # by which the lengths of left and right may differ
_CAPTURED: Final = 0.15  # of the longest bone, in a person measured by motion capture
_FLAT: Final = 0.5  # share of its length by which a bone that lies on the ground may rise
_BENT: Final = float(np.sin(np.radians(0.5)))  # bones that are bent by less lie in one line
_HALVED: Final = float(np.sin(np.radians(20.0)))  # two halves of a long bone are bent by less
_NOWHERE: Final = 1e-3  # of a row's length; a shorter bone has none
_EQUAL: Final = 0.8  # share of the longer half of a shin that the other half has at least
_CLEARLY: Final = 0.05  # share by which halves that are bent must make thigh and shin more alike
_FOLDED: Final = float(np.sin(np.radians(15.0))), 0.9  # sine of a clear bend, cosine of opposite ones
LIMB_KINDS: Final[Mapping[Kind, tuple[Kind, Kind, Kind, Kind]]] = MappingProxyType(
    {
        Kind.SHOULDER: (Kind.SHOULDER, Kind.ELBOW, Kind.WRIST, Kind.PAW),
        Kind.HIP: (Kind.HIP, Kind.KNEE, Kind.ANKLE, Kind.PAW),
        Kind.WING: (Kind.WING, Kind.WING, Kind.WING, Kind.WING),
    }
)
"""Kind of a limb's first joint -> kinds of its joints, its end and what is beyond."""


@dataclass(frozen=True)
class FoundLimb:
    """A row of bones with a limb in it."""

    bones: tuple[int, ...]
    # places in the row of its first bone, of that below knee or elbow, of that below a hock
    joints: tuple[int, ...]
    end: int  # place of what is beyond the last long bone
    lengths: tuple[float, float]  # of the two longest parts
    kind: Kind | None = None  # of the first joint, if it is told


Sides = tuple[FoundLimb, ...]  # a limb and its twin, or one without


def children_of(parents: Index) -> list[list[int]]:
    """The children of each joint; parents (J,), -1 for roots."""
    children: list[list[int]] = [[] for _ in parents]
    for j, parent in enumerate(parents.tolist()):
        if parent >= 0:
            children[parent].append(j)
    return children


class Rows:
    """The rows of a tree of bones; no bone is in two.

    Args:
        parents: (J,), parents first; heads, tails: (J, 3).

    Attributes:
        children: of each bone; ways: of each bone to the root, itself first; depth: (J,) bones above it;
        reach: (J,) way from each head to the farthest end that hangs from it; count: (J,) bones from each on.
    """

    def __init__(self, parents: Index, heads: Array, tails: Array) -> None:
        self.parents, self.heads, self.tails = parents, heads, tails
        self.children = children_of(parents)
        self.ways: list[list[int]] = []
        for j, parent in enumerate(parents.tolist()):
            self.ways.append([j, *(self.ways[parent] if parent >= 0 else [])])
        self.length = np.sqrt(((tails - heads) ** 2).sum(-1))
        self.reach = self.length.copy()
        for j in range(len(parents) - 1, -1, -1):
            if parents[j] >= 0:
                self.reach[parents[j]] = max(self.reach[parents[j]], self.far(j))
        self.depth = np.array([len(way) - 1 for way in self.ways])
        self.count = np.bincount([j for way in self.ways for j in way], minlength=len(parents))

    def far(self, joint: int) -> float:
        """From the parent's head through a joint to its farthest end."""
        way = self.heads[joint] - self.heads[self.parents[joint]]
        return float(np.linalg.norm(way) + self.reach[joint])

    def after(self, joint: int) -> int:
        """The bone that goes on from a bone, -1 if none does."""
        hung = self.children[joint]
        if len(hung) < 2:
            return hung[0] if hung else -1
        off = np.linalg.norm(self.heads[hung] - self.tails[joint], axis=1)
        close = [hung[k] for k in np.flatnonzero(off <= _AT * self.length[joint])]
        far = sorted(hung, key=self.far, reverse=True)
        more = sorted(hung, key=lambda c: -self.count[c])
        chosen = -1
        if len(close) == 1 and self.far(close[0]) * _FARTHER >= self.far(far[0]):
            chosen = close[0]
        elif self.far(far[0]) >= _FARTHER * self.far(far[1]):
            chosen = far[0]
        elif len(carrying := [c for c in hung if self.children[c] and not self._ends_before(c, hung)]) == 1:
            chosen = carrying[0]  # a hand beside a shield, a foot beside bones for the twist of the shin
        elif self.count[more[0]] >= _MORE * self.count[more[1]]:
            chosen = more[0]  # a hand with fingers beside a sleeve
        beside = [c for c in hung if c != chosen and bool(self.children[c]) == bool(self.children[chosen])]
        twin = chosen >= 0 and any(self._are_sides(c, chosen) for c in beside)
        return -1 if twin else chosen

    def _ends_before(self, joint: int, siblings: list[int]) -> bool:
        """Whether all that goes on from a joint reaches no farther than to where a sibling begins."""
        begins = np.linalg.norm(self.heads[siblings] - self.heads[self.parents[joint]], axis=1)
        return self.far(joint) <= (1.0 + _TWIN) * float(begins.max())

    def _are_sides(self, a: int, b: int) -> bool:
        """Whether two children of a bone are left and right: as long, alone or with all that hangs there."""
        ways = self.heads[[a, b]] - self.heads[self.parents[a]]
        both = np.stack([self.length[[a, b]], np.linalg.norm(ways, axis=1)])
        alone = bool((np.ptp(both, axis=1) <= _TWIN * both.max(1)).all())
        return alone or abs(self.far(a) - self.far(b)) <= _TWIN * self.far(a)

    def all(self) -> list[tuple[int, ...]]:
        """All rows, each from the body outwards."""
        following = {self.after(j) for j in range(len(self.parents))}
        return [tuple(self.row_from(j)) for j in range(len(self.parents)) if j not in following]

    def row_from(self, first: int) -> list[int]:
        """The bones that go on from a bone, itself first."""
        row = [first]
        while (then := self.after(row[-1])) >= 0:
            row.append(then)
        return row

    def down(self, above: int, below: int) -> list[int]:
        """The joints from one to another that hangs from it, both included."""
        way = self.ways[below]
        return way[way.index(above) :: -1]

    def spans(self, row: tuple[int, ...]) -> Array:
        """(k, 3) from the head of each bone to that of the next one, of the last to its tail."""
        own = list(row)
        return np.diff(np.concatenate([self.heads[own], self.tails[own[-1:]]]), axis=0)


def continued(parents: Index, heads: Array, tails: Array) -> Array:
    """(J, 3) tails of bones; where most point elsewhere, a bone ends where the next one begins.

    A last bone then goes straight on. The bones of many file formats have frames, but no directions.

    Arguments as for `Rows`.
    """
    rows = Rows(parents, heads, tails)
    then = np.array([rows.after(j) for j in range(len(parents))], dtype=np.intp)
    goes_on = then >= 0
    off = np.linalg.norm(heads[then] - tails, axis=1)
    way = np.linalg.norm(heads[then] - heads, axis=1)
    elsewhere = goes_on & (np.minimum(off, way) > _ELSEWHERE * rows.length)
    if 2 * int(elsewhere.sum()) <= int(goes_on.sum()):
        return tails
    ends = np.where(elsewhere[:, None], heads[then], tails)
    for j in [j for j, own in enumerate(rows.children) if not own]:
        for above in rows.ways[j][1:]:
            straight = heads[j] - heads[above]
            far = float(np.linalg.norm(straight))
            if far > 0.0:
                ends[j] = heads[j] + rows.length[j] / far * straight
                break
    return ends


def limbs_of(rows: Rows, size: float, up: Array, hands: Sequence[int]) -> list[Sides]:
    """The limbs of a figure of that size in pairs, none from `hands`; up: (3,) a unit vector."""
    high = rows.heads @ up
    low = np.minimum(high, rows.tails @ up)
    ground = float(low.min()) + GROUND * size
    flat = np.abs(rows.tails @ up - high) < _FLAT * rows.length
    grounded = (high <= ground) & (high.max() > ground)  # two arms held out lie on no ground
    lying, standing = flat & grounded, ~flat & grounded & (rows.depth < 2)
    found = [
        one
        for row in rows.all()
        if rows.parents[row[0]] not in hands
        and not (rows.parents[row[0]] < 0 and lying[list(row)].all())  # a control of a foot
        and not (standing[row[0]] and high[row[0]] <= high[list(row)].min())  # and another one
        and (one := _look_at(rows, row, _LEAST * size, low[list(row)].min() <= ground, lying))
    ]
    found = [one for k, one in enumerate(found) if not any(_is_copy(rows, one, own) for own in found[:k])]
    pairs: list[Sides] = []
    left = sorted(found, key=lambda limb: -sum(limb.lengths))
    while left:
        first = left.pop(0)
        beside = [other for other in left if _are_beside(rows, first.bones[0], other.bones[0])]
        alike = [one for one in beside if are_twins(rows, first, one) or _are_posed_twins(rows, first, one)]
        if alike:
            near = min(alike, key=partial(_apart, rows, first))
            left.remove(near)
            pair = first, near
            if first.joints[1:] != near.joints[1:] and _are_posed_twins(rows, *pair):  # folded on one side
                plain = min(pair, key=lambda limb: len(limb.joints))
                pair = replace(plain, bones=first.bones), replace(plain, bones=near.bones)
            pairs.append(pair)
    taken = {bone for pair in pairs for one in pair for bone in one.bones}
    pairs = [pair for pair in pairs if not any(rows.parents[one.bones[0]] in taken for one in pair)]
    reaches = [max(float(rows.reach[one.bones[0]]) for one in pair) for pair in pairs]
    return [pair for pair, reach in zip(pairs, reaches, strict=True) if reach >= _REACH * max(reaches)]


def _look_at(rows: Rows, row: tuple[int, ...], least: float, walks: bool, lying: Array) -> FoundLimb | None:
    """What of a row would be a limb, if it has a twin.

    Args:
        least: length of its two long bones; walks: whether it touches the ground; lying: (J,) whether a bone
            lies there.
    """
    whole = len(row) > 3  # a girdle, two long bones, a hand or a foot
    easier = _WALKS if walks else _WHOLE if whole else 1.0
    spans = rows.spans(row)
    lengths = np.sqrt((spans * spans).sum(-1))
    if lengths.sum() < least:
        return None
    units = spans / np.maximum(lengths, 1e-12)[:, None]
    for k in np.flatnonzero(lengths[:-1] <= _NOWHERE * lengths.sum())[::-1]:
        units[k] = units[k + 1]  # a bone without length, with which some formats undo a rotation
    bends = np.cross(units[:-1], units[1:])
    aside = whole and _parts_from_twin(rows, row[0])
    certain = lengths.copy()
    if len(row) > 2 and np.linalg.norm(bends[-1]) < _BENT:
        certain[-1] = 0.0  # what goes straight on at the end may be of any length

    def choices(strict: bool) -> list[tuple[list[tuple[int, int, float]], list[float]]]:
        """Parts, lengths of their pairs; strict: 0 for what begins in the middle, a foot, a straight end."""
        found, known = [], certain if strict else lengths
        for parts in (_in_line(known, bends), [(k, k, float(length)) for k, length in enumerate(known)]):
            own = _pairs(parts, easier)
            for k, (over, under) in enumerate(pairwise(parts)):
                if strict and (lying[row[under[0]]] or (aside and over[1] == 0)):
                    own[k] = 0.0
            found.append((parts, own))
        return found

    parts, pairs = max(choices(strict=True), key=lambda choice: max(choice[1], default=0.0))
    if max(pairs, default=0.0) < least:
        parts, pairs = max(choices(strict=False), key=lambda choice: max(choice[1], default=0.0))
    longest = max(pairs, default=0.0)
    if longest < least or len(_in_line(lengths, bends)) >= _MOST:
        return None
    middle = max(k for k, length in enumerate(pairs) if length >= _NEARLY * longest)
    knots = _folded(parts, bends, middle, easier)
    if len(knots) == 1 and _alike_around(parts, middle) >= _MANY:
        return None
    knots.sort()
    above, last = parts[knots[0] - 1], parts[knots[-1]]
    begin, end = _halves(lengths, bends, parts[knots[-1] - 1], last)
    begin = min(begin, above[0])
    nothing = int((lengths[begin:] > _NOWHERE * lengths.sum()).argmax())  # bones without length
    joints = begin + nothing, *(parts[k][0] for k in knots)
    return FoundLimb(row, joints, end, (parts[middle][2], parts[middle + 1][2]))


def _parts_from_twin(rows: Rows, first: int) -> bool:
    """Whether a bone and its twin begin at one place and part: no hips or shoulders are in the middle."""
    own, tail = float(rows.length[first]), rows.tails[first]
    beside = rows.children[rows.parents[first]] if rows.parents[first] >= 0 else []
    return any(
        np.linalg.norm(rows.heads[c] - rows.heads[first]) <= _AT * own < np.linalg.norm(rows.tails[c] - tail)
        and abs(rows.reach[c] - rows.reach[first]) <= _TWIN * rows.reach[first]
        for c in beside
        if c != first
    )


def _halves(
    lengths: Array, bends: Array, over: tuple[int, int, float], last: tuple[int, int, float]
) -> tuple[int, int]:
    """Where the parts above and below the last joint begin and end in their row, so that they are most alike.

    A hand in line with its forearm is no part of it, but the second half of a shin is, if the thigh has two
    halves as well. These need not be quite in line.

    Args:
        lengths, bends: of the row's bones; over, last: both parts.
    """
    straight = np.linalg.norm(bends, axis=1) < _HALVED
    joint, begins, ends = last[0], [over[0]], [*range(last[0] + 1, last[1] + 2)]
    if over[0] == over[1] > 0 and straight[joint - 2]:
        begins.append(joint - 2)
    two = lengths[joint : joint + 2]
    if len(ends) == 1 and joint < len(straight) and straight[joint] and two.min() > _EQUAL * two.max():
        ends.append(joint + 2)

    def unlike(one: tuple[int, int]) -> float:
        upper, lower = lengths[one[0] : joint].sum(), lengths[joint : one[1]].sum()
        more = (one[0] < over[0]) + (one[1] > last[1] + 1)
        return abs(log(max(upper, 1e-12) / max(lower, 1e-12))) + _CLEARLY * more

    choices = [(over[0], joint + 1)]
    for begin, end in product(begins, ends[1:]):
        # no more bones below than above; and the last bone of a row is a foot or a hand
        if end - joint <= joint - begin and end < len(lengths):
            choices.append((begin, end))
    return min(choices, key=unlike)


def _in_line(lengths: Array, bends: Array) -> list[tuple[int, int, float]]:
    """Parts (first, last, length): the bones that lie in one line taken together."""
    starts = [0, *(np.flatnonzero(np.linalg.norm(bends, axis=1) >= _BENT) + 1).tolist()]
    stops = [*starts[1:], len(lengths)]
    return [(a, b - 1, float(lengths[a:b].sum())) for a, b in zip(starts, stops, strict=True)]


def _pairs(parts: list[tuple[int, int, float]], easier: float) -> list[float]:
    """Lengths of all parts with the next one together, 0 where they are not alike."""
    return [a[2] + b[2] if _are_alike(a, b, easier * _ALIKE) else 0.0 for a, b in pairwise(parts)]


def _folded(parts: list[tuple[int, int, float]], bends: Array, middle: int, easier: float) -> list[int]:
    """The part below part `middle`, and those next to it about which the limb is folded like a Z."""
    knots = [middle + 1]
    tells, opposite = _FOLDED
    for step in (-1, 1):
        now = middle
        while 0 <= (other := now + step) < len(parts) - 1 and _are_alike(
            parts[other], parts[other + 1], easier * _FOLD
        ):
            one, two = bends[parts[now][1]], bends[parts[other][1]]
            sizes = float(np.linalg.norm(one)), float(np.linalg.norm(two))
            if min(sizes) < tells or one @ two > -opposite * sizes[0] * sizes[1]:
                break
            knots.append(other + 1)
            now = other
    return knots


def _alike_around(parts: list[tuple[int, int, float]], middle: int) -> int:
    """How many parts in a row are each as long as the next, around two of them."""
    count = 2
    for step in (-1, 1):
        now = middle + step
        while 0 <= now < len(parts) - 1 and _are_alike(parts[now], parts[now + 1]):
            count, now = count + 1, now + step
    return count


def _are_alike(a: tuple[int, int, float], b: tuple[int, int, float], share: float = _ALIKE) -> bool:
    return min(a[2], b[2]) >= share * max(a[2], b[2]) > 0.0


def are_twins(rows: Rows, one: FoundLimb, other: FoundLimb, apart: float = _TWIN) -> bool:
    """Whether limbs are of equal depth and length; apart: by which share the lengths may differ."""
    depths = {int(rows.depth[limb.bones[limb.joints[0]]]) for limb in (one, other)}
    return len(depths) == 1 and np.allclose(one.lengths, other.lengths, rtol=apart)


def _are_posed_twins(rows: Rows, one: FoundLimb, other: FoundLimb) -> bool:
    """Whether the rows of limbs are of equal depth and lengths, bone by bone, however each is bent."""
    if len(one.bones) != len(other.bones) or rows.depth[one.bones[0]] != rows.depth[other.bones[0]]:
        return False
    a, b = (np.linalg.norm(rows.spans(side.bones), axis=1)[:-1] for side in (one, other))
    return bool(np.abs(a - b).max(initial=0.0) <= _CAPTURED * max(a.max(initial=0.0), b.max(initial=0.0)))


def _are_beside(rows: Rows, a: int, b: int) -> bool:
    """Whether bones hang from one bone or from two sides, not a neck and a tail from two ends of a spine."""
    one, other = int(rows.parents[a]), int(rows.parents[b])
    return one == other or one < 0 or other < 0 or not (one in rows.ways[other] or other in rows.ways[one])


def _is_copy(rows: Rows, one: FoundLimb, other: FoundLimb) -> bool:
    """Whether two limbs bend at the same places: some tools copy the pose of one to bones for the skin."""
    a, b = (rows.heads[[limb.bones[k] for k in limb.joints[-2:]]] for limb in (one, other))
    return bool(np.abs(a - b).max() <= _NOWHERE * max(one.lengths))


def _apart(rows: Rows, one: FoundLimb, other: FoundLimb) -> tuple[bool, bool, float]:
    """Limbs from the same bone are twins first, then those alike bone by bone, then the nearest."""
    a, b = one.bones[0], other.bones[0]
    apart = float(np.linalg.norm(rows.heads[a] - rows.heads[b]))
    return bool(rows.parents[a] != rows.parents[b]), not _are_posed_twins(rows, one, other), apart
