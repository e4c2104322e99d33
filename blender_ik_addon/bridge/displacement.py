# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of a figure in every frame that result from errors of its bones' curves.

The error is measured where the figure is, not on the curve: a hip that turns by a degree moves the foot by
centimetres, a finger hardly anything. Points that stand still in the world have a smaller margin, because the
eye sees every tremor. To first order every bone turns and moves all that hangs from it, which is fast to
evaluate. In the end the pose is computed as Blender does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Final

import numpy as np
import numpy.typing as npt

from ikmath import rotation

from .armature import CHANNEL_WIDTHS, Array, Bones, Channels, Flags, Indices, PoseState
from .baked import Curve
from .held_limbs import HeldLimb, chains
from .inheritance import column_lengths, forward, parent_transforms
from .rotation_channels import basis_matrices, channel_of, turn_matrices
from .space import Space

Point = tuple[str, npt.ArrayLike]
"""A bone, and a point (3,) in its axes."""

_LOCATION: Final = 3  # components of a track before those of its rotation
_WIDTH: Final = _LOCATION + 4
_STILL: Final = 0.002  # m/s: a point that is slower stands still
_TREMBLE: Final = 0.0098  # m/s: by so much at most may what stands still move when there are fewer keys,
_FLAT: Final = 0.0005  # metres, and so far may it be off
_STEP: Final = 1e-4  # of a channel, for derivatives
_ROUNDING: Final = 1e-6  # of the figure's size: what Blender's own single precision does
_TIGHTER: Final = 0.95  # the limits' factor where the estimate let through what the pose does not
# Of the points that are rigid with one bone, the outermost ones bound the error of all.
_WAYS_OUT: Final = np.array([way for way in np.ndindex(3, 3, 3) if way > (1, 1, 1)]) - 1.0


class Displacement:
    """A figure with T bones that have curves, parents first, over F frames; lengths in metres.

    Args:
        bones: the armature.
        spaces: where it is in the world in these frames.
        curves: of locations and rotations, a value on every frame.
        states: how the armature is animated in these frames; the curves are put in.
        margin: metres, how far any point may be off in any frame.
        also: points that count, beside the ends of all bones that move and two aside of each. While they
            stand still in the world, they may not tremble.
        rate: frames of the curves in a second.

    Attributes:
        given: (T, F, 7) location and rotation of these bones, as the curves say; keyed: (T, 7) what has one.
        in_limb: (T,) bones of limbs that hold something; none before `hold_still`.
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
    ) -> None:
        scale = spaces[0].scale
        self._bones, self._scale = bones, scale
        moved = {bones.number(curve.bone) for curve in curves}
        self._numbers = np.array([i for level in bones.levels for i in level.tolist() if i in moved])
        self._track = _nearest(bones, self._numbers)
        self._below = np.flatnonzero(self._track >= 0)
        self._others = np.array([state.matrix for state in states], dtype=float)
        self._channels = {
            name: np.array([getattr(state.channels, name) for state in states], dtype=float)
            for name in CHANNEL_WIDTHS
        }
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
        which = self._outermost()
        self._hanging, self._places = self._track[self._owner][which], self._all_places[:, which]
        self._resting = np.zeros_like(self._still[which])
        self._outer = which
        self._share = np.ones((len(self._numbers), len(states)))
        parents = bones.parents[self._numbers]
        self._up = np.where(parents >= 0, self._track[parents], -1)
        self._first = np.flatnonzero(np.diff(self._hanging, prepend=-1))
        self._heads = pose[:, self._numbers, :3].transpose(1, 2, 3, 0)[:, :, 3] * scale
        self._axes, self._ways = self._frames(pose, parents)
        self._turns = self._matrices(np.arange(len(self._numbers)), self.given)
        self._turned = np.zeros_like(self._heads)
        self._slid = np.zeros_like(self._heads)
        self._aimed = np.zeros_like(self._heads)
        self._limbs: list[HeldLimb] = []
        self.in_limb = np.zeros(len(self._numbers), dtype=bool)

    def slots(self, curve: Curve) -> tuple[int, int]:
        """Which track a curve belongs to, and which of its components it is."""
        number = self._bones.number(curve.bone)
        start = 0 if curve.channel == "location" else _LOCATION
        return int(self._track[number]), start + curve.index

    def note(self, tracks: Indices, values: Array) -> None:
        """Take other values (k, F, 7) for some tracks into account."""
        moved = values[..., :_LOCATION] - self.given[tracks][..., :_LOCATION]
        self._turned[tracks] = self._world_turns(tracks, values)
        self._slid[tracks] = (self._ways[tracks] @ moved[..., None])[..., 0].swapaxes(1, 2)

    def hold_still(self) -> None:
        """Judge what stands still by less from now on, and let limbs that hold it make up for the rest."""
        self._resting = self._still[self._outer]
        held = np.flatnonzero(self._resting.any(1))
        for tracks, points in chains(self._up, self._hanging, held, self.keyed[:, _LOCATION:].any(1)):
            self._limbs.append(HeldLimb.of(tracks, points, self._jacobian(tracks, points)))
            self.in_limb[tracks] = True

    def steadied(self, tracks: Indices) -> Array:
        """(k, F, 7) values that all limbs are fitted to, with the other bones where they are."""
        values = self.given.copy()
        for limb in self._limbs:
            off = self._off(limb.points, ~self.in_limb)
            values[limb.tracks, :, _LOCATION:] += limb.change(off)
        self._aimed[tracks] = self._world_turns(tracks, values[tracks])
        return values[tracks]

    def brought(self) -> tuple[Array, Flags]:
        """What each bone brings to what is off, to first order, as shares of what is allowed.

        Returns:
            (T, F) by how much, of all that hangs from a bone, the point that is off most would be nearer
            without it; and whether that point is farther off than allowed.
        """
        off = self._off(np.arange(len(self._hanging)))
        limits = self._share[self._hanging] * self._allowed(off, self._resting, self._paces[self._outer])
        off /= limits
        square = np.einsum("ipf,ipf->pf", off, off)
        worst, which = self._worst(square)
        columns = np.arange(worst.shape[1])
        arms = self._places[:, which, columns].swapaxes(0, 1) - self._heads
        own = _cross(self._turned - self._aimed, arms) + self._slid
        for limb in self._limbs:
            self._compensate(own, limb, which)
        along = np.einsum("tif,itf->tf", own, off[:, which, columns]) / limits[which, columns]
        length = np.sqrt(worst)
        return along / np.maximum(length, np.finfo(float).tiny), length > 1.0

    def holds(self, values: Array) -> bool:
        """Whether no point is farther off than allowed with values (T, F, 7) on all tracks.

        Where one is, less is allowed to the estimate from now on.
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
        """(3, k, F) to first order, how far points are off, by some tracks only if these are given."""
        turned, moved = self._turned.copy(), self._slid - _cross(self._turned, self._heads)
        if tracks is not None:
            turned[~tracks] = moved[~tracks] = 0.0
        for row, above in enumerate(self._up.tolist()):
            if above >= 0:
                turned[row] += turned[above]
                moved[row] += moved[above]
        by = self._hanging[points]
        return _cross(turned[by].swapaxes(0, 1), self._places[:, points], 0) + moved[by].swapaxes(0, 1)

    def _compensate(self, own: Array, limb: HeldLimb, which: Indices) -> None:
        """Leave of what other bones bring (T, 3, F) to the points of a limb what it cannot make up for.

        Args:
            own: changed in place.
            limb: the limb.
            which: (T, F) the point in question of each bone.
        """
        mine = np.isin(which, limb.points) & ~self.in_limb[:, None]
        rows = np.flatnonzero(mine.any(1))
        if not rows.size:
            return
        arms = self._places[:, limb.points] - self._heads[rows][:, :, None]
        remains = limb.remains(_cross(self._turned[rows][:, :, None], arms) + self._slid[rows][:, :, None])
        column = np.where(mine[rows], np.searchsorted(limb.points, which[rows]), 0)
        chosen = np.take_along_axis(remains, column[:, None, None], 2)[:, :, 0]
        own[rows] = np.where(mine[rows][:, None], chosen, own[rows])

    def _jacobian(self, tracks: Indices, points: Indices) -> Array:
        """(F, 3 m, 4 k) metres that points of a chain move for a unit of its rotations' channels."""
        out = np.zeros((len(self._others), len(points), 3, len(tracks), _WIDTH - _LOCATION))
        arms = self._places[:, points][None] - self._heads[tracks][:, :, None]
        hangs = tracks[:, None] <= self._hanging[points]  # parents are first
        for column in range(_WIDTH - _LOCATION):
            values = self.given[tracks]
            values[..., _LOCATION + column] += _STEP * self.keyed[tracks, _LOCATION + column, None]
            turns = self._world_turns(tracks, values) / _STEP
            out[..., column] = (_cross(turns[:, :, None], arms) * hangs[:, None, :, None]).transpose(
                3, 2, 1, 0
            )
        return out.reshape(len(out), 3 * len(points), -1)

    def _world_turns(self, tracks: Indices, values: Array) -> Array:
        """(k, 3, F) rotation vectors, armature space, from the given values of tracks to others (k, F, 7)."""
        own = rotation.log(self._matrices(tracks, values) @ self._turns[tracks].swapaxes(-1, -2))
        return np.asarray((self._axes[tracks] @ own[..., None])[..., 0].swapaxes(1, 2))

    def _allowed(self, off: Array, still: Flags, paces: Array) -> Array:
        """(P, F) metres, how far points may be off.

        Args:
            off: (3, P, F) how far they are; where that changes too quickly, less is allowed.
            still: (P, F) when they stand still; paces: (P, F - 1) metres, by how much that may change.
        """
        length, way = (np.sqrt((each * each).sum(0)) for each in (off, np.diff(off)))
        hurry = np.where(still[:, 1:] & still[:, :-1], way / paces, 0.0)
        hurry = np.maximum(np.pad(hurry, ((0, 0), (0, 1))), np.pad(hurry, ((0, 0), (1, 0))))
        # Off by half a pace, to the one side and in the next frame to the other, is never too quick.
        ahead, back = (np.pad(paces, ((0, 0), ends), constant_values=np.inf) for ends in ((0, 1), (1, 0)))
        half = 0.5 * np.minimum(ahead, back)
        least = np.maximum(length, np.finfo(float).tiny)  # a share above 1 is cut off in any case
        calm = np.clip(length / np.maximum(hurry, least), np.minimum(half, _FLAT), _FLAT)
        return np.where(still, np.clip(calm, self._rounding, self._margin), self._margin)

    def _standing(
        self, spaces: Sequence[Space], held: Set[tuple[float, ...]], least: Array
    ) -> tuple[Flags, Array]:
        """(P, F) when points that are held stand still in the world, and (P, F - 1) metres they move then.

        Args:
            spaces: where the armature is.
            held: number of the bone and point in its axes of each.
            least: (F - 1,) metres, the way from frame to frame from which on they do not.
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
        """(T, F) the largest number of all points that hang from a bone, and which point that is."""
        worst, which = np.full(self._heads.shape[::2], -1.0), np.zeros(self._heads.shape[::2], dtype=np.intp)
        ends = np.append(self._first[1:], len(square))
        for start, end in zip(self._first.tolist(), ends.tolist(), strict=True):
            row, at = self._hanging[start], square[start:end].argmax(0)
            which[row] = start + at
            worst[row] = square[which[row], np.arange(len(at))]
        for row in range(len(self._up) - 1, -1, -1):
            above = self._up[row]
            if above >= 0:
                farther = worst[row] > worst[above]
                worst[above][farther], which[above][farther] = worst[row][farther], which[row][farther]
        return worst, which

    def _columns(self, curves: Sequence[Curve]) -> tuple[Array, Flags]:
        given = np.zeros((len(self._numbers), len(self._others), _WIDTH))
        given[..., :_LOCATION] = self._channels["location"][:, self._numbers].swapaxes(0, 1)
        for row, mode in enumerate(self._modes.tolist()):
            turn = self._channels[channel_of(mode)][:, self._numbers[row]]
            given[row, :, _LOCATION : _LOCATION + turn.shape[1]] = turn
        keyed = np.zeros((len(self._numbers), _WIDTH), dtype=bool)
        for curve in curves:
            row, slot = self.slots(curve)
            given[row, :, slot], keyed[row, slot] = curve.values, True
        return given, keyed

    def _matrices(self, tracks: Indices, values: Array) -> Array:
        """(k, F, 3, 3) rotations that values (k, F, 7) of some tracks make."""
        out = np.empty((*values.shape[:2], 3, 3))
        for mode in dict.fromkeys(self._modes[tracks].tolist()):
            rows = np.flatnonzero(self._modes[tracks] == mode)
            width = CHANNEL_WIDTHS[channel_of(mode)]
            out[rows] = turn_matrices(values[rows, :, _LOCATION : _LOCATION + width], mode)
        return out

    def _posed(self, values: Array) -> Array:
        """(F, B, 4, 4) pose matrices, as Blender would show them without constraints."""
        channels = {name: array.copy() for name, array in self._channels.items()}
        channels["location"][:, self._numbers] = values[..., :_LOCATION].swapaxes(0, 1)
        for row, mode in enumerate(self._modes.tolist()):
            turn = channels[channel_of(mode)][:, self._numbers[row]]
            turn[:] = values[row, :, _LOCATION : _LOCATION + turn.shape[1]]
        basis = np.zeros_like(self._others)
        basis[:, self._below] = basis_matrices(self._bones, Channels(**channels), self._below)
        return forward(self._bones, basis, matrix=self._others, which=self._below)

    def _points(self, also: Iterable[Point]) -> tuple[Indices, Array]:
        """Numbers of bones (P,) and points in their axes (P, 3), by tracks: ends, two aside, further ones."""
        owner = [np.repeat(self._below, 4)]
        own = np.zeros((len(self._below), 4, 3))
        own[:, 1:] = np.eye(3) * self._bones.length[self._below, None, None]
        local = [own.reshape(-1, 3)]
        for name, point in also:
            number = self._bones.number(name)
            if self._track[number] >= 0:
                owner.append(np.array([number]))
                local.append(np.asarray(point, dtype=float)[None])
        owners, locals_ = np.concatenate(owner), np.concatenate(local)
        order = np.argsort(self._track[owners], kind="stable")
        return owners[order], locals_[order]

    def _outermost(self) -> Indices:
        """The points that bound the error of all: the outermost ones, and those that stand still."""
        by = self._track[self._owner]
        out = _WAYS_OUT @ self._all_places[:, :, 0]
        found = set(np.flatnonzero(self._still.any(1)).tolist())
        for track in range(len(self._numbers)):
            rows = np.flatnonzero(by == track)
            found.update(rows[out[:, rows].argmax(1)].tolist(), rows[out[:, rows].argmin(1)].tolist())
        return np.array(sorted(found))

    def _placed(self, pose: Array) -> Array:
        """(3, P, F) the points."""
        own = pose[:, self._owner, :3]
        places = own[..., 3] + (own[..., :3] @ self._local[..., None])[..., 0]
        return np.ascontiguousarray(places.transpose(2, 1, 0)) * self._scale

    def _frames(self, pose: Array, parents: Indices) -> tuple[Array, Array]:
        """(T, F, 3, 3) from a bone's own axes, and from its location to metres, to armature space."""
        count = len(pose)
        turn, place, _ = parent_transforms(
            self._bones, np.tile(self._numbers, count), pose[:, parents].reshape(-1, 4, 4)
        )
        axes = turn[:, :3, :3] / column_lengths(turn[:, :3, :3])[:, None]
        ways = (
            place[:, :3, :3] * self._scale * ~self._bones.connected[np.tile(self._numbers, count), None, None]
        )
        axes, ways = (each.reshape(count, -1, 3, 3).swapaxes(0, 1).copy() for each in (axes, ways))
        return axes, ways


def _nearest(bones: Bones, numbers: Indices) -> Indices:
    """(B,) row among some bones of a bone itself or the nearest one above it; -1 if there is none."""
    found = np.full(len(bones), -1)
    found[numbers] = np.arange(len(numbers))
    for level in bones.levels[1:]:
        found[level] = np.where(found[level] >= 0, found[level], found[bones.parents[level]])
    return found


def _cross(a: Array, b: Array, axis: int = 1) -> Array:
    """Cross products; numpy's own goes about it by way of copies."""
    (ax, ay, az), (bx, by, bz) = (np.moveaxis(each, axis, 0) for each in (a, b))
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis)
