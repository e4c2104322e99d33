# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys for baked curves: as many as it takes for the pose to stay within a margin of what was baked.

What counts is where the figure is, not how far a curve is off: a hip that turns by a degree moves the foot by
centimetres, a finger hardly anything. Every bone keeps keys of its own, all of its components on the same
frames. Keys are put back, one in each gap at a time, where they bring most to a point that is too far off.

Between two keys a curve is the cubic with the slopes that the baked curve has there. As Bezier handles of a
third of the gap it is a polynomial in time, so that every Blender plays the very curve that was measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ikmath import rotation

from .action import Curve
from .armature import Array, Bones, Channels, Flags, Indices
from .inheritance import column_lengths, forward, parent_transforms
from .rotation_channels import basis_matrices, channel_of, turn_matrices
from .skeleton import Figure

_SHARE: Final = 0.9  # of the margin, that a bone has to bring to get a key,
_LESS: Final = 0.8  # and how that falls when none does
_TIGHTER: Final = 0.8  # the margin's factor where the estimate let through what the pose does not
_ENDS: Final = 2  # keys, the first and the last one, that are needed in any case

Frame = tuple[Channels, npt.NDArray[np.floating[Any]]]
"""Channels of all bones, and the pose matrices (B, 4, 4) of those outside of the figure."""
Point = tuple[str, npt.ArrayLike]
"""A bone, and a point (3,) in its axes."""


def decimated(
    figure: Figure,
    curves: Sequence[Curve],
    frames: Sequence[Frame],
    margin: float,
    also: Iterable[Point] = (),
) -> tuple[Curve, ...]:
    """Leave out the keys that the figure does without.

    Args:
        figure: whose bones the curves move.
        curves: a value on every frame.
        frames: what was baked, frame by frame.
        margin: metres, how far a point of a bone may be off in any frame.
        also: points that have to stay as near, beside the ends of all bones and one aside of each.

    Returns:
        The same curves on fewer frames, with slopes.
    """
    if not curves or len(frames) <= _ENDS:
        return tuple(curves)
    thinner = _Decimation(figure, curves, frames, also)
    aim = margin
    thinner.settle(aim)
    while not thinner.full and thinner.exact_error() > margin:
        aim *= _TIGHTER
        thinner.settle(aim)
    return thinner.result()


@dataclass(frozen=True)
class _Track:
    """The curves of one bone.

    Attributes:
        number: of the bone; curves: numbers among all curves.
        values: (F, C) and slopes: (F, C) of the curves.
        below: (K,) numbers of the points that the bone moves.
        turn, place: (F, 3, 3) from the bone's own axes, and from its location, to armature space.
    """

    number: int
    curves: tuple[int, ...]
    values: Array
    slopes: Array
    below: Indices
    turn: Array
    place: Array


class _Decimation:
    """The keys that are kept, and how far that brings the figure off; lengths in metres."""

    def __init__(
        self, figure: Figure, curves: Sequence[Curve], frames: Sequence[Frame], also: Iterable[Point]
    ) -> None:
        self._figure, self._curves, self._frames = figure, curves, frames
        self._times, self._scale = curves[0].frames, figure.space.scale
        bones = figure.bones
        self._below = _below(figure)
        self._matrices = np.array([self._posed(*frame) for frame in frames])
        self._owner, self._local = _points(bones, also)
        self._places = self._placed(self._matrices)
        self._tracks = [*self._make_tracks(bones)]
        ends = np.zeros(len(frames), dtype=bool)
        ends[[0, -1]] = True
        self._kept: dict[int, Flags] = {track.number: ends.copy() for track in self._tracks}
        self._turned = np.zeros((len(self._tracks), len(frames), 3))
        self._slid = np.zeros((len(self._tracks), len(frames), 3))
        for row in range(len(self._tracks)):
            self._estimate(row)

    @property
    def full(self) -> bool:
        """Every key is kept."""
        return all(kept.all() for kept in self._kept.values())

    def settle(self, margin: float) -> None:
        """Put keys back until, to first order in how far the bones are off, all points are near enough."""
        share = _SHARE
        while not self.full:
            off = sum((self._brought(row) for row in range(len(self._tracks))), np.zeros_like(self._places))
            over = np.sqrt((off * off).sum(-1)) > margin
            if not over.any():
                return
            if not self._put_back(over, share * margin):
                share *= _LESS

    def exact_error(self) -> float:
        """How far the farthest point is off."""
        made = [self._interpolated(track) for track in self._tracks]
        matrices = []
        for row, (channels, matrix) in enumerate(self._frames):
            now = channels.copy()
            for track, values in zip(self._tracks, made, strict=True):
                for column, curve in enumerate(track.curves):
                    which = self._curves[curve]
                    getattr(now, which.channel)[track.number, which.index] = values[row, column]
            matrices.append(self._posed(now, matrix))
        off = self._placed(np.array(matrices)) - self._places
        return float(np.sqrt((off * off).sum(-1)).max())

    def result(self) -> tuple[Curve, ...]:
        """The curves on the frames that are kept."""
        found = list(self._curves)
        for track in self._tracks:
            kept = self._kept[track.number]
            for column, number in enumerate(track.curves):
                found[number] = replace(
                    found[number],
                    frames=self._times[kept],
                    values=track.values[kept, column],
                    slopes=track.slopes[kept, column],
                )
        return tuple(found)

    def _posed(self, channels: Channels, matrix: npt.NDArray[np.floating[Any]]) -> Array:
        """Pose matrices (B, 4, 4) that channels make, as Blender would without constraints."""
        bones, which = self._figure.bones, self._below
        basis = np.zeros((len(bones), 4, 4))
        basis[which] = basis_matrices(bones, channels, which)
        return forward(bones, basis, matrix=matrix, which=which)

    def _placed(self, matrices: Array) -> Array:
        """(F, P, 3) the points, metres."""
        own = matrices[:, self._owner]
        places: Array = own[..., :3, 3] + (own[..., :3, :3] @ self._local[..., None])[..., 0]
        return places * self._scale

    def _make_tracks(self, bones: Bones) -> Iterable[_Track]:
        by_bone: dict[str, list[int]] = {}
        for number, curve in enumerate(self._curves):
            by_bone.setdefault(curve.bone, []).append(number)
        above = [set(bones.ancestors(name)) for name in bones.names]
        for name, numbers in by_bone.items():
            number = bones.number(name)
            values = np.stack([self._curves[i].values for i in numbers], -1)
            slopes = np.gradient(values, self._times, axis=0, edge_order=2)
            below = np.flatnonzero([number in above[owner] for owner in self._owner.tolist()])
            parent = int(bones.parents[number])
            each = np.full(len(self._frames), number)
            turn, place, _ = parent_transforms(bones, each, self._matrices[:, parent])
            axes = turn[:, :3, :3] / column_lengths(turn[:, :3, :3])[:, None]
            ways = place[:, :3, :3] * self._scale
            yield _Track(number, tuple(numbers), values, slopes, below, axes, ways)

    def _interpolated(self, track: _Track) -> Array:
        """(F, C) what Blender makes of the keys that are kept."""
        rows = np.flatnonzero(self._kept[track.number])
        times = self._times
        gap = np.clip(np.searchsorted(rows, np.arange(len(times)), side="right") - 1, 0, len(rows) - 2)
        start, end = rows[gap], rows[gap + 1]
        length = times[end] - times[start]
        return _cubic(
            ((times - times[start]) / length)[:, None],
            (track.values[start], track.values[end]),
            (track.slopes[start] * length[:, None], track.slopes[end] * length[:, None]),
        )

    def _estimate(self, row: int) -> None:
        """How a bone is turned (radians) and moved apart from what was baked, in armature space."""
        track, bones = self._tracks[row], self._figure.bones
        values, mode = self._interpolated(track), bones.rotation_mode[track.number]
        channel = channel_of(mode)
        before = np.array([getattr(channels, channel)[track.number] for channels, _ in self._frames])
        after, moved = before.astype(float), np.zeros((len(self._frames), 3))
        for column, number in enumerate(track.curves):
            curve = self._curves[number]
            if curve.channel == channel:
                after[:, curve.index] = values[:, column]
            elif curve.channel == "location":
                moved[:, curve.index] = values[:, column] - track.values[:, column]
        then, now = turn_matrices(before.astype(float), mode), turn_matrices(after, mode)
        own = rotation.log(now @ np.swapaxes(then, -1, -2))
        self._turned[row] = (track.turn @ own[..., None])[..., 0]
        self._slid[row] = (track.place @ moved[..., None])[..., 0]

    def _brought(self, row: int) -> Array:
        """(F, P, 3) by how much a bone brings the points off."""
        track, off = self._tracks[row], np.zeros_like(self._places)
        head = self._matrices[:, track.number, None, :3, 3] * self._scale
        arms = self._places[:, track.below] - head
        off[:, track.below] = np.cross(self._turned[row][:, None], arms) + self._slid[row][:, None]
        return off

    def _put_back(self, over: Flags, least: float) -> bool:
        """Keep one more key in each gap of the bones that bring points too far off; whether there was one."""
        found = False
        for row, track in enumerate(self._tracks):
            bad = over[:, track.below]
            if not bad.any():
                continue
            share = self._brought(row)[:, track.below]
            share = np.where(bad, np.sqrt((share * share).sum(-1)), 0.0).max(-1)
            kept = self._kept[track.number]
            more = [
                a + 1 + int(share[a + 1 : b].argmax())
                for a, b in pairwise(np.flatnonzero(kept).tolist())
                if b > a + 1
            ]
            more = [frame for frame in more if share[frame] > least]
            if more:
                kept[more], found = True, True
                self._estimate(row)
        return found


def _below(figure: Figure) -> Indices:
    """Numbers of the bones of a figure and of all that hang from them."""
    bones, moved = figure.bones, np.zeros(len(figure.bones), dtype=bool)
    moved[figure.plan.moving] = True
    for level in bones.levels[1:]:
        moved[level] |= moved[bones.parents[level]]
    return np.flatnonzero(moved)


def _points(bones: Bones, also: Iterable[Point]) -> tuple[Indices, Array]:
    """Numbers of bones (P,) and points in their axes (P, 3): both ends, one aside, and some more."""
    owner = [np.repeat(np.arange(len(bones)), 3)]
    own = np.zeros((len(bones), 3, 3))
    own[:, 1, 1] = own[:, 2, 0] = bones.length
    local = [own.reshape(-1, 3)]
    for name, point in also:
        owner.append(np.array([bones.number(name)]))
        local.append(np.asarray(point, dtype=float)[None])
    return np.concatenate(owner), np.concatenate(local)


def _cubic(share: Array, values: tuple[Array, Array], slopes: tuple[Array, Array]) -> Array:
    """The cubic between two values with slopes at both, at a share of the way."""
    s, (a, b), (u, v) = share, values, slopes
    back = 1.0 - s
    return (
        a * (1.0 + 2.0 * s) * back * back
        + b * s * s * (3.0 - 2.0 * s)
        + u * s * back * back
        - v * s * s * back
    )
