# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear least squares with a lower and an upper bound on every unknown (Ki & Sheen, eq. 7.4 and 7.5).

Their problem, a step that keeps the joints within their limits, is `minimise |A x - b|^2` with `l <= x <= u`.
It is solved by an active set (Stark & Parker 1995, "BVLS"): unknowns are free or at a bound. The free ones
are solved for; one that would leave its bounds is set to the bound; one at a bound whose gradient points
inside is freed. This is finite, and exact to rounding, because the objective decreases with every change of
the set.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Mask
from ...errors import BadShape, BadValue
from ..svd.decomposition import as_matrix

_WHOLE_SETS: Final = 12  # rounds in which unknowns at a bound may be freed again
_PULL: Final = 1e-12  # share of the largest slope that counts as zero
_SLIGHT: Final = 1e-12  # excess over a bound that counts as rounding error

StepOfFree = Callable[[Mask, Array], Array]
"""(free mask (n,), x (n,)) -> step of the free unknowns to the minimum of the objective over them."""


def bounded_damped_step(jacobian: Array, right: Array, damping: float, lower: Array, upper: Array) -> Array:
    """Minimise `|J x - b|^2 + c^2 |x|^2` with bounds: eq. 7.4, without forming its matrix C.

    Each round solves one m x m system for the free unknowns, `x = J^T (J J^T + c^2 I)^-1 b`, instead of one
    of (m + n) x n.

    Args:
        jacobian: J, (m, n).
        right: b, (m,).
        damping: c > 0.
        lower: (n,), minus infinity where there is no bound.
        upper: (n,), infinity where there is no bound.

    Raises:
        BadShape: an array has the wrong shape.
        BadValue: the damping is not positive, a value is NaN, or a lower bound is above its upper one.
    """
    array = as_matrix(jacobian, "Jacobian")
    vector = _as_vector(right, array.shape[0], "right side")
    if not (damping > 0.0 and np.isfinite(damping)):
        raise BadValue("damping", "must be positive.")
    square = damping * damping

    def step(free: Mask, x: Array) -> Array:
        part = array[:, free]
        residual = vector - array[:, ~free] @ x[~free]
        # By singular values: the product J J^T would square the condition number, and a small c does not
        # compensate that.
        u, values, vt = np.linalg.svd(part, full_matrices=False)
        target: Array = (u.T @ residual * values / (values * values + square)) @ vt
        return target - x[free]

    def gradient(x: Array) -> Array:
        result: Array = array.T @ (array @ x - vector) + square * x
        return result

    return active_set(step, gradient, array.shape[1], lower, upper)


def active_set(
    step: StepOfFree,
    gradient: Callable[[Array], Array],
    size: int,
    lower: Array,
    upper: Array,
    *,
    start: Array | None = None,
) -> Array:
    """Minimise a convex quadratic function within bounds, given how to minimise it over free unknowns.

    Args:
        step: see `StepOfFree`.
        gradient: x (n,) -> (n,).
        size: n.
        lower: (n,).
        upper: (n,).
        start: (n,), or None for the unbounded minimiser.

    Raises:
        BadShape: bounds or start have another length.
        BadValue: a value is NaN, or a lower bound is above its upper one.
    """
    low, high = _as_vector(lower, size, "lower"), _as_vector(upper, size, "upper")
    if (low > high).any():
        which = int(np.flatnonzero(low > high)[0])
        raise BadValue("lower", f"is above upper at entry {which} ({low[which]:g} > {high[which]:g}).")
    origin = np.zeros(size)
    everyone = np.ones(size, dtype=bool)
    x = origin + step(everyone, origin) if start is None else _as_vector(start, size, "start")
    x = np.clip(x, low, high)
    active: NDArray[np.int8] = (x >= high).astype(np.int8) - (x <= low).astype(np.int8)
    stuck = (low == high) & (active == 0)  # equal bounds cancel above; such an unknown is never free
    active[stuck] = 1
    fixed_for_good = low == high
    scale = max(float(np.abs(gradient(origin)).max(initial=0.0)), float(np.finfo(np.float64).tiny))
    tolerance = 1e-13 * size * scale
    for _ in range(10 * size + 10):
        # Solve for the free unknowns. The first one that would leave its bounds ends the step and is no
        # longer free.
        while (free := active == 0).any():
            move = step(free, x)
            reach = np.full(len(move), np.inf)
            room_up, room_down = high[free] - x[free], low[free] - x[free]
            np.divide(room_up, move, out=reach, where=move > room_up)
            np.divide(room_down, move, out=reach, where=move < room_down)
            share = float(reach.min(initial=1.0))
            if share >= 1.0:
                x[free] = np.clip(x[free] + move, low[free], high[free])
                break
            x[free] += share * move
            hit = np.flatnonzero(free)[reach <= share * (1.0 + 1e-12)]
            side = np.where(move[reach <= share * (1.0 + 1e-12)] > 0.0, 1, -1).astype(np.int8)
            active[hit] = side
            x[hit] = np.where(side > 0, high[hit], low[hit])
            x = np.clip(x, low, high)
        slope = gradient(x)
        wish = np.where(fixed_for_good, 0.0, slope * active)  # > 0: the objective decreases inwards
        if wish.max(initial=0.0) <= tolerance:
            break
        active[int(np.argmax(wish))] = 0
    return x


def bounded_quadratic(matrix: Array, gradient: Array, lower: Array, upper: Array) -> Array:
    """Minimise `g.x + x.M x / 2` with bounds, changing the whole active set at once.

    This usually takes a few rounds; if it cycles, `active_set` is used instead.

    Args:
        matrix: M, (n, n), positive definite.
        gradient: g, (n,).
        lower, upper: (n,), at most and at least zero.
    """
    size = len(gradient)
    active = np.zeros(size, dtype=np.int8)
    least = _PULL * float(np.abs(gradient).max(initial=0.0))
    for _ in range(_WHOLE_SETS):
        free = active == 0
        x = np.where(free, 0.0, np.where(active > 0, upper, lower))
        x[free] = -np.linalg.solve(matrix[free][:, free], (gradient + matrix @ x)[free])
        out = np.subtract(x > upper + _SLIGHT, x < lower - _SLIGHT, dtype=np.int8)
        wrong = (gradient + matrix @ x) * active > least
        if not out.any() and not wrong.any():
            return np.asarray(np.minimum(np.maximum(x, lower), upper))
        active = np.where(wrong, 0, np.where(out != 0, out, active)).astype(np.int8)

    def step(free: Mask, x: Array) -> Array:
        return np.asarray(-np.linalg.solve(matrix[free][:, free], (gradient + matrix @ x)[free]))

    return active_set(step, lambda x: gradient + matrix @ x, size, lower, upper, start=np.zeros(size))


def _as_vector(values: Array, size: int, what: str) -> Array:
    vector = np.array(values, dtype=np.float64)
    if vector.shape != (size,):
        raise BadShape(what, f"({size},)", vector.shape)
    if np.isnan(vector).any():
        raise BadValue(what, "contains NaN.")
    return vector
