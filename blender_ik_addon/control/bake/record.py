# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording a drag during playback: Ge's animation recorder.

Ge 2000, appendix A, records the angles of all joints while the figure is dragged. Here the scene plays
meanwhile, and each frame that passes becomes a keyframe.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Final

import bpy

from ...bridge.action import key_time, require_keepable, require_writable, to_be_keyed, write_keys
from ...bridge.armature import Channels
from ...bridge.curves import Curve, gather_curves
from ...bridge.decimation import decimated
from ...properties.access import rig_of
from ..frame.plan import Plan
from ..frame.sample import Sample

_DROPPED: Final = 12  # most frames from one to the next in a playback that drops some; a loop leaps farther


class Recording:
    """Channels of the frames that passed. A repeated frame replaces the earlier one."""

    def __init__(self) -> None:
        self._frames: dict[int, tuple[Sample, Channels]] = {}
        self._passed: set[int] = set()  # frames after which the next one passed too, recorded or dropped
        self._last: int | None = None
        self._keyed: dict[tuple[str, str, int], None] = {}

    @property
    def moves(self) -> bool:
        return len(self._frames) > 1

    def __len__(self) -> int:
        return len(self._frames)

    def require_keepable(
        self, armature: bpy.types.Object, scene: bpy.types.Scene, keyed: Iterable[tuple[str, str, int]]
    ) -> None:
        """Refuse in the frame in which it passes what could not be written at the end."""
        require_writable(armature, new_action=False)
        here = key_time(scene, scene.frame_current)
        require_keepable(armature, keyed, (here, here), new_action=False)

    def note(self, sample: Sample, channels: Channels, keyed: Iterable[tuple[str, str, int]]) -> None:
        """Record a frame: its state at the beginning, and the channels of all bones after the solve.

        `keyed` has (bone, channel, component) of each value that may have changed.
        """
        frame, last = sample.frame, sample.frame if self._last is None else self._last
        if abs(frame - last) <= _DROPPED:  # else a loop began again
            self._passed.update(range(min(frame, last), max(frame, last)))
        self._last = frame
        self._frames[frame] = sample, channels
        self._keyed.update(dict.fromkeys(keyed))

    def write(self, armature: bpy.types.Object, plan: Plan, scene: bpy.types.Scene, before: Channels) -> None:
        """Write the keyframes. They replace the channels' keys in the frames that passed.

        Other frames of a clip keep the values `before` (B,) of channels without keys. Keys are decimated as
        those of a bake.
        """
        keyed, bake = to_be_keyed(armature, self._keyed), rig_of(armature).bake
        margin = bake.remove_error_margin if bake.decimate else None
        with ExitStack() as undo:
            for frames in self._runs():
                samples, channels = zip(*(self._frames[frame] for frame in frames), strict=True)
                curves = frame_curves(plan, scene, samples, channels, keyed, margin, passes=True)
                times = key_time(scene, frames[0]), key_time(scene, frames[-1])
                undo.push(write_keys(armature, curves, frame_range=times, before=before))
            undo.pop_all()

    def _runs(self) -> list[list[int]]:
        """The recorded frames, in parts between which no frame passed; there old keys stay."""
        runs: list[list[int]] = [[]]
        for frame in sorted(self._frames):
            if runs[-1] and runs[-1][-1] not in self._passed:
                runs.append([])
            runs[-1].append(frame)
        return runs


def frame_curves(
    plan: Plan,
    scene: bpy.types.Scene,
    samples: Sequence[Sample],
    channels: Sequence[Channels],
    keyed: Iterable[tuple[str, str, int]],
    margin: float | None,
    *,
    passes: bool = False,
) -> tuple[Curve, ...]:
    """The curves of solved frames; with a margin, without the keys that they do not need.

    See `gather_curves` for frames of several `passes`.
    """
    times = [key_time(scene, sample.frame) for sample in samples]
    curves = gather_curves(plan.bones, keyed, times, channels, passes=passes)
    if margin is None:
        return curves
    spaces, states = [sample.space for sample in samples], [sample.state for sample in samples]
    rate = key_time(scene, scene.render.fps / scene.render.fps_base)
    return decimated(plan.bones, spaces, curves, states, margin, plan.points, rate=rate)
