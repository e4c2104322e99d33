# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to the running program and not to a file: what is live, a bake under way, the mouse."""

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty


class ArticulateSession(bpy.types.PropertyGroup):
    """`WindowManager.articulate`.

    `dragged` is the session id of the armature in the hand, `grip` its bone, from which on upwards `levels`
    bones take part, 0 for all, and `other` the one that comes along mirrored; `hovered_of` is that of the
    armature under the mouse, and `taken_of` that of the armature of which a parent was chosen by Alt and the
    wheel, to be taken by a press.

    The counts of changes tell those who keep what they have read that it may not hold any more.
    """

    __slots__ = ()

    any_live: BoolProperty(name="Any Live", default=False, options={"SKIP_SAVE"})
    live_changes: IntProperty(name="Live Changes", default=0, options={"SKIP_SAVE"})
    flesh_changes: IntProperty(name="Flesh Changes", default=0, options={"SKIP_SAVE"})
    dragged: IntProperty(name="Dragged", default=0, options={"SKIP_SAVE"})
    grip: StringProperty(name="Grip", description="Bone in the user's hand", options={"SKIP_SAVE"})
    other: StringProperty(
        name="Other", description="Bone on the other side that comes along", options={"SKIP_SAVE"}
    )
    levels: IntProperty(name="Levels", default=0, options={"SKIP_SAVE"})
    locked: StringProperty(
        name="Locked", description="Axes that a drag keeps to: X, or XY", options={"SKIP_SAVE"}
    )
    axes: FloatVectorProperty(
        name="Axes", description="Those axes in the world, by rows and columns", size=9, options={"SKIP_SAVE"}
    )
    anchor: FloatVectorProperty(
        name="Anchor", description="Where the drag began, world", size=3, options={"SKIP_SAVE"}
    )
    is_snapped: BoolProperty(name="Is Snapped", default=False, options={"SKIP_SAVE"})
    snapped: FloatVectorProperty(
        name="Snapped", description="Where a drag snaps to, world", size=3, options={"SKIP_SAVE"}
    )
    refused: StringProperty(
        name="Refused", description="What an operator said last when it said no", options={"SKIP_SAVE"}
    )
    unkeyed: StringProperty(
        name="Unkeyed", description="Why auto-keying keyed nothing the last time", options={"SKIP_SAVE"}
    )
    unkeyed_told: StringProperty(
        name="Unkeyed Told", description="The last such sentence that was reported", options={"SKIP_SAVE"}
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
        name="Taken From", description="Bone under the mouse of which it is a parent", options={"SKIP_SAVE"}
    )
    taken_of: IntProperty(name="Taken of", default=0, options={"SKIP_SAVE"})
    taken_at: FloatVectorProperty(
        name="Taken at",
        description="Where the mouse was, pixels of the region",
        size=2,
        options={"SKIP_SAVE"},
    )
