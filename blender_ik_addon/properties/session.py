# SPDX-License-Identifier: GPL-3.0-or-later
"""State of the running program that is not saved: live solving, a running bake, the mouse."""

from typing import Any

import bpy

from .saved import moved
from .unsaved import Bool, Float, FloatVector, Int, String


class ArticulateSession(bpy.types.PropertyGroup):
    """`WindowManager.articulate`.

    `dragged` is the session id of the dragged armature, `grip` its dragged bone, `levels` the number of bones
    that may move from there up (0 for all), and `other` the bone that follows mirrored. `hovered_of` is the
    session id of the armature under the mouse. `taken_of` is that of the armature for which a parent was
    chosen with Alt and the wheel.

    The counts of changes invalidate caches.
    """

    __slots__ = ()

    any_live: Bool(name="Any Live")
    live_changes: Int(name="Live Changes")
    flesh_changes: Int(name="Flesh Changes")
    dragged: Int(name="Dragged")
    grip: String(name="Grip", description="Bone that is being dragged")
    other: String(name="Other", description="Bone on the other side that follows mirrored")
    levels: Int(name="Levels")
    locked: String(name="Locked", description="Axes that a drag is constrained to: X, or XY")
    axes: FloatVector(name="Axes", description="These axes in world space, by rows and columns", size=9)
    anchor: FloatVector(name="Anchor", description="Where the drag began, world", size=3)
    is_snapped: Bool(name="Is Snapped")
    snapped: FloatVector(name="Snapped", description="Where a drag snaps to, world", size=3)
    refused: String(name="Refused", description="Last refusal of an operator")
    unkeyed: String(name="Unkeyed", description="Why auto-keying set no keys")
    unkeyed_told: String(name="Unkeyed Told", description="Last such reason that was reported")
    baking: Bool(name="Baking")
    progress: Float(name="Progress", default=0.0, min=0.0, max=1.0, subtype="FACTOR")
    hovered: String(name="Hovered", description="Bone under the mouse while the tool is active")
    hovered_of: Int(name="Hovered of")
    taken: String(name="Taken", description="Parent that a press takes")
    taken_from: String(name="Taken From", description="Bone under the mouse whose parent it is")
    taken_of: Int(name="Taken of")
    taken_at: FloatVector(
        name="Taken at", description="Mouse position at that time, pixels of the region", size=2
    )


def own_session() -> ArticulateSession:
    """`WindowManager.articulate`; without `bpy.context`, which must not be used in the thread of a render."""
    manager: Any = bpy.data.window_managers[0]
    return manager.articulate


def reshaped(owner: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Count a change of thickness or mass, which the overlay could not distinguish from a motion."""
    moved(owner, context)
    own_session().flesh_changes += 1
