# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes keys of baked and recorded curves, as long as the pose stays within an error margin.

Each bone has its own keys, with all components on the same frames, because the components of a quaternion
depend on each other. While a point exceeds the margin, the gaps that contribute most are split in the middle
or at their sharpest corner.

Points of effectors have a smaller margin while they stand still. First all bones are fitted without this
margin. Then the limbs with such points are turned to keep these in place, and get further keys.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from .armature import Array, Bones, Indices, PoseState
from .cubics import Cubics
from .curves import Curve
from .displacement import Displacement, Point
from .space import Space

_SHARE: Final = 4.0  # contribution from which on a gap is split, as a factor of the allowed error
_LESS: Final = 0.8  # factor by which that falls if no gap contributes so much
_LEAST: Final = 0.05  # lower bound of it; then the gaps with the largest contribution are split
_ENDS: Final = 2  # the first and the last key, which are always kept
_SHARP: Final = 4.0  # a corner bends this many times as much as the neighbouring frames
_PLAIN: Final = 0.02  # and at least by this share of the track's range


def decimated(
    bones: Bones,
    spaces: Sequence[Space],
    curves: Sequence[Curve],
    states: Sequence[PoseState],
    margin: float,
    also: Sequence[Point],
    *,
    rate: float,
) -> tuple[Curve, ...]:
    """Remove the keys that the figure does not need.

    Args:
        bones, spaces: of the armature, the spaces in these frames.
        curves: with a value in every frame, all on the same frames.
        states: animated poses in these frames; the curves replace their values.
        margin: metres, largest error of any point of a bone in any frame.
        also: further points that must stay within the margin. While they stand still in the world, they move
            by less than 0.01 m/s. The ends of each bone, and two points beside it, are always included.
        rate: frames per second.

    Returns:
        The same curves with fewer keys, with slopes.
    """
    if not curves or len(states) <= _ENDS:
        return tuple(curves)
    scales = [curve for curve in curves if curve.channel == "scale"]
    fitted = [curve for curve in curves if curve.channel != "scale"]
    lengths = [_without_plateaus(curve) for curve in scales]
    if not fitted:
        return tuple(lengths)
    figure = Displacement(bones, spaces, fitted, states, margin, also, rate, scales)
    keys = _Keys(figure, fitted[0].frames)
    keys.settle()
    figure.hold_still()
    keys.steady()
    keys.settle()
    while not keys.full and not figure.holds(keys.values):
        keys.settle()
    return (*keys.chosen(fitted), *lengths)


def _without_plateaus(curve: Curve) -> Curve:
    """A curve without the keys inside runs of equal values.

    All other keys stay, because lengths are not fitted.
    """
    changes = np.diff(curve.values) != 0.0
    kept = np.concatenate([[True], changes[:-1] | changes[1:], [True]])
    return replace(curve, frames=curve.frames[kept], values=curve.values[kept])


class _Keys:
    """The kept keys of T tracks over F frames, and the curves through them."""

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
        return bool(self._kept.all())

    def settle(self) -> None:
        """Split gaps until all points are within their margins, by a first-order estimate."""
        share = _SHARE
        while not self.full:
            brought, over = self._figure.brought()
            if not over.any():
                return
            track, begin, end, score = self._gaps(np.where(over, brought, 0.0))
            if score.max() <= 0.0:  # the errors of several gaps add up
                score = over.any(1)[track].astype(float)
            while share > _LEAST and not (score > share).any():
                share *= _LESS
            parted = np.flatnonzero(score >= min(share, score.max()))
            for row in parted:  # a key at the sharpest corner, else in the middle
                corners = self._corners[track[row], begin[row] + 1 : end[row]]
                at = int(corners.argmax()) + 1 if corners.any() else (end[row] - begin[row]) // 2
                self._kept[track[row], begin[row] + at] = True
            fitted = np.unique(track[parted])
            self._fit(fitted)
            if not self._figure.in_limb[fitted].all():
                self.steady()

    def steady(self) -> None:
        """Let the limbs with held points compensate the errors of the other bones."""
        limbs = np.flatnonzero(self._figure.in_limb)
        if limbs.size:
            self._cubics.aim(limbs, self._figure.steadied(limbs))
            self._fit(limbs)

    def chosen(self, curves: Iterable[Curve]) -> tuple[Curve, ...]:
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
        """Track, first and last frame of each gap that contains frames, and the largest amount there."""
        track, frame = np.nonzero(self._kept)
        largest = np.maximum.reduceat(amount.ravel(), np.flatnonzero(self._kept))
        room = np.flatnonzero((np.diff(track) == 0) & (np.diff(frame) > 1))
        score = np.maximum(largest[room], amount[track[room + 1], frame[room + 1]])
        return track[room], frame[room], frame[room + 1], score


def _corners(values: Array) -> Array:
    """(T, F) change of slope of tracks (T, F, C) at corners; zero elsewhere."""
    bends = np.zeros(values.shape[:2])
    bends[:, 1:-1] = np.sqrt((np.diff(values, 2, axis=1) ** 2).sum(-1))
    beside = np.zeros_like(bends)
    beside[:, 1:-1] = np.maximum(bends[:, :-2], bends[:, 2:])
    way = np.ptp(values, axis=1).max(-1, keepdims=True)
    return np.where(bends > np.maximum(_SHARP * beside, _PLAIN * way), bends, 0.0)
