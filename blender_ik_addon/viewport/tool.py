# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool "Drag Bone" in the toolbar of Pose Mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from .. import compat
from ..properties.access import TOOL, is_tool_active, rig_of, session_of
from .hover import HOVER


class ARTICULATE_TOOL_drag(bpy.types.WorkSpaceTool):
    """Press on a bone and drag. A click selects; outside of bones the mouse works as usual."""

    bl_space_type = "VIEW_3D"
    bl_context_mode: Any = "POSE"
    bl_idname = TOOL
    bl_label = "Drag Bone"
    bl_description = (
        "Drag any bone and let the body follow; pins hold. G, R: selected bone. Alt wheel: parent.\n"
        "From any other tool in Pose Mode: Alt D over a bone"
    )
    bl_icon: Any = str(Path(__file__).parent / "drag")
    bl_widget: Any = HOVER
    bl_keymap = (
        *(
            (
                "articulate.drag",
                {"type": "LEFTMOUSE", "value": "CLICK_DRAG", "ctrl": snaps},
                {"properties": [("only_under_mouse", True)]},
            )
            for snaps in (False, True)
        ),
        *(
            (
                "articulate.drag",
                {"type": key, "value": "PRESS"},
                {"properties": [("only_selected", True), ("turning", turning)]},
            )
            for key, turning in (("G", False), ("R", True))
        ),
        *(
            ("articulate.take_parent", {"value": "PRESS", **pressed}, {"properties": [("by", by)]})
            for pressed, by in (
                ({"type": "WHEELUPMOUSE", "alt": True}, 1),
                ({"type": "WHEELDOWNMOUSE", "alt": True}, -1),
                ({"type": "ESC"}, 0),
            )
        ),
        ("view3d.select", {"type": "LEFTMOUSE", "value": "CLICK"}, {"properties": [("deselect_all", True)]}),
        (
            "view3d.select",
            {"type": "LEFTMOUSE", "value": "CLICK", "shift": True},
            {"properties": [("toggle", True)]},
        ),
        # Blender inserts the keys of extensions at the front one by one, so the last entry has precedence.
        *(
            (
                "articulate.select_taken",
                {"type": "LEFTMOUSE", "value": "CLICK", "shift": toggle},
                {"properties": [("toggle", toggle)]},
            )
            for toggle in (False, True)
        ),
    )

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: Any, _tool: Any) -> None:
        """The tool's header: what stays in place during a drag."""
        armature = context.pose_object
        if armature is None:
            return
        solver = rig_of(armature).solver
        layout.prop(solver, "hold")
        if solver.hold == "ROOT":
            layout.prop(solver, "root")


def tool_in_hand(context: bpy.types.Context, armature: bpy.types.Object) -> bool:
    """Whether the tool is active on an armature."""
    return armature.mode == "POSE" and is_tool_active(context)


def bone_in_hand(context: bpy.types.Context, armature: bpy.types.Object) -> str:
    """The bone that a drag would take: under the mouse, else the active one; "" without the tool.

    If a parent was chosen for the bone under the mouse, this is the parent.
    """
    if not tool_in_hand(context, armature):
        return ""
    session, active = session_of(context), context.active_pose_bone
    if session.taken_of == armature.session_uid and session.taken in armature.pose.bones:
        return session.taken
    if session.hovered_of == armature.session_uid and session.hovered in armature.pose.bones:
        return session.hovered
    return active.name if active is not None and compat.bone_selected(active) else ""


def attach() -> None:
    """Register the tool."""
    bpy.utils.register_tool(ARTICULATE_TOOL_drag, separator=True)


def detach() -> None:
    """Unregister the tool if it is registered."""
    if hasattr(ARTICULATE_TOOL_drag, "_bl_tool"):  # Blender's own mark of a registered tool
        bpy.utils.unregister_tool(ARTICULATE_TOOL_drag)
