# SPDX-License-Identifier: GPL-3.0-or-later
"""What a press takes hold of: the bone that a click would select, or a parent that was chosen instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from ...properties.access import session_of
from .pick import bone_at, share_along
from .view import Sight

_AWAY: Final = 20.0  # pixels at a resolution scale of 1, by which the mouse leaves the place of a choice


@dataclass(frozen=True)
class Grasp:
    """A bone to take hold of, and its parents, which can be taken instead.

    Attributes:
        chain: names of the bone and of its parents that can be selected, upwards.
        row: which of them is taken.
    """

    chain: tuple[str, ...]
    row: int = 0

    @classmethod
    def of(cls, context: bpy.types.Context, bone: bpy.types.PoseBone, taken: str = "") -> Grasp:
        """The grasp of a bone.

        Args:
            context: for what is visible.
            bone: that is under the mouse, or was named.
            taken: name of the parent that is taken instead; "" or an unknown one for the bone itself.
        """
        seen = set(context.visible_pose_bones or ())
        above = [one for one in bone.parent_recursive if one in seen and not one.bone.hide_select]
        chain = tuple(one.name for one in (bone, *above))
        return cls(chain, chain.index(taken) if taken in chain else 0)

    @property
    def bone(self) -> str:
        """Name of the one that is taken."""
        return self.chain[self.row]

    def climbed(self, by: int) -> Grasp:
        """The same, so many parents further up, or down if negative; it ends at either end of the chain."""
        return replace(self, row=min(max(self.row + by, 0), len(self.chain) - 1))

    def along(self, armature: bpy.types.Object, sight: Sight, pixel: npt.ArrayLike) -> float:
        """Where on the bone the mouse holds it, from 0 at its head to 1 at its tip.

        Args:
            armature: that has the bone.
            sight: how the region looks at the world.
            pixel: (2,) where the mouse took hold.
        """
        return share_along(armature.pose.bones[self.bone], sight, pixel)


def grasp_at(
    context: bpy.types.Context, sight: Sight, pixel: npt.ArrayLike
) -> tuple[bpy.types.Object, Grasp] | None:
    """The armature and what a press here takes hold of; None beside the bones.

    Args:
        context: of the 3D view.
        sight: how its region looks at the world.
        pixel: (2,) where the mouse is in it.
    """
    session = session_of(context)
    if session.taken and not is_away(context, pixel):
        for rig in context.objects_in_mode:
            bone = rig.pose.bones.get(session.taken_from)
            if rig.session_uid == session.taken_of and bone is not None:
                return rig, Grasp.of(context, bone, session.taken)
    found = bone_at(context, sight, pixel)
    if found is None:
        return None
    armature: Any = found[0].id_data
    return armature, Grasp.of(context, found[0])


def choose(
    context: bpy.types.Context, armature: bpy.types.Object, grasp: Grasp, pixel: npt.ArrayLike
) -> None:
    """Have the next press here take that bone, and the header and the overlay of the view show it.

    Args:
        context: of the 3D view.
        armature: that has the bone; grasp: what the press is to take.
        pixel: (2,) where the mouse is in the region.
    """
    if not grasp.row:
        forget(context)
        return
    session, under = session_of(context), grasp.chain[0]
    session.taken, session.taken_from = grasp.bone, under
    session.taken_of, session.taken_at = armature.session_uid, np.asarray(pixel, dtype=float)
    if context.area is not None:
        parts = (f"Take {grasp.bone}", f"{grasp.row} above {under}", "Alt Wheel: Parent", "Esc: Back")
        context.area.header_text_set("   |   ".join(parts))
        context.area.tag_redraw()


def forget(context: bpy.types.Context) -> None:
    """A press takes the bone under the mouse again."""
    session = session_of(context)
    if not session.taken:
        return
    session.taken = session.taken_from = ""
    windows: Any = context.window_manager.windows
    for area in (area for window in windows for area in window.screen.areas if area.type == "VIEW_3D"):
        area.header_text_set(None)
        area.tag_redraw()


def is_away(context: bpy.types.Context, pixel: npt.ArrayLike) -> bool:
    """Whether the mouse has left the place (2,) where a parent was chosen."""
    off = np.asarray(pixel, dtype=float) - session_of(context).taken_at
    return bool(np.hypot(*off) > _AWAY * (context.preferences.system.ui_scale or 1.0))
