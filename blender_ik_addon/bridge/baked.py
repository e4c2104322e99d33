# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a bake or a recording: one curve per bone, channel and component.

A quaternion and its negative are the same rotation, and so are angles that differ by full turns. But a curve
between them spins the bone. Baked values are continuous with earlier keys, so a mismatch with an action's
later keys can only be at their end. Then `joined` lets the curve jump to the other representation in the last
frame. So no key outside of the bake changes, and every frame shows the baked pose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .armature import CHANNEL_WIDTHS, Array, Bones, Channels
from .curves import SAME_FRAME
from .data_path import bone_path

_TURN: Final = 2.0 * np.pi


@dataclass(frozen=True)
class Curve:
    """One channel component of one bone over time.

    Attributes:
        bone: name; channel: "location", "rotation_quaternion", ...; index: component.
        frames: (F,) increasing; values: (F,).
        slopes: (F, 2) per frame, before and after each key; None for Blender's automatic handles.
        jump: factor and offset that change the last value, to which the curve jumps; None for no jump.
    """

    bone: str
    channel: str
    index: int
    frames: Array
    values: Array
    slopes: Array | None = None
    jump: tuple[float, float] | None = None

    @property
    def path(self) -> str:
        """Data path on the armature object."""
        return bone_path(self.bone, self.channel)


def gather_curves(
    bones: Bones,
    keyed: Iterable[tuple[str, str, int]],
    frames: npt.ArrayLike,
    channels: Sequence[Channels],
) -> tuple[Curve, ...]:
    """Convert channels of successive frames to curves.

    Args:
        bones: those of the channels.
        keyed: (bone, channel, component) of each curve, see `Figure.keyed`.
        frames: (F,) increasing.
        channels: F of these.
    """
    keyed = tuple(keyed)
    times = np.asarray(frames, dtype=float)
    stacked = {
        name: np.array([getattr(c, name) for c in channels], dtype=float)
        for name in {channel for _, channel, _ in keyed}
    }
    return tuple(
        Curve(bone, channel, index, times, stacked[channel][:, bones.number(bone), index])
        for bone, channel, index in keyed
    )


def joined(curves: Sequence[Curve], bag: Any, last: float) -> tuple[Curve, ...]:
    """Let curves end with the representation of the keys after them.

    Args:
        curves: to be written.
        bag: with the existing F-curves.
        last: frame after which keys are kept.
    """
    parts: dict[tuple[str, str], list[Curve]] = {}
    for curve in curves:
        parts.setdefault((curve.bone, curve.channel), []).append(curve)
    found: dict[tuple[str, int], Curve] = {}
    for (_, channel), own in parts.items():
        old = [bag.fcurves.find(curve.path, index=curve.index) for curve in own]
        after = min((time for each in old for time in _times(each) if time > last + SAME_FRAME), default=None)
        if after is None:
            continue
        if channel == "rotation_quaternion":
            if None in old or len(own) < CHANNEL_WIDTHS[channel]:  # locked components cannot change sign
                continue
            wanted = np.array([each.evaluate(after) for each in old])
            if wanted @ np.array([curve.values[-1] for curve in own]) < 0.0:
                found.update(((curve.path, curve.index), _jumping(curve, -1.0, 0.0)) for curve in own)
        elif channel == "rotation_euler":
            for curve, each in zip(own, old, strict=True):
                away = 0.0 if each is None else each.evaluate(curve.frames[-1]) - curve.values[-1]
                if turns := round(away / _TURN):
                    found[curve.path, curve.index] = _jumping(curve, 1.0, turns * _TURN)
    return tuple(found.get((curve.path, curve.index), curve) for curve in curves)


def _times(curve: Any) -> list[float]:
    return [] if curve is None else [float(key.co.x) for key in curve.keyframe_points]


def _jumping(curve: Curve, factor: float, offset: float) -> Curve:
    """The curve with a jump, and with a key in the frame before it."""
    before = curve.frames[-1] - 1.0
    if len(curve.frames) > 1 and curve.slopes is not None and curve.frames[-2] < before - SAME_FRAME:
        value, slope = _between(curve.frames[-2:], curve.values[-2:], curve.slopes[-2:], before)
        at = len(curve.frames) - 1
        curve = replace(
            curve,
            frames=np.insert(curve.frames, at, before),
            values=np.insert(curve.values, at, value),
            slopes=np.insert(curve.slopes, at, slope, axis=0),
        )
    return replace(curve, jump=(factor, offset))


def _between(frames: Array, values: Array, slopes: Array, at: float) -> tuple[float, float]:
    """Value and slope of the cubic between two keys."""
    length = frames[1] - frames[0]
    s = (at - frames[0]) / length
    rise = (values[1] - values[0]) / length
    one, other = slopes[0, 1], slopes[1, 0]
    bend, twist = 3.0 * rise - 2.0 * one - other, one + other - 2.0 * rise
    value = values[0] + length * s * (one + s * (bend + s * twist))
    return float(value), float(one + s * (2.0 * bend + 3.0 * s * twist))
