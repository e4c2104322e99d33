# SPDX-License-Identifier: GPL-3.0-or-later
"""The bone that a press takes: the one that Blender's click selects if no bone is selected.

A click prefers unselected bones, so repeated clicks cycle through the bones behind each other. A press always
takes the front one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from ... import compat
from .under_mouse import bone_under_mouse
from .view import Sight

_NOWHERE: Final = (-10000, -10000)  # pixels, outside of every region


def bone_at(
    context: bpy.types.Context, sight: Sight, pixel: npt.ArrayLike
) -> tuple[bpy.types.PoseBone, float] | None:
    """The bone that a click would select, of any armature in Pose Mode.

    In a window this performs Blender's own click and restores the selection. In background mode, where
    nothing is drawn, it is computed from the shapes.

    Args:
        context: of the 3D view.
        sight: the view of its region.
        pixel: (2,) of the mouse in the region.

    Returns:
        The bone and the position on it, from 0 at its head to 1 at its tip; None if there is no bone.
    """
    bone = bone_under_mouse(context, sight, pixel) if bpy.app.background else _clicked(context, pixel)
    return None if bone is None else (bone, share_along(bone, sight, pixel))


def _clicked(context: bpy.types.Context, pixel: npt.ArrayLike) -> bpy.types.PoseBone | None:
    """The bone that Blender's click selects."""
    x, y = np.rint(pixel).astype(int).tolist()
    with _nothing_selected(context):
        bpy.ops.view3d.select(location=_NOWHERE)  # or the next click would cycle to the next bone
        ended = bpy.ops.view3d.select(location=(x, y))
        return context.active_pose_bone if "FINISHED" in ended else None


@contextmanager
def _nothing_selected(context: bpy.types.Context) -> Iterator[None]:
    """Deselect all bones and lock Pose Mode; restores everything afterwards."""
    tools, layer = context.scene.tool_settings, context.view_layer
    locked, active = tools.lock_object_mode, layer.objects.active
    things = [(thing, thing.select_get()) for thing in layer.objects]
    rigs: list[tuple[Any, Any]] = [(rig, rig.data.bones.active) for rig in context.objects_in_mode]
    bones = [bone for rig, _ in rigs for bone in rig.pose.bones if compat.bone_selected(bone)]
    tools.lock_object_mode = True
    for bone in bones:
        compat.select_bone(bone, False)
    try:
        yield
    finally:
        tools.lock_object_mode = locked
        for rig, last in rigs:
            rig.data.bones.active = last  # this also selects it, up to 4.5
            for bone in rig.pose.bones:
                if compat.bone_selected(bone):
                    compat.select_bone(bone, False)
        for bone in bones:
            compat.select_bone(bone)
        for thing, selected in things:
            if thing.select_get() != selected:
                thing.select_set(selected)
        layer.objects.active = active


def share_along(bone: Any, sight: Sight, pixel: npt.ArrayLike) -> float:
    """The point of a bone's axis that is nearest to the mouse, from 0 to 1; 1 if the axis is not visible."""
    world = bone.id_data.matrix_world
    start, end = sight.pixels([world @ bone.head, world @ bone.tail])
    way = end - start
    square = float(way @ way)
    if not square > 0.0:
        return 1.0
    return float(np.clip((np.asarray(pixel, dtype=float) - start) @ way / square, 0.0, 1.0))
