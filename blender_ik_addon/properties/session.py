# SPDX-License-Identifier: GPL-3.0-or-later
"""State of the running program that is not saved: live solving, a running bake, the mouse."""

from time import monotonic
from typing import Any, Final

import bpy

from .saved import moved
from .unsaved import Bool, Float, FloatVector, Int, String

_SOON: Final = 2  # seconds within which changes belong to what was refused


class ArticulateSession(bpy.types.PropertyGroup):
    """`WindowManager.articulate`.

    `dragged` and `baking` are the session ids of the armatures that are dragged and baked. `grip` is the
    dragged bone, `levels` the number of bones that may move from there up (0 for all), and `other` the bone
    that follows mirrored. `hovered_of` is the session id of the armature under the mouse. `taken_of` is that
    of the armature for which a parent was chosen with Alt and the wheel.

    The counts of changes invalidate caches. A refusal is outdated once something has changed after it.
    """

    __slots__ = ()

    any_live: Bool()
    live_changes: Int()
    flesh_changes: Int()
    dragged: Int()
    grip: String(description="Bone that is being dragged")
    other: String(description="Bone on the other side that follows mirrored")
    levels: Int()
    locked: String(description="Axes that a drag is constrained to: X, or XY")
    axes: FloatVector(description="These axes in world space, by rows and columns", size=9)
    anchor: FloatVector(description="Where the drag began, world", size=3)
    is_snapped: Bool()
    snapped: FloatVector(description="Where a drag snaps to, world", size=3)
    refused: String(description="Last refusal of an operator")
    refused_at: Int(description="When that was, seconds")
    outdated: Bool(description="Whether the refusal may not be true any more")
    unkeyed: String(description="Why auto-keying set no keys, or keys that do not play")
    unkeyed_told: String(description="Last such reason that was reported")
    baking: Int()
    progress: Float(default=0.0, min=0.0, max=1.0, subtype="FACTOR")
    hovered: String(description="Bone under the mouse while the tool is active")
    hovered_of: Int()
    taken: String(description="Parent that a press takes")
    taken_from: String(description="Bone under the mouse whose parent it is")
    taken_of: Int()
    taken_at: FloatVector(description="Mouse position at that time, pixels of the region", size=2)


def own_session() -> ArticulateSession:
    """`WindowManager.articulate`; without `bpy.context`, which must not be used in the thread of a render."""
    manager: Any = bpy.data.window_managers[0]
    return manager.articulate


def show_refusal(rig: Any, reason: str) -> None:
    """Show a refusal in the panel until something changes or an operator succeeds; rig: of the armature."""
    session = own_session()
    rig.message = session.refused = reason
    session.refused_at, session.outdated = int(monotonic()), False


def outdate_refusal(session: ArticulateSession) -> None:
    """After a change of the scene: the last refusal may not be true any more."""
    if session.refused and not session.outdated:
        session.outdated = monotonic() - session.refused_at > _SOON


def is_refusal(rig: Any) -> bool:
    """Whether the message of an armature is the last refusal."""
    return bool(rig.message) and rig.message == own_session().refused


def reshaped(owner: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Count a change of thickness or mass, which the overlay could not distinguish from a motion."""
    moved(owner, context)
    own_session().flesh_changes += 1
