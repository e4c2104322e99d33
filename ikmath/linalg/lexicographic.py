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

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.int8]

_RIDGE: Final = 1e-11  # share of the trace added to Gram matrices: rows that repeat others do no harm,
# while inverting loses less than half the digits, which applying the result twice brings back
_REFINEMENTS: Final = 2
_SWAPS: Final = 8  # rounds of whole-set changes before going one at a time
_FEASIBLE: Final = 1e-11
_PATIENT: Final = 1e-7  # the same for stronger levels where patience is limited
_PULL: Final = 1e-10  # slope, against its largest, that counts as none
_CIRCLING: Final = 4
_STEP: Final = 1e-13  # movement that counts as none
_REPEATED: Final = 1e-10  # singular values below this share of the largest belong to rows that repeat others
_NONZERO: Final = 1e-26


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
    """The inequalities of a problem."""

    def __init__(self, lower: Array, upper: Array, rows: Array, least: Array) -> None:
        self.lower, self.upper, self.rows, self.least = lower, upper, rows, least

    def violated(self, x: Array) -> tuple[Flags, Flags]:
        """Bounds (-1 below, 1 above) and rows (-1) that x breaks."""
        bounds = (x > self.upper + _FEASIBLE).astype(np.int8) - (x < self.lower - _FEASIBLE).astype(np.int8)
        rows = -(self.rows.dot(x) < self.least - _FEASIBLE).astype(np.int8) if len(self.least) else _NOTHING
        return bounds, rows


_NOTHING: Final[Flags] = np.zeros(0, dtype=np.int8)
_NO_ROWS: Final[Array] = np.zeros(0)


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
    count = len(levels) + (wish is not None)
    for index in range(count):
        level = levels[index] if index < len(levels) else Level(np.empty((0, n)), np.empty(0))
        target = None if index < len(levels) else wish
        start = warm[index] if warm is not None and len(warm) == count else None
        if start is None or len(start.rows) != len(least):
            # what held the level before will mostly hold this one too
            before = (
                working[-1]
                if working
                else Working(np.zeros(n, dtype=np.int8), np.zeros(len(least), dtype=np.int8))
            )
            start = Working(before.bounds.copy(), before.rows.copy())
        else:
            start = Working(start.bounds.copy(), start.rows.copy())
        x, held = _solve_level(level, target, kept, values, box, x, start, patience)
        working.append(held)
        if index + 1 < count:
            kept = np.concatenate([kept, level.rows])
            values = np.concatenate([values, level.rows.dot(x)])
    return Answer(x, working)


def _solve_level(
    level: Level,
    target: Array | None,
    kept: Array,
    values: Array,
    box: _Box,
    x: Array,
    start: Working,
    patience: int | None,
) -> tuple[Array, Working]:
    """One level from a feasible x that keeps the stronger levels."""
    held = start
    seen: set[bytes] = set()
    for _ in range(_SWAPS):
        key = held.bounds.tobytes() + held.rows.tobytes()
        if key in seen:
            break
        seen.add(key)
        trial, bound_pull, row_pull = _equality(level, target, kept, values, box, held)
        out, out_rows = box.violated(trial)
        least_pull = _PULL * (1.0 + np.abs(bound_pull).max())
        wrong = (held.bounds != 0) & (bound_pull * held.bounds > least_pull)
        wrong_rows = (held.rows != 0) & (row_pull > least_pull) if len(row_pull) else held.rows != 0
        if not out.any() and not wrong.any() and not out_rows.any() and not wrong_rows.any():
            near = _FEASIBLE if patience is None else _PATIENT
            if not len(values) or np.abs(kept.dot(trial) - values).max() <= near * (
                1.0 + np.abs(values).max()
            ):
                return trial, held
            break  # so much is held that the stronger levels are lost
        bounds = np.where(wrong, 0, np.where(out != 0, out, held.bounds)).astype(np.int8)
        held = Working(bounds, np.where(wrong_rows, 0, held.rows | out_rows).astype(np.int8))
    return _one_at_a_time(level, target, kept, values, box, x, patience)


def _zeros(box: _Box) -> Array:
    return np.zeros(len(box.lower))


class _Gram:
    """Equality rows K (p, n), through `K K^T`: quick, good to half the digits where rows repeat."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        gram = rows.dot(rows.T)
        diagonal = gram.ravel()[:: len(rows) + 1]
        diagonal += _RIDGE * float(diagonal.sum()) + _NONZERO
        self.inverse = np.linalg.inv(gram)

    def shortest(self, values: Array) -> Array:
        """The shortest x with K x = values."""
        x = self.inverse.dot(values).dot(self.rows)
        for _ in range(_REFINEMENTS):
            x = x + self.inverse.dot(values - self.rows.dot(x)).dot(self.rows)
        return np.asarray(x)

    def share(self, way: Array) -> Array:
        """(p,) or (p, m): the combination of rows nearest to `way` (n,) or (m, n)."""
        return np.asarray(self.inverse.dot(self.rows.dot(way.T)))

    def without(self, way: Array) -> Array:
        """What is left of `way` (n,) or (m, n) across the rows."""
        return np.asarray(way - self.share(way).T.dot(self.rows))


class _Basis(_Gram):
    """The same through singular values: slower, and as good as can be where rows nearly repeat."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        columns = rows.any(0).nonzero()[0]  # rounding must not leak into columns that are held
        u, s, vt = np.linalg.svd(rows[:, columns], full_matrices=False)
        rank = int((s > _REPEATED * s[0]).sum()) if len(s) else 0
        self.u, self.s, self.vt = u[:, :rank], s[:rank], np.zeros((rank, rows.shape[1]))
        self.vt[:, columns] = vt[:rank]

    def shortest(self, values: Array) -> Array:
        return np.asarray((values.dot(self.u) / self.s).dot(self.vt))

    def share(self, way: Array) -> Array:
        return np.asarray((self.u / self.s).dot(self.vt.dot(way.T)))

    def without(self, way: Array) -> Array:
        return np.asarray(way - way.dot(self.vt.T).dot(self.vt))


def _equality(
    level: Level,
    target: Array | None,
    kept: Array,
    values: Array,
    box: _Box,
    held: Working,
    base: Array | None = None,
) -> tuple[Array, Array, Array]:
    """The level's optimum with the held inequalities as equalities, and how each of them pulls.

    Args:
        level, target, kept, values, box, held: the level, the rows that are kept at their values, what holds
            it.
        base: (n,) a point that meets all equalities already, for the careful way: from there only what lies
            across them changes, so that nearly dependent equalities cannot throw the point off.

    Returns:
        x (n,); pull of the bounds (n,): the objective's slope along each coordinate once the equalities
        have taken their share; pull of the rows (p,): positive where letting go would help.
    """
    fixed = held.bounds != 0
    some, tied = bool(fixed.any()), held.rows != 0
    some_rows = bool(tied.any())
    rows, wanted = level.rows, level.wanted
    if some_rows:
        kept, values = np.concatenate([kept, box.rows[tied]]), np.concatenate([values, box.least[tied]])
    free = 1.0 - fixed if some else 1.0
    free_rows, free_kept = (rows * free, kept * free) if some else (rows, kept)
    equalities = None
    if len(values):
        equalities = _Gram(free_kept) if base is None else _Basis(free_kept)
    if base is not None:
        part = base * free
        x = base - (part if equalities is None else equalities.without(part))
    else:
        x = (
            np.where(held.bounds > 0, box.upper, np.where(held.bounds < 0, box.lower, 0.0))
            if some
            else _zeros(box)
        )
        if equalities is not None:
            x = x + equalities.shortest(values - kept.dot(x))
    if target is None:
        wanted = wanted - rows.dot(x)
        if equalities is not None:
            free_rows = equalities.without(free_rows)
    if target is not None:
        way = (target - x) * free
        x = x + (way if equalities is None else equalities.without(equalities.without(way)))
        slope = x - target
    else:
        normal = free_rows.dot(free_rows.T)
        diagonal = normal.ravel()[:: len(normal) + 1]
        diagonal += level.damping + _RIDGE * float(diagonal.sum()) + _NONZERO
        way = np.linalg.solve(normal, wanted).dot(free_rows)
        if equalities is not None:
            # a weak damping would blow up what rounding left along the equalities
            way = equalities.without(way)
        x = x + way
        if not some and not some_rows:
            return x, x, _NO_ROWS
        slope = (rows.dot(x) - level.wanted).dot(rows) + level.damping * x
    row_pull = np.zeros(len(tied))
    if equalities is not None:
        # a row that is rightly held lifts the objective: its share of the slope is not negative
        share = equalities.share(slope * free)
        slope = slope - share.dot(kept)
        if some_rows:
            row_pull[tied] = -share[len(share) - int(tied.sum()) :]
    return x, slope, row_pull


def _one_at_a_time(
    level: Level, target: Array | None, kept: Array, values: Array, box: _Box, x: Array, patience: int | None
) -> tuple[Array, Working]:
    """Primal active set: every point on the way is feasible and keeps the stronger levels."""
    held = Working(np.zeros(len(x), dtype=np.int8), np.zeros(len(box.least), dtype=np.int8))
    stuck = 0  # changes since x last moved
    for _ in range(6 * (len(x) + len(box.least)) + 10 if patience is None else patience):
        goal, bound_pull, row_pull = _equality(level, target, kept, values, box, held, x)
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
        wrong = np.where(held.bounds != 0, bound_pull * held.bounds, 0.0)
        wrong_rows = np.where(held.rows != 0, row_pull, 0.0) if len(row_pull) else np.zeros(len(box.least))
        least_pull = _PULL * (1.0 + np.abs(bound_pull).max())
        if stuck > _CIRCLING:
            # at a corner that holds more than it needs: the first wrong one, so as not to circle
            wrong, wrong_rows = ((w > least_pull).astype(float) for w in (wrong, wrong_rows))
        worst = int(np.argmax(wrong))
        worst_row = int(np.argmax(wrong_rows)) if len(wrong_rows) else -1
        if wrong[worst] <= least_pull and (worst_row < 0 or wrong_rows[worst_row] <= least_pull):
            break
        if worst_row >= 0 and wrong_rows[worst_row] > wrong[worst]:
            held.rows[worst_row] = 0
        else:
            held.bounds[worst] = 0
    return x, held


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
