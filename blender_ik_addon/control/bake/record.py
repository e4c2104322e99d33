# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording a drag during playback: Ge's animation recorder.

Ge 2000, appendix A, records the angles of all joints while the figure is dragged. Here the scene plays
meanwhile, and each frame that passes becomes a keyframe.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import bpy
import numpy as np

from ...bridge.action import key_rate, key_time, to_be_keyed, write_keys
from ...bridge.armature import CHANNEL_WIDTHS, Array, Channels
from ...bridge.baked import Curve, gather_curves
from ...bridge.decimation import decimated
from ..frame.plan import Plan
from ..frame.sample import Sample


class Recording:
    """Channels of the frames that passed. A repeated frame replaces the earlier one."""

    def __init__(self) -> None:
        self._frames: dict[int, tuple[Sample, Channels]] = {}
        self._keyed: dict[tuple[str, str, int], None] = {}

    @property
    def moves(self) -> bool:
        """Whether more than one frame is recorded."""
        return len(self._frames) > 1

    def __len__(self) -> int:
        return len(self._frames)

    def note(self, sample: Sample, channels: Channels, keyed: Iterable[tuple[str, str, int]]) -> None:
        """Record a frame.

        Args:
            sample: the state at the beginning of the frame.
            channels: of all bones, after the solve.
            keyed: (bone, channel, component) of each value that may have changed.
        """
        self._frames[sample.frame] = sample, channels
        self._keyed.update(dict.fromkeys(keyed))

    def write(
        self,
        armature: bpy.types.Object,
        plan: Plan,
        scene: bpy.types.Scene,
        *,
        margin: float | None,
    ) -> None:
        """Write the keyframes. They replace the channels' keys between the first and the last frame.

        Args:
            armature: the original object.
            plan: of it.
            scene: the one that was playing.
            margin: metres, the largest distance of any point of the figure from its recorded position after
                decimation; None for a key on every frame.

        Raises:
            Refused: the action cannot be written; it is unchanged.
        """
        frames = sorted(self._frames)
        times = [key_time(scene, frame) for frame in frames]
        channels = [self._frames[frame][1] for frame in frames]
        keyed = to_be_keyed(armature, self._keyed)
        curves = _continuous(gather_curves(plan.bones, keyed, times, channels))
        if margin is not None:
            samples = [self._frames[frame][0] for frame in frames]
            curves = decimated(
                plan.bones,
                [sample.space for sample in samples],
                curves,
                [sample.state for sample in samples],
                margin,
                plan.points,
                rate=key_rate(scene),
            )
        write_keys(armature, curves, frame_range=(times[0], times[-1]))


def _continuous(curves: tuple[Curve, ...]) -> tuple[Curve, ...]:
    """The curves without jumps between two passes of the recording.

    Between passes the sign of a quaternion may flip, and an angle may differ by whole turns.
    """
    found = []
    signs: dict[str, Array] = {}
    for curve in curves:
        if curve.channel == "rotation_quaternion" and curve.bone not in signs:
            parts = [c.values for c in curves if (c.bone, c.channel) == (curve.bone, curve.channel)]
            steps = np.einsum("if,if->f", np.array(parts)[:, 1:], np.array(parts)[:, :-1])
            # channels with locked components keep their sign
            turned = (steps < 0.0) & (len(parts) == CHANNEL_WIDTHS[curve.channel])
            signs[curve.bone] = np.cumprod(np.concatenate([[1.0], np.where(turned, -1.0, 1.0)]))
    for curve in curves:
        values = curve.values
        if curve.channel == "rotation_quaternion":
            values = values * signs[curve.bone]
        elif curve.channel == "rotation_euler":
            values = np.unwrap(values)
        found.append(replace(curve, values=values))
    return tuple(found)
