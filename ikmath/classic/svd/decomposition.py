# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a singular value decomposition, and the state of a warm-started one.

The decompositions are pure functions: a backend that uses the previous result takes a `Basis` and returns the
next one. There is no state between calls, so two figures cannot share it by accident.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Mask
from ...errors import BadShape, BadValue


class Svd(NamedTuple):
    """A thin singular value decomposition, `matrix = u @ diag(s) @ vt`, with k = min(m, n)."""

    u: Array
    """Left singular vectors, (*batch, m, k), orthonormal columns."""
    s: Array
    """Singular values, (*batch, k), not negative, descending."""
    vt: Array
    """Right singular vectors, (*batch, k, n), orthonormal rows."""

    def rank(self, threshold: float | None = None) -> Mask:
        """(*batch, k) mask of the singular values that count as nonzero.

        Args:
            threshold: relative to the largest singular value; None for max(m, n) times the machine's epsilon.

        Returns:
            (*batch, k) mask.
        """
        if threshold is None:
            threshold = max(self.u.shape[-2], self.vt.shape[-1]) * float(np.finfo(np.float64).eps)
        largest = self.s[..., :1]
        return (self.s > threshold * largest) & (self.s > 0.0)


class Basis(NamedTuple):
    """The orthogonal matrix from which a warm-started decomposition starts, and its age in steps."""

    matrix: Array
    """(*batch, p, p): left singular vectors for rows by Givens, right ones for columns by Givens."""
    age: int
    """Steps since it was last the identity."""


def as_matrix(matrix: NDArray[Any], what: str = "matrix") -> Array:
    """Check that `matrix` is (*batch, m, n), not empty and finite.

    Raises:
        BadShape: fewer than two axes, or an axis of length zero.
        BadValue: a value is not finite.
    """
    array = np.asarray(matrix, dtype=np.float64)
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise BadShape(what, "(*batch, m, n) with m, n > 0", array.shape)
    if not np.isfinite(array).all():
        raise BadValue(what, "contains NaN or infinity")
    return array
