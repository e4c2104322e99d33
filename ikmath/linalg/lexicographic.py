# SPDX-License-Identifier: GPL-3.0-or-later
"""Least squares in strict order of importance, within bounds and under inequality rows.

Level after level, `minimise |A_l x - b_l|^2 + c_l |x|^2` over all x that do to the levels before exactly
what their own optimum does, with `lower <= x <= upper` and `C x >= d` throughout (Kanoun, Lamiraux &
Wieber 2011; Escande, Mansard & Wieber 2014). A last level may ask for x near a wish.

Every level is an equality-constrained least-squares problem once it is known which inequalities hold it:
solved by systems as small as its number of rows, never of the size of x. Which ones hold it is found by
changing the whole set at once (what is violated goes in, what pulls the wrong way goes out), which takes
two or three rounds and next to none with a warm start; should that run in circles, the classical way from
one feasible point to the next, one inequality at a time, finishes the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .equalities import Array, Basis, Gram, damped

Flags = npt.NDArray[np.int8]

_IDLE: Final = 3  # rounds of whole-set changes with no fewer amiss before going one at a time
_FEASIBLE: Final = 1e-11
_AT: Final = 1e-3  # distance at which x = 0 stands at a side
_PATIENT: Final = 1e-7  # the same for stronger levels where patience is limited
_PULL: Final = 1e-10  # slope, against its largest, that counts as none
_CIRCLING: Final = 4
_STEP: Final = 1e-13  # movement that counts as none


@dataclass(frozen=True, slots=True)
class Level:
    """One level: rows A (m, n), wanted values b (m,), damping c >= 0."""

    rows: Array
    wanted: Array
    damping: float = 0.0


@dataclass(slots=True)
class Working:
    """Which inequalities hold a level: -1 at the lower side, 1 at the upper, 0 free.

    Attributes:
        bounds: (n,) of the coordinates; rows: (p,) of the inequality rows, -1 or 0.
    """

    bounds: Flags
    rows: Flags


@dataclass(frozen=True, slots=True)
class Answer:
    """x (n,), and the working set of every level: the warm start of the next problem like this one."""

    x: Array
    working: list[Working]


class _Box:
    """The inequalities of a problem; what is within rounding of a side counts as inside."""

    def __init__(self, lower: Array, upper: Array, rows: Array, least: Array) -> None:
        self.lower, self.upper, self.rows, self.least = lower, upper, rows, least
        self._below, self._above, self._short = lower - _FEASIBLE, upper + _FEASIBLE, least - _FEASIBLE

    def violated(self, x: Array) -> tuple[Flags, Flags]:
        """Bounds (-1 below, 1 above) and rows (-1) that x breaks."""
        bounds = np.subtract(x > self._above, x < self._below, dtype=np.int8)
        rows = -(self.rows.dot(x) < self._short).astype(np.int8) if len(self.least) else _NOTHING
        return bounds, rows

    def sides(self, bounds: Flags, free: npt.NDArray[np.bool_]) -> Array:
        """(n,) the sides that hold coordinates; 0 for the free ones."""
        return np.where(free, 0.0, np.where(bounds > 0, self.upper, self.lower))

    def start(self, given: Working) -> Working:
        """A copy of a working set without sides that x = 0 does not stand at: they moved, or are gone."""
        bounds = given.bounds.copy()
        if bounds.any():
            bounds[np.where(bounds > 0, self.upper > _AT, self.lower < -_AT)] = 0
        return Working(bounds, given.rows.copy())


_NOTHING: Final[Flags] = np.zeros(0, dtype=np.int8)
_NO_FLAGS: Final = np.zeros(0, dtype=bool)


def lexicographic(
    levels: Sequence[Level],
    lower: Array,
    upper: Array,
    rows: Array | None = None,
    least: Array | None = None,
    wish: Array | None = None,
    warm: Sequence[Working] | None = None,
    patience: int | None = None,
) -> Answer:
    """Solve the levels in order.

    Args:
        levels: strongest first.
        lower, upper: (n,) bounds of x; x = 0 must be inside.
        rows, least: (p, n) and (p,): `rows @ x >= least`; `least` must not be positive, so that x = 0 is
        allowed.
        wish: (n,) where x should be when all levels have what they want, or None for the shortest x.
        warm: working sets of a similar problem, one for each level (and one for the wish).
        patience: inequalities at most that are changed one at a time where changing all at once runs in
            circles; the answer then keeps all bounds and, to 1e-7, the stronger levels, but may not be the
            level's optimum. None for no such bound.
    """
    n = len(lower)
    if rows is None or least is None:
        rows, least = np.empty((0, n)), np.empty(0)
    box = _Box(lower, upper, rows, least)
    x = np.zeros(n)
    kept, values = np.empty((0, n)), np.empty(0)
    working: list[Working] = []
    stages: list[tuple[Level, Array | None]] = [(level, None) for level in levels]
    if wish is not None:
        stages.append((Level(kept, values), wish))
    for index, (level, target) in enumerate(stages):
        start = warm[index] if warm is not None and index < len(warm) else None
        if start is None or len(start.rows) != len(least):
            # what held the level before will mostly hold this one too
            nothing = np.zeros(n, dtype=np.int8), np.zeros(len(least), dtype=np.int8)
            start = working[-1] if working else Working(*nothing)
        stage = _Stage(level, target, kept, values, box)
        x, held = stage.solve(x, box.start(start), patience)
        working.append(held)
        if index + 1 < len(stages):
            found = level.rows.dot(x)
            # a first level's rows are not copied: they are only read
            kept = np.concatenate([kept, level.rows]) if len(kept) else level.rows
            values = np.concatenate([values, found]) if len(values) else found
    return Answer(x, working)


class _Stage:
    """One level and all that binds it.

    Args:
        level: its rows; target: (n,) the wish in their place, or None.
        kept, values: (p, n) and (p,) rows of the stronger levels and what they must stay at.
        box: the inequalities.
    """

    def __init__(self, level: Level, target: Array | None, kept: Array, values: Array, box: _Box) -> None:
        self.level, self.target, self.kept, self.values, self.box = level, target, kept, values, box

    def solve(self, x: Array, held: Working, patience: int | None) -> tuple[Array, Working]:
        """The optimum and what holds it, from a feasible x (n,) that keeps the stronger levels."""
        near = _FEASIBLE if patience is None else _PATIENT
        start, straight, fewest, idle = held, x, len(x) + 1, 0
        while idle < _IDLE:
            trial, pull, row_pull = self._optimum(held)
            out, out_rows = self.box.violated(trial)
            wrong, wrong_rows = _wrong(held, pull, row_pull)
            amiss = np.count_nonzero(out) + np.count_nonzero(wrong)
            if len(wrong_rows):
                amiss += np.count_nonzero(out_rows) + np.count_nonzero(wrong_rows)
            if held is start or not amiss:
                kept = self._keeps(trial, near)
                if kept and not amiss:
                    return trial, held
                straight = trial if kept else x
                if not amiss:
                    break  # so much is held that the stronger levels are lost
            fewest, idle = (amiss, 0) if amiss < fewest else (fewest, idle + 1)
            bounds = np.where(wrong, 0, np.where(out != 0, out, held.bounds)).astype(np.int8)
            held = Working(bounds, np.where(wrong_rows, 0, held.rows | out_rows).astype(np.int8))
        if self.target is None or patience is None:
            return self._one_at_a_time(x, patience)
        # a wish is not worth a search: straight on as far as may be
        none = Working(np.zeros(len(x), dtype=np.int8), np.zeros(len(self.box.least), dtype=np.int8))
        reach, _, _ = _blocking(self.box, none, x, straight - x)
        return x + min(reach, 1.0) * (straight - x), start

    def _keeps(self, x: Array, near: float) -> bool:
        """Whether the stronger levels have what they must have."""
        if not len(self.values):
            return True
        away = np.abs(self.kept.dot(x) - self.values).max()
        return bool(away <= near * (1.0 + np.abs(self.values).max()))

    def _optimum(self, held: Working, base: Array | None = None) -> tuple[Array, Array, Array]:
        """The level's optimum with the held inequalities as equalities, and how each of them pulls.

        Args:
            held: what holds the level.
            base: (n,) a point that meets all equalities already, for the careful way: from there only what
                lies across them changes, so that nearly dependent equalities cannot throw the point off.

        Returns:
            x (n,); pull of the bounds (n,): the objective's slope along each coordinate once the equalities
            have taken their share; pull of the rows (p,): positive where letting go would help.
        """
        free = held.bounds == 0
        tied = held.rows != 0
        some_rows = len(tied) > 0 and bool(tied.any())
        if base is None and not len(self.values) and self.target is None:
            found = self._tied(held, free, tied) if some_rows else self._alone(held, free)
            if found is not None:
                return found
        kept, values = self.kept, self.values
        if some_rows:
            kept = np.concatenate([kept, self.box.rows[tied]])
            values = np.concatenate([values, self.box.least[tied]])
        row_pull = np.zeros(len(tied))
        equalities = None
        if len(values):
            equalities = Gram(kept * free) if base is None else Basis(kept * free)
        if self.target is not None and base is None and equalities is not None:
            x = np.where(free, self.target, self.box.sides(held.bounds, free))
            x, share = equalities.nearest(x, kept, values)
            slope = x - self.target - share.dot(kept)
        else:
            start = self.box.sides(held.bounds, free) if base is None else base
            x, slope = self._across(equalities, start, kept, values, free, careful=base is not None)
            if equalities is None:
                return x, slope, row_pull
            # a row that is rightly held lifts the objective: its share of the slope is not negative
            share = equalities.share(slope * free)
            slope = slope - share.dot(kept)
        if some_rows:
            row_pull[tied] = -share[len(share) - int(tied.sum()) :]
        return x, slope, row_pull

    def _alone(self, held: Working, free: npt.NDArray[np.bool_]) -> tuple[Array, Array, Array]:
        """The same where there are only bounds: no equalities to be kept."""
        rows, wanted, none = self.level.rows, self.level.wanted, np.zeros(len(held.rows))
        if free.all():
            x: Array = np.linalg.solve(damped(rows, self.level.damping), wanted).dot(rows)
            return x, np.zeros(len(x)), none
        sides = self.box.sides(held.bounds, free)
        short = np.linalg.solve(damped(rows * free, self.level.damping), wanted - rows.dot(sides))
        freely = short.dot(rows)
        x = np.where(free, freely, sides)
        slope = (rows.dot(x) - wanted).dot(rows) + self.level.damping * x
        return x, slope, none

    def _tied(
        self, held: Working, free: npt.NDArray[np.bool_], tied: npt.NDArray[np.bool_]
    ) -> tuple[Array, Array, Array] | None:
        """The same with inequality rows held: one system of both; None where it is not good to rounding.

        With damping c, `x = A' y + C' u` on the free coordinates, `A x + c y = b` and `C x = d`; a held row
        pulls by c u.
        """
        level, damping, few = self.level, self.level.damping, len(self.level.rows)
        every = np.concatenate([level.rows, self.box.rows[tied]])
        wanted = np.concatenate([level.wanted, self.box.least[tied]])
        freely = every * free
        gram = freely.dot(freely.T)
        gram.ravel()[: few * len(gram) : len(gram) + 1] += damping
        sides = self.box.sides(held.bounds, free)
        try:
            share = np.linalg.solve(gram, wanted - every.dot(sides))
        except np.linalg.LinAlgError:
            return None
        x = share.dot(freely) + sides
        missing = wanted - every.dot(x)
        if not np.abs(missing[few:]).max() <= _FEASIBLE * 0.1:
            return None
        pull = damping * share
        row_pull = np.zeros(len(tied))
        row_pull[tied] = -pull[few:]
        slope = damping * x - pull[few:].dot(every[few:]) - missing[:few].dot(level.rows)
        return x, slope, row_pull

    def _across(
        self,
        equalities: Gram | None,
        start: Array,
        kept: Array,
        values: Array,
        free: npt.NDArray[np.bool_],
        *,
        careful: bool,
    ) -> tuple[Array, Array]:
        """The optimum across the equalities, and the objective's slope there."""
        without = (lambda way: way) if equalities is None else equalities.without
        if self.target is not None:
            x = start + without(without((self.target - start) * free))
            return x, x - self.target
        x = start
        if careful:
            x = start - without(start * free)
        elif equalities is not None:
            x, _ = equalities.nearest(start, kept, values)
        rows, damping = self.level.rows, self.level.damping
        across = without(rows * free)
        way = np.linalg.solve(damped(across, damping), self.level.wanted - rows.dot(x)).dot(across)
        # a weak damping would blow up what rounding left along the equalities
        x = x + without(way)
        return x, (rows.dot(x) - self.level.wanted).dot(rows) + damping * x

    def _one_at_a_time(self, x: Array, patience: int | None) -> tuple[Array, Working]:
        """Primal active set: every point on the way is feasible and keeps the stronger levels."""
        box = self.box
        held = Working(np.zeros(len(x), dtype=np.int8), np.zeros(len(box.least), dtype=np.int8))
        stuck = 0  # changes since x last moved
        for _ in range(6 * (len(x) + len(box.least)) + 10 if patience is None else patience):
            goal, pull, row_pull = self._optimum(held, x)
            step = goal - x
            reach, blocking, side = _blocking(box, held, x, step)
            x = x + min(reach, 1.0) * step
            stuck = 0 if reach * np.abs(step).max() > _STEP else stuck + 1
            if reach < 1.0:
                if side:
                    held.bounds[blocking] = side
                else:
                    held.rows[blocking] = -1
                continue
            wrong, wrong_rows = _wrong(held, pull, row_pull)
            if not wrong.any() and not wrong_rows.any():
                break
            # at a corner that holds more than it needs: the first wrong one, so as not to circle
            often = stuck > _CIRCLING
            much = np.where(wrong, 1.0 if often else np.abs(pull), 0.0)
            much_rows = np.where(wrong_rows, 1.0 if often else row_pull, 0.0)
            worst = int(np.argmax(much))
            if much_rows.max(initial=0.0) > much[worst]:
                held.rows[int(np.argmax(much_rows))] = 0
            else:
                held.bounds[worst] = 0
        return x, held


def _wrong(
    held: Working, pull: Array, row_pull: Array
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which bounds and rows hold what wants to go the other way."""
    least = _PULL * (1.0 + float(np.abs(pull).max()))
    wrong_rows = (held.rows != 0) & (row_pull > least) if len(row_pull) else _NO_FLAGS
    return pull * held.bounds > least, wrong_rows


def _blocking(box: _Box, held: Working, x: Array, step: Array) -> tuple[float, int, int]:
    """How far (1 is all) the step may go, which free inequality stops it, on which side (0 for a row)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where((held.bounds == 0) & (step > _STEP), (box.upper - x) / step, np.inf)
        down = np.where((held.bounds == 0) & (step < -_STEP), (box.lower - x) / step, np.inf)
    reach, blocking, side = 1.0, -1, 0
    for ratios, name in ((up, 1), (down, -1)):
        index = int(np.argmin(ratios))
        if ratios[index] < reach:
            reach, blocking, side = max(float(ratios[index]), 0.0), index, name
    if len(box.least):
        slope = box.rows.dot(step)
        room = box.rows.dot(x) - box.least
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where((held.rows == 0) & (slope < -_STEP), -room / slope, np.inf)
        index = int(np.argmin(ratios))
        if ratios[index] < reach:
            reach, blocking, side = max(float(ratios[index]), 0.0), index, 0
    return reach, blocking, side
