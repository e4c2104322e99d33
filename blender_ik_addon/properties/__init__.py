# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's data on Blender's types.

`Object.articulate` and `PoseBone.articulate` are saved, `WindowManager.articulate` is not.
"""

import bpy
from bpy.props import PointerProperty

from ..copies import NAME, is_ours
from . import bone, effector, menus, obstacle, rig, session, solver
from .saved import OVERRIDE

_MODULES = (bone, effector, menus, solver, obstacle, rig, session)  # groups come before those that have them
CLASSES = tuple(
    cls
    for module in _MODULES
    for name, cls in vars(module).items()
    if name.startswith("Articulate") and cls.__module__ == module.__name__
)
_POINTERS = (
    (bpy.types.Object, rig.ArticulateRig),
    (bpy.types.PoseBone, bone.ArticulateBone),
    (bpy.types.WindowManager, session.ArticulateSession),
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
