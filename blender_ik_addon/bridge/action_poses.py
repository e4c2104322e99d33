# SPDX-License-Identifier: GPL-3.0-or-later
"""The poses in the actions of a character, read from their F-curves: the scene stays in its frame."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import bpy
import numpy as np

from .. import compat
from .armature import CHANNEL_WIDTHS, Bones, Channels, Floats

_PATH: Final = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)$')
_LEAST: Final = 3  # bones that an action turns, to count as one of a character's poses
_MOST: Final = 600  # poses that are read of all actions together


def other_actions(armature: bpy.types.Object, words: str, *, assets: bool) -> list[bpy.types.Action]:
    """The file's actions but for the one that an armature plays.

    Args:
        armature: the original object.
        words: with commas between them; an action has one of them in its name, in any case. "" for all.
        assets: whether only those that are marked as assets count.
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
    """Poses (P, B, ...) of those of the actions that pose an armature's bones; None if there are none."""
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
    """The F-curves of an action that pose bones, each with its channel and the bone's number."""
    found = []
    for bag in compat.all_bags(action):
        for curve in bag.fcurves:
            match = _PATH.match(curve.data_path)
            if match and match[1] in bones.index and match[2] in CHANNEL_WIDTHS:
                found.append((curve, match[2], bones.index[match[1]]))
    return found


def _poses(bones: Bones, curves: list[tuple[Any, str, int]], frames: list[float]) -> dict[str, Floats]:
    """The rest pose with what the curves say in some frames, (F, B, ...) by channel."""
    shape = len(frames), len(bones)
    values = {name: np.zeros((*shape, width), dtype=np.float32) for name, width in CHANNEL_WIDTHS.items()}
    values["rotation_quaternion"][..., 0] = values["rotation_axis_angle"][..., 2] = 1.0
    values["scale"][:] = 1.0
    for curve, channel, number in curves:
        if channel != "scale":
            values[channel][:, number, curve.array_index] = [curve.evaluate(frame) for frame in frames]
    return values
