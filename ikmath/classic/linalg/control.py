# SPDX-License-Identifier: GPL-3.0-or-later
"""Parent's control expression: the pseudo-inverse step, with a null-space term towards desired angles.

`dh = J^+ V + (J^+ J - I) grad H` with `H = sum_i a_i (h_i - h_ci)^psi` (Parent, "The Jacobian", eq. 19 to
21). The rearrangement (eq. 22 to 24) needs one m x m system and no pseudo-inverse.
"""

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import BadValue


def control_gradient(angles: Array, desired: Array, gains: ArrayLike, norm: int = 2) -> Array:
    """`grad H = psi a_i (h_i - h_ci)^(psi - 1)` (Parent, eq. 20).

    Args:
        angles: h, (*batch, n).
        desired: h_c, (*batch, n).
        gains: a, one number or (n,).
        norm: psi, even.

    Raises:
        BadValue: the norm is not even and positive; H would have no minimum.
    """
    if int(norm) != norm or norm < 2 or norm % 2:
        raise BadValue(f"norm={norm!r}", "must be an even number, 2 or more.")
    result: Array = norm * np.asarray(gains, dtype=np.float64) * (angles - desired) ** (int(norm) - 1)
    return result


def control_step(jacobian: Array, velocity: Array, gradient: Array, *, damping: float = 0.0) -> Array:
    """Solve `(J J^T) beta = V + J grad H`; returns `J^T beta - grad H` (Parent, eq. 23 and 24).

    Args:
        jacobian: (m, n) with m <= n.
        velocity: V, (m,).
        gradient: (n,).
        damping: c, whose square is added to the diagonal; the text has none, so its system fails at singular
            poses.

    Raises:
        BadValue: the system is singular and there is no damping.
    """
    system = jacobian @ jacobian.T
    system.flat[:: len(system) + 1] += damping * damping
    try:
        beta = np.linalg.solve(system, velocity + jacobian @ gradient)
    except np.linalg.LinAlgError:
        raise BadValue("Jacobian", "is singular; give the control expression a damping.") from None
    result: Array = jacobian.T @ beta - gradient
    return result
