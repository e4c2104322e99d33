# SPDX-License-Identifier: GPL-3.0-or-later
"""Auto-keying of what a solve has changed, by the scene's settings, which are never changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import bpy

from ...bridge.rotation_channels import channel_of
from ...properties.access import session_of
from .available_keys import components_to_key
from .keying_set import key_set, keying_set_in_use

_UNKEYED = "Auto-key keyed nothing: {setting}, and the moved channels have no keys {where}"


def auto_key(
    armature: bpy.types.Object, keyed: Iterable[tuple[str, str, int]], context: bpy.types.Context
) -> int:
    """Key what was solved, if auto-keying is on.

    With "Only Active Keying Set", the set selects channels of the solved bones. If only channels with keys
    are keyed and none has keys, the session keeps a sentence for the operator.

    Args:
        armature: the original object, with the solved pose written.
        keyed: (bone, channel, component) of everything that a solve may change.
        context: for the scene's and the user's settings.

    Returns:
        How many components have a new or changed key; of a keying set, how many of its paths.

    Raises:
        RuntimeError: Blender cannot key, as where the action is linked.
    """
    settings, bones = context.scene.tool_settings, armature.pose.bones
    if not settings.use_keyframe_insert_auto:
        return 0
    chosen = keying_set_in_use(context)
    if chosen is not None:
        names = dict.fromkeys(name for name, _channel, _index in keyed)
        return _key_by_set(chosen, context, armature, [bones[name] for name in names])
    paths = {name: bones[name].path_from_id() for name, _channel, _index in keyed}
    return _key_components(
        context,
        armature,
        [(f"{paths[name]}.{channel}", index, name) for name, channel, index in keyed],
    )


def auto_key_object(thing: bpy.types.Object, what: str, context: bpy.types.Context) -> int:
    """Key where an object is or how it is turned, by the same rules.

    Args:
        thing: the original object.
        what: "location" or "rotation", of which the channels that its rotation mode uses.
        context: for the scene's and the user's settings.

    Returns:
        As of `auto_key`.

    Raises:
        RuntimeError: Blender cannot key.
    """
    settings = context.scene.tool_settings
    if not settings.use_keyframe_insert_auto:
        return 0
    chosen = keying_set_in_use(context)
    if chosen is not None:
        return _key_by_set(chosen, context, thing)
    channel = channel_of(thing.rotation_mode) if what == "rotation" else what
    components = range(len(getattr(thing, channel)))
    return _key_components(context, thing, [(channel, index, "Object Transforms") for index in components])


def _key_components(
    context: bpy.types.Context, changed: bpy.types.Object, components: Collection[tuple[str, int, str]]
) -> int:
    """Key (path, index, group) of an object, as the settings say.

    Blender prints a line for each component that they leave out, so those are left out here.
    """
    options, session = _options(context), session_of(context)
    limited = components_to_key(changed, options, context.scene.frame_current_final)
    if limited is not None:
        components = [one for one in components if one[:2] in limited]
    session.unkeyed = "" if components else _why_unkeyed(options)
    how = {"options": options, "keytype": context.scene.tool_settings.keyframe_type}
    return sum(
        changed.keyframe_insert(path, index=index, group=group, **how) for path, index, group in components
    )


def _why_unkeyed(options: set[str]) -> str:
    if "INSERTKEY_REPLACE" in options:
        return _UNKEYED.format(setting="its mode is Replace", where="in this frame")
    return _UNKEYED.format(setting="Only Insert Available is on (Preferences, Animation)", where="yet")


def _key_by_set(
    chosen: bpy.types.KeyingSet,
    context: bpy.types.Context,
    changed: bpy.types.Object,
    bones: Collection[bpy.types.PoseBone] = (),
) -> int:
    # Blender's own auto-keying ignores "Only Insert Available" where a keying set is in use.
    options = _options(context) - {"INSERTKEY_AVAILABLE"}
    if chosen.use_insertkey_visual:
        options.add("INSERTKEY_VISUAL")
        context.view_layer.update()  # such a key is of what is shown
    keytype = context.scene.tool_settings.keyframe_type
    return key_set(chosen, context, changed, bones, options=options, keytype=keytype)


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
