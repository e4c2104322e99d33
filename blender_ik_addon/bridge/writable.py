# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether keys can be written into an action, so that they play and the rest of the clip stays."""

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from .. import compat
from ..properties.refusal import Refused
from .animation import bone_in_path, bone_path
from .armature import read_all
from .curves import SAME_FRAME, distorting, is_locked, is_repeated, is_sampled


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
