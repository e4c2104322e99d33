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
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index, Mask
from .equalities import Basis, Gram, damped, raised
from .inequalities import FEASIBLE, STEP, Box, Signs, Working, blocking
from .small import solved

_IDLE: Final = 3  # rounds of whole-set changes with no fewer amiss before going one at a time
_FEW: Final = 8  # inequalities, or one in so many coordinates, that a wish may break to be worth a search
_PATIENT: Final = 1e-7  # what stronger levels may be off where patience is limited; else as bounds
_PULL: Final = 1e-10  # slope, against its largest, that counts as none
_CIRCLING: Final = 4
_CORRECTIONS: Final = 3
_MET: Final = 1e-13  # share of what was missing that is rounding
_SHARE: Final = 0.01  # of what stronger levels may be off, to be aimed at


class Level(NamedTuple):
    """One level: rows A (m, n), wanted values b (m,), damping c >= 0."""

    rows: Array
    wanted: Array
    damping: float = 0.0


class Answer(NamedTuple):
    """x (n,), and the working set of every level: the warm start of the next problem like this one."""

    x: Array
    working: list[Working]


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
    box = Box(lower, upper, rows, least)
    n, x, held = len(lower), np.zeros(len(lower)), box.nothing
    kept, values = np.empty((0, n)), np.empty(0)
    working: list[Working] = []
    stages: list[tuple[Level, Array | None]] = [(level, None) for level in levels]
    if wish is not None:
        stages.append((Level(kept, values), wish))
    for index, (level, target) in enumerate(stages):
        # without a warm start, what held the level before will mostly hold this one too
        if warm is not None and index < len(warm) and len(warm[index].rows) == len(box.least):
            held = warm[index]
        x, held = _Stage(level, target, kept, values, box, patience).solve(x, box.start(held))
        working.append(held)
        if index + 1 < len(stages):
            found = level.rows.dot(x)
            # a first level's rows are not copied: they are only read
            kept = np.concatenate([kept, level.rows]) if len(kept) else level.rows
            values = np.concatenate([values, found]) if len(values) else found
    return Answer(x, working)


class _Held(NamedTuple):
    """Coordinates that are held: where (h,), at which values (h,), their columns (h, m) of the rows."""

    where: Index
    at: Array
    columns: Array


_NONE: Final = np.zeros(0, dtype=bool)
_NO_PULL: Final = np.zeros(0)


class _Stage:
    """One level and all that binds it.

    Args:
        level: its rows; target: (n,) the wish in their place, or None.
        kept, values: (p, n) and (p,) rows of the stronger levels and what they must stay at.
        box: the inequalities; patience: see `lexicographic`.
    """

    def __init__(
        self, level: Level, target: Array | None, kept: Array, values: Array, box: Box, patience: int | None
    ) -> None:
        self.level, self.target, self.kept, self.values, self.box = level, target, kept, values, box
        self.patience = patience
        self.near = FEASIBLE if patience is None else _PATIENT
        self.bound = len(values) > 0
        self._gram: Array | None = None

    def solve(self, x: Array, held: Working) -> tuple[Array, Working]:
        """The optimum and what holds it, from a feasible x (n,) that keeps the stronger levels."""
        box = self.box
        start, straight, fewest, idle = held, x, len(x) + 1, 0
        brief = self.target is not None and self.patience is not None
        while idle < _IDLE:
            trial, pull, row_pull = self._optimum(held)
            out, out_rows = box.violated(trial)
            wrong, wrong_rows = _wrong(held, pull, row_pull)
            amiss = np.count_nonzero(out) + np.count_nonzero(wrong)
            if len(row_pull):
                amiss += np.count_nonzero(out_rows) + np.count_nonzero(wrong_rows)
            if held is start or not amiss:
                kept = self._keeps(trial)
                if kept and not amiss:
                    return trial, held
                straight = trial if kept else x
                # so much is held that the stronger levels are lost, or a wish is far beyond what may be
                if not amiss or (brief and amiss > max(_FEW, len(x) // _FEW)):
                    break
            fewest, idle = (amiss, 0) if amiss < fewest else (fewest, idle + 1)
            bounds = out if not len(pull) else np.where(out != 0, out, held.bounds * ~wrong)
            held = Working(bounds, np.where(wrong_rows, 0, held.rows | out_rows).astype(np.int8))
        if not brief:
            return self._one_at_a_time(x)
        # a wish is not worth a search: straight on as far as may be
        reach, _, _ = blocking(box, box.nothing, x, straight - x)
        return x + min(reach, 1.0) * (straight - x), start

    def _keeps(self, x: Array) -> bool:
        """Whether the stronger levels have what they must have."""
        if not self.bound:
            return True
        away = np.abs(self.kept.dot(x) - self.values).max()
        return bool(away <= self.near * (1.0 + np.abs(self.values).max()))

    def _optimum(self, held: Working, base: Array | None = None) -> tuple[Array, Array, Array]:
        """The level's optimum with the held inequalities as equalities, and how each of them pulls.

        Args:
            held: what holds the level.
            base: (n,) a point that meets all equalities already, for the careful way: from there only what
                lies across them changes, so that nearly dependent equalities cannot throw the point off.

        Returns:
            x (n,); pull of the bounds (n,), (0,) where none holds: the objective's slope along each
            coordinate once the equalities have taken their share; pull of the rows (p,): positive where
            letting go would help.
        """
        row_pull = np.zeros(len(held.rows)) if len(held.rows) else _NO_PULL
        some_rows = len(row_pull) > 0 and bool(held.rows.any())
        if base is None and not some_rows:
            if self.target is None and not self.bound:
                return *self._alone(held.bounds), row_pull
            if self.target is not None and self.bound:
                return *self._wished(self.target, held.bounds), row_pull
        tied = held.rows != 0
        free = held.bounds == 0
        if base is None and self.target is None and not self.bound:
            found = self._tied(held, free, tied)
            if found is not None:
                return found
        kept, values = self.kept, self.values
        if some_rows:
            kept = np.concatenate([kept, self.box.rows[tied]])
            values = np.concatenate([values, self.box.least[tied]])
        equalities = None
        if len(values):
            equalities = Gram(kept * free) if base is None else Basis(kept * free)
        if self.target is not None and base is None and equalities is not None:
            x = self.box.onto_sides(self.target, held.bounds)
            x, share = equalities.nearest(x, kept, values)
            slope = x - self.target - share.dot(kept)
        else:
            start = self.box.onto_sides(np.zeros(len(free)), held.bounds) if base is None else base
            x, slope = self._across(equalities, start, kept, values, free, careful=base is not None)
            if equalities is None:
                return x, slope, row_pull
            # a row that is rightly held lifts the objective: its share of the slope is not negative
            share = equalities.share(slope * free)
            slope = slope - share.dot(kept)
        if some_rows:
            row_pull[tied] = -share[len(share) - int(tied.sum()) :]
        return x, slope, row_pull

    def _alone(self, bounds: Signs) -> tuple[Array, Array]:
        """The same where there are only bounds: no equalities to be kept."""
        level = self.level
        rows, wanted = level.rows, level.wanted
        held, gram = self._held(rows, bounds)
        if held is None:
            return solved(raised(gram, level.damping), wanted).dot(rows), _NO_PULL
        short = solved(raised(gram, level.damping), wanted - held.at.dot(held.columns))
        x = short.dot(rows)
        x[held.where] = held.at
        pull = np.zeros(len(bounds))
        pull[held.where] = held.columns.dot(rows.dot(x) - wanted) + level.damping * held.at
        return x, pull

    def _wished(self, wish: Array, bounds: Signs) -> tuple[Array, Array]:
        """The same for a wish, nearest to which the rows of the stronger levels keep their values."""
        rows, x = self.kept, wish.copy()
        held, gram = self._held(rows, bounds)
        raised(gram, 0.0)
        if held is not None:
            x[held.where] = held.at
        missing = self.values - rows.dot(x)
        near = max(_MET * float(np.abs(missing).max()), _SHARE * self.near)
        share = np.zeros(len(missing))
        for _ in range(_CORRECTIONS):
            more = solved(gram, missing)
            share += more
            x += more.dot(rows)
            if held is not None:
                x[held.where] = held.at
            missing = self.values - rows.dot(x)
            if np.abs(missing).max() <= near:
                break
        if held is None:
            return x, _NO_PULL
        pull = np.zeros(len(bounds))
        pull[held.where] = held.at - wish.take(held.where) - held.columns.dot(share)
        return x, pull

    def _held(self, rows: Array, bounds: Signs) -> tuple[_Held | None, Array]:
        """What bounds hold, None for nothing; and the Gram matrix of the rows without it."""
        if self._gram is None:
            self._gram = rows.dot(rows.T)
        where, at = self.box.sides(bounds)
        if not len(where):
            return None, self._gram.copy()
        columns = rows.T.take(where, 0)
        held = _Held(where, at, columns)
        return held, self._gram - columns.T.dot(columns)

    def _tied(self, held: Working, free: Mask, tied: Mask) -> tuple[Array, Array, Array] | None:
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
        sides = self.box.onto_sides(np.zeros(len(free)), held.bounds)
        try:
            share = np.linalg.solve(gram, wanted - every.dot(sides))
        except np.linalg.LinAlgError:
            return None
        x = share.dot(freely) + sides
        missing = wanted - every.dot(x)
        if not np.abs(missing[few:]).max() <= FEASIBLE * 0.1:
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
        free: Mask,
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

    def _one_at_a_time(self, x: Array) -> tuple[Array, Working]:
        """Primal active set: every point on the way is feasible and keeps the stronger levels."""
        box, patience = self.box, self.patience
        held = Working(np.zeros(len(x), dtype=np.int8), np.zeros(len(box.least), dtype=np.int8))
        stuck = 0  # changes since x last moved
        for _ in range(6 * (len(x) + len(box.least)) + 10 if patience is None else patience):
            goal, pull, row_pull = self._optimum(held, x)
            step = goal - x
            reach, which, side = blocking(box, held, x, step)
            x = x + min(reach, 1.0) * step
            stuck = 0 if reach * np.abs(step).max() > STEP else stuck + 1
            if reach < 1.0:
                if side:
                    held.bounds[which] = side
                else:
                    held.rows[which] = -1
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


def _wrong(held: Working, pull: Array, row_pull: Array) -> tuple[Mask, Mask]:
    """Which bounds and rows hold what wants to go the other way; (0,) where there are none."""
    if not len(pull) and not len(row_pull):
        return _NONE, _NONE
    least = _PULL * (1.0 + float(np.abs(pull).max(initial=0.0)))
    wrong = pull * held.bounds > least if len(pull) else _NONE
    return wrong, (held.rows != 0) & (row_pull > least) if len(row_pull) else _NONE
