# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes baked channels into an action, all or none.

Only the given channels change, and only their keys within the baked range. After an error, or on request, the
action is restored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Any, Final

import bpy
import numpy as np

from .. import compat
from .armature import Channels
from .baked import Curve
from .curves import SAME_FRAME, Keys, needed, new_keys, read_curve, sloped_keys, write_curve
from .faults import FigureFault
from .own_bake import is_own_bake, mark_bake, put_mark, read_mark
from .pose import read_channels, write_channels
from .seam import joined

CLEAN_TOLERANCE: Final = 1e-4  # Blender's own, in `bpy_extras.anim_utils`


class Backup:
    """The changes of `write_keys`, to revert. Valid until Undo or until another file is loaded.

    Attributes:
        action_name: name of the written action.
    """

    def __init__(self, action_name: str, undo: ExitStack) -> None:
        self.action_name = action_name
        self._undo = undo

    def restore(self) -> None:
        """Restore actions and pose to their state before `write_keys`; a second call does nothing."""
        self._undo.close()


def key_time(scene: bpy.types.Scene, frame: float) -> float:
    """Animation time of a scene's frame; they differ if time is remapped, for example for slow motion."""
    return frame * scene.render.frame_map_old / scene.render.frame_map_new


def key_rate(scene: bpy.types.Scene) -> float:
    """Animation frames per second of a scene."""
    return key_time(scene, scene.render.fps / scene.render.fps_base)


def write_keys(
    armature_object: bpy.types.Object,
    curves: Sequence[Curve],
    *,
    new_action: bool = False,
    frame_range: tuple[float, float] | None = None,
    clean: bool = False,
) -> Backup:
    """Write baked curves into the action of an armature object.

    On these curves, muting is removed and modifiers other than Cycles are muted, so that the values have
    effect.

    Args:
        armature_object: the original object.
        curves: to write; each is grouped by its bone.
        new_action: write into a copy of the present action, which keeps the other channels, or into a new
            action if there is none; otherwise into the present action. An unchanged action from an earlier
            call is overwritten.
        frame_range: first and last frame of the range in which old keys of these channels are replaced;
            default: that of each curve.
        clean: omit the keys that Blender's "Clean Curves" removes; not for curves with slopes.

    Returns:
        An object that reverts everything.

    Raises:
        FigureFault: the action is linked, a curve is locked, the NLA would hide the result, or a value is not
            finite. After any error nothing is changed.
    """
    _check(armature_object, curves, new_action)
    with ExitStack() as undo:
        undo.callback(_tag, armature_object.session_uid)
        undo.callback(_give_channels, armature_object.session_uid, read_channels(armature_object))
        action_name = _ready_action(armature_object, new_action, undo)
        last = frame_range[1] if frame_range else max((curve.frames[-1] for curve in curves), default=0)
        for curve in joined(curves, compat.ensure_bag(armature_object), last):
            _write(armature_object, curve, frame_range, clean, undo)
        if new_action:
            action: Any = armature_object.animation_data.action
            undo.callback(_put_mark, action.session_uid, read_mark(action))
            mark_bake(armature_object)
        _tag(armature_object.session_uid)
        return Backup(action_name, undo.pop_all())


def to_be_keyed(
    armature_object: bpy.types.Object, changed: Iterable[tuple[str, str, int]]
) -> tuple[tuple[str, str, int], ...]:
    """The components (bone, channel, index) that need curves to make the changed ones visible.

    With NLA strips, a quaternion without curves on all components is evaluated with zeros. So its locked
    components must be written, too.
    """
    wanted, data = dict.fromkeys(changed), armature_object.animation_data
    if data is not None and any(track.strips for track in data.nla_tracks):
        quaternions = [bone for bone, channel, _ in wanted if channel == "rotation_quaternion"]
        wanted.update(
            {(bone, "rotation_quaternion", index): None for bone in quaternions for index in range(4)}
        )
    return tuple(wanted)


def require_writable(armature_object: bpy.types.Object, *, new_action: bool) -> None:
    """Refuse if keys could not be written, or would have no effect.

    Args:
        armature_object: the original object.
        new_action: as for `write_keys`.

    Raises:
        FigureFault: the NLA is in tweak mode or mixes the action with its strips, or the action is linked.
    """
    data = armature_object.animation_data
    if data is None:
        return
    if data.use_tweak_mode:
        raise FigureFault(
            armature_object.name,
            f"'{armature_object.name}' is in the NLA's tweak mode; leave it before baking.",
        )
    if data.action and not new_action and not data.action.is_editable:
        raise FigureFault(
            data.action.name,
            f"Action '{data.action.name}' is linked from another file and cannot be written; "
            "bake into a new action.",
        )
    _check_mix(armature_object.name, data)


def _check(armature_object: bpy.types.Object, curves: Sequence[Curve], new_action: bool) -> None:
    require_writable(armature_object, new_action=new_action)
    for curve in curves:
        if not new_action:
            _check_lock(armature_object, curve)
        if not np.isfinite(curve.values).all():
            frame = curve.frames[int(np.argmin(np.isfinite(curve.values)))]
            raise FigureFault(
                curve.bone,
                f"The {curve.channel.replace('_', ' ')} of bone '{curve.bone}' in frame {frame:g} "
                "must be a finite number; nothing was written.",
            )


def _check_mix(name: str, data: bpy.types.AnimData) -> None:
    """Refuse if the NLA would not show an action unchanged."""
    if not data.use_nla or not data.nla_tracks:
        return
    solo = next((track for track in data.nla_tracks if track.is_solo), None)
    if solo is not None:
        raise FigureFault(
            name,
            f"NLA track '{solo.name}' of '{name}' plays solo, so the action does not play; switch Solo off.",
        )
    if data.action_blend_type != "REPLACE" or data.action_influence < 1.0:
        described: Any = data.bl_rna.properties["action_blend_type"]
        how = described.enum_items[data.action_blend_type].name
        raise FigureFault(
            name,
            f"The action of '{name}' is mixed with its NLA strips ({how}, influence"
            f" {data.action_influence:g}); set it to Replace with an influence of 1 in the NLA Editor.",
        )


def _check_lock(armature_object: bpy.types.Object, curve: Curve) -> None:
    """Refuse to change a locked curve."""
    bag = compat.find_bag(armature_object)
    there = bag.fcurves.find(curve.path, index=curve.index) if bag is not None else None
    if there is not None and (there.lock or (there.group is not None and there.group.lock)):
        raise FigureFault(
            curve.bone,
            f"The {curve.channel.replace('_', ' ')} of bone '{curve.bone}' is locked in action"
            f" '{armature_object.animation_data.action.name}'; unlock it or bake into a new action.",
        )


def _ready_action(armature_object: bpy.types.Object, new_action: bool, undo: ExitStack) -> str:
    """Prepare the action to write to, the present one or a new one; returns its name."""
    uid = armature_object.session_uid
    if armature_object.animation_data is None:
        armature_object.animation_data_create()
        undo.callback(_drop_animation_data, uid)
    before, slot = armature_object.animation_data.action, compat.assigned_slot(armature_object)
    if before is not None and (not new_action or is_own_bake(armature_object)):
        undo.callback(_restore_structure, uid, before.session_uid, slot, compat.structure(before))
        return before.name
    made = bpy.data.actions.new(f"{armature_object.name}Action") if before is None else before.copy()
    undo.callback(_remove_action, made.session_uid)
    if before is not None and before.library is None and not before.use_fake_user and before.users <= 1:
        # this was its last user; without a fake user the action would not be saved
        before.use_fake_user = True
        undo.callback(_drop_fake_user, before.session_uid)
    undo.callback(_assign, uid, before.session_uid if before else None, slot)
    if before is None and any(track.strips for track in armature_object.animation_data.nla_tracks):
        # otherwise it would override the strips outside of the baked frames
        undo.callback(_extrapolate, uid, armature_object.animation_data.action_extrapolation)
        _extrapolate(uid, "NOTHING")
    compat.assign_action(armature_object, made, slot)
    return made.name


def _write(
    armature_object: bpy.types.Object,
    curve: Curve,
    frame_range: tuple[float, float] | None,
    clean: bool,
    undo: ExitStack,
) -> None:
    """Write one curve, and push the function that reverts it."""
    uid, bag = armature_object.session_uid, compat.ensure_bag(armature_object)
    if curve.slopes is not None:
        keys = sloped_keys(curve.frames, curve.values, curve.slopes)
    else:
        kept = needed(curve.values, CLEAN_TOLERANCE) if clean else slice(None)
        keys = new_keys(curve.frames[kept], curve.values[kept], "BEZIER")
    if curve.jump is not None:
        keys = keys.jumping(*curve.jump)
    target = bag.fcurves.find(curve.path, index=curve.index)
    if target is None:
        groups = {group.name for group in bag.groups}
        target = compat.new_curve(bag, curve.path, curve.index, curve.bone)
        undo.callback(_remove_curve, uid, curve.path, curve.index, groups)
    else:
        old = read_curve(target)
        undo.callback(_restore_curve, uid, curve.path, curve.index, old)
        first, last = frame_range or (float(curve.frames[0]), float(curve.frames[-1]))
        outside = (old.frames < first - SAME_FRAME) | (old.frames > last + SAME_FRAME)
        keys = old.chosen(outside).merged(keys)
        undo.callback(_set_muted, uid, curve.path, curve.index, _muted(target))
        _set_muted(uid, curve.path, curve.index, _heard(target))
    write_curve(target, keys)


# Each of the following functions reverts one step. They look data up by session id, because deleted objects
# need no revert, and names are not unique with linked libraries.


def _object(uid: int) -> bpy.types.Object | None:
    return next((found for found in bpy.data.objects if found.session_uid == uid), None)


def _action(uid: int) -> bpy.types.Action | None:
    return next((found for found in bpy.data.actions if found.session_uid == uid), None)


def _bag(object_uid: int) -> Any | None:
    found = _object(object_uid)
    return None if found is None else compat.find_bag(found)


def _tag(object_uid: int) -> None:
    """Tag an object so that the next update evaluates its animation again."""
    found = _object(object_uid)
    if found is None:
        return
    found.update_tag(refresh={"TIME"})
    if found.animation_data and found.animation_data.action:
        found.animation_data.action.update_tag()


def _give_channels(object_uid: int, channels: Channels) -> None:
    """Restore channels, because a channel keeps the last value of a removed F-curve."""
    found = _object(object_uid)
    if found is not None and len(found.pose.bones) == len(channels.location):
        write_channels(found, channels)


def _drop_animation_data(object_uid: int) -> None:
    found = _object(object_uid)
    if found is not None:
        found.animation_data_clear()


def _restore_structure(object_uid: int, action_uid: int, slot: str, before: Any) -> None:
    found, action = _object(object_uid), _action(action_uid)
    if found is None or action is None:
        return
    compat.restore_structure(action, before)
    if compat.assigned_slot(found) != slot:
        compat.assign_action(found, action, slot)


def _assign(object_uid: int, action_uid: int | None, slot: str) -> None:
    found = _object(object_uid)
    if found is not None:
        compat.assign_action(found, None if action_uid is None else _action(action_uid), slot)


def _extrapolate(object_uid: int, how: str) -> None:
    data: Any = getattr(_object(object_uid), "animation_data", None)
    if data is not None:
        data.action_extrapolation = how


def _remove_action(action_uid: int) -> None:
    action = _action(action_uid)
    if action is not None:
        bpy.data.actions.remove(action)


def _put_mark(action_uid: int, mark: str | None) -> None:
    action = _action(action_uid)
    if action is not None:
        put_mark(action, mark)


def _drop_fake_user(action_uid: int) -> None:
    action = _action(action_uid)
    if action is not None:
        action.use_fake_user = False


def _remove_curve(object_uid: int, path: str, index: int, groups: set[str]) -> None:
    bag = _bag(object_uid)
    if bag is None:
        return
    curve = bag.fcurves.find(path, index=index)
    if curve is not None:
        bag.fcurves.remove(curve)
    for group in [g for g in bag.groups if g.name not in groups and not len(g.channels)]:
        bag.groups.remove(group)


def _muted(curve: Any) -> list[bool]:
    """Mute flags of a curve, its group, and each of its modifiers."""
    return [curve.mute, curve.group is not None and curve.group.mute, *(m.mute for m in curve.modifiers)]


def _heard(curve: Any) -> list[bool]:
    """The flags with which the keys' values have effect. Cycles modifiers do not change these values."""
    return [False, False, *(m.mute or m.type != "CYCLES" for m in curve.modifiers)]


def _set_muted(object_uid: int, path: str, index: int, muted: list[bool]) -> None:
    bag = _bag(object_uid)
    curve = bag.fcurves.find(path, index=index) if bag is not None else None
    if curve is None:
        return
    for owner, mute in zip((curve, curve.group, *curve.modifiers), muted, strict=True):
        if owner is not None and owner.mute != mute:
            owner.mute = mute


def _restore_curve(object_uid: int, path: str, index: int, keys: Keys) -> None:
    bag = _bag(object_uid)
    curve = bag.fcurves.find(path, index=index) if bag is not None else None
    if curve is not None:
        write_curve(curve, keys, new_handles=False)
