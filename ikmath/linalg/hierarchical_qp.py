# SPDX-License-Identifier: GPL-3.0-or-later
"""Hierarchical least squares under inequality constraints.

Level after level, find the z that minimises `|A z - b|^2 + c |z|^2` subject to `lower <= G z <= upper`,
where every stronger level keeps the value `A z` of its own optimum (Kanoun, Lamiraux & Wieber 2011;
Escande, Mansard & Wieber 2014). Last of all z comes as near to a target as the levels allow.

For a given active set a level is one symmetric system in the multipliers y of its rows. Rows that must hold
(active constraints, stronger levels) and rows that pull (the level's own) differ only in their compliance:
`(R R^T + compliance) y = wanted - R t`, `z = t + R^T y`, with t = 0 but for the target. The active set is
found by exchanging all wrong constraints at once (block principal pivoting: Portugal, Judice & Vicente 1994),
as long as their number falls, and from there one constraint at a time by a dual method (Lawson & Hanson 1974,
chapter 23; Goldfarb & Idnani 1983).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import Array, Index, Mask

Signs = npt.NDArray[np.int8]

_RIGID: Final = 1e-13
"""Compliance of rows that must hold, as a share of the longest squared row: above rounding, below damping."""
_INSIDE: Final = 1e-11  # units of a constraint by which it may be exceeded: rounding of `G z`
_PULL: Final = 1e-10  # share of the largest multiplier below which the sign of a multiplier is rounding
_CHANGES: Final = 4  # single changes per constraint at most: a safeguard against rounding


class Level(NamedTuple):
    """`minimise |rows z - wanted|^2 + damping |z|^2`; rows (k, n), wanted (k,), damping > 0."""

    rows: Array
    wanted: Array
    damping: float


class Constraints(NamedTuple):
    """`lower <= G z <= upper`, G being a box in other units above further rows.

    Attributes:
        scale: units of the box: (n,) a diagonal, or (n, n) a matrix S with the bounded x = S z.
        lower, upper: (m,) of the box and of the rows, infinite where there is no bound.
        rows: (m - n, n) further rows by z.
        equal: rows (p, n) by z and values (p,) that they have.
    """

    scale: Array
    lower: Array
    upper: Array
    rows: Array | None = None
    equal: tuple[Array, Array] | None = None

    def take(self, held: Index) -> Array:
        """Some of the rows of G (w, n)."""
        n = len(self.scale)
        if self.scale.ndim == 2:
            whole = self.scale if self.rows is None else np.concatenate([self.scale, self.rows])
            return np.asarray(whole[held])
        out, box = np.zeros((len(held), n)), held < n
        out[box, held[box]] = self.scale[held[box]]
        if self.rows is not None:
            out[~box] = self.rows[held[~box] - n]
        return out


class Step(NamedTuple):
    """An optimum.

    Attributes:
        z: (n,).
        active: of each level, (m,) what holds it: 1 the upper bound, -1 the lower, 2 both in one, 0 nothing.
    """

    z: Array
    active: list[Signs]


def hierarchical_qp(
    levels: Sequence[Level],
    constraints: Constraints,
    target: Array | None = None,
    active: Sequence[Signs] = (),
) -> Step:
    """Solve all levels, the strongest first.

    Args:
        levels: the strongest first; constraints: that some z satisfies.
        target: (n,) that z comes as near to as the levels allow; None for the shortest z.
        active: of each level (the target's last) the active set to begin with, see `Step.active`.
    """
    count, n = len(constraints.lower), len(constraints.scale)
    origin, nothing = np.zeros(n), np.empty((0, n))
    kept, values = constraints.equal or (nothing, np.empty(0))
    found: list[Signs] = []
    z, bounds, equal = origin, (constraints.upper, constraints.lower), constraints.upper == constraints.lower
    begin = fixed = 2 * equal.view(np.int8)
    centres = [origin] * len(levels)
    if target is not None:
        levels, centres = [*levels, Level(nothing, np.empty(0), 1.0)], [*centres, target]
    for number, (level, centre) in enumerate(zip(levels, centres, strict=True)):
        if number < len(active) and len(active[number]) == count:
            begin = fixed
            if active[number].any():
                begin = np.sign(active[number])
                begin = np.where(equal, fixed, begin * np.isfinite(np.where(begin > 0, *bounds)))
        z, begin = _solve_level(level, kept, values, centre, constraints, begin)
        found.append(begin)
        if number + 1 < len(levels):
            kept = np.concatenate([kept, level.rows])
            values = np.concatenate([values, level.rows.dot(z)])
    return Step(z, found)


def _solve_level(
    level: Level, kept: Array, values: Array, target: Array, constraints: Constraints, active: Signs
) -> tuple[Array, Signs]:
    """One level's optimum and its active set."""
    fewest = len(active) + 1
    while True:
        z, force = _stationary(level, kept, values, target, constraints, active)
        beyond, pulls = _violated(constraints, z, active), _pulling(force, active)
        count = np.count_nonzero(beyond) + np.count_nonzero(pulls)
        if not count:
            return z, active
        if count >= fewest:
            return _one_at_a_time(level, kept, values, target, constraints, active)
        fewest = count
        active = np.where(pulls, 0, active + np.sign(beyond)).astype(np.int8)


def _one_at_a_time(
    level: Level, kept: Array, values: Array, target: Array, constraints: Constraints, active: Signs
) -> tuple[Array, Signs]:
    """The same by a dual active-set method: forces never pull, and the worst violation is removed first."""
    force: Array | None = None
    without = added = None
    for _ in range(_CHANGES * len(active)):
        z, wanted = _stationary(level, kept, values, target, constraints, active)
        pulls = _pulling(wanted, active)
        if not pulls.any():
            force = wanted
            beyond = _violated(constraints, z, active)
            worst = int(np.abs(beyond).argmax())
            if not beyond[worst]:
                break
            without, added, active = (z, active), worst, active.copy()
            active[worst] = 1 if beyond[worst] > 0 else -1
        elif force is None:  # the active set to begin with is one whose forces push
            active = np.where(pulls, 0, active).astype(np.int8)
        else:
            # go towards the wanted forces until the first one vanishes; its constraint becomes inactive
            push, pull = np.maximum(-force * active, 0.0), np.where(pulls, wanted * active, 1.0)
            share = np.where(pulls, push / (push + pull), np.inf)
            first = int(share.argmin())
            if without is not None and first == added and share[first] == 0.0:
                return without  # the others decide what was added, and its violation is rounding
            force = force + share[first] * (wanted - force)
            active = active.copy()
            active[first], force[first] = 0, 0.0
    return z, active


def _violated(constraints: Constraints, z: Array, active: Signs) -> Array:
    """(m,) by how much inactive constraints are exceeded, negative below the lower bound, zero inside."""
    scale, rows = constraints.scale, constraints.rows
    reach = scale * z if scale.ndim == 1 else scale.dot(z)  # G z
    if rows is not None:
        reach = np.concatenate([reach, rows.dot(z)])
    beyond = reach - np.minimum(np.maximum(reach, constraints.lower), constraints.upper)
    beyond[(active != 0) | (np.abs(beyond) <= _INSIDE)] = 0.0
    return np.asarray(beyond)


def _pulling(force: Array, active: Signs) -> Mask:
    """(m,) which active constraints pull: upper bounds may only push down, lower ones up, both either."""
    if not force.any():
        return np.zeros(len(force), dtype=bool)
    return np.asarray((force * active > _PULL * np.abs(force).max(initial=0.0)) & (active != 2))


def _stationary(
    level: Level, kept: Array, values: Array, target: Array, constraints: Constraints, active: Signs
) -> tuple[Array, Array]:
    """The optimum with the active constraints as equations: z (n,) and the constraints' multipliers (m,)."""
    # in a box by a diagonal, coordinates at their bounds drop out; other active constraints are rigid rows
    held, force, n = active.nonzero()[0], np.zeros(len(active)), len(target)
    rows, wanted, rigid, centre = level.rows, level.wanted, len(kept), target
    bound, ends = held, wanted[:0]  # mostly nothing is held
    if len(held):
        sides = np.where(active[held] > 0, constraints.upper[held], constraints.lower[held])
        fixed = held < n if constraints.scale.ndim == 1 else np.zeros(len(held), dtype=bool)
        bound, held, ends = held[fixed], held[~fixed], sides[~fixed]
    if rigid or len(held):
        rigid += len(held)
        rows = np.concatenate([constraints.take(held), kept, rows])
        wanted = np.concatenate([ends, values, wanted])
    whole = rows
    if len(bound):
        centre, rows = target.copy(), rows.copy()
        centre[bound] = sides[fixed] / constraints.scale[bound]
        rows[:, bound] = 0.0
    gram = rows.dot(rows.T)
    diagonal = gram.ravel()[:: len(gram) + 1]
    if rigid:
        diagonal[:rigid] += _RIGID * (float(diagonal.max(initial=0.0)) or 1.0)
    diagonal[rigid:] += level.damping
    share = np.linalg.solve(gram, wanted - whole.dot(centre))
    z = centre + share.dot(rows)
    if rigid:
        # large forces strain even rigid rows; one step of iterative refinement corrects this
        missing = wanted[:rigid] - whole[:rigid].dot(z)
        if np.abs(missing).max() > _INSIDE:
            share = share + np.linalg.solve(gram, np.concatenate([missing, np.zeros(len(rows) - rigid)]))
            z = centre + share.dot(rows)
    if len(held):
        force[held] = share[: len(held)]
    if len(bound):
        force[bound] = (centre[bound] - target[bound] - share.dot(whole[:, bound])) / constraints.scale[bound]
    return z, force
