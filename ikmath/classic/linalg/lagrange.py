# SPDX-License-Identifier: GPL-3.0-or-later
"""Minimise an objective under equality constraints with Lagrange multipliers (Ge, 2.3).

`minimise P(x) subject to c(x) = 0`: where `L = P - u . c` is stationary, `dP/dx = J^T u` and `c = 0`, m +
n equations for m + n unknowns (Ge, eq. 2.5 and 2.6). Newton's method on them, in two forms:

* `full`: the whole system `[[W, -J^T], [J, 0]] (dx, u) = (-dP/dx, -c)` with `W = d2L/dx2`;
* `reduced`: "if we can eliminate u ... we obtain n equations in the original n unknowns". In the null space
  of J no multiplier is needed: `dx = -J^+ c + N y` with `N^T W N y = -N^T (dP/dx - W J^+ c)`, N a basis of
  the null space of J. (N is not formed, because few of many unknowns are orthogonal to the null space.)

Both give the same step if J has full rank. Stationary points need not be minima: a negative curvature in the
null space is replaced by a positive one, so that steps descend. If `P + mu |c|` does not decrease, the step
is repeated, shorter in the null space and more damped across it; this is needed for goals that contradict
each other or are out of reach.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

import numpy as np

from ...arrays import Array, Mask

_PATIENCE: Final = 6
_GAIN: Final = 1e-8
_TRIALS: Final = 40
_MEMORY: Final = 3
_STEADY: Final = 1e-4  # damping of the multipliers in the merit function, share of |J|^2
_FLATTEST: Final = 1e-4  # share of the largest curvature in the null space


class Program(Protocol):
    """An objective and constraints."""

    def objective(self, x: Array) -> tuple[float, Array, Array]:
        """P, its gradient (n,) and its Hessian (n, n)."""

    def constraints(self, x: Array) -> tuple[Array, Array]:
        """The constraints c (m,) and their Jacobian (m, n)."""

    def curvature(self, x: Array, multipliers: Array) -> Array:
        """The Hessian of u . c, (n, n)."""


class InUnits:
    """A program with scaled variables, so that they are of similar size.

    Args:
        program: of x * units; units: (n,) above zero.
    """

    def __init__(self, program: Program, units: Array) -> None:
        self.program, self.units = program, units

    def objective(self, x: Array) -> tuple[float, Array, Array]:
        """See `Program.objective`."""
        value, gradient, hessian = self.program.objective(x * self.units)
        return value, gradient * self.units, hessian * self.units * self.units[:, None]

    def constraints(self, x: Array) -> tuple[Array, Array]:
        """See `Program.constraints`."""
        error, jacobian = self.program.constraints(x * self.units)
        return error, jacobian * self.units

    def curvature(self, x: Array, multipliers: Array) -> Array:
        """See `Program.curvature`."""
        hessian = self.program.curvature(x * self.units, multipliers)
        return hessian * self.units * self.units[:, None]


Propose = Callable[[Array, Array], Array]
Advance = Callable[[Array, Array, Array, Propose], Array]
"""(x, c, J, propose) -> the next x, where propose(c, J) is the step; a limit method fits in here."""


@dataclass(frozen=True, kw_only=True)
class LagrangeOptions:
    """Options of `minimize_under`.

    Attributes:
        form: "full" or "reduced".
        max_iterations: Newton steps.
        tolerance: of the largest constraint and of the gradient in the null space.
        threshold: singular values of J up to this share of the largest count as zero.
        longest: maximum length of a step, in units of x.
    """

    form: str = "reduced"
    max_iterations: int = 100
    tolerance: float = 1e-9
    threshold: float = 1e-6
    longest: float = 2.0


class Optimum(NamedTuple):
    """The end of the iteration."""

    x: Array
    multipliers: Array
    """u, (m,)."""
    violation: float
    """Largest constraint."""
    slope: float
    """Length of the objective's gradient in the null space of the constraints; 0 at an optimum."""
    iterations: int
    stalled: bool
    """Whether no further step was better."""


def minimize_under(
    program: Program,
    start: Array,
    options: LagrangeOptions | None = None,
    advance: Advance | None = None,
) -> Optimum:
    """Find a constrained minimum near `start`.

    Args:
        program: objective and constraints.
        start: (n,).
        options: see `LagrangeOptions`.
        advance: modifies proposed steps; None uses them unchanged.
    """
    options = options or LagrangeOptions()
    x = np.array(start, dtype=np.float64)
    weight, patience, iteration, caution, stalled = 0.0, 0, 0, 0, False
    accepted: list[tuple[float, float]] = []
    memory = _MEMORY
    while True:
        value, gradient, hessian = program.objective(x)
        c, jacobian = program.constraints(x)
        across, inverse = _across(jacobian, options.threshold, 0.0)
        multipliers = inverse.T @ gradient
        slope = float(np.linalg.norm(_along(across, gradient)))
        violation = float(np.abs(c).max(initial=0.0))
        done = violation <= options.tolerance and slope <= options.tolerance
        if done or stalled or iteration >= options.max_iterations:
            return Optimum(x, multipliers, violation, slope, iteration, stalled)
        iteration += 1
        # A row that has next to no effect has an unbounded multiplier; it must not dominate the merit of
        # steps.
        steady = (
            _across(jacobian, options.threshold, _STEADY * float(np.square(jacobian).sum()))[1].T @ gradient
        )
        newton = _Newton(gradient, hessian - program.curvature(x, steady), jacobian, options)
        weight = max(0.5 * weight, 2.0 * float(np.linalg.norm(steady)) + 1.0)
        accepted = [*accepted, (value, float(np.linalg.norm(c)))][-memory:]
        # Better than the worst of the last few: Newton steps along a curved constraint raise |c| for a while
        # (Maratos), and refusing them would cost the quadratic convergence.
        merits = [earlier + weight * left for earlier, left in accepted]
        stalled = True
        for _ in range(_TRIALS):
            propose = newton.at(caution)
            following = x + propose(c, jacobian) if advance is None else advance(x, c, jacobian, propose)
            found = program.objective(following)[0]
            found += weight * float(np.linalg.norm(program.constraints(following)[0]))
            if found < max(merits):
                gained = min(merits) - found > _GAIN * max(abs(found), options.tolerance)
                patience = 0 if gained else patience + 1
                x, stalled = following, patience >= _PATIENCE and memory == 1
                if patience >= _PATIENCE:
                    memory, patience = 1, 0
                break
            caution += 1
        caution = max(0, caution - 2)


@dataclass(frozen=True)
class _Newton:
    """The step at one x: `at` gives it for a caution, 0 for the Newton step and larger after refused steps.

    Attributes:
        gradient: of P, (n,); bent: (n, n) Hessian of L; jacobian: (m, n) of c.
        valleys: a cache, by the free coordinates and their rows.
    """

    gradient: Array
    bent: Array
    jacobian: Array
    options: LagrangeOptions
    valleys: dict[bytes, _Valley] = field(default_factory=dict)

    def at(self, caution: int) -> Propose:
        def propose(error: Array, rows: Array) -> Array:
            # Coordinates held by a limit method have zero columns; they are removed from the system.
            free = ~((rows == 0.0) & (self.jacobian != 0.0)).any(0)
            step = np.zeros(len(self.gradient))
            step[free] = self._step(error, rows[:, free], free, caution)
            return step

        return propose

    def _step(self, error: Array, rows: Array, free: Mask, caution: int) -> Array:
        gradient, bent = self.gradient[free], self.bent[np.ix_(free, free)]
        damping = _damping(rows, caution)
        across, inverse = _across(rows, self.options.threshold, damping)
        towards = -inverse @ error
        share = 0.5**caution
        valley = self._valley(bent, across, free.tobytes() + rows.tobytes())
        if self.options.form == "full":
            size, count = len(gradient), len(error)
            system = np.block([[bent + valley.lift, -rows.T], [rows, damping * np.eye(count)]])
            right = np.concatenate([-share * gradient, -error])
            # Linearly dependent rows leave the multipliers undetermined; the shortest solution is used.
            step = np.linalg.lstsq(system, right, rcond=self.options.threshold**2)[0][:size]
        elif across.shape[1] == len(gradient):
            step = towards
        else:
            step = towards - share * valley.down(_along(across, gradient + bent @ towards))
        length = float(np.linalg.norm(step))
        return np.asarray(step * min(1.0, self.options.longest / max(length, 1e-300)), dtype=np.float64)

    def _valley(self, bent: Array, across: Array, key: bytes) -> _Valley:
        """The valley of some free coordinates for some rows, which does not depend on the caution."""
        if key not in self.valleys:
            self.valleys[key] = _Valley.of(bent, across)
        return self.valleys[key]


def _damping(jacobian: Array, caution: int) -> float:
    """Added to squared singular values: zero at first, more after every refusal."""
    return 0.0 if not caution else 1e-6 * 4.0**caution * float(np.square(jacobian).sum())


@dataclass(frozen=True)
class _Valley:
    """The curvature in the null space of the constraints, with negative and flat directions made steep.

    Attributes:
        curvature: (n, n) symmetric, in the null space; across it, values that do not affect that.
        values, vectors: its modified eigenvalues, and eigenvectors; None if none had to be changed.
        lift: (n, n) the resulting change of the curvature.
    """

    curvature: Array
    values: Array | None
    vectors: Array
    lift: Array

    @classmethod
    def of(cls, bent: Array, across: Array) -> _Valley:
        """The valley of a curvature (n, n) for orthonormal constraint directions across (n, r)."""
        within = _along(across, _along(across, bent).T)
        size = float(np.linalg.norm(within))
        within += (size / max(len(bent), 1) ** 0.5 or 1.0) * (across @ across.T)
        flat = np.zeros((0, 0)), np.zeros_like(bent)
        try:  # usually all directions are steep enough, which this decides much faster
            np.linalg.cholesky(within - _FLATTEST * size * np.eye(len(bent)))
        except np.linalg.LinAlgError:
            found, vectors = np.linalg.eigh(within)
            values = np.maximum(np.abs(found), _FLATTEST * float(np.abs(found).max()))
            return cls(within, values, vectors, (vectors * (values - found)) @ vectors.T)
        return cls(within, None, *flat)

    def down(self, slope: Array) -> Array:
        """The Newton step in the null space, for a slope (n,) in it."""
        if self.values is None:
            return np.asarray(np.linalg.solve(self.curvature, slope))
        return np.asarray(self.vectors @ ((self.vectors.T @ slope) / self.values))


def _along(across: Array, vectors: Array) -> Array:
    """The part of vectors (n, ...) that is orthogonal to orthonormal directions across (n, r)."""
    return vectors - across @ (across.T @ vectors)


def _across(jacobian: Array, threshold: float, damping: float) -> tuple[Array, Array]:
    """Orthonormal basis of the row space (n, rank) and damped inverse (n, m)."""
    u, s, vt = np.linalg.svd(jacobian, full_matrices=False)
    rank = int(np.count_nonzero(s > threshold * s.max(initial=0.0))) if s.size else 0
    kept = s[:rank, None]
    return vt[:rank].T, vt[:rank].T @ (u[:, :rank].T * kept / (kept * kept + damping))
