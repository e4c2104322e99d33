# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys for baked and recorded curves: as many as the pose needs to stay within a margin.

Each bone has its own keys, with all components on the same frames: a quaternion whose components are keyed on
different frames is wrong between them. If a point is too far off, the gaps that contribute most are halved,
or split at their sharpest corner, until no point is too far off.

Points that an effector holds have a smaller margin while they stand still. First all bones are fitted without
this. Then the limbs that hold something are turned so that it stays in place, and get keys for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from .armature import Array, Bones, Indices, PoseState
from .baked import Curve
from .cubics import Cubics
from .displacement import Displacement, Point
from .space import Space

_SHARE: Final = 4.0  # times what is allowed, that a gap has to bring to be parted,
_LESS: Final = 0.8  # how that falls when none does,
_LEAST: Final = 0.05  # and how far; then those are parted that bring most
_ENDS: Final = 2  # keys, the first and the last one, that are needed in any case
_SHARP: Final = 4.0  # times as much as in the frames beside it a curve bends at a corner,
_PLAIN: Final = 0.02  # and by so much of the way that it makes in all


def decimated(
    bones: Bones,
    spaces: Sequence[Space],
    curves: Sequence[Curve],
    states: Sequence[PoseState],
    margin: float,
    also: Sequence[Point] = (),
    *,
    rate: float = 24.0,
) -> tuple[Curve, ...]:
    """Leave out the keys that the figure does not need.

    Args:
        bones: those that the curves move.
        spaces: where the armature is in these frames.
        curves: a value on every frame, all on the same frames.
        states: how the armature is animated in these frames; the curves are put in.
        margin: metres, how far a point of a bone may be off in any frame.
        also: points that have to stay as near, beside the ends of all bones and two aside of each. While they
            stand still in the world, they move by less than 0.01 m/s.
        rate: frames of the curves in a second.

    Returns:
        The same curves on fewer frames, with slopes.
    """
    if not curves or len(states) <= _ENDS:
        return tuple(curves)
    scales = [curve for curve in curves if curve.channel == "scale"]
    if scales:
        states = _scaled(bones, states, scales)
        curves = [curve for curve in curves if curve.channel != "scale"]
        scales = [_without_plateaus(curve) for curve in scales]
    if not curves:
        return tuple(scales)
    figure = Displacement(bones, spaces, curves, states, margin, also, rate)
    keys = _Keys(figure, curves[0].frames)
    keys.settle()
    figure.hold_still()
    keys.steady()
    keys.settle()
    while not keys.full and not figure.holds(keys.values):
        keys.settle()
    return (*keys.chosen(curves), *scales)


def _scaled(bones: Bones, states: Sequence[PoseState], scales: Sequence[Curve]) -> list[PoseState]:
    """The same frames with the scales that curves have."""
    found = []
    for row, state in enumerate(states):
        channels = state.channels.copy(("scale",))
        for curve in scales:
            channels.scale[bones.number(curve.bone), curve.index] = curve.values[row]
        found.append(replace(state, channels=channels))
    return found


def _without_plateaus(curve: Curve) -> Curve:
    """A curve without the keys inside of runs of one value; lengths are not fitted, so all others stay."""
    changes = np.diff(curve.values) != 0.0
    kept = np.concatenate([[True], changes[:-1] | changes[1:], [True]])
    return replace(curve, frames=curve.frames[kept], values=curve.values[kept])


class _Keys:
    """The keys that are kept of T tracks over F frames, and the curves through them."""

    def __init__(self, figure: Displacement, times: Array) -> None:
        self._figure, self._times = figure, times
        self._cubics = Cubics(times, figure.given)
        self._corners = _corners(figure.given * figure.keyed[:, None])
        self._kept = np.zeros(figure.given.shape[:2], dtype=bool)
        self._kept[:, [0, -1]] = True
        self.values = figure.given.copy()
        self._fit(np.arange(len(self._kept)))

    @property
    def full(self) -> bool:
        """Every key is kept."""
        return bool(self._kept.all())

    def settle(self) -> None:
        """Part gaps until, to first order in how far the bones are off, all points are near enough."""
        share = _SHARE
        while not self.full:
            brought, over = self._figure.brought()
            if not over.any():
                return
            track, begin, end, score = self._gaps(np.where(over, brought, 0.0))
            if score.max() <= 0.0:  # no gap contributes most
                score = over.any(1)[track].astype(float)
            while share > _LEAST and not (score > share).any():
                share *= _LESS
            parted = np.flatnonzero(score >= min(share, score.max()))
            for row in parted:
                self._part(track[row], begin[row], end[row])
            fitted = np.unique(track[parted])
            self._fit(fitted)
            if not self._figure.in_limb[fitted].all():
                self.steady()

    def steady(self) -> None:
        """Let the limbs that hold something make up for what the other bones are off."""
        limbs = np.flatnonzero(self._figure.in_limb)
        if limbs.size:
            self._cubics.aim(limbs, self._figure.steadied(limbs))
            self._fit(limbs)

    def chosen(self, curves: Iterable[Curve]) -> tuple[Curve, ...]:
        """The curves on the frames that are kept."""
        found = []
        for curve in curves:
            track, slot = self._figure.slots(curve)
            kept = self._kept[track]
            values, slopes = self.values[track, kept, slot], self._cubics.slopes[track, kept, :, slot]
            found.append(replace(curve, frames=self._times[kept], values=values, slopes=slopes))
        return tuple(found)

    def _fit(self, tracks: Indices) -> None:
        self._cubics.fit(tracks, self._kept[tracks], self._corners[tracks] > 0.0)
        keyed = self._figure.keyed[tracks, None]
        self.values[tracks] = np.where(keyed, self._cubics.values[tracks], self._figure.given[tracks])
        self._figure.note(tracks, self.values[tracks])

    def _gaps(self, amount: Array) -> tuple[Indices, Indices, Indices, Array]:
        """Track, first and last frame of each gap with frames in it, and the largest amount there."""
        track, frame = np.nonzero(self._kept)
        largest = np.maximum.reduceat(amount.ravel(), np.flatnonzero(self._kept))
        room = np.flatnonzero((np.diff(track) == 0) & (np.diff(frame) > 1))
        score = np.maximum(largest[room], amount[track[room + 1], frame[room + 1]])
        return track[room], frame[room], frame[room + 1], score

    def _part(self, track: int, begin: int, end: int) -> None:
        """One more key in a gap: at the sharpest corner, else in the middle."""
        corners = self._corners[track, begin + 1 : end]
        at = int(corners.argmax()) + 1 if corners.any() else (end - begin) // 2
        self._kept[track, begin + at] = True


def _corners(values: Array) -> Array:
    """(T, F) by how much the slope of tracks (T, F, C) jumps at corners; zero where there is none."""
    bends = np.zeros(values.shape[:2])
    bends[:, 1:-1] = np.sqrt((np.diff(values, 2, axis=1) ** 2).sum(-1))
    beside = np.zeros_like(bends)
    beside[:, 1:-1] = np.maximum(bends[:, :-2], bends[:, 2:])
    way = np.ptp(values, axis=1).max(-1, keepdims=True)
    return np.where(bends > np.maximum(_SHARP * beside, _PLAIN * way), bends, 0.0)
