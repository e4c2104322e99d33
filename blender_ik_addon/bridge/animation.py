# SPDX-License-Identifier: GPL-3.0-or-later
"""What is animated: data paths, the curves of actions, NLA strips and drivers, and values set by hand.

An operation that steps through the frames restores all unkeyed values when it fails, not only those of the
armature: a target that was moved by hand, a camera, the strength of a light.

The poses in a character's actions are read from the F-curves, without changing the scene's frame.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import bpy
import numpy as np

from .. import compat
from .armature import AT_REST, CHANNEL_WIDTHS, Bones, Channels, channel_records

_BONE: Final = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.?(.*)', re.DOTALL)
_LAST: Final = re.compile(r'(?P<holder>.*?)(?:\.?(?P<name>\w+)|\["(?P<key>(?:[^"\\]|\\.)*)"\])$', re.DOTALL)

_Value = Any  # a number, a name, or a tuple of numbers
_LEAST: Final = 3  # number of bones that an action must turn to count as a pose of the character
_MOST: Final = 600  # maximum number of poses, for all actions together


def bone_path(bone: str, channel: str) -> str:
    """Data path of a bone's property."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{channel}'


def bone_in_path(path: str) -> tuple[str, str]:
    """The bone that a data path names, and the rest of the path; both "" if it names none."""
    found = _BONE.match(path)
    return (bpy.utils.unescape_identifier(found[1]), found[2]) if found else ("", "")


def animated_channels(armature: bpy.types.Object, bones: Bones) -> Channels:
    """(B,) flags of the components that an action, an NLA strip or a driver sets."""
    flags = np.zeros(len(bones), channel_records(np.bool_))
    for curve in animation_curves(armature):
        found = animated_channel(curve, bones)
        if found is not None:
            name, number = found
            flags[name][number, curve.array_index] = True
    return flags


def animated_channel(curve: Any, bones: Bones) -> tuple[str, int] | None:
    """The channel of a curve and the index of its bone; None if the curve is not for a bone's channel."""
    name, channel = bone_in_path(curve.data_path)
    return (channel, bones.index[name]) if channel in CHANNEL_WIDTHS and name in bones.index else None


def is_animated(armature: bpy.types.Object, path: str) -> bool:
    """Whether an action, an NLA strip or a driver sets the property with a data path."""
    data: Any = armature.animation_data
    if data is None:
        return False
    bags = [compat.played_bag(player) for player in compat.players(data)]
    found = [data.drivers, *(bag.fcurves for bag in bags if bag is not None)]
    return any(curves.find(path) is not None for curves in found)


def animation_curves(armature: bpy.types.Object) -> Iterator[Any]:
    """F-curves of the action and of NLA strips, and drivers."""
    yield from keyed_curves(armature)
    data: Any = armature.animation_data
    if data is not None:
        yield from data.drivers


def keyed_curves(owner: Any) -> Iterator[Any]:
    """F-curves of a data-block's action and NLA strips."""
    for player in compat.players(owner.animation_data):
        yield from compat.played_curves(player)


def is_moved(owner: bpy.types.Object) -> bool:
    """Whether an F-curve of several keys animates an object."""
    return any(len(curve.keyframe_points) > 1 for curve in keyed_curves(owner))


def values_by_hand(but: bpy.types.Object | None = None) -> Callable[[], None]:
    """A function that restores the present values of all properties in the file that are animated.

    Those by an action or an NLA strip, except those `but` of one object. It keeps plain data; the owners are
    looked up again.
    """
    values = {
        thing.session_uid: {
            path: value_of(thing, path) for path in {c.data_path for c in keyed_curves(thing)}
        }
        for thing in _animated()
        if thing != but
    }

    def give_back() -> None:
        for thing in _animated():
            held = values.get(thing.session_uid, {})
            lost = {
                p: value for p, value in held.items() if value is not None and value_of(thing, p) != value
            }
            for path, value in lost.items():
                _set(thing, path, value)
            if lost:
                thing.update_tag()  # a custom property does not tag its owner, but drivers may read it

    return give_back


def _animated() -> Iterator[Any]:
    """All data-blocks with animation, including embedded ones."""
    every: Any = bpy.data
    for described in every.bl_rna.properties:
        if described.type != "COLLECTION":
            continue
        for thing in getattr(every, described.identifier):
            for own in (thing, getattr(thing, "node_tree", None)):
                if getattr(own, "animation_data", None) is not None and own.is_editable:
                    yield own


def value_of(thing: Any, path: str) -> _Value | None:
    """The value of a property; None if it does not exist."""
    try:
        value = thing.path_resolve(path)
    except ValueError:
        return None
    return value if isinstance(value, (bool, int, float, str)) else tuple(value)


def _set(thing: Any, path: str, value: _Value) -> None:
    found = _LAST.match(path)
    if found is None:
        return
    holder = thing.path_resolve(found["holder"]) if found["holder"] else thing
    if found["key"] is not None:
        holder[bpy.utils.unescape_identifier(found["key"])] = value
    elif not holder.is_property_readonly(found["name"]):
        setattr(holder, found["name"], value)


def other_actions(armature: bpy.types.Object, words: str, *, assets: bool) -> list[bpy.types.Action]:
    """The actions of the file except the one that an armature plays; with `assets`, only those marked so.

    Only actions with one of some words in their names, which are separated by commas; "" for all.
    """
    data = armature.animation_data
    played = data.action if data is not None else None
    parts = [word.strip().casefold() for word in words.split(",") if word.strip()] or [""]
    return [
        action
        for action in bpy.data.actions
        if action != played
        and (action.asset_data is not None or not assets)
        and any(part in action.name.casefold() for part in parts)
    ]


def action_poses(actions: Iterable[bpy.types.Action], bones: Bones) -> Channels | None:
    """The poses (P, B) of those actions, by slots, that pose an armature's bones; None if there are none."""
    found: list[tuple[Any, list[tuple[Any, str, int]]]] = []
    for action, bag in ((one, bag) for one in actions for bag in compat.all_bags(one)):
        curves = _curves(bag, bones)
        if len({number for _, channel, number in curves if channel.startswith("rotation")}) >= _LEAST:
            found.append((action, curves))
    if not found:
        return None
    spans = [tuple(action.frame_range) for action, _ in found]
    step = max(sum(last - first + 1.0 for first, last in spans) / _MOST, 1.0)
    poses = [
        _poses(bones, curves, np.arange(first, last + 1e-3, step).tolist())
        for (first, last), (_, curves) in zip(spans, found, strict=True)
    ]
    return np.concatenate(poses)


def _curves(bag: Any, bones: Bones) -> list[tuple[Any, str, int]]:
    """The F-curves of a bag that pose bones, each with its channel and the index of its bone."""
    posing = ((curve, animated_channel(curve, bones)) for curve in bag.fcurves)
    return [(curve, *channel) for curve, channel in posing if channel is not None]


def _poses(bones: Bones, curves: list[tuple[Any, str, int]], frames: list[float]) -> Channels:
    """The channels (F, B) of the rest pose, with the values of the curves in some frames."""
    poses = np.full((len(frames), len(bones)), AT_REST)
    for curve, channel, number in curves:
        if channel != "scale":
            poses[channel][:, number, curve.array_index] = [curve.evaluate(frame) for frame in frames]
    return poses
