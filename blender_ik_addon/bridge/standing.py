# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the ends of limbs on which a figure stands, from its bones alone.

Ground and legs are not given. But the lowest bones touch the ground, and in a standing figure the middle is
above them and the trunk is off the ground. A fish, for example, does not stand on its fins, though they are
lowest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from .armature import Array, Bones, Flags, Indices, Matrices

_CLOSE: Final = 0.06  # share of the figure's size; height above the lowest point that counts as touching
_LEAN: Final = 0.1  # share of the height of its middle that a figure may lean beyond its contacts
_HIGH: Final = 0.25  # share of the figure's size; shorter limbs, for example fingers, must carry most of it
_LYING: Final = 0.8  # share of a limb on the ground above which it is not a foot or a supporting forearm
_AROUND: Final = 2.0 * np.pi * np.arange(32) / 32
_WAYS: Final = np.stack([np.cos(_AROUND), np.sin(_AROUND)])


@dataclass(frozen=True, eq=False)
class Stance:
    """The bones of a figure in one pose; limbs are given by the indices of their end bones.

    Attributes:
        bones: of the figure; matrix: (B, 4, 4) of the pose; up: (3,) up direction, any length; armature
            space.
    """

    bones: Bones
    matrix: Matrices
    up: Array

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Indices of the end bones on which the figure stands; empty if it lies, leans or floats."""
        if len(self._touching) < 2 or self.lies(self._touching):
            return ()
        return self._touching if self.carried_by({self.foot(end) for end in self._touching}) else ()

    def lies(self, limbs: Collection[int]) -> bool:
        """Whether the bone that carries some limbs is on the ground, or connected to a bone there."""
        body = self._where_meet(limbs)
        while body >= 0 and self.bones.connected[body] and self._head[body] > self._close:
            body = int(self.bones.parents[body])
        return body >= 0 and bool(self._head[body] <= self._close)

    def above(self, limbs: Collection[int]) -> bool:
        """Whether the bone that carries some limbs is higher than the lowest of them."""
        body = self._where_meet(limbs)
        return body >= 0 and bool(
            self._head[body] > self._low[list(limbs)].min() + _CLOSE * self.bones.extent
        )

    def carried_by(self, limbs: Collection[int]) -> bool:
        """Whether the middle of the figure is above the ground contacts of some limbs."""
        body, mass = self._where_meet(limbs), self._mass
        if body < 0:
            return False
        high = self._head[body] > self._ground + _HIGH * self.bones.extent
        if not high and mass[self._below[:, body]].sum() < 0.5 * mass.sum():
            return False
        (heads, tails), own = self._places, self._below[:, list(limbs)].any(1)
        middle = mass @ (0.5 * (heads + tails)) / mass.sum()
        points = np.concatenate([heads[own], tails[own]])
        touching = points[points @ self._upward <= self._close]
        lean = _LEAN * float(middle @ self._upward - self._ground)
        reach = (touching @ self._level @ _WAYS).max(0, initial=-np.inf)
        return bool((middle @ self._level @ _WAYS <= reach + lean).all())

    def foot(self, end: int, top: int = -1) -> int:
        """Index of the topmost bone that lies on the ground with an end bone, or of the end bone itself.

        An octopus's arm on the ground is not a foot; only its end counts.

        Args:
            end: index of the end bone; top: index of its highest ancestor to consider.
        """
        trunk = self._ways[self._where_meet(self._touching)]
        limb = [number for number in self._ways[end] if number not in trunk]
        flat = [end]
        for above in limb[1:]:
            if flat[-1] == top or not self.is_flat(above):
                break
            flat.append(above)
        lengths = self.bones.length
        return end if lengths[flat].sum() > _LYING * lengths[limb].sum() else flat[-1]

    def is_flat(self, number: int) -> bool:
        """Whether a bone is on the ground, or slopes gently down to it, for example from an ankle."""
        if self._head[number] <= self._close:
            return True
        heads, tails = self._places
        way = tails[number] - heads[number]
        down = float(way @ self._upward)
        return bool(self._tail[number] <= self._close and 2.0 * down * down < way @ way)

    def _where_meet(self, limbs: Collection[int]) -> int:
        """The common ancestor of limbs; for a single limb the topmost bone; -1 if there is none."""
        shared = set.intersection(*(set(self._ways[limb]) for limb in limbs)) if limbs else set()
        deepest = max(shared, key=lambda number: len(self._ways[number]), default=-1)
        return self._ways[deepest][-1] if len(limbs) == 1 else deepest

    @cached_property
    def _outermost(self) -> Indices:
        return np.setdiff1d(np.arange(len(self.bones)), self.bones.parents)

    @cached_property
    def _touching(self) -> tuple[int, ...]:
        """Indices of the end bones that touch the ground."""
        return tuple(end for end in self._outermost.tolist() if self._low[end] <= self._close)

    @cached_property
    def _ways(self) -> dict[int, tuple[int, ...]]:
        """Each bone with its ancestors; empty for -1."""
        ways = {number: self.bones.ancestors(name) for number, name in enumerate(self.bones.names)}
        return {-1: (), **ways}

    @cached_property
    def _below(self) -> Flags:
        """(B, B) whether a bone is another one or its descendant."""
        below = np.zeros((len(self.bones),) * 2, dtype=bool)
        for number in range(len(self.bones)):
            below[number, list(self._ways[number])] = True
        return below

    @cached_property
    def _mass(self) -> Array:
        """(B,) masses of equally slender bones; zero for a root bone on the ground without a body part."""
        bones, numbers = self.bones, np.arange(len(self.bones))
        carries = np.isin(numbers, bones.parents) & ~np.isin(numbers, bones.parents[bones.connected])
        return np.where((bones.parents < 0) & carries & (self._head <= self._close), 0.0, bones.length**3)

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """(B, 3) heads and tails."""
        heads = self.matrix[:, :3, 3].astype(float)
        return heads, heads + self.matrix[:, :3, 1].astype(float) * self.bones.length[:, None]

    @cached_property
    def _upward(self) -> Array:
        """(3,) up direction, unit vector."""
        return np.asarray(self.up / np.linalg.norm(self.up))

    @cached_property
    def _level(self) -> Array:
        """(3, 2) two horizontal directions."""
        return np.asarray(np.linalg.svd(self._upward[None])[2][1:].T)

    @cached_property
    def _head(self) -> Array:
        """(B,) heights of the heads."""
        return np.asarray(self._places[0] @ self._upward)

    @cached_property
    def _tail(self) -> Array:
        """(B,) heights of the tails."""
        return np.asarray(self._places[1] @ self._upward)

    @cached_property
    def _low(self) -> Array:
        """(B,) heights of the lower ends."""
        return np.minimum(self._head, self._tail)

    @cached_property
    def _ground(self) -> float:
        """Height of the ground: that of the lowest end bone."""
        return float(self._low[self._outermost].min())

    @cached_property
    def _close(self) -> float:
        """Height up to which a point touches the ground."""
        return self._ground + _CLOSE * self.bones.extent
