# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bone a press takes: the one that a click would select, or a parent that the user chose."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import bpy
import numpy as np
import numpy.typing as npt

from ... import compat
from ...properties.access import areas
from ...properties.session import own_session
from .under_mouse import bone_under_mouse
from .view import Sight, read_sight

_AWAY: Final = 20.0  # pixels at a resolution scale of 1; a larger mouse motion cancels the choice of a parent
_NOWHERE: Final = (-10000, -10000)  # pixels, outside of every region


@dataclass(frozen=True)
class Grasp:
    """A bone to drag and its parents, which can be dragged instead.

    Attributes:
        chain: names of the bone and of its selectable parents, upwards.
        row: index of the chosen one.
    """

    chain: tuple[str, ...]
    row: int = 0

    @classmethod
    def of(cls, context: bpy.types.Context, bone: bpy.types.PoseBone, taken: str = "") -> Self:
        """The grasp of a bone; `taken` is the parent to drag instead, "" or an unknown name for none."""
        seen = set(context.visible_pose_bones or ())
        above = [one for one in bone.parent_recursive if one in seen and not one.bone.hide_select]
        chain = tuple(one.name for one in (bone, *above))
        return cls(chain, chain.index(taken) if taken in chain else 0)

    @property
    def bone(self) -> str:
        return self.chain[self.row]

    def climbed(self, by: int) -> Self:
        """A copy with another parent: `by` steps up, or down if negative; stops at the ends of the chain."""
        return replace(self, row=min(max(self.row + by, 0), len(self.chain) - 1))

    def along(self, armature: bpy.types.Object, sight: Sight, pixel: npt.ArrayLike) -> float:
        """Position along the bone that is nearest to a pixel (2,), from 0 at its head to 1 at its tip.

        1 if the bone's axis is not visible.
        """
        world: Any = armature.matrix_world
        bone = armature.pose.bones[self.bone]
        start, end = sight.pixels([world @ bone.head, world @ bone.tail])
        way = end - start
        square = float(way @ way)
        if not square > 0.0:
            return 1.0
        return float(np.clip((np.asarray(pixel, dtype=float) - start) @ way / square, 0.0, 1.0))


def grasp_at(context: bpy.types.Context, pixel: npt.ArrayLike) -> tuple[bpy.types.Object, Grasp] | None:
    """The armature and the bone that a press at a pixel (2,) of the view takes; None if there is no bone."""
    session = own_session()
    if session.taken and not is_away(context, pixel):
        for rig in context.objects_in_mode:
            bone = rig.pose.bones.get(session.taken_from)
            if rig.session_uid == session.taken_of and bone is not None:
                return rig, Grasp.of(context, bone, session.taken)
    bone = bone_at(context, read_sight(context.region, context.region_data), pixel)
    if bone is None:
        return None
    armature: Any = bone.id_data
    return armature, Grasp.of(context, bone)


def choose(
    context: bpy.types.Context, armature: bpy.types.Object, grasp: Grasp, pixel: npt.ArrayLike
) -> None:
    """Store the bone that the next press at a pixel (2,) takes, and show it in header and overlay."""
    if not grasp.row:
        forget(context)
        return
    session, under = own_session(), grasp.chain[0]
    session.taken, session.taken_from = grasp.bone, under
    session.taken_of, session.taken_at = armature.session_uid, np.asarray(pixel, dtype=float)
    if context.area is not None:
        parts = (f"Take {grasp.bone}", f"{grasp.row} above {under}", "Alt Wheel: Parent", "Esc: Back")
        context.area.header_text_set("   |   ".join(parts))
        context.area.tag_redraw()


def forget(context: bpy.types.Context) -> None:
    """Cancel the choice: the next press takes the bone under the mouse."""
    session = own_session()
    if not session.taken:
        return
    session.taken = session.taken_from = ""
    for area in areas(context):
        area.header_text_set(None)
        area.tag_redraw()


def is_away(context: bpy.types.Context, pixel: npt.ArrayLike) -> bool:
    """Whether the mouse has left the place (2,) of the choice."""
    off = np.asarray(pixel, dtype=float) - own_session().taken_at
    return bool(np.hypot(*off) > _AWAY * (context.preferences.system.ui_scale or 1.0))


def bone_at(context: bpy.types.Context, sight: Sight, pixel: npt.ArrayLike) -> bpy.types.PoseBone | None:
    """The bone that a click at a pixel (2,) would select if none is selected, of any armature in Pose Mode.

    A click prefers unselected bones, so repeated clicks cycle through the bones behind each other. A press
    always takes the front one. In a window this performs Blender's own click and restores the selection. In
    background mode, where nothing is drawn, it is computed from the shapes.
    """
    if bpy.app.background:
        return bone_under_mouse(context, sight, pixel)
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
