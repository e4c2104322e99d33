# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of goals, one a file."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ..model.residual import Residual
from .aim import Aim
from .any_of import AnyOf
from .balance import Balance
from .base import Frame, Goal
from .distance import Distance
from .loop import Loop
from .orientation import Orientation
from .plane import Plane
from .pole import Pole
from .position import Position
from .posture import Posture

GOALS: Final[Mapping[str, type[Goal]]] = MappingProxyType(
    {
        goal.kind: goal
        for goal in (Position, Orientation, Aim, Pole, Plane, Distance, Balance, Loop, AnyOf, Posture)
    }
)

__all__ = [
    "Aim",
    "AnyOf",
    "Balance",
    "Distance",
    "Loop",
    "Plane",
    "Pole",
    "GOALS",
    "Frame",
    "Goal",
    "Orientation",
    "Position",
    "Posture",
    "Residual",
]
