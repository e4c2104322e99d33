# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves with few keys: piecewise cubics fitted to one value per frame by least squares.

Each key has a value and two slopes, before and after it. Between two keys the curve is the cubic with these.
With Bezier handles of a third of the gap this is a polynomial in time, which all versions of Blender evaluate
alike. Values and slopes are the least-squares fit to all frames. The two slopes of a key are equal, except at
corners, where the curve keeps the exact value. Many tracks are fitted at once, each with its own keys.
"""

from itertools import combinations_with_replacement
from typing import Final

import numpy as np

from .armature import Array, Flags, Indices

# Weight of the slopes of the fitted values, which keeps a curve near them between the frames. A quarter of it
# saves some keys of jagged motion, which then overshoots between the frames. Three times as much costs a
# fifth more keys.
_PULL: Final = 0.04


class Cubics:
    """Repeated fits of the same frames, each time with other keys.

    Args:
        times: (F,) increasing, at least three.
        given: (T, F, C) values of T tracks with C components.

    Attributes:
        values: (T, F, C) of the fitted curves.
        slopes: (T, F, 2, C) per unit of time, before and after each key; undefined in other frames.
    """

    def __init__(self, times: Array, given: Array) -> None:
        self._unit = float(times[-1] - times[0]) / (len(times) - 1)
        self._times = (times - times[0]) / self._unit
        self._given = given.copy()
        self._slopes = np.gradient(given, self._times, axis=1, edge_order=2)
        self.values = given.copy()
        self.slopes = np.repeat(self._slopes[:, :, None] / self._unit, 2, axis=2)

    def aim(self, tracks: Indices, given: Array) -> None:
        """Set other values (k, F, C) for later fits of some tracks."""
        self._given[tracks] = given
        self._slopes[tracks] = np.gradient(given, self._times, axis=1, edge_order=2)

    def fit(self, tracks: Indices, kept: Flags, corners: Flags) -> None:
        """Fit some tracks (k,) to keys.

        Args:
            tracks: their indices.
            kept: (k, F) frames with keys, the first and the last one among them, whose values are kept
                exactly.
            corners: (k, F) keys at which the curve may have a corner.
        """
        given = self._given[tracks]
        width = given.shape[-1]
        # Pieces extend from corner to corner. A corner is the last key of one and the first key of the next.
        times_kept = kept.astype(int) + (kept & corners)
        times_kept[:, [0, -1]] = 1
        track, frame = (np.repeat(each, times_kept[kept]) for each in np.nonzero(kept))
        first = np.flatnonzero((np.diff(track, prepend=-1) != 0) | (np.diff(frame, prepend=-1) == 0))
        last = np.append(first[1:], len(track)) - 1
        # Every frame belongs to the gap after the last key; the last frame belongs to the last gap.
        gap = np.cumsum(times_kept.ravel()) - 1
        gap[len(self._times) - 1 :: len(self._times)] -= 1
        begin, end = self._times[frame[gap]], self._times[frame[gap + 1]]
        times = np.tile(self._times, len(tracks))
        shapes = _shapes((times - begin) / (end - begin), end - begin)
        normal, wanted = np.zeros((len(frame), 4, 4)), np.zeros((len(frame), 4, width))
        starts = np.flatnonzero(np.diff(gap, prepend=-1))
        for i, j in combinations_with_replacement(range(4), 2):
            sums = np.add.reduceat(shapes[i] * shapes[j], starts)
            normal[gap[starts], i, j] = normal[gap[starts], j, i] = sums
        for component, column in enumerate(given.reshape(-1, width).T.copy()):
            wanted[gap[starts], :, component] = np.add.reduceat(shapes * column, starts, axis=1).T
        own = tracks[track]
        found = _solved(normal, wanted, self._given[own, frame], self._slopes[own, frame], first, last)
        both = np.concatenate([found[gap], found[gap + 1]], 1)
        self.values[tracks] = np.einsum("in,nic->nc", shapes, both).reshape(given.shape)
        slopes = np.zeros((*given.shape[:2], 2, width))
        ahead, back = np.ones(len(track), dtype=bool), np.ones(len(track), dtype=bool)
        ahead[last[:-1][np.diff(frame)[last[:-1]] == 0]] = False
        back[first[1:][np.diff(frame)[first[1:] - 1] == 0]] = False
        slopes[track[ahead], frame[ahead], 1] = found[ahead, 1] / self._unit
        slopes[track[back], frame[back], 0] = found[back, 1] / self._unit
        self.slopes[tracks] = slopes


def _solved(
    normal: Array, wanted: Array, values: Array, slopes: Array, first: Indices, last: Indices
) -> Array:
    """(N, 2, C) value and slope of each key, by block elimination along the keys of all pieces at once.

    Args:
        normal, wanted: (N, 4, 4) and (N, 4, C) sums over the gap after each key.
        values, slopes: (N, C) of the keys; values of first and last keys are given, slopes are preferred.
        first, last: (p,) keys of the pieces.
    """
    diagonal, right = normal[:, :2, :2].copy(), wanted[:, :2].copy()
    inner = np.ones(len(normal), dtype=bool)
    inner[first] = False
    before = np.flatnonzero(inner) - 1
    diagonal[inner] += normal[before, 2:, 2:]
    right[inner] += wanted[before, 2:]
    beside = normal[:, 2:, :2].copy()  # block that couples a key to the next one
    diagonal[:, 1, 1] += _PULL
    right[:, 1] += _PULL * slopes
    for ends in (first, last):
        right[ends, 1:] -= diagonal[ends, 1:, :1] * values[ends][:, None]
    right[first + 1] -= beside[first][:, :, :1] * values[first][:, None]
    right[last - 1] -= beside[last - 1][:, :1].swapaxes(-1, -2) * values[last][:, None]
    beside[first, :, 0], beside[last - 1, 0] = 0.0, 0.0
    for ends in (first, last):
        diagonal[ends, 0], diagonal[ends, 1, 0], right[ends, 0] = (1.0, 0.0), 0.0, values[ends]
    order = np.argsort(first - last, kind="stable")  # long pieces first
    first, counts = first[order], (last - first + 1)[order]
    left = [int(np.searchsorted(-counts, -step)) for step in range(int(counts[0]))]  # longer than step
    inverse = np.linalg.inv(diagonal)
    for step in range(1, int(counts[0])):
        at = first[: left[step]] + step
        up = beside[at - 1]
        factor = up @ inverse[at - 1]
        inverse[at] = np.linalg.inv(diagonal[at] - factor @ up.swapaxes(-1, -2))
        right[at] -= factor @ right[at - 1]
    out = inverse @ right
    down = inverse @ beside.swapaxes(-1, -2)
    for step in range(int(counts[0]) - 2, -1, -1):
        at = first[: left[step + 1]] + step
        out[at] -= down[at] @ out[at + 1]
    return np.asarray(out)


def _shapes(share: Array, length: Array) -> Array:
    """(4, N) basis functions of value and slope before and after a gap, at a share of the gap."""
    back = 1.0 - share
    return np.stack(
        [
            (1.0 + 2.0 * share) * back * back,
            length * share * back * back,
            share * share * (3.0 - 2.0 * share),
            -length * share * share * back,
        ]
    )
