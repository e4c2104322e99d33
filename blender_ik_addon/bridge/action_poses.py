# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the poses in a character's actions from the F-curves, without changing the scene's frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import bpy
import numpy as np

from .. import compat
from .armature import CHANNEL_WIDTHS, CHANNELS_AT_REST, Bones, Channels, Floats
from .fingerprint import animated_channel

_LEAST: Final = 3  # number of bones that an action must turn to count as a pose of the character
_MOST: Final = 600  # maximum number of poses, for all actions together


def other_actions(armature: bpy.types.Object, words: str, *, assets: bool) -> list[bpy.types.Action]:
    """The actions of the file except the one that an armature plays.

    Args:
        armature: the original object.
        words: separated by commas; only actions with one of these in their names, ignoring case. "" for all.
        assets: only actions that are marked as assets.
    """
    data = armature.animation_data
    played = data.action if data is not None else None
    parts = [word.strip().casefold() for word in words.split(",") if word.strip()] or [""]
    return [
        action
        for action in bpy.data.actions
        if action != played
        and (action.asset_data is not None or not assets)
        and any(part in action.name.casefold() for part in parts)
    ]


def action_poses(actions: Iterable[bpy.types.Action], bones: Bones) -> Channels | None:
    """The poses (P, B, ...) of those actions that pose an armature's bones; None if there are none."""
    found: list[tuple[Any, list[tuple[Any, str, int]]]] = []
    for action in actions:
        curves = _curves(action, bones)
        if len({number for _, channel, number in curves if channel.startswith("rotation")}) >= _LEAST:
            found.append((action, curves))
    if not found:
        return None
    spans = [tuple(action.frame_range) for action, _ in found]
    step = max(sum(last - first + 1.0 for first, last in spans) / _MOST, 1.0)
    poses = [
        _poses(bones, curves, np.arange(first, last + 1e-3, step).tolist())
        for (first, last), (_, curves) in zip(spans, found, strict=True)
    ]
    return Channels(**{name: np.concatenate([own[name] for own in poses]) for name in CHANNEL_WIDTHS})


def _curves(action: bpy.types.Action, bones: Bones) -> list[tuple[Any, str, int]]:
    """The F-curves of an action that pose bones, each with its channel and the index of its bone."""
    curves = [curve for bag in compat.all_bags(action) for curve in bag.fcurves]
    posing = ((curve, animated_channel(curve, bones)) for curve in curves)
    return [(curve, *channel) for curve, channel in posing if channel is not None]


def _poses(bones: Bones, curves: list[tuple[Any, str, int]], frames: list[float]) -> dict[str, Floats]:
    """The channels (F, B, ...) of the rest pose, with the values of the curves in some frames."""
    values = {
        name: np.tile(np.array(rest, dtype=np.float32), (len(frames), len(bones), 1))
        for name, rest in CHANNELS_AT_REST.items()
    }
    for curve, channel, number in curves:
        if channel != "scale":
            values[channel][:, number, curve.array_index] = [curve.evaluate(frame) for frame in frames]
    return values
