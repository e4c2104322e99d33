# SPDX-License-Identifier: GPL-3.0-or-later
"""A solid ball: the obstacle of most of the papers' scenes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy.typing as npt

from ...rotation import Array
from .solid import Solid, rod_distance


@dataclass(frozen=True, eq=False)
class Sphere(Solid):
    """A solid ball.

    Args:
        center: (3,) metres, in the obstacle's own space.
        radius: metres, above zero.
    """

    kind: ClassVar[str] = "sphere"
    label: ClassVar[str] = "Sphere"
    description: ClassVar[str] = "A solid ball"
    source: ClassVar[str] = "Ge 2000, A.4.1"

    center: npt.ArrayLike
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("center")
        self._length("radius")

    @property
    def parameters(self) -> Array:
        """(*frames, 7): centre twice, as of a capsule without length, radius."""
        center = self._placed(self.center)
        return self._row(center, center, [self.radius])

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball itself."""
        return self._placed(self.center), self.radius

    segment_distance = staticmethod(rod_distance)
