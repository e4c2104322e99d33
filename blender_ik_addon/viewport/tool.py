# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool "Drag Bone" of Pose Mode, the bone under the mouse, and shortcuts for any tool of Pose Mode.

The bone is found by a gizmo that is never hit. Users can change the shortcuts in Blender's keymap. Changes of
the active tool and of the active object are followed, to which Blender lets add-ons subscribe.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import bpy
from bpy.app.handlers import persistent

from .. import compat
from ..preferences import KEYMAP, own_keys
from ..properties.access import TOOL, active_armature, is_rendering, is_tool_active, redraw_views, rig_of
from ..properties.session import own_session

HOVER: Final = "ARTICULATE_GGT_hover"
_MISSED: Final = -1
_PINS: Final = "ARTICULATE_MT_pins"
_OWNER: Final = object()  # of the subscriptions
_CLICK: Final = {"type": "LEFTMOUSE", "value": "CLICK"}
_PULL: Final = {"type": "LEFTMOUSE", "value": "CLICK_DRAG"}


class ARTICULATE_GT_hover(bpy.types.Gizmo):
    """Draws nothing and accepts no click; Blender reports the mouse position to it between events."""

    bl_idname = "ARTICULATE_GT_hover"
    __slots__ = ()

    def draw(self, _context: bpy.types.Context) -> None:
        """The overlay draws the highlight."""

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        from ..control.drag.grasp import forget, is_away
        from ..control.drag.under_mouse import bone_under_mouse
        from ..control.drag.view import read_sight

        session = own_session()
        if context.region is None or context.region_data is None:
            return _MISSED
        if session.taken and is_away(context, tuple(location)):
            forget(context)
        sight = read_sight(context.region, context.region_data)
        bone = bone_under_mouse(context, sight, tuple(location))
        hovered = (bone.name, bone.id_data.session_uid) if bone is not None else ("", 0)
        if hovered != (session.hovered, session.hovered_of):
            session.hovered, session.hovered_of = hovered
            if context.area is not None:
                context.area.tag_redraw()
        return _MISSED


class ARTICULATE_GGT_hover(bpy.types.GizmoGroup):
    """Exists while the tool is active."""

    bl_idname = HOVER
    bl_label = "Bone under the Mouse"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode == "POSE" and not is_rendering()

    def setup(self, _context: bpy.types.Context) -> None:
        self.gizmos.new(ARTICULATE_GT_hover.bl_idname)


def key_of_pins(context: bpy.types.Context) -> str:
    """The user's shortcut for the pins menu; "" if it has none."""
    keys = own_keys(context.window_manager.keyconfigs.user)
    pins = (key for key in keys if key.active and getattr(key.properties, "name", "") == _PINS)
    return next((key.to_string() for key in pins), "")


def _key(operator: str, event: Mapping[str, Any], **properties: Any) -> tuple[str, Any, Any]:
    """An entry of the tool's keymap: an operator, the event that calls it, and its properties."""
    return operator, dict(event), {"properties": list(properties.items())}


class ARTICULATE_TOOL_drag(bpy.types.WorkSpaceTool):
    """Press on a bone and drag. A click selects; outside of bones a drag selects all bones in a box."""

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
    # Blender inserts the keys of extensions at the front one by one, so the last entry has precedence.
    bl_keymap = (
        _key("view3d.select_box", _PULL, mode="SET", wait_for_input=False),
        _key("view3d.select_box", {**_PULL, "shift": True}, mode="ADD", wait_for_input=False),
        _key("view3d.select_box", {**_PULL, "ctrl": True}, mode="SUB", wait_for_input=False),
        _key("articulate.drag", _PULL, only_under_mouse=True),
        _key("articulate.drag", {**_PULL, "ctrl": True}, only_under_mouse=True),
        _key("articulate.drag", {"type": "G", "value": "PRESS"}, only_selected=True, turning=False),
        _key("articulate.drag", {"type": "R", "value": "PRESS"}, only_selected=True, turning=True),
        _key("articulate.take_parent", {"type": "WHEELUPMOUSE", "value": "PRESS", "alt": True}, by=1),
        _key("articulate.take_parent", {"type": "WHEELDOWNMOUSE", "value": "PRESS", "alt": True}, by=-1),
        _key("articulate.take_parent", {"type": "ESC", "value": "PRESS"}, by=0),
        _key("view3d.select", _CLICK, deselect_all=True),
        _key("view3d.select", {**_CLICK, "shift": True}, toggle=True),
        _key("articulate.select_taken", _CLICK, toggle=False),
        _key("articulate.select_taken", {**_CLICK, "shift": True}, toggle=True),
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


def bone_in_hand(context: bpy.types.Context, armature: bpy.types.Object) -> str:
    """The bone that a drag would take: under the mouse, else the active one; "" without the tool.

    If a parent was chosen for the bone under the mouse, this is the parent.
    """
    if not is_tool_active(context):
        return ""
    session, active = own_session(), context.active_pose_bone
    for bone, owner in ((session.taken, session.taken_of), (session.hovered, session.hovered_of)):
        if owner == armature.session_uid and bone in armature.pose.bones:
            return bone
    return active.name if active is not None and compat.bone_selected(active) else ""


def show_effector() -> None:
    """Activate the effector in the list that follows the active object."""
    context = bpy.context
    armature = active_armature(context)
    thing = context.view_layer.objects.active
    if armature is None or armature == thing or armature.library is not None:
        return
    rig = rig_of(armature)
    found = next((row for row, effector in enumerate(rig.effectors) if effector.target == thing), None)
    if found not in (None, rig.active_effector):
        rig.active_effector = found
        redraw_views(bpy.context)


def change_tool() -> None:
    """After a change of the tool: cancel the choice of a parent and redraw the sidebars."""
    if own_session().taken:
        from ..control.drag.grasp import forget

        forget(bpy.context)
    redraw_views(bpy.context)


@persistent
def listen(*_args: object) -> None:
    """Subscribe. Blender clears subscriptions when a file is loaded, so this is also done after each load."""
    bpy.msgbus.clear_by_owner(_OWNER)
    for owner, name, notify in (
        (bpy.types.WorkSpace, "tools", change_tool),
        (bpy.types.LayerObjects, "active", show_effector),
    ):
        key: Any = (owner, name)
        bpy.msgbus.subscribe_rna(key=key, owner=_OWNER, args=(), notify=notify)


def attach() -> None:
    """Register the tool, begin to listen, and add the keys; there is no keymap without a window."""
    bpy.utils.register_tool(ARTICULATE_TOOL_drag, separator=True)
    bpy.app.handlers.load_post.append(listen)
    listen()
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is not None:
        keymap = keys.keymaps.new(name=KEYMAP, space_type="EMPTY")
        keymap.keymap_items.new("articulate.drag", "D", "PRESS", alt=True)
        menu = keymap.keymap_items.new("wm.call_menu", "P", "PRESS", shift=True, alt=True)
        menu.properties.name = _PINS


def detach() -> None:
    """Remove the keys, unsubscribe, and unregister the tool if it is registered."""
    keys = bpy.context.window_manager.keyconfigs.addon
    for item in own_keys(keys):
        keys.keymaps[KEYMAP].keymap_items.remove(item)
    bpy.msgbus.clear_by_owner(_OWNER)
    if hasattr(ARTICULATE_TOOL_drag, "_bl_tool"):  # Blender's own mark of a registered tool
        bpy.utils.unregister_tool(ARTICULATE_TOOL_drag)


CLASSES = (ARTICULATE_GT_hover, ARTICULATE_GGT_hover)
