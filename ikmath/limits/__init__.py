# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to keep joint limits, one a file."""

from collections.abc import Mapping
from typing import Final

from ..registries import LazyRegistry
from .barrier import InverseBarrier, LogarithmicBarrier
from .base import ByRows, LimitMethod, Propose, ProposeMany
from .clipping import Clipping
from .penalty import Penalty
from .projection import Projection

LIMITS: Final[Mapping[str, LimitMethod]] = LazyRegistry(
    [Projection(), Clipping(), Penalty(), InverseBarrier(), LogarithmicBarrier()], {}
)

__all__ = [
    "LIMITS",
    "ByRows",
    "Clipping",
    "InverseBarrier",
    "LimitMethod",
    "LogarithmicBarrier",
    "Penalty",
    "Projection",
    "Propose",
    "ProposeMany",
]
