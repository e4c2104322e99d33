# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's data on Blender's types.

`Object.articulate` and `PoseBone.articulate` are saved, `WindowManager.articulate` is not.
"""

import bpy
from bpy.props import PointerProperty

from ..copies import NAME, is_ours
from .bone import ArticulateBone
from .effector import ArticulateEffector
from .menus import ArticulateAvoidanceParameters, ArticulateParameters
from .obstacle import ArticulateBody, ArticulateLink, ArticulateObstacle, ArticulatePair
from .rig import ArticulateBake, ArticulateOverlay, ArticulateRig
from .saved import OVERRIDE
from .session import ArticulateSession
from .solver import ArticulateSolver

CLASSES = (
    ArticulateBone,
    ArticulateEffector,
    ArticulateParameters,
    ArticulateAvoidanceParameters,
    ArticulateSolver,
    ArticulateBake,
    ArticulateObstacle,
    ArticulateLink,
    ArticulatePair,
    ArticulateBody,
    ArticulateOverlay,
    ArticulateRig,
    ArticulateSession,
)

_POINTERS = (
    (bpy.types.Object, ArticulateRig),
    (bpy.types.PoseBone, ArticulateBone),
    (bpy.types.WindowManager, ArticulateSession),
)


def attach() -> None:
    """Add the pointers to Blender's types."""
    for owner, group in _POINTERS:
        setattr(owner, NAME, PointerProperty(type=group, override=OVERRIDE))


def detach() -> None:
    """Remove this add-on's pointers."""
    for owner, _group in _POINTERS:
        if is_ours(owner):
            delattr(owner, NAME)
