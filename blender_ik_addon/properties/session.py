# SPDX-License-Identifier: GPL-3.0-or-later
"""State of the running program that is not saved: live solving, a running bake, the mouse."""

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty


class ArticulateSession(bpy.types.PropertyGroup):
    """`WindowManager.articulate`.

    `dragged` is the session id of the dragged armature, `grip` its dragged bone, `levels` the number of bones
    that may move from there up (0 for all), and `other` the bone that follows mirrored. `hovered_of` is the
    session id of the armature under the mouse. `taken_of` is that of the armature for which a parent was
    chosen with Alt and the wheel.

    The counts of changes invalidate caches.
    """

    __slots__ = ()

    any_live: BoolProperty(name="Any Live", default=False, options={"SKIP_SAVE"})
    live_changes: IntProperty(name="Live Changes", default=0, options={"SKIP_SAVE"})
    flesh_changes: IntProperty(name="Flesh Changes", default=0, options={"SKIP_SAVE"})
    dragged: IntProperty(name="Dragged", default=0, options={"SKIP_SAVE"})
    grip: StringProperty(name="Grip", description="Bone that is being dragged", options={"SKIP_SAVE"})
    other: StringProperty(
        name="Other", description="Bone on the other side that follows mirrored", options={"SKIP_SAVE"}
    )
    levels: IntProperty(name="Levels", default=0, options={"SKIP_SAVE"})
    locked: StringProperty(
        name="Locked", description="Axes that a drag is constrained to: X, or XY", options={"SKIP_SAVE"}
    )
    axes: FloatVectorProperty(
        name="Axes",
        description="These axes in world space, by rows and columns",
        size=9,
        options={"SKIP_SAVE"},
    )
    anchor: FloatVectorProperty(
        name="Anchor", description="Where the drag began, world", size=3, options={"SKIP_SAVE"}
    )
    is_snapped: BoolProperty(name="Is Snapped", default=False, options={"SKIP_SAVE"})
    snapped: FloatVectorProperty(
        name="Snapped", description="Where a drag snaps to, world", size=3, options={"SKIP_SAVE"}
    )
    refused: StringProperty(name="Refused", description="Last refusal of an operator", options={"SKIP_SAVE"})
    unkeyed: StringProperty(name="Unkeyed", description="Why auto-keying set no keys", options={"SKIP_SAVE"})
    unkeyed_told: StringProperty(
        name="Unkeyed Told", description="Last such reason that was reported", options={"SKIP_SAVE"}
    )
    baking: BoolProperty(name="Baking", default=False, options={"SKIP_SAVE"})
    progress: FloatProperty(
        name="Progress", default=0.0, min=0.0, max=1.0, subtype="FACTOR", options={"SKIP_SAVE"}
    )
    hovered: StringProperty(
        name="Hovered", description="Bone under the mouse while the tool is active", options={"SKIP_SAVE"}
    )
    hovered_of: IntProperty(name="Hovered of", default=0, options={"SKIP_SAVE"})
    taken: StringProperty(name="Taken", description="Parent that a press takes", options={"SKIP_SAVE"})
    taken_from: StringProperty(
        name="Taken From", description="Bone under the mouse whose parent it is", options={"SKIP_SAVE"}
    )
    taken_of: IntProperty(name="Taken of", default=0, options={"SKIP_SAVE"})
    taken_at: FloatVectorProperty(
        name="Taken at",
        description="Mouse position at that time, pixels of the region",
        size=2,
        options={"SKIP_SAVE"},
    )
