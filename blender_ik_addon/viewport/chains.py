# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that are drawn as the chain. They are cached; only their transforms change in a motion."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..bridge.armature import Array, Bones, Indices
from ..bridge.chains import Chain
from .colours import ALONG, CHAIN
from .strokes import Strokes

_APART: Final = 1e-3  # share of a bone's length; a child's head farther away gets a line to its parent
_ONES: Final = np.ones(3)


@dataclass(frozen=True, eq=False)
class Chains:
    """The N bones to draw.

    Attributes:
        numbers: (N,) indices: first the other bones, then the main ones, from the row `first` on.
        length: (N,) in the armature's units.
        hung: (H,) rows of bones that may not begin at the parent's tip, for example short bones of imported
            figures; above: (H,) the parents' rows.
    """

    numbers: Indices
    first: int
    length: Array
    hung: Indices
    above: Indices

    @classmethod
    def of(cls, bones: Bones, held: str, active: Collection[Chain], every: Collection[Chain]) -> Chains:
        """The main bones, which move for the dragged bone or the active effector, and the other bones.

        Args:
            bones: of the armature.
            held: name of the dragged bone, "" for none.
            active: chains of the active effector; every: chains of all.
        """
        main = {number for chain in active for number in bones.chain(*chain)}
        along = set[int]()
        if held in bones.index:
            main = set(bones.ancestors(held))
            along = {number for chain in every for number in bones.chain(*chain)}
        numbers = [*sorted(along - main), *sorted(main)]
        row = {number: place for place, number in enumerate(numbers)}
        hung = [
            (row[number], row[parent])
            for number in numbers
            if (parent := int(bones.parents[number])) in row and not bones.connected[number]
        ]
        pairs = np.array(hung, dtype=np.intp).reshape(-1, 2)
        order = np.array(numbers, dtype=np.intp)
        return cls(order, len(numbers) - len(main), bones.length[order], pairs[:, 0], pairs[:, 1])

    def draw(self, strokes: Strokes, matrix: Array) -> None:
        """Draw lines along the bones, fainter for the other bones.

        Args:
            strokes: to draw to; matrix: (B, 4, 4) of the armature's bones, world.
        """
        if not len(self.numbers):
            return
        own = matrix.take(self.numbers, 0)
        ends = np.empty((len(own), 2, 3))
        ends[:, 0] = own[:, :3, 3]
        ends[:, 1] = own[:, :3, 1]
        ends[:, 1] *= self.length[:, None]
        ends[:, 1] += ends[:, 0]
        self._segments(strokes, ends, self.first)
        if len(self.hung):
            heads, above = ends.take(self.hung, 0)[:, 0], ends.take(self.above, 0)
            off = above - heads[:, None]
            off *= off
            square, way = off.dot(_ONES), above[:, 1] - above[:, 0]
            way *= way
            apart = (square[:, 1] > _APART**2 * way.dot(_ONES)).nonzero()[0]
            if len(apart):
                square, above = square.take(apart, 0), above.take(apart, 0)
                lines = np.empty((len(apart), 2, 3))
                lines[:, 0] = np.where(square[:, :1] < square[:, 1:], above[:, 0], above[:, 1])
                lines[:, 1] = heads.take(apart, 0)
                self._segments(strokes, lines, int(np.searchsorted(self.hung.take(apart), self.first)))

    def _segments(self, strokes: Strokes, ends: Array, first: int) -> None:
        """Draw lines (S, 2, 3), the main ones from the row `first` on."""
        for colour, some in ((ALONG, ends[:first]), (CHAIN, ends[first:])):
            if len(some):
                strokes.segments(colour, some)
