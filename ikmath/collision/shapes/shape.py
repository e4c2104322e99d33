# SPDX-License-Identifier: GPL-3.0-or-later
"""The base of obstacles: a solid or a surface with distances to points and segments.

Every distance is signed (negative inside), every normal points from the obstacle to the figure and is the
direction in which the distance grows fastest. A shape can have a rigid motion. The motion is applied to the
query, not to the geometry, so that a mesh keeps its tree while it moves. Motions may have leading axes, one
transform for each frame; these are then the leading axes of queries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from ... import arguments
from ...arrays import Array, Index
from ...errors import BadShape, BadValue
from ..narrow_phase import Nearest, ShapeGroup


@dataclass(frozen=True, eq=False)
class Shape(ABC):
    """Base of all obstacles.

    Args:
        name: shown in messages ("stopped by obstacle 'Table'"); the kind of the shape if left empty.
        margin: metres that the figure keeps away from this obstacle, on top of the problem's margin.

    Raises:
        BadShape, BadValue: of any kind: values of another shape, not finite, or not above zero where needed.
    """

    kind: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]

    name: str = field(default="", kw_only=True)
    margin: float = field(default=0.0, kw_only=True)
    rotation: Array = field(default_factory=lambda: np.eye(3), kw_only=True, repr=False)
    translation: Array = field(default_factory=lambda: np.zeros(3), kw_only=True, repr=False)

    def __post_init__(self) -> None:
        self._set("name", arguments.text(self.name, f"name of a {self.label.lower()}") or self.kind)
        self._set("margin", arguments.number(self.margin, f"margin of obstacle {self.name!r}"))
        self._carry(self.rotation, self.translation)

    def _set(self, field_name: str, value: object) -> None:
        """Set a field of this frozen object during construction."""
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        object.__setattr__(self, field_name, value)

    def _vector(self, field_name: str) -> Array:
        """Check and freeze a field that is one place or direction, (3,)."""
        what = f"{field_name} of obstacle {self.name!r}"
        value = arguments.shaped(getattr(self, field_name), what, (3,))
        self._set(field_name, value)
        return value

    def _length(self, field_name: str) -> None:
        """Check a field that is a length above zero, metres."""
        what = f"{field_name} of obstacle {self.name!r}"
        self._set(field_name, arguments.number(getattr(self, field_name), what, above=0))

    def _placed(self, point: npt.ArrayLike) -> Array:
        """(*frames, 3) where a point (3,) of the shape is in the world."""
        return np.asarray(self.rotation @ np.asarray(point) + self.translation)

    def _carry(self, rotation: npt.ArrayLike, translation: npt.ArrayLike) -> None:
        turned, shifted = (f"{what} of obstacle {self.name!r}" for what in ("rotation", "translation"))
        turn, shift = arguments.numbers(rotation, turned), arguments.numbers(translation, shifted)
        if turn.shape[-2:] != (3, 3):
            raise BadShape(turned, "(*frames, 3, 3)", turn.shape)
        if shift.shape[-1:] != (3,):
            raise BadShape(shifted, "(*frames, 3)", shift.shape)
        crooked = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max(initial=0.0) > 1e-5
        if crooked or (np.linalg.det(turn) < 0.0).any():
            raise BadValue(turned, "is not a rotation; put scale, shear and mirroring into the geometry.")
        try:
            frames = np.broadcast_shapes(turn.shape[:-2], shift.shape[:-1])
        except ValueError:
            expected = f"the frames of the rotation, {turn.shape[:-2]}"
            raise BadShape(shifted, expected, shift.shape) from None
        if 0 in frames:
            raise BadShape(shifted, "one frame at least", shift.shape)
        self._set("rotation", np.broadcast_to(turn, (*frames, 3, 3)).copy())
        self._set("translation", np.broadcast_to(shift, (*frames, 3)).copy())

    @property
    def frames(self) -> tuple[int, ...]:
        """The frame axes of the motion, () for an obstacle that stands still."""
        return self.translation.shape[:-1]

    def moved(self, rotation: npt.ArrayLike, translation: npt.ArrayLike) -> Self:
        """This obstacle, carried by a rigid motion from where it is: `p -> rotation @ p + translation`.

        Args:
            rotation: (*frames, 3, 3).
            translation: (*frames, 3) metres.
        """
        other = copy(self)
        other._carry(rotation, translation)
        turn, shift = other.rotation, other.translation
        other._carry(turn @ self.rotation, (turn @ self.translation[..., None])[..., 0] + shift)
        return other

    def at(self, frame: int | Index | tuple[int, ...]) -> Self:
        """This obstacle as it is in one frame of its motion; itself if it stands still.

        Args:
            frame: its number, or one for each axis of frames; or an array of numbers, for several.
        """
        if not self.frames:
            return self
        other, axes = copy(self), frame if isinstance(frame, tuple) else (frame,)
        what, counts = f"frame of obstacle {self.name!r}", (*self.frames, *[0] * len(axes))  # none beyond
        number = tuple(arguments.frames(*axis, what) for axis in zip(axes, counts, strict=False))
        other._carry(self.rotation[number], self.translation[number])
        return other

    def same_place(self, other: Shape) -> bool:
        """Whether another shape is the same shape at the same place; False if comparing would be costly."""
        return self is other

    @property
    @abstractmethod
    def bounds(self) -> tuple[Array, float]:
        """Centre (*frames, 3) and radius of a ball around the shape, infinite if it is unbounded."""

    @classmethod
    @abstractmethod
    def group(cls, shapes: Sequence[Self], frames: tuple[int, ...]) -> ShapeGroup:
        """Obstacles of this kind, to be queried together.

        Args:
            shapes: of this kind.
            frames: the frame axes that all motions are brought to.
        """

    def nearest(self, points: npt.ArrayLike, limit: float | None = None) -> Nearest:
        """The nearest points of the surface to points (*b, 3); see `nearest_segment`."""
        return self.nearest_segment(points, points, limit)

    def nearest_segment(self, a: npt.ArrayLike, b: npt.ArrayLike, limit: float | None = None) -> Nearest:
        """Nearest or deepest points of segments.

        Args:
            a: (*b, 3) first ends in the world; frames of a moving obstacle are the leading axes.
            b: (*b, 3) second ends.
            limit: metres; beyond it the result may be an infinite distance. Saves work for meshes only.
        """
        what = f"place queried of obstacle {self.name!r}"
        ends = [arguments.coordinates(place, 3, what) for place in (a, b)]
        axes = max(end.ndim for end in ends) - 1 - len(self.frames)
        try:
            batch = np.broadcast_shapes(*(end.shape[:-1] for end in ends), self.frames + (1,) * axes)
        except ValueError:
            expected = f"leading axes of the first ends, {ends[0].shape[:-1]}, and of frames, {self.frames}"
            raise BadShape(f"second ends, of obstacle {self.name!r}", expected, ends[1].shape) from None
        first, last = (np.broadcast_to(end, (*batch, 3)).reshape(-1, 3) for end in ends)
        frames = int(np.prod(self.frames))
        row = np.arange(frames).repeat(len(first) // frames)
        most = np.inf if limit is None else arguments.number(limit, "limit", endless=True)
        reach = np.full(len(first), most)
        found = type(self).group([self], self.frames).segments(first, last, row, reach, reach)
        return Nearest._make(array.reshape((*batch, *array.shape[1:])) for array in found)
