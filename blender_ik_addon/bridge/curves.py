# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves as arrays: everything a keyframe holds, read and written in bulk.

Inserting keys one by one takes some 8 us each, a bake of a human over 250 frames half a second; in bulk it is
fifty times quicker. What is read can be written back exactly, handles and easing included, so that a bake can
be undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from .armature import Array

# Every property of a keyframe that is stored: name, numbers, type. `co` comes first: keys are sorted by it.
_STORED: Final = (
    ("co", 2, np.float32),
    ("handle_left", 2, np.float32),
    ("handle_right", 2, np.float32),
    ("handle_left_type", 1, np.int32),
    ("handle_right_type", 1, np.int32),
    ("interpolation", 1, np.int32),
    ("easing", 1, np.int32),
    ("type", 1, np.int32),
    ("back", 1, np.float32),
    ("amplitude", 1, np.float32),
    ("period", 1, np.float32),
    ("select_control_point", 1, np.bool_),
    ("select_left_handle", 1, np.bool_),
    ("select_right_handle", 1, np.bool_),
)
# What Blender sets on a key that it inserts itself.
_AUTO_CLAMPED: Final = "AUTO_CLAMPED"
_NEW: Final = {"back": 1.70158, "amplitude": 0.8, "period": 4.1}
SAME_FRAME: Final = (
    1e-3  # keys closer than this are one key; Blender's own threshold is 0.01, sub-frames of blur 1/64
)


@dataclass(frozen=True)
class Keys:
    """The keyframes of one F-curve; K of them, by name of the property, (K,) or (K, 2)."""

    stored: dict[str, npt.NDArray[Any]]

    @property
    def frames(self) -> Array:
        """(K,) frames."""
        return self.stored["co"][:, 0].astype(float)

    @property
    def values(self) -> Array:
        """(K,) values."""
        return self.stored["co"][:, 1].astype(float)

    def __len__(self) -> int:
        return len(self.stored["co"])

    def chosen(self, which: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Keys:
        """Some of the keys."""
        return Keys({name: array[which] for name, array in self.stored.items()})

    def merged(self, other: Keys) -> Keys:
        """These and other keys, in the order of their frames."""
        both = {name: np.concatenate([array, other.stored[name]]) for name, array in self.stored.items()}
        order = np.argsort(both["co"][:, 0], kind="stable")
        return Keys({name: array[order] for name, array in both.items()})


def read_curve(curve: bpy.types.FCurve) -> Keys:
    """All keyframes of an F-curve."""
    points = curve.keyframe_points
    stored = {}
    for name, width, kind in _STORED:
        array = np.empty(len(points) * width, dtype=kind)
        points.foreach_get(name, array)
        stored[name] = array.reshape(-1, width) if width > 1 else array
    return Keys(stored)


def write_curve(curve: bpy.types.FCurve, keys: Keys, *, new_handles: bool = True) -> None:
    """Replace all keyframes of an F-curve.

    Args:
        curve: what else it holds (modifiers, extrapolation, colour, group) stays.
        keys: sorted by frame.
        new_handles: let Blender place automatic handles; off to write them exactly as they were.
    """
    points = curve.keyframe_points
    points.clear()
    if not len(keys):
        return
    points.add(len(keys))
    for name, _width, _kind in _STORED:
        points.foreach_set(name, np.ascontiguousarray(keys.stored[name]).ravel())
    if new_handles:
        curve.update()


def new_keys(frames: npt.ArrayLike, values: npt.ArrayLike, interpolation: str) -> Keys:
    """Keyframes as Blender inserts them, with automatic clamped handles.

    Args:
        frames: (K,) increasing.
        values: (K,).
        interpolation: CONSTANT, LINEAR or BEZIER.
    """
    co = np.stack([np.asarray(frames, dtype=np.float32), np.asarray(values, dtype=np.float32)], -1)
    count = len(co)
    numbers = {
        "interpolation": _enum("interpolation", interpolation),
        "handle_left_type": _enum("handle_left_type", _AUTO_CLAMPED),
        "handle_right_type": _enum("handle_right_type", _AUTO_CLAMPED),
        "easing": _enum("easing", "AUTO"),
        "type": _enum("type", "KEYFRAME"),
        **_NEW,
    }
    stored = {
        name: co.copy() if width > 1 else np.full(count, numbers.get(name, False), dtype=kind)
        for name, width, kind in _STORED
    }
    return Keys(stored)


def _enum(name: str, word: str) -> int:
    described: Any = bpy.types.Keyframe.bl_rna.properties[name]
    return int(described.enum_items[word].value)


def needed(values: npt.ArrayLike, tolerance: float) -> npt.NDArray[np.bool_]:
    """Which keys of a baked curve are needed, as Blender's own "Clean Curves" decides it.

    A key goes when it differs from the kept one before it and from the one after it by less than the
    tolerance in
    sum: what stands still keeps its ends.

    Args:
        values: (K,).
        tolerance: in the curve's unit.

    Returns:
        (K,) bool.
    """
    v = np.asarray(values, dtype=float)
    keep = np.ones(len(v), dtype=bool)
    if len(v) < 3 or (np.abs(np.diff(v)) >= tolerance).all():
        return keep
    last = float(v[0])
    listed = v.tolist()
    for i in range(1, len(listed) - 1):
        if abs(listed[i] - last) + abs(listed[i] - listed[i + 1]) < tolerance:
            keep[i] = False
        else:
            last = listed[i]
    return keep
