# SPDX-License-Identifier: GPL-3.0-or-later
"""Auto-keying of solved channels, with the scene's and the user's settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import bpy

from ...bridge.armature import Channels, read_channels, write_channels
from ...bridge.rotation_channels import channel_of
from ...properties.access import session_of
from ...properties.refusal import Refused
from .available_keys import components_to_key
from .keying_set import key_set, keying_set_in_use

_UNKEYED = "Auto-key keyed nothing: {setting}, and the moved channels have no keys {where}"


def auto_key(
    armature: bpy.types.Object, keyed: Iterable[tuple[str, str, int]], context: bpy.types.Context
) -> int:
    """Insert keys for the solved channels if auto-keying is on.

    With "Only Active Keying Set", the set chooses the channels. If the settings exclude every channel, the
    reason is stored in `session.unkeyed` for the operator to report.

    Args:
        armature: the original object, with the solved pose written.
        keyed: (bone, channel, component) of each value that the solve may have changed.
        context: for the scene's and the user's settings.

    Returns:
        The number of components with a new or changed key; with a keying set, the number of its paths.

    Raises:
        RuntimeError: Blender cannot insert keys, for example because the action is linked.
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


def pose_and_key(
    armature: bpy.types.Object,
    channels: Channels,
    keyed: Iterable[tuple[str, str, int]],
    context: bpy.types.Context,
) -> None:
    """Write a pose, and insert keys as `auto_key`.

    Raises:
        Refused: Blender cannot insert keys; the pose is restored.
    """
    before = read_channels(armature)
    write_channels(armature, channels)
    try:
        auto_key(armature, keyed, context)
    except RuntimeError as error:
        write_channels(armature, before)
        raise Refused(f"Auto-keying '{armature.name}' failed, so nothing was changed: {error}") from error


def auto_key_object(thing: bpy.types.Object, what: str, context: bpy.types.Context) -> int:
    """Insert keys for an object's location or rotation, by the same rules as `auto_key`.

    Args:
        thing: the original object.
        what: "location" or "rotation"; for a rotation, the channels of its rotation mode.
        context: for the scene's and the user's settings.

    Returns:
        As for `auto_key`.

    Raises:
        RuntimeError: Blender cannot insert keys.
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
    """Insert keys for (path, index, group) of an object with the options of auto-keying.

    Blender prints a line for each component that the options exclude, so these are skipped here.
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
        context.view_layer.update()  # a visual key stores the evaluated value
    keytype = context.scene.tool_settings.keyframe_type
    return key_set(chosen, context, changed, bones, options=options, keytype=keytype)


def _options(context: bpy.types.Context) -> Any:
    """The options of Blender's own auto-keying with these settings."""
    settings, preferences = context.scene.tool_settings, context.preferences.edit
    flags = {
        "INSERTKEY_NEEDED": preferences.use_auto_keyframe_insert_needed,
        "INSERTKEY_AVAILABLE": preferences.use_keyframe_insert_available,
        "INSERTKEY_REPLACE": settings.auto_keying_mode == "REPLACE_KEYS",
        "INSERTKEY_CYCLE_AWARE": settings.use_keyframe_cycle_aware,
    }
    return {flag for flag, on in flags.items() if on}
