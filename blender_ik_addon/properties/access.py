# SPDX-License-Identifier: GPL-3.0-or-later
"""Typed access to the add-on's data, to what buttons and panels act on, and to the windows."""

from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from .rig import ArticulateRig

# Custom property that marks Empties made by the add-on, so that no other object is ever deleted. Its value is
# the name of the armature that they were made for.
MADE_HERE = "articulate_target"

TOOL = "articulate.drag_bone"
"""Identifier of the tool Drag Bone."""


def rig_of(armature: bpy.types.Object) -> ArticulateRig:
    """`armature.articulate`."""
    owner: Any = armature
    return owner.articulate


def areas(context: bpy.types.Context, kind: str = "VIEW_3D") -> Iterator[bpy.types.Area]:
    """The areas of a kind in all windows."""
    for window in context.window_manager.windows:
        yield from (area for area in window.screen.areas if area.type == kind)


def redraw_views(context: bpy.types.Context) -> None:
    """Redraw all 3D views and their sidebars: channels written in bulk and a new tool redraw no window."""
    for area in areas(context):
        area.tag_redraw()


def is_shown(context: bpy.types.Context, thing: bpy.types.Object) -> bool:
    """Whether the 3D view shows an object: it is not hidden, and in the local view if that is on."""
    view: Any = context.space_data
    return view is None or thing.visible_in_viewport_get(view)


def is_tool_active(context: bpy.types.Context) -> bool:
    """Whether Pose Mode is on, and Drag Bone its active tool."""
    if context.workspace is None or context.mode != "POSE":
        return False
    tool = context.workspace.tools.from_space_view3d_mode("POSE", create=False)
    return tool is not None and tool.idname == TOOL


def is_rendering() -> bool:
    """Whether a render runs beside the window; gizmos rest meanwhile.

    While a gizmo's Python runs, Blender forbids writing to data, by one flag for all threads. If the thread
    of a render takes over in between, the flag can stay set until Blender is restarted.
    """
    return bpy.app.is_job_running("RENDER")


def holds(objects: Any, thing: bpy.types.Object) -> bool:
    """Whether a scene's or view layer's objects contain this one, and not another with its name."""
    return objects.get(thing.name) == thing or any(other == thing for other in objects)


def by_session_id(things: Iterable[Any], uid: int) -> Any:
    """The data-block with a session id, which is unique with linked libraries; None if it was deleted."""
    return next((thing for thing in things if thing.session_uid == uid), None)


def active_bone(context: bpy.types.Context, armature: bpy.types.Object) -> Any:
    """The active pose bone if it belongs to the armature, else None."""
    bone = context.active_pose_bone
    return bone if bone is not None and bone.id_data is armature else None


def active_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature in Pose Mode, else the active armature, else the one that follows the active object.

    So the panel still shows an armature while one of its targets is moved.
    """
    thing = getattr(context, "object", None)
    for candidate in (getattr(context, "pose_object", None), thing):
        if candidate is not None and candidate.type == "ARMATURE":
            return candidate
    name = thing.get(MADE_HERE) if thing is not None else None
    if thing is None or not isinstance(name, str):
        return None
    # an Empty stores the name of the armature that it was made for; a copy of it has the same name stored
    named = bpy.data.objects.get(name)
    if named is not None and _follows(named, thing):
        return named
    return next((other for other in bpy.data.objects if _follows(other, thing)), None)


def _follows(armature: bpy.types.Object, thing: bpy.types.Object) -> bool:
    """Whether an object is an armature with an effector that follows another object."""
    return armature.type == "ARMATURE" and any(thing in one.targets for one in rig_of(armature).effectors)


def posed_armature(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active armature, else that of the active object, for example a character's mesh."""
    thing = getattr(context, "object", None)
    return active_armature(context) or (thing.find_armature() if thing is not None else None)
