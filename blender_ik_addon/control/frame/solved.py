# SPDX-License-Identifier: GPL-3.0-or-later
"""What one frame came to: the answer, as it is written, keyed, told and gone on from."""

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
        status: name of `ikmath.Status`; sentence: what holds the figure back, "" as the solution says it.
        off: how far the effectors are from their targets, see `distance` and `angle`, or what measures it.
        asking: (E,) which effectors want anything.
        why: finds the reasons for the first who asks.
        chosen: (E,) number of the alternative that each has taken, -1 where it has none.
        problem: with the alternatives that it has settled for, None where there was nothing to choose.
        nearest: what the figure is nearest to, and how near; ignored: obstacles that did not count, and why.
        asked: all that the answer was asked from; rests: asked the same again, the figure would stay.
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
        """What holds the figure back."""
        return self.sentence or str(self.solution.message)

    @cached_property
    def _off(self) -> tuple[Array, Array]:
        return self.off() if callable(self.off) else self.off

    @property
    def distance(self) -> Array:
        """(E,) metres from the targets, NaN where an effector asks for no place or is off."""
        return self._off[0]

    @property
    def angle(self) -> Array:
        """(E,) radians, likewise."""
        return self._off[1]

    @property
    def worst(self) -> float:
        """How far that effector is from its target which is the farthest, metres or radians."""
        return float(np.nanmax([*self.distance, *self.angle], initial=0.0))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """(E,) what holds each effector back, "" where it is there or off; nothing if not asked for."""
        return self.why()
