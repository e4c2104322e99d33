# SPDX-License-Identifier: GPL-3.0-or-later
"""The trunk of a figure: the joint that carries the limbs, the way to the head, the tails, the front limbs.

The head is the end that lies ahead of the limbs or above them; toes point ahead. Where they tell nothing, it
is the end beside the arms, then the one that forks as a face does, that rises, that is deepest in the tree.
"""

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from ..arrays import Array
from .figure_kinds import Kind
from .hand import goes_on_in_fingers
from .limb_rows import GROUND, FoundLimb, Rows, Sides

_LONG: Final = 0.15  # of the figure's size: the least length of a trunk or neck beyond a fork
_TAIL: Final = 0.1  # of the figure's size: the least length of a tail
_CLEAR: Final = 0.5  # share of the toes' length, and cosine, from which they have one direction
_UPRIGHT: Final = 0.7  # sine of the slope of a trunk that carries arms
_STUMP: Final = 0.35  # of the longest reach: a shorter end is a tail, where nothing else tells
_TIP: Final = 0.25  # of a bone's length: what begins so near to its tip goes on from there
_EVEN: Final = 0.65  # share of the longest bone of a lock of hair that the others have at least
_HANGS: Final = 0.7  # sine of the downward slope from which a row of bones is no neck, as a proboscis


class Trunk:
    """See the module.

    Args:
        rows: of the figure; pairs: of its limbs; size: of the figure; up: (3,) a unit vector.

    Attributes:
        pairs: as given; ground: whether each walks; front: whether it is at the front;
        attached: the joints that carry the pairs, -1 where they hang from no common one; carrying: these, and
            the lowest bone of a trunk without legs.
        body: the joint that carries all limbs and the head, -1 without limbs; head_way: the joints from there
            to the head; tails: joints of each tail.
    """

    def __init__(self, rows: Rows, pairs: Sequence[Sides], size: float, up: Array) -> None:
        self._rows, self.pairs, self._size, self._up = rows, pairs, size, up
        found = [one for pair in pairs for one in pair]
        self._limbs = {bone for one in found for bone in one.bones}
        low = min((self._lowest(one) for one in found), default=0.0) + GROUND * size
        self.ground = [any(self._lowest(one) <= low for one in pair) for pair in pairs]
        top = [[int(rows.parents[one.bones[0]]) for one in pair] for pair in pairs]
        self.attached = [self._join(pair[0], pair[-1]) for pair in top]
        self.carrying = [j for j in self.attached if j >= 0]
        if len(pairs) == 1 and found[0].kind != Kind.HIP:
            below, is_flat = self._below_arms(), float((rows.heads @ up).max()) <= low
            if below or is_flat or self._has_hands():
                self.ground = [False]
            self.carrying += below[-1:]
        self._ahead = self._toes()
        self._middle = np.mean([rows.heads[one.bones[0]] for one in found] or [np.zeros(3)], axis=0)
        self.body, self.head_way, self.tails = self._ways()
        self.front = self._front()

    @property
    def ears(self) -> list[Sides]:
        """Pairs in the air that are no limbs: skirts, hair and, on fours, what is beside a proboscis."""
        found = []
        for pair, low, joint in zip(self.pairs, self.ground, self.attached, strict=True):
            beside = self._rows.children[joint] if joint >= 0 and not low and sum(self.ground) > 1 else []
            proboscis = any(self._hangs(child) for child in beside if child not in self._limbs)
            if proboscis or (not low and (self._is_skirt(pair, joint) or self._is_hair(pair, joint))):
                found.append(pair)
        return found

    def _is_skirt(self, pair: Sides, joint: int) -> bool:
        """Whether rows hang down beside legs, from where these begin."""
        begin, rows = pair[0].bones[0], self._rows
        legs = [
            one.bones[0]
            for legs, low, other in zip(self.pairs, self.ground, self.attached, strict=True)
            for one in legs
            if low and other == joint
        ]
        near = np.linalg.norm(rows.heads[legs] - rows.heads[begin], axis=1) < _LONG * self._size
        return self._goes_down(begin, pair[0].bones[-1]) and bool(near.any())

    def _is_hair(self, pair: Sides, joint: int) -> bool:
        """Whether rows of bones that are all about as long hang down from beyond the arms."""
        rows, own = self._rows, list(pair[0].bones[:-1])
        above = rows.ways[joint][1:] if joint >= 0 else []
        beyond = any(not low and j in above for j, low in zip(self.attached, self.ground, strict=True))
        length = rows.length[own]
        alike = len(own) > 1 and bool(length.min() > _EVEN * length.max())
        return beyond and alike and self._goes_down(own[0], pair[0].bones[-1])

    def _lowest(self, one: FoundLimb) -> float:
        ends = [*one.bones]
        return float(np.minimum(self._rows.heads[ends] @ self._up, self._rows.tails[ends] @ self._up).min())

    def _join(self, a: int, b: int) -> int:
        """The deepest joint that two joints hang from, or are."""
        if a < 0 or b < 0:
            return -1
        other = set(self._rows.ways[b])
        return next((j for j in self._rows.ways[a] if j in other), -1)

    def _below_arms(self) -> list[int]:
        """The bones of a trunk that comes up to the first limb from far below, which is an arm then."""
        rows, joint = self._rows, self.attached[0]
        if joint < 0:
            return []
        first = self.pairs[0][0]
        begin, low = rows.heads[first.bones[0]], self._lowest(first)
        found = []
        for bone in rows.ways[joint]:
            up, least = begin - rows.heads[bone], _LONG * self._size
            below = float(up @ self._up) > max(least, _UPRIGHT * float(np.linalg.norm(up)))
            lower = low - float(rows.heads[bone] @ self._up)
            # a single bone, or a root that begins where the limbs end, may come up between two feet
            root = rows.parents[bone] < 0 and abs(lower) < GROUND * self._size
            if below and not root and (bone != joint or lower > least):
                found.append(bone)
        return found

    def _has_hands(self) -> bool:
        """Whether the first limb ends in a hand."""
        one = self.pairs[0][0]
        knee, beyond = one.bones[one.joints[-1]], one.bones[one.end :]
        return bool(beyond) and goes_on_in_fingers(self._rows, knee, beyond[0])

    # ------------------------------------------------------------------ ahead
    def _toes(self) -> Array:
        """(3,) the level direction in which the toes point; zero where they have none in common."""
        rows, way, across, length = self._rows, np.zeros(3), np.zeros(3), 0.0
        for pair, low in zip(self.pairs, self.ground, strict=True):
            if low:
                last = [pair[0].bones[-1], pair[-1].bones[-1]]
                toes = rows.tails[last] - rows.heads[last]
                way += self._level(toes.sum(0))
                across += self._level(rows.heads[last[0]] - rows.heads[last[1]])
                length += float(np.linalg.norm(toes, axis=1).sum())
        size, apart = float(np.linalg.norm(way)), float(np.linalg.norm(across))
        clear = size > _CLEAR * length and abs(float(way @ across)) < _CLEAR * size * apart
        return way / size if clear else np.zeros(3)

    def _level(self, v: Array) -> Array:
        return np.asarray(v - self._up * (v @ self._up))

    # ------------------------------------------------------------------ ways
    def _ways(self) -> tuple[int, list[int], list[list[int]]]:
        rows = self._rows
        where = self.carrying
        if not where:
            return -1, [], []
        trunk = {bone for j in where for bone in rows.ways[j]}
        starts = [
            child
            for j in trunk
            for child in rows.children[j]
            if child not in trunk and child not in self._limbs and self._is_single(child, trunk)
        ]
        ways = {start: self._main_way(start) for start in starts}
        ways = {start: way for start, way in ways.items() if rows.far(start) >= 0.03 * self._size}
        longest = max((rows.reach[start] for start in ways), default=0.0)
        airborne = {j for j, low in zip(self.attached, self.ground, strict=True) if not low}

        def likely(start: int) -> tuple[bool, bool, bool, bool, bool, int, float]:
            base, way = int(rows.parents[start]), ways[start]
            forks = any(len(rows.children[j]) > 1 for j in way)
            high = float((rows.tails[way[-1]] - rows.heads[start]) @ self._up) > 0
            off = rows.tails[way[-1]] - self._middle
            ahead = bool(self._ahead.any()) and float(off @ (self._ahead + self._up)) > 0.0
            return (
                ahead,
                base in airborne,
                forks and len(self.attached) > 1,
                high,
                rows.reach[start] > _STUMP * longest,
                len(rows.ways[base]),
                rows.reach[start],
            )

        first = max(ways, key=likely, default=-1)
        ends = [*where, int(rows.parents[first])] if first >= 0 else where
        shared = set(rows.ways[ends[0]]).intersection(*(rows.ways[j] for j in ends[1:]))
        body = max(shared, key=lambda j: len(rows.ways[j]), default=rows.ways[where[0]][-1])
        head_way: list[int] = []
        if first >= 0:
            down = rows.ways[int(rows.parents[first])]
            head_way = [*reversed(down[: down.index(body)] if body in down else down), *ways[first]]
        ways.pop(first, None)
        tails = [
            way
            for start, way in ways.items()
            if len(way) > 1
            and rows.reach[start] >= _TAIL * self._size
            and float((rows.tails[way[-1]] - self._middle) @ self._ahead) <= 0.0
        ]
        return body, head_way, tails

    def _is_single(self, joint: int, trunk: Collection[int] = ()) -> bool:
        """Whether no sibling is about as long, limbs and what carries them apart."""
        reach = self._rows.reach
        beside = self._rows.children[int(self._rows.parents[joint])]
        siblings = [c for c in beside if c != joint and c not in self._limbs and c not in trunk]
        return not any(abs(reach[c] - reach[joint]) <= 0.02 * reach[joint] for c in siblings)

    def _main_way(self, start: int) -> list[int]:
        """From a joint outwards, to where it forks or ends; children at the same place are passed over."""
        rows, way = self._rows, [start]
        while True:
            own = [c for c in rows.children[way[-1]] if c not in self._limbs]
            skulls = [c for c in own if self._is_skull(way[-1], c)]
            if len(own) > 1 and len(skulls) == 1:  # beside a jaw
                own = skulls
            if len(own) > 1:  # past arms that are too short for limbs, but not into a jaw or a proboscis
                on = [c for c in own if self._goes_on(way[-1], c)]
                own = [c for c in own if self._is_single(c) and rows.reach[c] >= _LONG * self._size]
                own = [c for c in own if not self._hangs(c)] or on
            if len(own) != 1 or np.linalg.norm(rows.heads[own[0]] - rows.heads[way[-1]]) < 1e-3 * self._size:
                return way
            way.append(own[0])

    def _is_skull(self, neck: int, child: int) -> bool:
        """Whether a joint carries a pair, as of ears, and reaches farther than the bone before it is long."""
        paired = not all(map(self._is_single, self._rows.children[child]))
        return paired and bool(self._rows.reach[child] > self._rows.length[neck])

    def _goes_on(self, joint: int, child: int) -> bool:
        """Whether a longer bone begins at the tip of another, as a head on a neck with a scarf."""
        length = self._rows.length
        apart = np.linalg.norm(self._rows.heads[child] - self._rows.tails[joint])
        return bool(apart <= _TIP * length[joint] < _TIP * length[child])

    def _hangs(self, joint: int) -> bool:
        """Whether a long row of bones goes down steeply from a joint."""
        end = joint
        while own := [c for c in self._rows.children[end] if c not in self._limbs]:
            end = max(own, key=lambda c: float(self._rows.reach[c]))
        far = float(np.linalg.norm(self._rows.tails[end] - self._rows.heads[joint]))
        return far >= _LONG * self._size and self._goes_down(joint, end)

    def _goes_down(self, joint: int, end: int) -> bool:
        """Whether the way from one bone to the end of another goes down steeply."""
        way = self._rows.tails[end] - self._rows.heads[joint]
        return float(way @ self._up) < -_HANGS * float(np.linalg.norm(way))

    # ------------------------------------------------------------------ front
    def _front(self) -> list[bool]:
        """Which pairs are at the front: of two or more, those that hang nearest to the head in the tree.

        Of two pairs of legs that the tree does not tell apart, the one nearest to the head in the pose.
        """
        rows = self._rows
        if not self.head_way or len(self.pairs) < 2:
            return [not low for low in self.ground]
        head = self.head_way[-1]
        joins = [self._join(j, head) for j in self.attached]
        depth = [len(rows.ways[join]) if join >= 0 else -1 for join in joins]
        walking = [pair for pair, low in enumerate(self.ground) if low]
        front = [
            near in (max(depth), -1) and (len(walking) <= 2 or not low)  # of more legs none are arms
            for near, low in zip(depth, self.ground, strict=True)
        ]
        if 0 < len(walking) <= 2 and sum(front) > 1 and all(front[pair] for pair in walking):
            begins = [rows.heads[self.pairs[pair][0].bones[0]] for pair in walking]
            far = [float(np.linalg.norm(begin - rows.heads[head])) for begin in begins]
            front[walking[far.index(max(far))]] = False
        return front


def trunk_of(rows: Rows, pairs: Sequence[Sides], size: float, up: Array) -> Trunk:
    """The trunk of a figure with those of its pairs of limbs that are no ears; arguments as for `Trunk`."""
    trunk = Trunk(rows, pairs, size, up)
    ears = trunk.ears
    kept = [pair for pair in pairs if pair[0].kind is not None or pair not in ears]
    return trunk if len(kept) == len(pairs) else Trunk(rows, kept, size, up)
