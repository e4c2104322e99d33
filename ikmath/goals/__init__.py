# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of goals, one a file."""

from collections.abc import Mapping
from typing import Final

from ..model.residual import Residual as Residual
from ..registries import Registry
from .aim import Aim as Aim
from .any_of import AnyOf as AnyOf
from .balance import Balance as Balance
from .base import Frame as Frame
from .base import Goal as Goal
from .distance import Distance as Distance
from .loop import Loop as Loop
from .orientation import Orientation as Orientation
from .plane import Plane as Plane
from .pole import Pole as Pole
from .position import Position as Position
from .posture import Posture as Posture

GOALS: Final[Mapping[str, type[Goal]]] = Registry(
    {
        goal.kind: goal
        for goal in (Position, Orientation, Aim, Pole, Plane, Distance, Balance, Loop, AnyOf, Posture)
    }
)
