# SPDX-License-Identifier: GPL-3.0-or-later
"""Auto-keying as the scene's settings say, for what a solve has changed. It is obeyed and never switched."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from ..bridge.rotation_channels import channel_of


def auto_key(
    armature: bpy.types.Object, keyed: Iterable[tuple[str, str, int]], context: bpy.types.Context
) -> int:
    """Key what was solved, if auto-keying is on.

    With "Only Active Keying Set" on nothing is keyed: which channels the user wants is then not ours to say.

    Args:
        armature: the original object, with the solved pose written.
        keyed: (bone, channel, component) of everything that a solve may change.
        context: for the scene's and the user's settings.

    Returns:
        How many components have a new or changed key.

    Raises:
        RuntimeError: Blender cannot key, as where the action is linked.
    """
    settings = context.scene.tool_settings
    if not settings.use_keyframe_insert_auto or settings.use_keyframe_insert_keyingset:
        return 0
    options = _options(context)
    count = 0
    for name, channel, index in keyed:
        bone = armature.pose.bones[name]
        count += bone.keyframe_insert(
            channel, index=index, group=name, options=options, keytype=settings.keyframe_type
        )
    return count


def auto_key_object(thing: bpy.types.Object, what: str, context: bpy.types.Context) -> int:
    """Key where an object is or how it is turned, by the same rules.

    Args:
        thing: the original object.
        what: "location" or "rotation", of which the channels that its rotation mode uses.
        context: for the scene's and the user's settings.

    Returns:
        How many components have a new or changed key.

    Raises:
        RuntimeError: Blender cannot key.
    """
    settings = context.scene.tool_settings
    if not settings.use_keyframe_insert_auto or settings.use_keyframe_insert_keyingset:
        return 0
    channel = what
    if what == "rotation":
        channel = channel_of(thing.rotation_mode)
    width = len(getattr(thing, channel))
    return sum(
        thing.keyframe_insert(
            channel,
            index=index,
            group="Object Transforms",
            options=_options(context),
            keytype=settings.keyframe_type,
        )
        for index in range(width)
    )


def _options(context: bpy.types.Context) -> Any:
    """The flags that Blender's own auto-keying has under these settings."""
    settings, preferences = context.scene.tool_settings, context.preferences.edit
    flags = {
        "INSERTKEY_NEEDED": preferences.use_auto_keyframe_insert_needed,
        "INSERTKEY_AVAILABLE": preferences.use_keyframe_insert_available,
        "INSERTKEY_REPLACE": settings.auto_keying_mode == "REPLACE_KEYS",
        "INSERTKEY_CYCLE_AWARE": settings.use_keyframe_cycle_aware,
    }
    return {flag for flag, on in flags.items() if on}
