# SPDX-License-Identifier: GPL-3.0-or-later
"""Auto-keying of changed channels, with the scene's and the user's settings."""

from collections.abc import Collection, Iterable
from typing import Any

import bpy
import numpy as np

from ... import compat
from ...bridge.action import hidden_by_nla
from ...bridge.animation import bone_path, value_of
from ...bridge.armature import Channels, read_all, read_channels, write_channels
from ...bridge.curves import distorting, is_locked, is_sampled
from ...bridge.rotation_channels import channel_of
from ...properties.refusal import Refused
from ...properties.session import own_session

Component = tuple[str, int, str]  # data path on the object, index, and group

_SAME_VALUE = np.finfo(np.float32).eps  # the same for Blender
_SAME_FRAME = 0.01  # frames between two keys that Blender treats as one


def auto_key(
    armature: bpy.types.Object, keyed: Iterable[tuple[str, str, int]], context: bpy.types.Context
) -> None:
    """Insert keys for the channels that a written pose may have changed, if auto-keying is on.

    With "Only Active Keying Set", the set chooses the channels. If the settings exclude every channel, or
    keys cannot be set or will not play, the reason is stored in `session.unkeyed` for the operator to report.
    Refused if Blender raises an error.
    """
    every = armature.pose.bones
    keyed = [row for row in keyed if row[0] in every]  # a script may have renamed a bone during a drag
    bones = [every[name] for name in dict.fromkeys(name for name, _channel, _index in keyed)]
    components = [(bone_path(name, channel), index, name) for name, channel, index in keyed]
    _auto_key(armature, components, bones, context)


def auto_key_object(thing: bpy.types.Object, what: str, context: bpy.types.Context) -> None:
    """Insert keys for an object's "location" or "rotation", by the same rules as `auto_key`."""
    channel = channel_of(thing.rotation_mode) if what == "rotation" else what
    components = [(channel, index, "Object Transforms") for index in range(len(getattr(thing, channel)))]
    _auto_key(thing, components, (), context)


def auto_key_pin(pin: Any, context: bpy.types.Context) -> None:
    """Insert keys for the place of a pin that has keys already; a keying set does not contain it."""
    begin, session, armature = f"{pin.path_from_id()}.pin_", own_session(), pin.id_data
    every = compat.played_curves(armature.animation_data)
    own = [(c.data_path, c.array_index, "") for c in every if c.data_path.startswith(begin)]
    if own and not context.scene.tool_settings.use_keyframe_insert_keyingset:
        told = session.unkeyed
        _auto_key(armature, own, (), context)
        session.unkeyed = told or session.unkeyed


def pose_and_key(
    armature: bpy.types.Object,
    channels: Channels,
    keyed: Iterable[tuple[str, str, int]],
    context: bpy.types.Context,
) -> None:
    """Write a pose, and insert keys as `auto_key`; if Blender cannot insert them, the pose is restored."""
    before = read_channels(armature)
    write_channels(armature, channels)
    try:
        auto_key(armature, keyed, context)
    except Refused:
        write_channels(armature, before)
        raise


def _auto_key(
    changed: bpy.types.Object,
    components: Collection[Component],
    bones: Collection[bpy.types.PoseBone],
    context: bpy.types.Context,
) -> None:
    """Insert keys on an object, or on those of its bones that were changed; empty for the object itself."""
    settings = context.scene.tool_settings
    if not settings.use_keyframe_insert_auto:
        return
    chosen = context.scene.keying_sets_all.active if settings.use_keyframe_insert_keyingset else None
    own_session().unkeyed, closed = _unplayed(changed, components, context.scene.frame_current_final)
    try:
        if chosen is None:
            _key_components(context, changed, [one for one in components if one[:2] not in closed])
        else:
            _key_set(chosen, context, changed, bones)
    except RuntimeError as error:
        raise Refused(f"Auto-keying '{changed.name}' failed, so nothing was changed: {error}") from error


def _key_components(
    context: bpy.types.Context, changed: bpy.types.Object, components: Collection[Component]
) -> None:
    """Insert keys for components of an object with the options of auto-keying."""
    options, session = _options(context), own_session()
    if not _insert(context, changed, components, options) and not session.unkeyed:
        setting, where = "Only Insert Available is on (Preferences, Animation)", "yet"
        if "INSERTKEY_REPLACE" in options:
            setting, where = "its mode is Replace", "in this frame"
        session.unkeyed = f"Auto-key keyed nothing: {setting}, and the moved channels have no keys {where}"


def _insert(context: bpy.types.Context, owner: Any, components: Collection[Component], options: Any) -> bool:
    """Insert keys for components of a data-block, and return whether the options leave some.

    Blender prints a line for each component that the options exclude, so these are skipped here. It wants -1
    as the index of a single number.
    """
    frame, keytype = context.scene.frame_current_final, context.scene.tool_settings.keyframe_type
    limited = _limited(owner, options, frame)
    if limited is not None:
        components = [one for one in components if (one[0], max(one[1], 0)) in limited]
    for path, index, group in components:
        if not _stays(owner, path, max(index, 0), options, frame):
            # the default of `keyframe_insert` ignores subframes and remapped time
            owner.keyframe_insert(
                path, index=index, frame=frame, group=group, options=options, keytype=keytype
            )
    return bool(components)


def _unplayed(
    changed: bpy.types.Object, components: Collection[Component], frame: float
) -> tuple[str, set[tuple[str, int]]]:
    """A sentence if keys of some components will not play as set, and those (path, index) that take none."""
    data: Any = changed.animation_data
    names, closed, why = {one[:2]: one[2] for one in components}, set(), hidden_by_nla(data)
    if data is not None and data.action is not None and not data.action.is_editable:
        closed = set(names)  # Blender would print a warning for each, or raise an error up to 4.3
        why = f"action '{data.action.name}' is linked from another file: make it local, or choose another one"
    for curve in compat.played_curves(data):
        at = curve.data_path, curve.array_index
        if at not in names:
            continue
        how = "locked: unlock" if is_locked(curve) else ""
        how = how or ("sampled: choose Samples to Keys for" if is_sampled(curve) else "")
        if how:
            closed.add(at)
        elif curve.mute:
            how = "muted: unmute"
        elif distorting(curve, frame, frame):
            how = "changed by modifiers: mute"
        if how and not why:
            whose = names[at] if at[0].startswith("pose.") else changed.name
            why = f"curves of '{whose}' are {how} them"
    return f"Auto-key: this pose will not play, because {why}" if why else "", closed


def _key_set(
    keying_set: bpy.types.KeyingSet,
    context: bpy.types.Context,
    changed: bpy.types.Object,
    bones: Collection[bpy.types.PoseBone],
) -> None:
    """Key all paths of a set; of a built-in set, only the paths of the changed object or bones."""
    # Blender's own auto-keying ignores "Only Insert Available" where a keying set is in use.
    options = _options(context) - {"INSERTKEY_AVAILABLE"}
    if keying_set.use_insertkey_visual:
        options.add("INSERTKEY_VISUAL")
        context.view_layer.update()  # a visual key stores the evaluated value
    by_set = {"KEYINGSET": keying_set.bl_label}
    for path in _paths(keying_set, context, changed, bones):
        # Keying sets keep old names of renamed bones. From Blender 4.5 on, scripts can key linked data, and
        # undo then crashes.
        editable = path.id is not None and path.id.is_editable
        value = value_of(path.id, path.data_path) if editable else None
        if value is not None:
            group = path.group or by_set.get(path.group_method, "")
            many = len(value) if isinstance(value, tuple) else 0
            indices = range(many or 1) if path.use_entire_array else [path.array_index]
            components = [(path.data_path, index if many else -1, group) for index in indices]
            _insert(context, path.id, components, options)


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


def _limited(owner: Any, options: Collection[str], frame: float) -> set[tuple[str, int]] | None:
    """(path, index) of each F-curve, if the options limit `keyframe_insert` to existing curves or keys.

    With "INSERTKEY_REPLACE", of each F-curve with a key in this frame. None if the options exclude nothing.
    """
    replaces = "INSERTKEY_REPLACE" in options
    if not replaces and "INSERTKEY_AVAILABLE" not in options:
        return None
    curves: Any = compat.played_curves(owner.animation_data)
    if replaces and curves:
        time = owner.animation_data.nla_tweak_strip_time_to_scene(frame, invert=True)
        times = [(curve, read_all(curve.keyframe_points, "co", 2)[:, :1]) for curve in curves]
        curves = [curve for curve, keyed in times if (np.abs(keyed - time) < _SAME_FRAME).any()]
    return {(curve.data_path, curve.array_index) for curve in curves}


def _stays(owner: Any, path: str, index: int, options: Collection[str], frame: float) -> bool:
    """Whether the curve of a component has its value already, if the options leave out such keys."""
    if "INSERTKEY_NEEDED" not in options or "INSERTKEY_VISUAL" in options:
        return False
    data, value = owner.animation_data, owner.path_resolve(path)
    bag = compat.played_bag(data)
    curve = bag.fcurves.find(path, index=index) if bag is not None else None
    if curve is None or isinstance(value, str):
        return False
    now = value[index] if hasattr(value, "__len__") else value
    return abs(curve.evaluate(data.nla_tweak_strip_time_to_scene(frame, invert=True)) - now) < _SAME_VALUE


def _paths(
    keying_set: bpy.types.KeyingSet,
    context: bpy.types.Context,
    changed: bpy.types.Object,
    bones: Collection[bpy.types.PoseBone],
) -> list[bpy.types.KeyingSetPath]:
    """The paths of a set; a built-in set generates them for the changed data as the selection."""
    if keying_set.is_path_absolute:
        return list(keying_set.paths)
    as_selected: dict[str, Any] = {"object": changed, "active_object": changed, "selected_objects": [changed]}
    for member in ("selected_pose_bones", "selected_pose_bones_from_active_object"):
        as_selected[member] = list(bones)
    if context.area is None and context.window_manager.windows:  # Blender 5.0 fails without an area
        window = context.window_manager.windows[0]
        as_selected |= {"window": window, "area": window.screen.areas[0]}
    override: Any = context.temp_override(**as_selected)
    with override:
        try:
            keying_set.refresh()
        except RuntimeError:  # raised by a set without paths here, for example "Available" without keys
            return []
    begins = tuple(bone.path_from_id() for bone in bones)
    return [
        path
        for path in keying_set.paths
        if path.id == changed and (not bones or path.data_path.startswith(begins))
    ]
