# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys the paths of the active keying set that belong to a changed object."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import bpy

from .available_keys import components_to_key


def keying_set_in_use(context: bpy.types.Context) -> bpy.types.KeyingSet | None:
    """The keying set of auto-keying; None if it is not used or none is active."""
    if not context.scene.tool_settings.use_keyframe_insert_keyingset:
        return None
    return context.scene.keying_sets_all.active


def key_set(
    keying_set: bpy.types.KeyingSet,
    context: bpy.types.Context,
    changed: bpy.types.Object,
    bones: Collection[bpy.types.PoseBone] = (),
    **how: Any,
) -> int:
    """Key all paths of a set; of a built-in set, only the paths of the changed object or bones.

    Args:
        keying_set: the set.
        context: of the operator.
        changed: the original object.
        bones: the changed pose bones; empty if the object itself was changed. Blender's sets contain bones
            only in Pose Mode.
        how: `options` and `keytype`, as `keyframe_insert` takes them.

    Returns:
        The number of paths with new or changed keys.

    Raises:
        RuntimeError: Blender cannot insert keys.
    """
    by_set = {"KEYINGSET": keying_set.bl_label}
    frame = context.scene.frame_current_final
    keyed = 0
    for path in _wanted(keying_set, context, changed, bones):
        if _can_be_keyed(path):
            group = path.group or by_set.get(path.group_method, "")
            limited = components_to_key(path.id, how["options"], frame)
            indices = [
                path.id.keyframe_insert(path.data_path, index=index, group=group, **how)
                for index in _indices(path, limited)
            ]
            keyed += any(indices)
    return keyed


def _indices(path: bpy.types.KeyingSetPath, limited: set[tuple[str, int]] | None) -> list[int]:
    """Indices of a path to key; -1 for all components, as in `keyframe_insert`."""
    own = -1 if path.use_entire_array else path.array_index
    if limited is None:
        return [own]
    return sorted(index for name, index in limited if name == path.data_path and own in (-1, index))


def _wanted(
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
    override: Any = context.temp_override(**_place(context), **as_selected)
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


def _can_be_keyed(path: bpy.types.KeyingSetPath) -> bool:
    """Whether the data of a path exists in this file. Keying sets keep old names of renamed bones.

    From Blender 4.5 on, scripts can key linked data, and undo then crashes.
    """
    if path.id is None or not path.id.is_editable:
        return False
    try:
        path.id.path_resolve(path.data_path, False)
    except ValueError:
        return False
    return True


def _place(context: bpy.types.Context) -> dict[str, Any]:
    """Override members with an area. Blender 5.0 fails without one, for example in a script."""
    if context.area is not None or not context.window_manager.windows:
        return {}
    window = context.window_manager.windows[0]
    return {"window": window, "area": window.screen.areas[0]}
