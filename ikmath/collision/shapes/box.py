# SPDX-License-Identifier: GPL-3.0-or-later
"""A solid box: a crate, a shelf board, the keep-out zone of a robot.

The signed distance of a convex solid is convex along a bone, so its minimum is unique. Outside, the planes of
the six faces cut space into 27 regions; in each the squared distance along the bone is a parabola, and the
minimum is that of one of them. Inside, the distance is that to the nearest face: the bone is deepest at one
of its ends, or where two faces are equally near.
"""

from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from ... import arguments
from ...rotation import Array
from ..narrow_phase import Nearest
from ..vectors import TINY, clamp, turned, turned_back
from .solid import Solid, lowest_in_regions

_REGIONS: Final = np.array([sides for sides in product((-1.0, 0.0, 1.0), repeat=3) if any(sides)])
"""(26, 3) below, between or above the faces across each axis; the inside is left out."""
_FACES: Final = np.concatenate([np.eye(3), -np.eye(3)])  # (6, 3) normals
_PAIRS: Final = np.array(list(combinations(range(6), 2))).T  # (2, 15) faces that may be equally near


@dataclass(frozen=True, eq=False)
class Box(Solid):
    """A solid box.

    Args:
        center: (3,) metres.
        size: (3,) lengths of the edges along x, y and z, metres, above zero. For a turned box give `rotation`
            and `translation`, and leave the centre at zero.
    """

    kind: ClassVar[str] = "box"
    label: ClassVar[str] = "Box"
    description: ClassVar[str] = "A solid box"
    source: ClassVar[str] = "Ericson 2005, 5.1.4, for segments"

    center: npt.ArrayLike
    size: npt.ArrayLike

    def __post_init__(self) -> None:
        super().__post_init__()
        self._vector("center")
        what = f"size of obstacle {self.name!r}"
        self._set("size", np.array([arguments.number(edge, what, above=0) for edge in self._vector("size")]))

    @property
    def parameters(self) -> Array:
        """(*frames, 15): centre in the world, rotation into the box's axes row by row, half lengths."""
        inwards = np.swapaxes(self.rotation, -1, -2).reshape(*self.frames, 9)
        return self._row(self._placed(self.center), inwards, 0.5 * np.asarray(self.size))

    @property
    def bounds(self) -> tuple[Array, float]:
        """The ball through the corners."""
        return self.parameters[..., :3], 0.5 * float(np.linalg.norm(self.size))

    @staticmethod
    def segment_distance(a: Array, b: Array, parameters: Array) -> Nearest:
        """See `Solid.segment_distance`; inside, the deepest point."""
        inwards, half = parameters[:, 3:12].reshape(-1, 3, 3), parameters[:, 12:]
        start, along = turned(a - parameters[:, :3], inwards), turned(b - a, inwards)
        outside = lowest_in_regions(start, along, half, _REGIONS, np.abs(_REGIONS))
        tried = clamp(np.concatenate([outside, _deepest(start, along, half)], 1))
        places = start[:, None] + tried[:, :, None] * along[:, None]
        rows = np.arange(len(tried))
        best = _signed(places, half[:, None]).argmin(1)
        parameter, place = tried[rows, best], places[rows, best]
        over = np.abs(place) - half
        outside = np.maximum(over, 0.0)
        distance = _signed(place, half)
        through = np.eye(3)[over.argmax(1)]
        normal = np.where((distance > 0.0)[:, None], outside / np.maximum(distance, TINY)[:, None], through)
        normal = turned_back(normal * np.where(place < 0.0, -1.0, 1.0), inwards)
        return Nearest.of_segments(a, b, distance, parameter, normal)


def _signed(places: Array, half: Array) -> Array:
    """Signed distance of places (..., 3) in the box's axes."""
    over = np.abs(places) - half
    outside = np.maximum(over, 0.0)
    return np.asarray(np.sqrt((outside * outside).sum(-1)) + np.minimum(over.max(-1), 0.0))


def _deepest(start: Array, along: Array, half: Array) -> Array:
    """(P, 17) the ends, and parameters at which two faces are equally near."""
    level = start @ _FACES.T - np.concatenate([half, half], 1)
    climb = along @ _FACES.T
    first, second = _PAIRS
    apart, change = level[:, second] - level[:, first], climb[:, first] - climb[:, second]
    equal = np.divide(apart, change, out=np.zeros_like(apart), where=change != 0.0)
    return np.concatenate([np.zeros((len(start), 1)), np.ones((len(start), 1)), equal], 1)
