# SPDX-License-Identifier: GPL-3.0-or-later
"""The damped pseudo-inverse of a secondary goal's projected Jacobian, which is often near-singular."""

import numpy as np

from ...rotation import Array


def damped_step(jacobian: Array, wanted: Array, damping: float) -> Array:
    """`A^T (A A^T + lambda^2)^-1 b`.

    Args:
        jacobian: A, (k, n); wanted: b, (k,); damping: lambda.
    """
    normal = jacobian @ jacobian.T
    normal.ravel()[:: len(normal) + 1] += damping * damping
    return np.asarray(jacobian.T @ np.linalg.solve(normal, wanted))
