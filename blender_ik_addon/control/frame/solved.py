# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of one frame, which is written, keyed, reported and continued from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

import ikmath as ik
from ikmath.postures.alignment import RigidMotion

from ...bridge.armature import Array, Channels
from ..collision.surroundings import NOWHERE, Near


@dataclass(frozen=True, kw_only=True)
class Solved:
    """One solved frame.

    Attributes:
        frame: its number.
        channels: of all bones, to be written or keyed.
        q: (n,) the coordinates found; posture: (n,) those of the pose that it started from; motion: that
            carried the posture to where the targets are, None for none.
        solution: as the solver gave it; the frame after goes on from it without a jump.
        status: name of `ikmath.Status`; sentence: why an effector is short, "" for the solution's message.
        off: errors of the effectors, see `distance` and `angle`, or a function for them.
        asking: (E,) which effectors want anything.
        why: finds the reasons; evaluated lazily.
        chosen: (E,) number of the alternative that each has taken, -1 where it has none.
        problem: with the alternatives that it has chosen, None if there were none.
        nearest: the nearest obstacle and its distance; ignored: obstacles without effect, and why.
        asked: everything that the result depends on; rests: solved again, the figure would stay.
        tried: what `hinging.bent_instead` has tried in vain.
    """

    frame: int
    channels: Channels
    q: Array
    posture: Array
    motion: RigidMotion | None = None
    solution: ik.Solution = field(repr=False)
    status: str
    sentence: str
    off: tuple[Array, Array] | Callable[[], tuple[Array, Array]]
    asking: tuple[bool, ...]
    why: Callable[[], tuple[str, ...]] = field(repr=False)
    chosen: tuple[int, ...]
    problem: ik.Problem | None = field(default=None, repr=False)
    nearest: Near = field(default=NOWHERE)
    ignored: tuple[str, ...] = ()
    asked: Any = field(default=None, repr=False)
    rests: bool = False
    tried: Sequence[float] = ()

    @property
    def message(self) -> str:
        """Why an effector is short."""
        return self.sentence or str(self.solution.message)

    @cached_property
    def _off(self) -> tuple[Array, Array]:
        return self.off() if callable(self.off) else self.off

    @property
    def distance(self) -> Array:
        """(E,) metres from the targets, NaN where an effector has no place or is off."""
        return self._off[0]

    @property
    def angle(self) -> Array:
        """(E,) radians, likewise."""
        return self._off[1]

    @property
    def worst(self) -> float:
        """The largest error of an effector, metres or radians."""
        return float(np.nanmax([*self.distance, *self.angle], initial=0.0))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """(E,) why each effector is short, "" where it is reached or off; empty after a brief solve."""
        return self.why()
