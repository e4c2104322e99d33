# SPDX-License-Identifier: GPL-3.0-or-later
"""A pin has one place for all frames: moving it in one frame moves it in all others."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, floor
from typing import Any

import bpy

from ... import compat
from ...properties.effector import ArticulateEffector


def why_not_moved(effector: ArticulateEffector, frame: float) -> str:
    """Why a pin may not be moved in a frame, as a sentence; "" if it may.

    It may not if its influence is animated and is zero between this frame and others in which the pin is
    active.

    Args:
        effector: of an original armature object.
        frame: the current one.
    """
    if effector.follows != "PIN":
        return ""
    curves = _curves(effector)
    influence = curves.get("influence")
    if influence is None or "pin_location" in curves or "pin_rotation" in curves:
        return ""
    for first, last in _spans(influence):
        if not first <= frame <= last:
            return (
                f"Pin '{effector.name}' has one place, where it holds bone '{effector.bone}' in other frames"
                f" (about frame {first:g}), so it cannot be moved in frame {frame:g}. Give the effector a"
                " target (Create Target) and key the target, or remove the keys of its influence"
            )
    return ""


def _curves(effector: ArticulateEffector) -> dict[str, Any]:
    """F-curves of an effector by property name."""
    owner: Any = effector.id_data
    bag = compat.find_bag(owner)
    begin = effector.path_from_id() + "."
    found = [] if bag is None else bag.fcurves
    return {
        curve.data_path.removeprefix(begin): curve for curve in found if curve.data_path.startswith(begin)
    }


def _spans(influence: bpy.types.FCurve) -> list[tuple[float, float]]:
    """First and last frames of the ranges in which an influence is above zero."""
    keys = [float(point.co.x) for point in influence.keyframe_points]
    if not keys:
        return []
    first, last = floor(min(keys)) - 1, ceil(max(keys)) + 1
    on = [False, *(influence.evaluate(frame) > 0.0 for frame in range(first, last + 1)), False]
    turns = [frame for frame, (before, now) in enumerate(pairwise(on), start=first) if before != now]
    spans = [(float(a), float(b - 1)) for a, b in zip(turns[::2], turns[1::2], strict=True)]
    # a range at the first or last key extends to infinity
    return [(-float("inf") if a == first else a, float("inf") if b == last else b) for a, b in spans]
