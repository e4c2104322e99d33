# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of one frame, for writing, keys, reports and the next frame."""

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
        q: (n,) coordinates of the solution; posture: (n,) those of the starting pose; motion: of the posture
            to the targets, None for none.
        solution: of the solver, with which the next frame continues.
        status: name of `ikmath.Status`; sentence: a message that replaces the solution's, or "".
        distance: (E,) from the targets, metres; NaN if an effector has no target position or is off.
        angle: (E,) from the targets, radians; NaN if an effector has no orientation or is off.
        why: computes the reasons; evaluated lazily.
        chosen: (E,) index of the chosen alternative of each effector, -1 for none.
        problem: with the chosen alternatives, None without alternatives.
        nearest: the nearest obstacle and its distance; ignored: sentences on obstacles that do not count.
        asked: a key of everything that the result depends on; rests: whether another solve would not move the
            figure.
        towards: (k,) bends of a better pose to which limbs come in the next frames, None for none; tried:
            see `hinging.bending_instead`.
    """

    frame: int
    channels: Channels
    q: Array
    posture: Array
    motion: RigidMotion | None = None
    solution: ik.Solution = field(repr=False)
    status: str
    sentence: str = ""
    distance: Array
    angle: Array
    why: Callable[[], tuple[str, ...]] = field(repr=False)
    chosen: tuple[int, ...]
    problem: ik.Problem | None = field(default=None, repr=False)
    nearest: Near = field(default=NOWHERE)
    ignored: tuple[str, ...] = ()
    asked: Any = field(default=None, repr=False)
    rests: bool = False
    towards: Array | None = field(default=None, repr=False)
    tried: Sequence[float] = ()

    @property
    def message(self) -> str:
        """Why an effector misses its target."""
        return self.sentence or str(self.solution.message)

    @property
    def worst(self) -> float:
        """The largest error of an effector, metres or radians."""
        return float(np.nanmax([*self.distance, *self.angle], initial=0.0))

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """(E,) why each effector misses its target, "" if it is reached or off, or after a brief solve."""
        return self.why()
