# SPDX-License-Identifier: GPL-3.0-or-later
"""What a figure's settings are at a moment, as plain values that can be compared later.

Whoever keeps what he has read of an armature asks so whether it still holds. Left out is what is read anew in
every frame, and what a solve leaves behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from .body import ArticulateBody, ArticulateLink, ArticulatePair
from .effector import ArticulateEffector
from .parameters import ArticulateParameters
from .rig import ArticulateRig
from .solver import ArticulateSolver

_EACH_FRAME = {"weight", "influence", "pin_location", "pin_rotation"}
_RESULTS = {"status", "error", "angle", "message", "clearance", "notes", "active_link", "show"}


def _names(group: type) -> tuple[str, ...]:
    return tuple(name for name in group.__annotations__ if name not in _EACH_FRAME | _RESULTS)


EFFECTOR, SOLVER = _names(ArticulateEffector), _names(ArticulateSolver)
PARAMETERS, LINK, PAIR = _names(ArticulateParameters), _names(ArticulateLink), _names(ArticulatePair)
BODY = tuple(name for name in _names(ArticulateBody) if name not in ("links", "pairs"))


def quick_settings(rig: ArticulateRig) -> Any:
    """What can change from one frame to the next without Blender telling: effectors and the solver."""
    around = rig.body.self_collision or any(obstacle.enabled for obstacle in rig.obstacles)
    return (
        [(effector.name, *_values(effector, EFFECTOR)) for effector in rig.effectors],
        _values(rig.solver, [name for name in SOLVER if name != "parameters"]),
        around,
    )


def other_settings(rig: ArticulateRig) -> Any:
    """The rest: the methods' own parameters and the body."""
    body = rig.body
    return (
        _values(rig.solver.parameters, PARAMETERS),
        _values(body, BODY),
        [(link.name, *_values(link, LINK)) for link in body.links],
        [(pair.name, *_values(pair, PAIR)) for pair in body.pairs],
    )


def _values(group: bpy.types.PropertyGroup, names: Iterable[str]) -> tuple[Any, ...]:
    return tuple(_plain(getattr(group, name)) for name in names)


def _plain(value: Any) -> Any:
    """A value without Blender's hand on it: objects by their session ids, vectors as tuples."""
    if isinstance(value, bpy.types.ID):
        return value.session_uid
    return value if isinstance(value, str) or not hasattr(value, "__len__") else tuple(value)
