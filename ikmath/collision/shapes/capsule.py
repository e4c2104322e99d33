# SPDX-License-Identifier: GPL-3.0-or-later
"""A segment with a radius: a branch, a post, and every bone of the figure itself."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ...rotation import Array
from .solid import Solid, rod_distance


@dataclass(frozen=True, eq=False)
class Capsule(Solid):
    """All points within a radius of a segment; a ball if both ends coincide.

    Args:
        a, b: (3,) ends of the axis, metres.
        radius: metres, above zero.
    """

    kind: ClassVar[str] = "capsule"
    label: ClassVar[str] = "Capsule"
    description: ClassVar[str] = "A rod with round ends"
    source: ClassVar[str] = "Ge 2000, A.4.3, which measures cylinders so"

    a: npt.ArrayLike
    b: npt.ArrayLike
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("a")
        self._vector("b")
        self._length("radius")

    @property
    def parameters(self) -> Array:
        """(*frames, 7): both ends in the world, radius."""
        return self._row(self._placed(self.a), self._placed(self.b), [self.radius])

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball around the middle."""
        rows = self.parameters
        half = np.asarray(self.b) - np.asarray(self.a)
        return 0.5 * (rows[..., :3] + rows[..., 3:6]), 0.5 * float(np.sqrt(half @ half)) + self.radius

    segment_distance = staticmethod(rod_distance)
