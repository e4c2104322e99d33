# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradient descent of `P = sum d_i^-2` in the null space of the goals; the method that Ge recommends.

The minimal distance method of Samson, Le Borgne & Espiau (Ge, 4.1.3 and eq. 5.5): z is `(2 alpha / d^4) J_o^T
(x_R - x_S)`, minus alpha times the gradient of P. (The text prints the opposite vector, with a negative alpha
to minimise P.) "The user only needs to tune its single parameter alpha once."
"""

from dataclasses import dataclass
from typing import ClassVar

from ...parameters import setting
from ...rotation import Array
from .base import Gradient
from .situation import Situation


@dataclass(frozen=True, kw_only=True)
class Objective(Gradient):
    """See the module.

    Args:
        alpha: weight, for distances in figure sizes.
    """

    alpha: float = setting(1e-6, "Alpha", "Weight of the push away from obstacles")

    name: ClassVar[str] = "objective"
    label: ClassVar[str] = "Objective Function"
    description: ClassVar[str] = (
        "Pushes each joint by how much it can increase the clearance. Smooth, one parameter."
    )
    source: ClassVar[str] = "Samson, Le Borgne & Espiau 1991; Ge 2000, eq. 5.5"

    def vector(self, at: Situation) -> Array:
        # J_o^T (x_R - x_S) is d times the derivative of d
        push: Array = (2.0 * self.alpha * at.distance**-3.0) @ at.rate
        return push
