# SPDX-License-Identifier: GPL-3.0-or-later
"""A solver's answer: where the figure ended and why it ended there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, partial
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
    """The figure ends inside an obstacle, or one of its limbs inside another, whatever it has reached: there
    was no way out of it, or the method does not always keep out. The message says how deep."""
    STOPPED = "stopped"
    """The iterations or the time ran out while the error still fell."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The answer to a problem.

    Attributes:
        q: (*batch, n) coordinates.
        status: a `Status`, or (*batch,) array of them.
        iterations: steps taken, an int or (*batch,).
        errors: (*batch, E) sizes of the effectors' errors, in the order of `Problem.effectors`.
        sentence: the message, or a function for it; evaluated lazily, because finding what holds a figure
            back takes a part of the time of the solve.
        memory: the method's warm start for the next frame; private to the method.
        measure: a function for the clearance; evaluated lazily.
        paced: whether it avoided a jump from the frame before, which may be why it is short.
    """

    q: Array
    status: Any
    iterations: Any
    errors: Array
    sentence: str | Callable[[], Any] = field(default="", repr=False, compare=False)
    memory: Any = field(default=None, repr=False, compare=False)
    measure: Callable[[], Any] | None = field(default=None, repr=False, compare=False)
    paced: bool = field(default=False, compare=False)

    @cached_property
    def message(self) -> Any:
        """One sentence: what holds the figure back, or that all is reached; (*batch,) of them in a batch."""
        return self.sentence if isinstance(self.sentence, str) else self.sentence()

    @cached_property
    def clearance(self) -> Any:
        """Smallest distance between the figure and an obstacle, metres, or (*batch,) of them.

        Infinite without obstacles. Measured when it is asked for: far from everything it takes as long as a
        good part of a solve.
        """
        return np.inf if self.measure is None else self.measure()

    def compact(self) -> Solution:
        """The same answer, small to send or to keep: with its errors, message and clearance, without problem.

        It evaluates the message and the clearance, which takes time. It drops the warm start.
        """
        return replace(
            self,
            sentence=partial(_given, self.message),
            measure=None if self.measure is None else partial(_given, self.clearance),
            memory=None,
        )


def _given(value: Any) -> Any:
    return value
