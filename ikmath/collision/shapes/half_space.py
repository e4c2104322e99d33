# SPDX-License-Identifier: GPL-3.0-or-later
"""An unbounded floor or wall: everything behind a plane is solid."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import BadValue
from ...rotation import Array
from ..narrow_phase import Nearest
from ..vectors import dot
from .solid import Solid


@dataclass(frozen=True, eq=False)
class HalfSpace(Solid):
    """Everything behind a plane.

    Args:
        origin: (3,) a point on the plane, metres.
        normal: (3,) out of the solid, of any length above zero.

    Raises:
        BadShape, BadValue: an origin or normal that is not finite, a normal without length.
    """

    kind: ClassVar[str] = "half_space"
    label: ClassVar[str] = "Half space"
    description: ClassVar[str] = "A floor or wall without end, solid behind its plane"
    source: ClassVar[str] = "Ge 2000, A.4.2, unbounded plane, with a solid side"

    origin: npt.ArrayLike
    normal: npt.ArrayLike

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("origin")
        normal = self._vector("normal")
        size = float(np.sqrt(normal @ normal))
        if not size > 0:
            what = f"normal of obstacle {self.name!r}"
            raise BadValue(what, "has no length; give the direction out of the solid.")
        self._set("normal", normal / size)

    @property
    def parameters(self) -> Array:
        """(*frames, 6): origin and unit normal in the world."""
        return self._row(self._placed(self.origin), self.rotation @ np.asarray(self.normal))

    @property
    def bounds(self) -> tuple[Array, float]:
        """A half space is unbounded."""
        return self.parameters[..., :3], np.inf

    @staticmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> Nearest:
        """See `Solid.segment_distance`: the lower end, or the middle of a segment that lies level."""
        origin, normal = parameters[:, :3], parameters[:, 3:]
        first, last = dot(a - origin, normal), dot(b - origin, normal)
        parameter = 0.5 * (1.0 + np.sign(first - last))
        distance = np.minimum(first, last)
        return Nearest.of_segments(a, b, distance, parameter, normal.copy())
