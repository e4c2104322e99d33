# SPDX-License-Identifier: GPL-3.0-or-later
"""State of the running program that is not saved: live solving, a running bake, the mouse."""

from functools import partial

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty

_Bool = partial(BoolProperty, options={"SKIP_SAVE"})
_Float = partial(FloatProperty, options={"SKIP_SAVE"})
_FloatVector = partial(FloatVectorProperty, options={"SKIP_SAVE"})
_Int = partial(IntProperty, options={"SKIP_SAVE"})
_String = partial(StringProperty, options={"SKIP_SAVE"})


class ArticulateSession(bpy.types.PropertyGroup):
    """`WindowManager.articulate`.

    `dragged` is the session id of the dragged armature, `grip` its dragged bone, `levels` the number of bones
    that may move from there up (0 for all), and `other` the bone that follows mirrored. `hovered_of` is the
    session id of the armature under the mouse. `taken_of` is that of the armature for which a parent was
    chosen with Alt and the wheel.

    The counts of changes invalidate caches.
    """

    __slots__ = ()

    any_live: _Bool(name="Any Live")
    live_changes: _Int(name="Live Changes")
    flesh_changes: _Int(name="Flesh Changes")
    dragged: _Int(name="Dragged")
    grip: _String(name="Grip", description="Bone that is being dragged")
    other: _String(name="Other", description="Bone on the other side that follows mirrored")
    levels: _Int(name="Levels")
    locked: _String(name="Locked", description="Axes that a drag is constrained to: X, or XY")
    axes: _FloatVector(name="Axes", description="These axes in world space, by rows and columns", size=9)
    anchor: _FloatVector(name="Anchor", description="Where the drag began, world", size=3)
    is_snapped: _Bool(name="Is Snapped")
    snapped: _FloatVector(name="Snapped", description="Where a drag snaps to, world", size=3)
    refused: _String(name="Refused", description="Last refusal of an operator")
    unkeyed: _String(name="Unkeyed", description="Why auto-keying set no keys")
    unkeyed_told: _String(name="Unkeyed Told", description="Last such reason that was reported")
    baking: _Bool(name="Baking")
    progress: _Float(name="Progress", default=0.0, min=0.0, max=1.0, subtype="FACTOR")
    hovered: _String(name="Hovered", description="Bone under the mouse while the tool is active")
    hovered_of: _Int(name="Hovered of")
    taken: _String(name="Taken", description="Parent that a press takes")
    taken_from: _String(name="Taken From", description="Bone under the mouse whose parent it is")
    taken_of: _Int(name="Taken of")
    taken_at: _FloatVector(
        name="Taken at", description="Mouse position at that time, pixels of the region", size=2
    )
