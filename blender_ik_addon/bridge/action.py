# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes baked channels into an action, all or none, if their keys play and the rest of the clip stays.

Only the given channels change, and only their keys within the baked range. After an error, or on request, the
action is restored.

A bake marks its action with a digest of its name and its bones' keys, so that the next bake may overwrite it.
An action that the user has renamed, edited, locked, given a fake user or used elsewhere is not overwritten.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from hashlib import sha256
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from .. import compat
from ..properties.refusal import Refused
from .animation import animation_curves, bone_in_path, bone_path
from .armature import Channels, read_all, read_channels, write_channels
from .curves import (
    SAME_FRAME,
    Curve,
    Keys,
    between,
    distorting,
    is_locked,
    is_repeated,
    is_sampled,
    joined,
    keys_of,
    lead_on,
    new_keys,
    read_curve,
    write_curve,
)

_MARK: Final = "articulate_bake"
_COMPARED: Final = ("co", "handle_left", "handle_right", "interpolation", "easing")


def key_time(scene: bpy.types.Scene, frame: float) -> float:
    """Animation time of a scene's frame; they differ if time is remapped, for example for slow motion."""
    return frame * scene.render.frame_map_old / scene.render.frame_map_new


def write_keys(
    armature_object: bpy.types.Object,
    curves: Sequence[Curve],
    *,
    new_action: bool = False,
    frame_range: tuple[float, float] | None = None,
    clean: bool = False,
    before: Channels | None = None,
) -> ExitStack:
    """Write baked curves into the action of an armature object.

    On these curves, muting is removed and modifiers other than Cycles are muted, so that the values have
    effect. In a new action, keys that were muted are left out. To restore actions and pose, close the result,
    before an operator ends.

    Args:
        armature_object, curves: what to write, and where.
        new_action: write into a copy of the present action, which keeps the other channels, or into a new
            action if there is none; otherwise into the present action. An unchanged action from an earlier
            call is overwritten.
        frame_range: first and last frame of the range in which old keys of these channels are replaced;
            default: that of each curve.
        clean: omit the keys that Blender's "Clean Curves" removes; not for curves with slopes.
        before: (B,) the values of channels without animation outside of the range, see `_hold`; the present
            ones by default.
    """
    require_writable(armature_object, new_action=new_action)
    components = [(curve.bone, curve.channel, curve.index) for curve in curves]
    require_keepable(armature_object, components, frame_range, new_action=new_action)
    for curve in curves:
        if not np.isfinite(curve.values).all():
            frame = curve.frames[int(np.argmin(np.isfinite(curve.values)))]
            which = f"The {curve.channel.replace('_', ' ')} of bone '{curve.bone}'"
            raise Refused(f"{which} in frame {frame:g} must be a finite number; nothing was written.")
    with ExitStack() as undo:
        undo.callback(_tag, armature_object)
        present = read_channels(armature_object)
        undo.callback(write_channels, armature_object, present)  # they keep the values of removed F-curves
        _ready_action(armature_object, new_action, undo)
        last = frame_range[1] if frame_range else max((curve.frames[-1] for curve in curves), default=0)
        bag = compat.ensure_bag(armature_object, undo)
        for curve in curves if new_action else ():
            old = bag.fcurves.find(curve.path, index=curve.index)
            if old is not None and old.mute:
                _give(old, read_curve(old)[:0], undo)  # they would play
        if frame_range:  # before the curves are joined to the keys that follow
            values = present if before is None else before
            _hold(armature_object, bag, curves, frame_range, values, undo)
        for curve in joined(curves, bag, last):
            _write(bag, curve, frame_range, clean, undo)
        if new_action:
            action: Any = armature_object.animation_data.action
            undo.callback(_put_mark, action, action.get(_MARK))
            _put_mark(action, _digest(armature_object))
        _tag(armature_object)
        return undo.pop_all()


def to_be_keyed(
    armature_object: bpy.types.Object, changed: Iterable[tuple[str, str, int]]
) -> tuple[tuple[str, str, int], ...]:
    """The components (bone, channel, index) that need curves to make the changed ones visible.

    With NLA strips, a quaternion without curves on all components is evaluated with zeros. So its locked
    components must be written, too.
    """
    wanted = dict.fromkeys(changed)
    if any(compat.nla_strips(armature_object.animation_data)):
        quaternions = [bone for bone, channel, _ in wanted if channel == "rotation_quaternion"]
        wanted.update(
            {(bone, "rotation_quaternion", index): None for bone in quaternions for index in range(4)}
        )
    return tuple(wanted)


def _ready_action(armature_object: bpy.types.Object, new_action: bool, undo: ExitStack) -> None:
    """Prepare the action to write to, the present one or a new one."""
    if armature_object.animation_data is None:
        armature_object.animation_data_create()
        undo.callback(armature_object.animation_data_clear)
    data: Any = armature_object.animation_data
    before, slot = data.action, compat.played_slot(data)
    if before is not None and (not new_action or is_own_bake(armature_object)):
        undo.callback(compat.play, data, before, slot)
        return
    made = bpy.data.actions.new(f"{armature_object.name}Action") if before is None else before.copy()
    undo.callback(bpy.data.actions.remove, made)
    if before is not None and before.library is None and not before.use_fake_user and before.users <= 1:
        # this was its last user; without a fake user the action would not be saved
        before.use_fake_user = True
        undo.callback(setattr, before, "use_fake_user", False)
    undo.callback(compat.play, data, before, slot)
    if before is None and any(compat.nla_strips(data)):
        # otherwise it would override the strips outside of the baked frames
        undo.callback(setattr, data, "action_extrapolation", data.action_extrapolation)
        data.action_extrapolation = "NOTHING"
    compat.play(data, made, slot)


def _write(
    bag: Any, curve: Curve, frame_range: tuple[float, float] | None, clean: bool, undo: ExitStack
) -> None:
    keys = keys_of(curve, clean=clean)
    target = bag.fcurves.find(curve.path, index=curve.index)
    if target is None:
        target = compat.new_curve(bag, curve.path, curve.index, curve.bone, undo)
    else:
        old = read_curve(target)
        first, last = frame_range or (float(curve.frames[0]), float(curve.frames[-1]))
        frames = old["co"][:, 0].astype(float)
        before, after = old[frames < first - SAME_FRAME], old[frames > last + SAME_FRAME]
        if len(before) == 1:
            lead_on(target, before, "handle_left")
        if len(after) == 1:
            lead_on(target, after, "handle_right")
        keys = between(before, keys, after)
        muted = dict.fromkeys(filter(None, (target, target.group)), False)
        for part, mute in {**muted, **dict.fromkeys(distorting(target, first, last), True)}.items():
            if part.mute != mute:
                undo.callback(setattr, part, "mute", part.mute)
                part.mute = mute
    _give(target, keys, undo)


def _give(curve: Any, keys: Keys, undo: ExitStack) -> None:
    """Replace the keys of an F-curve."""
    undo.callback(write_curve, curve, read_curve(curve), new_handles=False)
    write_curve(curve, keys)


def _hold(
    owner: bpy.types.Object,
    bag: Any,
    curves: Sequence[Curve],
    frame_range: tuple[float, float],
    values: Channels,
    undo: ExitStack,
) -> None:
    """Give curves without keys on a side of the range one with their value there: the rest of a clip stays.

    It is at the nearest frame there in which the figure has keys. Channels without animation have the values
    (B,); those that strips or drivers set are left out.
    """
    times = keys_of_bones(bag)
    first, last = frame_range[0] - SAME_FRAME, frame_range[1] + SAME_FRAME
    before, after = times[times < first], times[times > last]
    animated = {(c.data_path, c.array_index) for c in animation_curves(owner) if not c.mute}
    for curve in curves if len(before) or len(after) else ():
        target = bag.fcurves.find(curve.path, index=curve.index)
        own = np.zeros(0) if target is None else key_times(target)
        still = target is None or target.mute
        if (still and (curve.path, curve.index) in animated) or (target is not None and is_repeated(target)):
            continue
        frames = [float(before.max())] if len(before) and not (own < first).any() else []
        frames += [float(after.min())] if len(after) and not (own > last).any() else []
        if not frames:
            continue
        present = values[curve.channel][owner.pose.bones.find(curve.bone), curve.index]
        held = [present if still else target.evaluate(frame) for frame in frames]
        straight = not still and target.extrapolation == "LINEAR"
        keys = new_keys(frames, held, "LINEAR" if straight else "BEZIER")
        if target is None:
            target = compat.new_curve(bag, curve.path, curve.index, curve.bone, undo)
        for key in np.split(keys, len(keys)):  # views
            lead_on(target, key, "handle_left" if key["co"][0, 0] < first else "handle_right")
        keys = np.concatenate([read_curve(target), keys])
        _give(target, keys[np.argsort(keys["co"][:, 0])], undo)


def _tag(owner: bpy.types.Object) -> None:
    """Tag an object so that the next update evaluates its animation again."""
    owner.update_tag(refresh={"TIME"})
    if owner.animation_data and owner.animation_data.action:
        owner.animation_data.action.update_tag()


def is_own_bake(owner: bpy.types.Object) -> bool:
    """Whether the action of an object comes from a bake and is unchanged."""
    action: Any = owner.animation_data.action if owner.animation_data else None
    if action is None or action.get(_MARK) is None:
        return False
    kept = action.use_fake_user or action.users > 1 or not action.is_editable
    return not kept and action[_MARK] == _digest(owner)


def _put_mark(action: bpy.types.Action, mark: str | None) -> None:
    """Set the mark of an action, or remove it."""
    action.pop(_MARK, None)
    if mark is not None:
        action[_MARK] = mark


def _digest(owner: bpy.types.Object) -> str:
    found, bag = sha256(owner.animation_data.action.name.encode()), compat.find_bag(owner)
    curves = [c for c in bag.fcurves if c.data_path.startswith("pose.bones[")] if bag is not None else []
    for curve in sorted(curves, key=lambda curve: (curve.data_path, curve.array_index)):
        about = curve.data_path, curve.array_index, is_locked(curve), curve.mute, len(curve.modifiers)
        found.update(repr(about).encode())
        keys = read_curve(curve)
        for name in _COMPARED:
            found.update(keys[name].tobytes())
    return found.hexdigest()


def require_writable(armature_object: bpy.types.Object, *, new_action: bool) -> None:
    """Refuse if keys could not be written, or would have no effect."""
    data = armature_object.animation_data
    if data is None:
        return
    if data.use_tweak_mode:
        raise Refused(f"'{armature_object.name}' is in the NLA's tweak mode; leave it to bake or record.")
    if data.action and not new_action and not data.action.is_editable:
        raise Refused(
            f"Action '{data.action.name}' is linked from another file and cannot be written; "
            "bake into a new action."
        )
    if not data.use_nla or not data.nla_tracks:
        return
    if hidden := hidden_by_nla(data):
        raise Refused(f"The action of '{armature_object.name}' does not play, because {hidden}.")
    if data.action_blend_type != "REPLACE" or data.action_influence < 1.0:
        described: Any = data.bl_rna.properties["action_blend_type"]
        how = described.enum_items[data.action_blend_type].name
        raise Refused(
            f"The action of '{armature_object.name}' is mixed with its NLA strips ({how}, influence"
            f" {data.action_influence:g}); set it to Replace with an influence of 1 in the NLA Editor."
        )


def hidden_by_nla(data: Any) -> str:
    """Why the NLA does not play the action of animation data, and what to do; "" if it does."""
    if data is None or not data.use_nla or data.use_tweak_mode or not data.nla_tracks:
        return ""
    solo = next((track.name for track in data.nla_tracks if track.is_solo), None)
    if solo is not None:
        return f"NLA track '{solo}' plays solo: switch Solo off"
    return "" if data.action_influence else "its influence in the NLA is 0: raise it"


def require_keepable(
    armature_object: bpy.types.Object,
    keyed: Iterable[tuple[str, str, int]],
    frame_range: tuple[float, float] | None,
    *,
    new_action: bool,
) -> None:
    """Refuse keys of components (bone, channel, index) that would change more than a range of a clip.

    Raises:
        Refused: a curve is locked or sampled, or muted with keys outside of the range, or has a modifier that
            must be switched off for the range but is needed outside of it, or repeats, and its repetitions
            would change.
    """
    bag = compat.find_bag(armature_object)
    if bag is None:
        return
    first, last = frame_range or (-np.inf, np.inf)
    there = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    where = f"in action '{armature_object.animation_data.action.name}'"
    for bone, channel, index in keyed:
        curve = there.get((bone_path(bone, channel), index))
        if curve is None:
            continue
        which = f"The {channel.replace('_', ' ')} of bone '{bone}'"
        if is_locked(curve) and not new_action:
            raise Refused(f"{which} is locked {where}; unlock it or bake into a new action.")
        if is_sampled(curve):
            raise Refused(f"{which} is sampled {where}; choose Samples to Keys in the Graph Editor first.")
        if curve.mute:
            if not new_action and _is_beyond(key_times(curve), first, last):
                raise Refused(
                    f"{which} is muted {where}, but its keys in the rest of the clip would play, too;"
                    " delete or unmute them, or bake into a new action."
                )
            continue
        reason = _why_not_apart(bag, curve, first, last)
        if reason:
            raise Refused(f"{which} {reason[0]} {where}, {reason[1]}.")


def _why_not_apart(bag: Any, curve: Any, first: float, last: float) -> tuple[str, str] | None:
    """Why keys in a range of frames change the rest of a clip by the modifiers of a curve; None if not."""
    if not len(curve.modifiers):  # the usual case; recordings check every frame
        return None
    times = key_times(curve)
    if is_repeated(curve) and _is_beyond(times, first, last):
        start, end = float(times[0]), float(times[-1])
        if first < start - SAME_FRAME or last > end + SAME_FRAME:
            return "repeats by the modifier Cycles", (
                "and keys beyond its own would change all repetitions; choose frames from"
                f" {start:g} to {end:g}, or switch the modifier off"
            )
    found = [
        modifier
        for modifier in distorting(curve, first, last)
        if not modifier.use_restricted_range or modifier.frame_start < first or modifier.frame_end > last
    ]
    if not found or not _is_beyond(keys_of_bones(bag), first, last):
        return None
    kind = found[0].bl_rna.properties["type"].enum_items[found[0].type].name
    return f"has the modifier {kind}", (
        "which would be off in the rest of the clip, too; mute it, limit it to the frames where it is needed,"
        " or bake all frames that have keys"
    )


def keys_of_bones(bag: Any) -> npt.NDArray[np.float32]:
    """(K,) frames of all keys for bones in a bag."""
    times = (key_times(curve) for curve in bag.fcurves if bone_in_path(curve.data_path)[0])
    return np.concatenate([np.zeros(0, np.float32), *times])


def key_times(curve: Any) -> npt.NDArray[np.float32]:
    """(K,) frames of the keys of an F-curve."""
    return read_all(curve.keyframe_points, "co", 2)[:, 0]


def _is_beyond(times: npt.NDArray[np.float32], first: float, last: float) -> bool:
    """Whether any of the times is outside of a range."""
    return bool(((times < first - SAME_FRAME) | (times > last + SAME_FRAME)).any())
