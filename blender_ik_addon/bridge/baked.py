# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a bake or a recording: one curve per bone, channel and component."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .armature import Array, Bones, Channels
from .data_path import bone_path


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
