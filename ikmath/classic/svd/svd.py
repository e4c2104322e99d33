# SPDX-License-Identifier: GPL-3.0-or-later
"""The exchangeable singular value decompositions, by name.

Every method that needs a pseudo-inverse takes the name of one of these. They differ in speed only; the
results agree to rounding.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...registries import Registry, choose
from .decomposition import Basis, Svd, as_matrix
from .givens import column_givens, row_givens

Decompose = Callable[[Array, Basis | None], tuple[Svd, Basis | None]]


@dataclass(frozen=True, kw_only=True)
class SvdBackend:
    """One decomposition, with its texts for menus."""

    name: str
    label: str
    description: str
    source: str
    warm: bool
    """Whether it uses the previous decomposition, given as `state`."""
    decompose: Decompose
    """(matrix (*batch, m, n), state) -> (Svd, state for the next call)."""


def lapack(matrix: Array, state: Basis | None = None) -> tuple[Svd, None]:
    """Decompose by LAPACK through numpy (Golub & Reinsch; Ge, 3.3). Keeps no state.

    Args:
        matrix: (*batch, m, n).
        state: ignored.

    Raises:
        BadShape: fewer than two axes, or an empty axis.
        BadValue: a value is not finite.
    """
    u, s, vt = np.linalg.svd(as_matrix(matrix), full_matrices=False)
    return Svd(u, s, vt), None


def backend(name: str) -> SvdBackend:
    """The decomposition of a name.

    Raises:
        UnknownName: no decomposition has this name.
    """
    return choose(SVD, "SVD backend", name)


_BACKENDS = (
    SvdBackend(
        name="lapack",
        label="LAPACK",
        description="Bidiagonalisation and divide and conquer, in compiled code. The fastest in Python",
        source="Golub & Reinsch 1970; Ge 2000, 3.3",
        warm=False,
        decompose=lapack,
    ),
    SvdBackend(
        name="column_givens",
        label="Columns by Givens",
        description="Makes the columns orthogonal, starting from the previous result. Slow with many joints",
        source="Maciejewski & Klein 1989; Ge 2000, 3.4",
        warm=True,
        decompose=column_givens,
    ),
    SvdBackend(
        name="row_givens",
        label="Rows by Givens",
        description="Makes the rows orthogonal, starting from the previous result. Linear in the joints",
        source="Ge 2000, 3.5",
        warm=True,
        decompose=row_givens,
    ),
)

SVD: Mapping[str, SvdBackend] = Registry({entry.name: entry for entry in _BACKENDS})
"""Name -> backend."""
