# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a bake or a recording: one curve for each component of each channel of each bone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt

from .armature import Array, Bones, Channels


@dataclass(frozen=True)
class Curve:
    """One channel component of one bone over time.

    Attributes:
        bone: name; channel: "location", "rotation_quaternion", ...; index: component.
        frames: (F,) increasing; values: (F,).
        slopes: (F, 2) a frame, with which the curve comes to each key and leaves it; None: as Blender's
            handles make it.
        jump: factor and offset of the last value, to which the curve jumps; None: it does not.
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


def bone_path(bone: str, channel: str) -> str:
    """Data path of a bone's channel on its armature object."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{channel}'


def gather_curves(
    bones: Bones,
    keyed: Iterable[tuple[str, str, int]],
    frames: npt.ArrayLike,
    channels: Sequence[Channels],
) -> tuple[Curve, ...]:
    """Turn channels frame by frame into curves.

    Args:
        bones: those that the channels are of.
        keyed: (bone, channel, component) of the curves wanted, as `Figure.keyed`.
        frames: (F,) increasing.
        channels: F of them.
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
