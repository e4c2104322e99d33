# SPDX-License-Identifier: GPL-3.0-or-later
"""Which components `keyframe_insert` keys when its options restrict it to existing curves or keys."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import bpy
import numpy as np

from ... import compat

_SAME_FRAME = 0.01  # frames between two keys that Blender treats as one


def components_to_key(owner: Any, options: Collection[str], frame: float) -> set[tuple[str, int]] | None:
    """The components that `keyframe_insert` keys with the given options.

    Blender prints a line for each component that the options exclude. Callers use this to skip those.

    Args:
        owner: data that can be animated.
        options: as `keyframe_insert` takes them.
        frame: scene time.

    Returns:
        (path, index) of each F-curve, or with "INSERTKEY_REPLACE" of each F-curve with a key in this frame.
            None if the options exclude nothing.
    """
    replaces = "INSERTKEY_REPLACE" in options
    if not replaces and "INSERTKEY_AVAILABLE" not in options:
        return None
    bag = compat.find_bag(owner)
    curves: Any = () if bag is None else bag.fcurves
    if replaces and curves:
        time = owner.animation_data.nla_tweak_strip_time_to_scene(frame, invert=True)
        curves = [curve for curve in curves if _has_key(curve, time)]
    return {(curve.data_path, curve.array_index) for curve in curves}


def _has_key(curve: bpy.types.FCurve, time: float) -> bool:
    points = np.empty((len(curve.keyframe_points), 2), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", points.ravel())
    return bool((np.abs(points[:, 0] - time) < _SAME_FRAME).any())
