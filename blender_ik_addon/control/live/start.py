# SPDX-License-Identifier: GPL-3.0-or-later
"""The starting pose of a live armature's frames, independent of earlier solves.

Animated channels start from the animation. Other channels would start from the previous solve, so their
values before the first solve are stored. A value that differs from the last written one was edited by the
user and replaces the stored one. Both poses are saved with the armature, so that undo and loading restore
them.
"""

import time
from collections import deque
from typing import Any, Final, Self

import bpy
import numpy as np

from ...bridge.animation import animated_channels
from ...bridge.armature import (
    AT_REST,
    CHANNEL_WIDTHS,
    Bones,
    Channels,
    Flags,
    PoseState,
    components,
    pose_matrices,
    read_channels,
    write_channels,
)
from ...bridge.skeleton import Figure
from ...properties.access import rig_of
from ...properties.rig import LIVE_POSE, LIVE_START

_SCALE: Final = slice(-CHANNEL_WIDTHS["scale"], None)  # of the components, the last ones
_PAUSE: Final = 0.25  # seconds without edits after which the next edit stores the start for Esc
_EARLIER: Final = 32  # stored starts


class Start:
    """The starting pose of a live armature's frames; plain data without Blender objects.

    Attributes:
        written: the channels after the last solve; None before the first.
        intact: whether they were unchanged at the last call of `pose`.
    """

    def __init__(self, armature: bpy.types.Object, bones: Bones, *, as_shown: bool = False) -> None:
        """Begin with the poses stored on the armature, which loading, undo and copying preserve.

        With `as_shown`, begin with the present pose instead.
        """
        self._animated: Flags = components(animated_channels(armature, bones))
        self.intact = False
        known = None if as_shown else _remembered(armature)
        base, self.written = known or (read_channels(armature), None)
        self.rebase(base)
        self._state: PoseState | None = None
        self._now: Channels | None = None
        self._told: bytes | None = None
        self._touched = -np.inf
        self._earlier: deque[tuple[Channels, Channels]] = deque(maxlen=_EARLIER)  # solved pose, its start
        self._carriers = b""
        self._constrained = np.array([bool(bone.constraints) for bone in armature.pose.bones])
        self._common: tuple[Channels, bytes, PoseState] | None = None

    def rebase(self, channels: Channels) -> None:
        """Set the start of the frames to a pose, except for animated channels."""
        self._base, self._token = channels, _packed(channels)

    def go_on(self, other: Self) -> None:
        """Take the data of the previous `Start` of the same armature, after its settings changed."""
        if len(other._base) == len(self._base):
            self.rebase(other._base)
            self.written = other.written

    def pose(
        self,
        armature: bpy.types.Object,
        evaluated: bpy.types.Object,
        figure: Figure,
        *,
        new_frame: bool,
        rendering: bool,
    ) -> PoseState:
        """The starting pose of the frame; the same object as long as it is the same pose.

        Args:
            armature, evaluated: original and evaluated object; figure: in any pose.
            new_frame: see `LiveFigures.solve`.
            rendering: the originals belong to another frame; nothing is stored.
        """
        base = self._base
        if not rendering:
            base = self._edited(base, read_channels(armature))
        if new_frame and self._animated.any():
            base = _taken(base, read_channels(evaluated), self._animated)
        matrix = figure.state.matrix
        carriers = b""
        if figure.carriers.size:
            matrix = pose_matrices(evaluated)
            carriers = matrix[figure.carriers].tobytes()
        if base is self._base and carriers == self._carriers and self._state is not None:
            return self._state
        state = figure.state_of(base, matrix)
        if not rendering:
            self._state, self._carriers = state, carriers
            if base is not self._base:
                self.rebase(base)
        return state

    def common(self, figure: Figure, evaluated: bpy.types.Object) -> PoseState:
        """The pose at which the data shared by all frames are measured; the same object if unchanged.

        The result of a frame must be bitwise the same whichever frame is solved first, and after loading. So
        in this pose all animated and solved rotations and locations are at rest; other bones are as posed.
        The evaluated object is needed for a figure whose parents are constrained bones.
        """
        base = self._base
        if self._common is None or self._common[0] is not base:
            bones, every = figure.bones, np.arange(len(figure.bones))
            solved = np.isin(every, figure.plan.moving)[:, None]
            at_rest = self._animated | solved
            at_rest[:, _SCALE] = self._animated[:, _SCALE]
            lasting = _taken(base, np.full_like(base, AT_REST), at_rest)
            if self._common is None or self._common[1] != lasting.tobytes():
                above = sorted({n for one in figure.carriers for n in bones.ancestors(one)})
                held = self._constrained[above].any()
                matrix = pose_matrices(evaluated) if held else figure.state.matrix
                which = np.setdiff1d(every, above) if held else every
                posed = lasting.copy()
                posed["scale"] = base["scale"]
                state = figure.state_of(posed, matrix, which=which)
                self._common = base, lasting.tobytes(), state
            else:
                self._common = base, *self._common[1:]
        return self._common[2]

    def token(self, state: PoseState) -> Any:
        """A key of the starting pose, as plain values; cheap to compare if nothing is animated."""
        if state is self._state:
            return self._token, self._carriers
        return state.channels.tobytes(), None

    def write(self, armature: bpy.types.Object, channels: Channels, *, rendering: bool) -> None:
        """Write a solved pose and its start to the armature."""
        write_channels(armature, channels, present=None if rendering else self._now)
        if not rendering:  # a render must not write to the file
            rig: Any = rig_of(armature)
            if self._told is not self._token or LIVE_START not in rig:
                self._told = self._token
                _put(rig, LIVE_START, self._token)
            _put(rig, LIVE_POSE, _packed(channels))
        self.written = channels

    def _edited(self, base: Channels, now: Channels) -> Channels:
        """The start with the user's edits since the last solve.

        If a bone is reset to its solved value, its start is restored. So Esc in Blender's own tools has no
        effect.
        """
        self._now, self.intact = now, False
        if self.written is None:
            return base
        if now.tobytes() == self.written.tobytes():
            self.intact = True
            return base
        edited = components(now) != components(self.written)
        by_hand = (edited & ~self._animated).any(-1)
        self.intact = not edited.any()
        if not by_hand.any():
            return base if self.intact else _taken(base, now, edited)
        since, self._touched = time.monotonic() - self._touched, time.monotonic()
        if since > _PAUSE:
            self._earlier.append((self.written, base))
        taken = _taken(base, now, edited)
        for solved, begun in reversed(self._earlier):
            back = by_hand & (components(now) == components(solved)).all(-1)
            if back.any():
                taken = _taken(taken, begun, back[:, None] & ~self._animated)
                by_hand = by_hand & ~back
        return taken


def _remembered(armature: bpy.types.Object) -> tuple[Channels, Channels] | None:
    """The starting pose and the solved pose that are stored on the armature; None if there are none."""
    rig, size = rig_of(armature), 4 * len(armature.pose.bones) * sum(CHANNEL_WIDTHS.values())
    begun, solved = rig.get(LIVE_START), rig.get(LIVE_POSE)
    if not isinstance(begun, bytes) or not isinstance(solved, bytes) or {len(begun), len(solved)} != {size}:
        return None
    return _unpacked(begun), _unpacked(solved)


def _packed(channels: Channels) -> bytes:
    """Channels as bytes to save: each channel of all bones after another."""
    return b"".join([channels[name].tobytes() for name in CHANNEL_WIDTHS])


def _unpacked(data: bytes) -> Channels:
    """Channels from what `_packed` gives."""
    numbers = np.frombuffer(data, dtype=np.float32)
    channels, start = np.empty(len(numbers) // sum(CHANNEL_WIDTHS.values()), AT_REST.dtype), 0
    for name, width in CHANNEL_WIDTHS.items():
        channels[name] = numbers[start : start + width * len(channels)].reshape(-1, width)
        start += width * len(channels)
    return channels


def _put(rig: Any, name: str, data: bytes) -> None:
    rig[name] = data  # if Blender refuses to write, what was stored stays
    if rig[name] != data:  # it truncates bytes at the first zero when they replace others
        del rig[name]
        rig[name] = data


def _taken(base: Channels, values: Channels, which: Flags) -> Channels:
    """`base` with some components (B, 17) of the values; the same object if nothing changes."""
    taken = np.where(which, components(values), components(base))
    return base if np.array_equal(taken, components(base)) else taken.view(base.dtype)[:, 0]
