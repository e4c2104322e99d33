# SPDX-License-Identifier: GPL-3.0-or-later
"""The branches of an armature: sequences of bones that continue each other, for example a leg.

If several bones have the same parent, for example the next bone of an arm and helpers for twist, feathers and
sleeves, one of them continues the branch. If fingers branch from a hand, none does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from .armature import Array, Bones

_AT: Final = 0.1  # share of a bone's length, from its tail, within which a continuing bone starts
_FARTHER: Final = 1.5  # the continuing child must reach this many times as far as the other ones


@dataclass(frozen=True, eq=False)
class Branch:
    """Bones that continue each other; n of them.

    Attributes:
        bones: (n,) their indices; ways: (n, 3) from each head to the next one, for the last bone to its tail,
            armature space; lengths: (n,) of these vectors.
    """

    bones: tuple[int, ...]
    ways: Array
    lengths: Array

    def below(self, place: int) -> int:
        """Index of the bone after the one at a place, -1 if there is none."""
        return self.bones[place + 1] if place + 1 < len(self.bones) else -1


def branches(bones: Bones, least: float = 0.0) -> list[Branch]:
    """The branches of an armature with a minimum length; no bone is in two branches.

    Args:
        bones: the armature; least: length along the bones, the armature's units.
    """
    after = _going_on(bones)
    found = []
    for number in sorted(set(range(len(bones))).difference(after.values())):
        row = [number]
        while (following := after.get(row[-1], -1)) >= 0:
            row.append(following)
        ways = np.diff(np.concatenate([bones.heads[row], bones.tails[row[-1:]]]), axis=0)
        lengths = np.sqrt((ways * ways).sum(-1))
        if lengths.sum() >= least:
            found.append(Branch(tuple(row), ways, lengths))
    return found


def _going_on(bones: Bones) -> dict[int, int]:
    """Maps each bone to the one that continues it, if there is one."""
    above, rows = bones.parents, np.arange(len(bones))
    children: dict[int, list[int]] = {}
    for number in rows[above >= 0].tolist():
        children.setdefault(int(above[number]), []).append(number)
    from_head, from_tail = (
        np.sqrt(((bones.heads - ends[above]) ** 2).sum(-1)).tolist() for ends in (bones.heads, bones.tails)
    )
    reach = bones.length.tolist()  # from each head to the farthest tip, along the bones
    for level in reversed(bones.levels):
        for number in level.tolist():
            reach[number] = max(
                [reach[number], *(from_head[it] + reach[it] for it in children.get(number, ()))]
            )
    after = {}
    for number, hung in children.items():
        close = [it for it in hung if from_tail[it] <= _AT * bones.length[number]]
        carrying = sorted(
            (it for it in hung if it in children), key=lambda it: from_head[it] + reach[it], reverse=True
        )
        far = [from_head[it] + reach[it] for it in carrying]
        if len(hung) == 1:
            after[number] = hung[0]
        elif len(close) == 1:
            after[number] = close[0]
        elif len(far) == 1 or (len(far) > 1 and far[0] >= _FARTHER * far[1]):
            after[number] = carrying[0]
    return after
