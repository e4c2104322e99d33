# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a solve: where the figure ended and why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from ..rotation import Array


class Status(Enum):
    """How a solve ended."""

    REACHED = "reached"
    """Every goal is met within the tolerance."""
    BEST_EFFORT = "best effort"
    """The nearest that could be found: some goal is short, and the message says why."""
    BLOCKED = "blocked"
    """An obstacle stands in the way."""
    INFEASIBLE = "infeasible"
    """The figure ends inside an obstacle, or a limb inside another, whether its goals are reached or not.
    No way out was found, or the method does not always avoid contact. The message states the depth."""
    STOPPED = "stopped"
    """The iterations or the time ran out while the error still fell."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """The result of a solve.

    Attributes:
        q: (*batch, n) coordinates.
        status: a `Status`, or (*batch,) array of them.
        iterations: steps that were worked out, with those not taken and second-order corrections; an int or
            (*batch,).
        errors: (*batch, E) sizes of the effectors' errors, in the order of `Problem.effectors`.
        sentence: the message, or a function for it; evaluated lazily, because the attribution takes time.
        memory: the method's warm start for the next frame; private to the method.
        measure: the clearance, or a function for it; evaluated lazily.
        limited_by: what besides the problem may be why it is short: "iterations" or "time", which ran out,
            "max_turn", or "jump", which a frame of a motion avoids; "" for none; or (*batch,) of them.
    """

    q: Array
    status: Any
    iterations: Any
    errors: Array
    sentence: Any = field(default="", repr=False)
    memory: Any = field(default=None, repr=False)
    measure: Any = field(default=np.inf, repr=False)
    limited_by: Any = ""

    @cached_property
    def message(self) -> Any:
        """One sentence: why an effector is short, or that all are reached; (*batch,) of them in a batch."""
        return self.sentence() if callable(self.sentence) else self.sentence

    @cached_property
    def clearance(self) -> Any:
        """Smallest distance between the figure and an obstacle, metres, or (*batch,) of them.

        Infinite without obstacles. Evaluated lazily: far from all obstacles it takes about as long as a
        solve.
        """
        return self.measure() if callable(self.measure) else self.measure

    def compact(self) -> Solution:
        """The same result without references to the problem, small to send or to keep.

        It evaluates the message and the clearance, which takes time. It drops the warm start.
        """
        return replace(self, sentence=self.message, measure=self.clearance, memory=None)
