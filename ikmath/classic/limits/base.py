# SPDX-License-Identifier: GPL-3.0-or-later
"""What proposes steps to a joint-limit method, see `LimitMethod`: also with some coordinates held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ...rotation import Array
from ..active_directions import HeldOfMany, HeldOfOne

Held = TypeVar("Held", contravariant=True)


class Proposer(Protocol[Held]):
    """Proposes steps from rows, of one frame or of many (with a last axis B)."""

    @property
    def metric(self) -> Array | None:
        """(n,) units in which steps are measured, squared, or None where all are alike."""

    def __call__(self, error: Array, held: Held | None = None, /) -> Array:
        """The step (n, ...) for an error (k, ...), with the prescribed motion of held directions."""


Propose = Proposer[HeldOfOne]
ProposeMany = Proposer[HeldOfMany]


class ByRows:
    """`Propose` of a method that can hold coordinates only by a solve with other rows.

    Args:
        step: (error (k,), rows (k, n)) -> step (n,); rows: those of this frame; metric: see `Propose`.
    """

    def __init__(
        self, step: Callable[[Array, Array], Array], rows: Array, metric: Array | None = None
    ) -> None:
        self.step, self.rows, self.metric = step, rows, metric

    def __call__(self, error: Array, held: HeldOfOne | None = None, /) -> Array:
        if held is None:
            return self.step(error, self.rows)
        rows, shift = held.out_of(self.rows)
        return held.keep(self.step(error + shift, rows))
