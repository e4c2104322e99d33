# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of a figure in each frame that result from errors of its bones' curves.

The error is measured on the figure, not on the curve: a degree at the hip moves the foot by centimetres, a
degree at a finger moves hardly anything. Points that stand still in the world have a smaller margin, because
trembling is visible. The estimate is first-order: every bone turns and moves its descendants. At the end the
pose is computed with Blender's own formulas.
"""

from collections.abc import Iterable, Sequence, Set
from typing import Final

import numpy as np
import numpy.typing as npt

from ikmath import rotation

from .armature import CHANNEL_WIDTHS, Array, Bones, Flags, Indices, PoseState, channel_records
from .curves import Curve
from .inheritance import column_lengths, forward, parent_transforms
from .rotation_channels import basis_matrices, by_mode, channel_of, turn_matrices
from .space import Space, applied, transposed

Point = tuple[str, npt.ArrayLike]
"""A bone, and a point (3,) in its axes."""

_LOCATION: Final = 3  # components of a track before those of its rotation
_WIDTH: Final = _LOCATION + 4
_STILL: Final = 0.002  # m/s; slower points stand still
_TREMBLE: Final = 0.0098  # m/s, maximum motion of a still point after decimation,
_FLAT: Final = 0.0005  # metres, and its maximum error
_STEP: Final = 1e-4  # of a channel, for derivatives
_ROUNDING: Final = 1e-6  # share of the figure's size, precision of Blender's poses in single precision
_TIGHTER: Final = 0.95  # factor of the limits after the estimate missed an error
# Among points that are rigid with a bone, the outermost ones bound the error of all others.
_WAYS_OUT: Final = np.array([way for way in np.ndindex(3, 3, 3) if way > (1, 1, 1)]) - 1.0
_DAMPING: Final = 0.1  # metres per unit of a channel; keeps straight limbs from turning far for little effect


class HeldLimb:
    """A chain of k tracks with m still points that only this chain carries, over F frames.

    A leg with a planted foot can compensate an error of the hips of a few millimetres. So the hips need only
    as many keys as the margin requires. The compensation is first-order, by damped least squares.

    Args:
        tracks: (k,) of the chain; points: (m,) indices of the points.
        jacobian: (F, 3 m, C k) derivative of the points by the C channels of each track.
    """

    def __init__(self, tracks: Indices, points: Indices, jacobian: Array) -> None:
        self.tracks, self.points = tracks, points
        across = jacobian.swapaxes(1, 2)
        square = jacobian @ across
        one = np.eye(square.shape[1])
        self._response = -across @ np.linalg.inv(square + _DAMPING**2 * one)
        self._left = one + jacobian @ self._response  # the errors that remain

    def change(self, off: Array) -> Array:
        """(k, F, C) changes of the channels that compensate errors (3, m, F) of the points."""
        flat = off.transpose(2, 1, 0).reshape(len(self._left), -1, 1)
        return (self._response @ flat).reshape(len(flat), len(self.tracks), -1).swapaxes(0, 1)

    def remains(self, off: Array) -> Array:
        """(b, 3, m, F) the parts of errors (b, 3, m, F) that the limb cannot compensate."""
        flat = off.transpose(0, 3, 2, 1).reshape(len(off), len(self._left), -1, 1)
        return (self._left @ flat).reshape(*flat.shape[:2], -1, 3).transpose(0, 3, 2, 1)


class Displacement:
    """A figure with T bones that have curves, parents first, over F frames; lengths in metres.

    Args:
        curves: of locations and rotations; scales: of scales. For the others, see `decimation.decimated`.

    Attributes:
        given: (T, F, 7) location and rotation of these bones from the curves; keyed: (T, 7) components with a
            curve.
        in_limb: (T,) bones of limbs with held points; none before `hold_still`.
    """

    def __init__(
        self,
        bones: Bones,
        spaces: Sequence[Space],
        curves: Sequence[Curve],
        states: Sequence[PoseState],
        margin: float,
        also: Sequence[Point],
        rate: float,
        scales: Iterable[Curve] = (),
    ) -> None:
        self._bones, self._scale = bones, spaces[0].scale
        moved = {bones.number(curve.bone) for curve in curves}
        self._numbers = np.array([i for level in bones.levels for i in level.tolist() if i in moved])
        self._track = bones.nearest(self._numbers)
        self._below = np.flatnonzero(self._track >= 0)
        self._others = np.array([state.matrix for state in states], dtype=float)
        self._channels = np.array([state.channels for state in states]).astype(channel_records(float))
        for curve in scales:
            self._channels["scale"][:, bones.number(curve.bone), curve.index] = curve.values
        self._modes = bones.rotation_mode[self._numbers]
        self.given, self.keyed = self._columns(curves)
        pose = self._posed(self.given)
        self._owner, self._local = self._points(also)
        self._all_places = self._placed(pose)
        self._rounding = _ROUNDING * float(np.ptp(self._all_places[:, :, 0], axis=1).max())
        self._margin = max(margin, self._rounding)
        seconds = np.diff(curves[0].frames) / rate
        held = {(bones.number(name), *np.asarray(point, dtype=float).tolist()) for name, point in also}
        self._still, way = self._standing(spaces, held, _STILL * seconds + self._rounding)
        self._paces = np.maximum(_TREMBLE * seconds - way, self._rounding)
        self._outer = which = self._outermost()
        self._hanging, self._places = self._track[self._owner][which], self._all_places[:, which]
        self._resting = np.zeros_like(self._still[which])
        self._share = np.ones((len(self._numbers), len(states)))
        parents = bones.parents[self._numbers]
        self._up = np.where(parents >= 0, self._track[parents], -1)
        self._first = np.flatnonzero(np.diff(self._hanging, prepend=-1))
        self._heads = pose[:, self._numbers, :3].transpose(1, 2, 3, 0)[:, :, 3] * self._scale
        self._axes, self._ways = self._frames(pose, parents)
        self._turns = self._matrices(np.arange(len(self._numbers)), self.given)
        self._turned, self._slid, self._aimed = np.zeros((3, *self._heads.shape))
        self._limbs: list[HeldLimb] = []
        self.in_limb = np.zeros(len(self._numbers), dtype=bool)

    def slots(self, curve: Curve) -> tuple[int, int]:
        """Track of a curve, and its component in the track."""
        number = self._bones.number(curve.bone)
        start = 0 if curve.channel == "location" else _LOCATION
        return int(self._track[number]), start + curve.index

    def note(self, tracks: Indices, values: Array) -> None:
        """Set other values (k, F, 7) of some tracks."""
        moved = values[..., :_LOCATION] - self.given[tracks][..., :_LOCATION]
        self._turned[tracks] = self._world_turns(tracks, values)
        self._slid[tracks] = applied(self._ways[tracks], moved).swapaxes(1, 2)

    def hold_still(self) -> None:
        """Apply the smaller margin to still points from now on, and let their limbs compensate errors."""
        self._resting = self._still[self._outer]
        held = np.flatnonzero(self._resting.any(1))
        for tracks, points in _chains(self._up, self._hanging, held, self.keyed[:, _LOCATION:].any(1)):
            self._limbs.append(HeldLimb(tracks, points, self._jacobian(tracks, points)))
            self.in_limb[tracks] = True

    def steadied(self, tracks: Indices) -> Array:
        """(k, F, 7) values for the fit of the limbs, which compensate the errors of the other bones."""
        values = self.given.copy()
        for limb in self._limbs:
            off = self._off(limb.points, ~self.in_limb)
            values[limb.tracks, :, _LOCATION:] += limb.change(off)
        self._aimed[tracks] = self._world_turns(tracks, values[tracks])
        return values[tracks]

    def brought(self) -> tuple[Array, Flags]:
        """The contribution of each bone to the errors, to first order, as shares of the allowed errors.

        Returns:
            (T, F) reduction of the largest error among a bone's descendants if the bone had no error; and
                whether that error exceeds its limit.
        """
        off = self._off(np.arange(len(self._hanging)))
        limits = self._share[self._hanging] * self._allowed(off, self._resting, self._paces[self._outer])
        off /= limits
        square = np.einsum("ipf,ipf->pf", off, off)
        worst, which = self._worst(square)
        columns = np.arange(worst.shape[1])
        arms = self._places[:, which, columns].swapaxes(0, 1) - self._heads
        own = np.cross(self._turned - self._aimed, arms, axis=1) + self._slid
        for limb in self._limbs:
            self._compensate(own, limb, which)
        along = np.einsum("tif,itf->tf", own, off[:, which, columns]) / limits[which, columns]
        length = np.sqrt(worst)
        return along / np.maximum(length, np.finfo(float).tiny), length > 1.0

    def holds(self, values: Array) -> bool:
        """Whether all points are within their limits with values (T, F, 7) on all tracks.

        If one is not, the limits of the estimate are tightened.
        """
        off = self._placed(self._posed(values)) - self._all_places
        share = np.sqrt((off * off).sum(0)) / self._allowed(off, self._still, self._paces)
        if share.max(initial=0.0) <= 1.0:
            return True
        worst = np.zeros_like(self._share)
        np.maximum.at(worst, self._track[self._owner], share)
        self._share *= np.where(worst > 1.0, _TIGHTER / np.maximum(worst, 1.0), 1.0)
        return False

    def _off(self, points: Indices, tracks: Flags | None = None) -> Array:
        """(3, k, F) first-order errors of points, optionally from some tracks only."""
        turned, moved = self._turned.copy(), self._slid - np.cross(self._turned, self._heads, axis=1)
        if tracks is not None:
            turned[~tracks] = moved[~tracks] = 0.0
        for row, above in enumerate(self._up.tolist()):
            if above >= 0:
                turned[row] += turned[above]
                moved[row] += moved[above]
        by = self._hanging[points]
        return np.cross(turned[by].swapaxes(0, 1), self._places[:, points], axis=0) + moved[by].swapaxes(0, 1)

    def _compensate(self, own: Array, limb: HeldLimb, which: Indices) -> None:
        """Reduce contributions `own` (T, 3, F) of other bones at a limb to what it cannot compensate.

        `which` (T, F) is the considered point of each bone.
        """
        mine = np.isin(which, limb.points) & ~self.in_limb[:, None]
        rows = np.flatnonzero(mine.any(1))
        if not rows.size:
            return
        arms = self._places[:, limb.points] - self._heads[rows][:, :, None]
        off = np.cross(self._turned[rows][:, :, None], arms, axis=1) + self._slid[rows][:, :, None]
        remains = limb.remains(off)
        column = np.where(mine[rows], np.searchsorted(limb.points, which[rows]), 0)
        chosen = np.take_along_axis(remains, column[:, None, None], 2)[:, :, 0]
        own[rows] = np.where(mine[rows][:, None], chosen, own[rows])

    def _jacobian(self, tracks: Indices, points: Indices) -> Array:
        """(F, 3 m, 4 k) derivatives of m points by the rotation channels of k tracks, metres per unit."""
        out = np.zeros((len(self._others), len(points), 3, len(tracks), _WIDTH - _LOCATION))
        arms = self._places[:, points][None] - self._heads[tracks][:, :, None]
        hangs = tracks[:, None] <= self._hanging[points]  # parents are first
        for column in range(_WIDTH - _LOCATION):
            values = self.given[tracks]
            values[..., _LOCATION + column] += _STEP * self.keyed[tracks, _LOCATION + column, None]
            turns = self._world_turns(tracks, values) / _STEP
            moved = np.cross(turns[:, :, None], arms, axis=1) * hangs[:, None, :, None]
            out[..., column] = moved.transpose(3, 2, 1, 0)
        return out.reshape(len(out), 3 * len(points), -1)

    def _world_turns(self, tracks: Indices, values: Array) -> Array:
        """(k, 3, F) rotation vectors from the given values of tracks to others (k, F, 7), armature space."""
        own = rotation.log(self._matrices(tracks, values) @ transposed(self._turns[tracks]))
        return applied(self._axes[tracks], own).swapaxes(1, 2)

    def _allowed(self, off: Array, still: Flags, paces: Array) -> Array:
        """(P, F) allowed errors of points, metres.

        It is smaller where errors `off` (3, P, F) of still points change too quickly, compared with `paces`
        (P, F - 1).
        """
        length, way = (np.sqrt((each * each).sum(0)) for each in (off, np.diff(off)))
        hurry = np.where(still[:, 1:] & still[:, :-1], way / paces, 0.0)
        hurry = np.maximum(np.pad(hurry, ((0, 0), (0, 1))), np.pad(hurry, ((0, 0), (1, 0))))
        # An error of half a pace that changes its sign in each frame is never too quick.
        ahead, back = (np.pad(paces, ((0, 0), ends), constant_values=np.inf) for ends in ((0, 1), (1, 0)))
        half = 0.5 * np.minimum(ahead, back)
        least = np.maximum(length, np.finfo(float).tiny)  # shares above 1 are clipped in any case
        calm = np.clip(length / np.maximum(hurry, least), np.minimum(half, _FLAT), _FLAT)
        return np.where(still, np.clip(calm, self._rounding, self._margin), self._margin)

    def _standing(
        self, spaces: Sequence[Space], held: Set[tuple[float, ...]], least: Array
    ) -> tuple[Flags, Array]:
        """(P, F) whether held points stand still in the world, and (P, F - 1) their motion then, metres.

        A held point is a bone's index and a point in its axes. It does not stand still from `least` (F - 1,)
        on.
        """
        still = np.zeros(self._all_places.shape[1:], dtype=bool)
        points = zip(self._owner.tolist(), self._local.tolist(), strict=True)
        rows = np.flatnonzero([(owner, *local) in held for owner, local in points])
        moves = np.zeros((len(still), len(least)))
        if not rows.size:
            return still, moves
        turn, shift = np.array([s.rotation for s in spaces]), np.array([s.translation for s in spaces])
        world = np.einsum("fij,jpf->ipf", turn, self._all_places[:, rows]) + shift.T[:, None]
        way = np.sqrt((np.diff(world) ** 2).sum(0))
        slow = way < least
        moves[rows] = np.where(slow, way, 0.0)
        still[rows, :-1] |= slow
        still[rows, 1:] |= slow
        return still, moves

    def _worst(self, square: Array) -> tuple[Array, Indices]:
        """(T, F) the largest value among the points of a bone and its descendants, and the point with it."""
        worst, which = np.full(self._heads.shape[::2], -1.0), np.zeros(self._heads.shape[::2], dtype=np.intp)
        ends = np.append(self._first[1:], len(square))
        for start, end in zip(self._first.tolist(), ends.tolist(), strict=True):
            row = self._hanging[start]
            which[row], worst[row] = start + square[start:end].argmax(0), square[start:end].max(0)
        for row in range(len(self._up) - 1, -1, -1):
            above = self._up[row]
            if above >= 0:
                farther = worst[row] > worst[above]
                worst[above][farther], which[above][farther] = worst[row][farther], which[row][farther]
        return worst, which

    def _columns(self, curves: Sequence[Curve]) -> tuple[Array, Flags]:
        given = np.zeros((len(self._numbers), len(self._others), _WIDTH))
        given[..., :_LOCATION] = self._channels["location"][:, self._numbers].swapaxes(0, 1)
        for mode, rows in by_mode(self._modes):
            turn = self._channels[channel_of(mode)][:, self._numbers[rows]].swapaxes(0, 1)
            given[rows, :, _LOCATION : _LOCATION + turn.shape[-1]] = turn
        keyed = np.zeros((len(self._numbers), _WIDTH), dtype=bool)
        for curve in curves:
            row, slot = self.slots(curve)
            given[row, :, slot], keyed[row, slot] = curve.values, True
        return given, keyed

    def _matrices(self, tracks: Indices, values: Array) -> Array:
        """(k, F, 3, 3) rotation matrices of values (k, F, 7) of some tracks."""
        out = np.empty((*values.shape[:2], 3, 3))
        for mode, rows in by_mode(self._modes[tracks]):
            width = CHANNEL_WIDTHS[channel_of(mode)]
            out[rows] = turn_matrices(values[rows, :, _LOCATION : _LOCATION + width], mode)
        return out

    def _posed(self, values: Array) -> Array:
        """(F, B, 4, 4) pose matrices, as Blender would compute them without constraints."""
        channels = self._channels.copy()
        channels["location"][:, self._numbers] = values[..., :_LOCATION].swapaxes(0, 1)
        for mode, rows in by_mode(self._modes):
            turn = values[rows, :, _LOCATION : _LOCATION + CHANNEL_WIDTHS[channel_of(mode)]]
            channels[channel_of(mode)][:, self._numbers[rows]] = turn.swapaxes(0, 1)
        basis = np.zeros_like(self._others)
        basis[:, self._below] = basis_matrices(self._bones, channels, self._below)
        return forward(self._bones, basis, self._others, self._below)

    def _points(self, also: Iterable[Point]) -> tuple[Indices, Array]:
        """Bone indices (P,) and points in their axes (P, 3), sorted by track."""
        owner = [np.repeat(self._below, 4)]
        own = np.zeros((len(self._below), 4, 3))
        own[:, 1:] = np.eye(3) * self._bones.length[self._below, None, None]
        local = [own.reshape(-1, 3)]
        for name, point in also:
            number = self._bones.number(name)
            if self._track[number] >= 0:
                owner.append(np.array([number]))
                local.append(np.asarray(point, dtype=float)[None])
        owners = np.concatenate(owner)
        order = np.argsort(self._track[owners], kind="stable")
        return owners[order], np.concatenate(local)[order]

    def _outermost(self) -> Indices:
        """Indices of the outermost points, which bound the error of all, and of the still points."""
        by = self._track[self._owner]
        out = _WAYS_OUT @ self._all_places[:, :, 0]
        found = set(np.flatnonzero(self._still.any(1)).tolist())
        for track in range(len(self._numbers)):
            rows = np.flatnonzero(by == track)
            found.update(rows[out[:, rows].argmax(1)].tolist(), rows[out[:, rows].argmin(1)].tolist())
        return np.array(sorted(found))

    def _placed(self, pose: Array) -> Array:
        """(3, P, F) positions of the points."""
        own = pose[:, self._owner, :3]
        places = own[..., 3] + applied(own[..., :3], self._local)
        return np.ascontiguousarray(places.transpose(2, 1, 0)) * self._scale

    def _frames(self, pose: Array, parents: Indices) -> tuple[Array, Array]:
        """(T, F, 3, 3) matrices from a bone's axes, and from its location to metres, to armature space."""
        turn, place, _ = parent_transforms(self._bones, self._numbers, pose[:, parents])
        axes = turn[..., :3, :3] / column_lengths(turn[..., :3, :3])[..., None, :]
        ways = place[..., :3, :3] * self._scale * ~self._bones.connected[self._numbers, None, None]
        return axes.swapaxes(0, 1).copy(), ways.swapaxes(0, 1).copy()


def _chains(up: Indices, hanging: Indices, held: Indices, turning: Flags) -> list[tuple[Indices, Indices]]:
    """The tracks of each limb with held points, and these points.

    Args:
        up, turning: (T,) parent track, -1 if there is none, and whether it has rotation keys.
        hanging, held: (P,) track of each point, and indices of the held points.
    """
    above = np.eye(len(up), dtype=bool)  # [t, a]: t is a or its descendant
    for track, parent in enumerate(up.tolist()):
        if parent >= 0:
            above[track] |= above[parent]
    holding = np.unique(hanging[held])
    tips = [track for track in holding.tolist() if above[holding, track].sum() == 1]
    alone = above[tips].sum(0) == 1
    found = []
    for tip in tips:
        tracks = np.flatnonzero(above[tip] & alone)
        turned = tracks[turning[tracks]]
        if turned.size:
            found.append((turned, held[np.isin(hanging[held], tracks)]))
    return found
