# SPDX-License-Identifier: GPL-3.0-or-later
"""What was measured at poses before, which spares much of the measuring at the next one.

The distance of a link's axis from a thing that stands still changes by no more than the axis has moved. So
each distance that was measured bounds the present one from both sides. What cannot have come near need not
be asked; what is asked needs to be sought only as far as it can be; and as long as all have moved by little,
what is near is sought among what was near. The answers are the same: meshes of many triangles are asked less
often, and give them sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ..rotation import Array
from .candidate_set import Shortlist
from .shape_group import Index
from .vectors import ONES

if TYPE_CHECKING:
    from .narrow_phase import Question

_FARTHER: Final = 1.5  # times as far as needed: what is not there need not be asked for a while
_AIR: Final = 1e-9  # relative, far above rounding
_STEPS: Final = 6.0  # as the last one was, for which triangles are kept at best
_WORTH: Final = 1.5  # steps for which it is worth to keep any
_LESS: Final = 0.5  # times as many steps where there are too many triangles
_MORE: Final = 1.1  # and where they are not
_SLOWER: Final = 0.25  # of the longest step: that much may those move that hardly did


class Watch:
    """Bounds of the distances between links and obstacles of a scene, for one pose after the other.

    Args:
        link: (M,) the link of each pair of the scene's broad phase, those of a link together.
        outward: (O,) the links.
        reach, thick: (M,) up to which distance of their balls' middles, and of the axis from the surface, a
            pair touches, metres.
        steady: (M,) whether its distance changes without leaps; only then is it kept. Behind the rim of a
            solid that is open the outside turns into the inside all at once.
        closely: whether one pose is mostly near the one before, and in the same direction.

    Attributes:
        least, most: (M,) bounds of the distances of the axes where the links were when all was asked last.
    """

    def __init__(
        self,
        link: Index,
        outward: Index,
        reach: Array,
        thick: Array,
        steady: npt.NDArray[np.bool_],
        closely: bool,
    ) -> None:
        self.link, self.outward, self.balls, self.thick, self.steady = link, outward, reach, thick, steady
        self._closely = closely
        self.least, self.most = np.full(len(link), -np.inf), np.full(len(link), np.inf)
        self._nearest = np.full(len(link), -1)
        self._start: Array | None = None
        self._last: Array | None = None
        self._squares: Array | None = None
        self._detect = 0.0
        self._steps = _STEPS
        self._way = self._room = np.zeros(0)
        self._questions: list[Question] = []

    def again(self, places: Array, detect: float) -> list[Question] | None:
        """The questions of before at new places, if no others matter there; else `found` tells what does.

        Args:
            places: (L, 3, 3) where the links are now, with the ends of their axes as first rows.
            detect: metres, see `Scene.near`.
        """
        if self._start is None:
            return None
        squares = self._squares = _squares(self._start, places)
        if not (detect <= self._detect and np.count_nonzero(squares <= self._room) == len(squares)):
            return None
        if any(question.shortlist is not None and question.shortlist.worn for question in self._questions):
            return None
        self._last = places
        return [question.after(places) for question in self._questions]

    def found(self, places: Array, squares: Array, detect: float) -> Index:
        """The pairs that are to be asked: those that can be near, also when they have moved on a little.

        Args:
            places, detect: see `again`, which has just been asked.
            squares: (M,) of the distances between the balls' middles.
        """
        moved = None if self._squares is None else _ways(self._squares)
        if moved is not None:
            moves = moved.take(self.link)
            self.least -= moves
            self.most += moves
        for question in self._questions:
            if question.shortlist is not None and question.pairs is not None:
                self._nearest[question.pairs] = question.shortlist.nearest
        # what is left between two until they are near
        room = np.maximum(np.sqrt(squares) - self.balls, self.least - self.thick)
        room -= detect * (1.0 + _AIR) + _AIR
        self._way = self._ahead(places, room, detect, moved)
        ahead = self._way.take(self.link)
        found: Index = (room <= ahead).nonzero()[0]
        room[found] = ahead.take(found)
        free = np.full(len(places), np.inf)
        free[self.outward] = room.reshape(len(self.outward), -1).min(1)
        self._room = _squares_within(free)
        self._start = self._last = places
        self._detect, self._questions = detect, []
        return found

    def _ahead(self, places: Array, room: Array, detect: float, moved: Array | None) -> Array:
        """(L,) how far links will move in the next steps, if they go on as they did; nothing if too far.

        Args:
            places, detect: see `again`.
            room: (M,) what is left between two until they are near.
            moved: (L,) how far links have moved since all was asked last.
        """
        if self._closely and self._last is not None:
            known = moved if self._last is self._start else None
            step = _ways(_squares(self._last, places)) if known is None else known
            # the others stay out of reach on that way
            near = self.link.take((room <= self._steps * step.take(self.link)).nonzero()[0])
            longest = float(step.take(near).max(initial=0.0))
            steps = min(self._steps, detect / longest) if longest else 0.0
            if steps >= _WORTH:
                return steps * np.clip(step, _SLOWER * longest, longest)
        self._steps = min(_STEPS, self._steps * _MORE)
        return np.zeros(len(places))

    def reach(self, pairs: Index, limit: Array) -> Array:
        """(P,) how far to seek pairs that are of interest up to `limit`: farther, so as to rest then."""
        farther = np.where(self.steady.take(pairs), _FARTHER * limit, limit)
        return np.minimum(self.most.take(pairs), farther)

    def learn(self, pairs: Index, distance: Array, reach: Array) -> None:
        """Keep what was measured: (P,) distances, infinite for what is farther than its reach (P,)."""
        found, steady = np.isfinite(distance), self.steady.take(pairs)
        self.least[pairs] = np.where(steady, np.where(found, distance, reach), -np.inf)
        # the distance that a search is about has no sign
        self.most[pairs] = np.where(steady & found & (distance > 0.0), distance, np.inf)

    def shortlist(self, question: Question) -> Shortlist | None:
        """To be filled with what the pairs of a question need on the way ahead; None if that is of no use."""
        way = self._way.take(question.link)
        if question.pairs is None or not (question.group.limited and way.any()):
            return None
        return Shortlist(way, self._nearest.take(question.pairs))

    def keep(self, question: Question, distance: Array, detect: float) -> None:
        """Ask this again: of what is measured with pains, those that may be near on the way ahead.

        Args:
            question: as it was asked; distance: (P,) what was measured; detect: metres, as asked.
        """
        if question.group.limited and question.pairs is not None:
            shortlist = question.shortlist
            if shortlist is not None:
                self._nearest[question.pairs] = shortlist.nearest
                self._steps = min(_STEPS, self._steps * (_LESS if shortlist.worn else _MORE))
            known = shortlist is not None and shortlist.candidates is not None
            if shortlist is None or not known or not self.steady.take(question.pairs).all():
                self._room[:] = -1.0  # all has to be asked anew anyway
                return
            rows = (distance < question.thick + (detect + shortlist.way)).nonzero()[0]
            question = question.take(rows)._replace(shortlist=shortlist.of(rows))
        self._questions.append(question._replace(watch=None))


def _squares(before: Array, after: Array) -> Array:
    """(2 L,) squares of how far both ends of links (L, 3, 3) have moved, those of a link together."""
    way = after[:, :2] - before[:, :2]
    way *= way
    squares: Array = way.reshape(-1, 3).dot(ONES)
    return squares


def _ways(squares: Array) -> Array:
    """(L,) how far links have moved at most with either end, with a little air."""
    moved: Array = np.sqrt(np.maximum(squares[::2], squares[1::2]))
    return moved * (1.0 + _AIR) + _AIR


def _squares_within(ways: Array) -> Array:
    """(2 L,) the largest squares of ends of links that have moved by these ways (L,) at most."""
    moved = (ways - _AIR) / (1.0 + _AIR)
    return np.where(moved < 0.0, -1.0, moved * moved).repeat(2)
