# SPDX-License-Identifier: GPL-3.0-or-later
"""A solid ball: the obstacle of most of the papers' scenes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from ...rotation import Array
from ..closest_points import closest_to_point
from ..narrow_phase import Nearest
from ..vectors import directions, length, perpendicular
from .solid import Solid

_ROUNDING: Final = 1e-13  # of the radius


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
        """(*frames, 4): centre in the world, radius."""
        center = self._placed(self.center)
        return np.concatenate([center, np.full((*self.frames, 1), self.radius)], -1)

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball itself."""
        return self.parameters[..., :3], self.radius

    @staticmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> Nearest:
        """See `Solid.segment_distance`; through the centre the normal is at right angles to it."""
        center, radius = parameters[:, :3], parameters[:, 3]
        along, parameter = b - a, closest_to_point(a, b, center)
        difference = parameter[:, None] * along
        difference -= center - a
        reach = length(difference)
        normal = directions(difference, reach, _ROUNDING * radius, lambda own: perpendicular(along[own]))
        return Nearest(reach - radius, center + parameters[:, 3:] * normal, parameter, normal)
