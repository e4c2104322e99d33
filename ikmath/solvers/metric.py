# SPDX-License-Identifier: GPL-3.0-or-later
"""The units z of a step `dq = S z`, in which all directions cost alike.

Without a posture they are the coordinates' mobilities. With one they make its Hessian the unit matrix, so
that of all steps that serve the goals alike the shortest one is the one with the best posture.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from ..postures import PostureTerm
from ..rotation import Array


class Metric:
    """`dq = S z`; made by `of`.

    Attributes:
        matrix: S (n, n), or (n,) its diagonal.
        target: (n,) the step z that would be taken without any level, None if that is none.
    """

    def __init__(self, matrix: Array, target: Array | None) -> None:
        self.matrix, self.target = matrix, target

    @classmethod
    def of(cls, root: Array, term: PostureTerm | None, floor: float) -> Self:
        """The metric of a posture.

        Args:
            root: (n,) units of the coordinates; term: the posture at the pose, or None.
            floor: share of the mean stiffness that every direction has at least.
        """
        if term is None:
            return cls(root, None)
        if term.hessian.ndim == 1:
            stiffness = term.hessian * root * root
            stiffness = stiffness + (floor * float(stiffness.mean()) or 1.0)
            matrix = root / np.sqrt(stiffness)
            scale = float(np.sqrt(np.exp(np.log(stiffness).mean())))
            return cls(matrix * scale, -(matrix / scale) * term.gradient)
        stiffness = term.hessian * root * root[:, None]
        stiffness.ravel()[:: len(root) + 1] += floor * float(stiffness.trace()) / max(len(root), 1)
        inverse = np.linalg.inv(np.linalg.cholesky(stiffness))
        # mobilities have the same mean as without a posture, so that damping means the same
        scale = float(np.sqrt(len(root) / (inverse * inverse).sum()))
        matrix = root[:, None] * inverse.T
        return cls(matrix * scale, -(matrix / scale).T.dot(term.gradient))

    @classmethod
    def of_axes(cls, root: Array, axes: Array, size: Array, gradient: Array) -> Self:
        """The metric of curvatures (n,) along axes (n, n), with the step against a gradient as its target.

        Args:
            root: (n,) units of the coordinates, in which the others are.
        """
        inverse = 1.0 / np.sqrt(size)
        matrix = root[:, None] * axes * inverse
        return cls(matrix, -inverse * axes.T.dot(gradient))

    def with_target(self, target: Array) -> Metric:
        """The same with another target."""
        return Metric(self.matrix, target)

    def along(self, rows: Array) -> Array:
        """Derivatives by q (..., n) -> by z."""
        return rows * self.matrix if self.matrix.ndim == 1 else rows.dot(self.matrix)

    def step(self, z: Array) -> Array:
        """Dq (n,) of a step z."""
        return self.matrix * z if self.matrix.ndim == 1 else self.matrix.dot(z)
