# SPDX-License-Identifier: GPL-3.0-or-later
"""A pin has one place for all frames: moving it in one frame moves it in all others."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, floor
from typing import Any

import bpy

from .. import compat


def why_not_moved(effector: Any, frame: float) -> str:
    """Why a pin may not be moved in a frame, as a sentence; "" if it may.

    It may not if its influence is keyed and is zero between this frame and others in which the pin is active.
    If a driver or an NLA strip sets the influence, the pin may be active in any frame.

    Args:
        effector: `ArticulateEffector` of an original armature object.
        frame: the current one.
    """
    if effector.follows != "PIN":
        return ""
    curves, others = _curves(effector), _other_curves(effector)
    if any(name in curves or name in others for name in ("pin_location", "pin_rotation")):
        return ""
    start = f"Pin '{effector.name}' has one place"
    remedy = "Give the effector a target (Create Target) and key the target, or remove"
    if "influence" in others:
        return (
            f"{start}, and a driver or an NLA strip sets its influence, so it may hold bone '{effector.bone}'"
            f" in other frames and cannot be moved in frame {frame:g}. {remedy} the driver or strip"
        )
    for first, last in _spans(curves["influence"]) if "influence" in curves else ():
        if not first <= frame <= last:
            return (
                f"{start}, where it holds bone '{effector.bone}' in other frames"
                f" (about frame {first:g}), so it cannot be moved in frame {frame:g}. {remedy} the keys of"
                " its influence"
            )
    return ""


def _curves(effector: Any) -> dict[str, Any]:
    """F-curves of an effector in the active action, by property name."""
    bag = compat.find_bag(effector.id_data)
    return _by_property(effector, [] if bag is None else bag.fcurves)


def _other_curves(effector: Any) -> dict[str, Any]:
    """Drivers of an effector and its F-curves in NLA strips, by property name."""
    data: Any = effector.id_data.animation_data
    if data is None:
        return {}
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    return _by_property(
        effector, [*data.drivers, *(curve for strip in strips for curve in compat.strip_curves(strip))]
    )


def _by_property(effector: Any, curves: Any) -> dict[str, Any]:
    begin = effector.path_from_id() + "."
    return {
        curve.data_path.removeprefix(begin): curve for curve in curves if curve.data_path.startswith(begin)
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
