# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the default method: accuracy, limits of rotations and time, restarts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .. import arguments
from .method import Options
from .parameters import DEFAULTS, HierarchicalParameters

ACCURACY: Mapping[str, bool] = MappingProxyType({"reached": False, "fast": False, "exact": True})
"""Named accuracy -> whether a solve goes on to the constrained minimum by curvature."""


@dataclass(frozen=True, kw_only=True)
class HierarchicalOptions(Options):
    """Options of `hierarchical`.

    Attributes:
        accuracy: "exact" goes on to the constrained minimum; "fast" ends where steps converge slowly;
            "reached" ends as soon as every goal is reached, wherever the posture is, for poses that
            are soon solved again.
        max_turn: radians that a turn may go in one solve; None for no bound.
        dt: seconds between the frames of a motion, in which no coordinate goes faster than the skeleton's
            `max_speed`; None to ignore that. The first frame of a motion is free.
        restarts: batches of starts that a solve which ends short may try; 0 for none.
        seconds: after which a solve ends with what it has; None for no bound.
        seed: of the starts that are drawn.
        parameters: the constants of the solver.
    """

    max_iterations: int = 400
    accuracy: str = "exact"
    max_turn: float | None = None
    dt: float | None = None
    restarts: int = 1
    seconds: float | None = None
    seed: int = 0
    parameters: HierarchicalParameters = field(default=DEFAULTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.of_kind(self.parameters, HierarchicalParameters, "parameters")
        arguments.word(self.accuracy, "accuracy", tuple(ACCURACY))
        for name in ("max_turn", "dt", "seconds"):
            if getattr(self, name) is not None:
                arguments.number(getattr(self, name), name, above=0)
