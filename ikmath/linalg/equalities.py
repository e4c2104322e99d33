# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that must stay at their values, and what is left of a way across them.

Through the Gram matrix of the rows, which is quick and good to half the digits where rows nearly repeat, or
through singular values, which is slower and as good as can be.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Array

_RIDGE: Final = 1e-11  # share of the trace added to Gram matrices: rows that repeat others do no harm,
# while inverting loses less than half the digits, which applying the result twice brings back
_REFINEMENTS: Final = 2
_MET: Final = 1e-13  # share of what was missing that is rounding
_REPEATED: Final = 1e-6  # singular values below this share of the largest belong to rows that repeat others
_NONZERO: Final = 1e-26


class Gram:
    """Equality rows K (p, n), through `K K^T`: quick, good to half the digits where rows repeat."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        self.inverse = np.linalg.inv(damped(rows, 0.0))

    def nearest(self, x: Array, rows: Array, values: Array) -> tuple[Array, Array]:
        """The point nearest to x with `rows @ x = values`, moving only where K is not zero; its share of K.

        Args:
            x: (n,); rows: (p, n) K before its held columns were put to zero; values: (p,).
        """
        missing = values - rows.dot(x)
        share = self.inverse.dot(missing)
        x = x + share.dot(self.rows)
        near = _MET * float(np.abs(missing).max(initial=0.0))
        for _ in range(_REFINEMENTS):
            missing = values - rows.dot(x)
            if np.abs(missing).max(initial=0.0) <= near:
                break
            more = self.inverse.dot(missing)
            x += more.dot(self.rows)
            share += more
        return x, share

    def share(self, way: Array) -> Array:
        """(p,) or (p, m): the combination of rows nearest to `way` (n,) or (m, n)."""
        return np.asarray(self.inverse.dot(self.rows.dot(way.T)))

    def without(self, way: Array) -> Array:
        """What is left of `way` (n,) or (m, n) across the rows."""
        return np.asarray(way - self.share(way).T.dot(self.rows))


class Basis(Gram):
    """The same through singular values: slower, and as good as can be where rows nearly repeat."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        columns = rows.any(0).nonzero()[0]  # rounding must not leak into columns that are held
        u, s, vt = np.linalg.svd(rows[:, columns], full_matrices=False)
        rank = int((s > _REPEATED * s[0]).sum()) if len(s) else 0
        self.u, self.s, self.vt = u[:, :rank], s[:rank], np.zeros((rank, rows.shape[1]))
        self.vt[:, columns] = vt[:rank]

    def share(self, way: Array) -> Array:
        return np.asarray((self.u / self.s).dot(self.vt.dot(way.T)))

    def without(self, way: Array) -> Array:
        return np.asarray(way - way.dot(self.vt.T).dot(self.vt))


def damped(rows: Array, damping: float) -> Array:
    """Gram matrix of rows, damped, and never singular."""
    return raised(rows.dot(rows.T), damping)


def raised(gram: Array, damping: float) -> Array:
    """The same for a Gram matrix, in place."""
    diagonal = gram.ravel()[:: len(gram) + 1]
    diagonal += damping + _RIDGE * float(diagonal.sum()) + _NONZERO
    return gram
