# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording what is done to a figure while frames pass: Ge's animation recorder.

Ge 2000, appendix A, records the angles of all joints while the figure is dragged. Here the frames are those
of the scene that plays meanwhile, and what was recorded becomes keyframes.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ..bridge.action import Curve, gather_curves, key_time, write_keys
from ..bridge.armature import Array, Bones, Channels
from ..bridge.thinning import thin as thin_out


class Recording:
    """Channels of the frames that passed; a frame that comes again is recorded anew."""

    def __init__(self) -> None:
        self._frames: dict[int, Channels] = {}
        self._keyed: dict[tuple[str, str, int], None] = {}

    @property
    def moves(self) -> bool:
        """Whether there is more than one frame: else there is nothing but a pose."""
        return len(self._frames) > 1

    def __len__(self) -> int:
        return len(self._frames)

    def note(self, frame: int, channels: Channels, keyed: Iterable[tuple[str, str, int]]) -> None:
        """Record a frame.

        Args:
            frame: its number.
            channels: of all bones.
            keyed: (bone, channel, component) of what may have changed.
        """
        self._frames[frame] = channels
        self._keyed.update(dict.fromkeys(keyed))

    def write(
        self, armature: bpy.types.Object, bones: Bones, scene: bpy.types.Scene, thin: float = 0.0
    ) -> int:
        """Make keyframes of it, in place of those that the channels have between the first and last frame.

        Args:
            armature: the original object.
            bones: of it.
            scene: whose frames passed.
            thin: how far the curves may be from what was recorded, in radians and in units of the armature; 0
                for a key on every frame.

        Returns:
            How many components were keyed.

        Raises:
            FigureFault: the action cannot be written; it is as it was.
        """
        frames = sorted(self._frames)
        times = [key_time(scene, frame) for frame in frames]
        curves = gather_curves(bones, self._keyed, times, [self._frames[frame] for frame in frames])
        written = [
            Curve(curve.bone, curve.channel, curve.index, curve.frames, values)
            for curve, values in zip(curves, _continuous(curves), strict=True)
        ]
        backup = write_keys(armature, written, frame_range=(times[0], times[-1]))
        if thin > 0.0:
            try:
                thin_out(armature, written, thin)
            except Exception:
                backup.restore()
                raise
        return len(written)


def _continuous(curves: Iterable[Curve]) -> list[Array]:
    """Values without the jumps that come about where a later pass meets an earlier one.

    A quaternion may be the negative of that of the frame before, an angle some turns away.
    """
    found = []
    signs: dict[str, Array] = {}
    curves = list(curves)
    for curve in curves:
        if curve.channel == "rotation_quaternion" and curve.bone not in signs:
            parts = [c.values for c in curves if (c.bone, c.channel) == (curve.bone, curve.channel)]
            steps = np.einsum("if,if->f", np.array(parts)[:, 1:], np.array(parts)[:, :-1])
            signs[curve.bone] = np.cumprod(np.concatenate([[1.0], np.where(steps < 0.0, -1.0, 1.0)]))
    for curve in curves:
        if curve.channel == "rotation_quaternion":
            found.append(curve.values * signs[curve.bone])
        elif curve.channel == "rotation_euler":
            found.append(np.unwrap(curve.values))
        else:
            found.append(curve.values)
    return found
