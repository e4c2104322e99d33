# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels, lists and menus: they read properties and call operators by name, nothing else."""

from typing import Any

import bpy

from . import effector_list, menu, overlay, panel, surroundings

CLASSES = (*effector_list.CLASSES, *panel.CLASSES, *surroundings.CLASSES, *overlay.CLASSES, *menu.CLASSES)


def attach() -> None:
    """Add the entry to Blender's Pose menu."""
    _pose_menu().append(menu.draw_entry)


def detach() -> None:
    """Take it out again."""
    _pose_menu().remove(menu.draw_entry)


def _pose_menu() -> Any:
    return bpy.types.VIEW3D_MT_pose
