# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked curves, and F-curves as arrays: all data of keyframes, read and written in bulk.

Inserting single keys takes about 8 us each, half a second for a human over 250 frames. In bulk it is fifty
times faster. The data can be written back exactly, with handles and easing, to revert a bake.

A quaternion and its negative are the same rotation, and so are angles that differ by full turns. But a curve
between them spins the bone. Baked values are continuous with earlier keys, so a mismatch with an action's
later keys can only be at their end. Then `joined` lets the curve jump to the other representation in the last
frame. So no key outside of the bake changes, and every frame shows the baked pose.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

from .animation import bone_path
from .armature import CHANNEL_WIDTHS, Array, Bones, Channels, read_all

# Every stored property of a keyframe: name, width, type. `co` comes first, because keys are sorted by it.
_STORED: Final = (
    ("co", 2, np.float32),
    ("handle_left", 2, np.float32),
    ("handle_right", 2, np.float32),
    ("handle_left_type", 1, np.int32),
    ("handle_right_type", 1, np.int32),
    ("interpolation", 1, np.int32),
    ("easing", 1, np.int32),
    ("type", 1, np.int32),
    ("back", 1, np.float32),
    ("amplitude", 1, np.float32),
    ("period", 1, np.float32),
    ("select_control_point", 1, np.bool_),
    ("select_left_handle", 1, np.bool_),
    ("select_right_handle", 1, np.bool_),
)
_KEY: Final = np.dtype([(name, kind, (width,) if width > 1 else ()) for name, width, kind in _STORED])
Keys = npt.NDArray[np.void]
"""The K keyframes of one F-curve as records (K,) of their stored properties; `co` is frame and value."""
# Values that Blender sets on an inserted key, but not on a key that is added in bulk.
_NEW: Final = {"back": 1.70158, "amplitude": 0.8, "period": 4.1}
_CLEAN: Final = 1e-4  # tolerance of "Clean Curves"; Blender's own, in `bpy_extras.anim_utils`
# Keys closer than this are one key; Blender's own threshold is 0.01, motion blur uses steps of 1/64.
SAME_FRAME: Final = 1e-3
_TURN: Final = 2.0 * np.pi


def read_curve(curve: bpy.types.FCurve) -> Keys:
    """All keyframes of an F-curve."""
    keys = np.empty(len(curve.keyframe_points), _KEY)
    for name, width, kind in _STORED:
        keys[name] = read_all(curve.keyframe_points, name, width, kind)
    return keys


def between(before: Keys, keys: Keys, after: Keys) -> Keys:
    """New keys and those before and after them, beyond which the curve stays as it was."""
    _fix_handles(before[-1:], "handle_left", "handle_right")
    _fix_handles(after[:1], "handle_right", "handle_left")
    for left, right in ((before[-1:], keys[:1]), (keys[-1:], after[:1])):
        if len(left) and len(right):
            gap = float(right["co"][0, 0] - left["co"][0, 0])
            _shorten(left, "handle_right", gap)
            _shorten(right, "handle_left", gap)
    return np.concatenate([before, keys, after])


def _fix_handles(key: Keys, outward: str, inward: str) -> None:
    """Make an automatic outward handle of at most one key aligned or free: it would follow the new keys."""
    automatic = [_enum("handle_left_type", word) for word in ("AUTO", "AUTO_CLAMPED")]
    if len(key) and key[f"{outward}_type"][0] in automatic:
        both = key[f"{inward}_type"][0] in automatic
        key[f"{outward}_type"] = _enum("handle_left_type", "ALIGNED" if both else "FREE")
        if both:
            key[f"{inward}_type"] = _enum("handle_left_type", "ALIGNED")


def _shorten(key: Keys, side: str, gap: float) -> None:
    """Let an aligned handle of one key reach no farther than a third of the gap to the next, in frames."""
    way = key[side] - key["co"]
    if key[f"{side}_type"][0] == _enum("handle_left_type", "ALIGNED") and abs(way[0, 0]) > gap / 3.0:
        key[side] = key["co"] + way * (gap / 3.0 / abs(way[0, 0]))


def lead_on(curve: Any, key: Keys, side: str) -> None:
    """Let an end key (1,) of a curve lead on as the curve does now, if that goes on in a straight line."""
    straight = key["interpolation"][0] == _enum("interpolation", "LINEAR")
    vector = key[f"{side}_type"][0] == _enum("handle_left_type", "VECTOR")
    if curve.extrapolation != "LINEAR" or not (straight or vector):
        return  # only these two depend on the keys on their other side
    frame, step = float(key["co"][0, 0]), -1.0 if side == "handle_left" else 1.0
    key[side] = key["co"] + np.array([step, curve.evaluate(frame + step) - curve.evaluate(frame)])
    key[f"{side}_type"] = _enum("handle_left_type", "FREE")
    if straight:
        key["interpolation"] = _enum("interpolation", "BEZIER")


def is_sampled(curve: Any) -> bool:
    """Whether an F-curve has samples instead of keys."""
    return not len(curve.keyframe_points) and len(curve.sampled_points) > 0


def is_locked(curve: Any) -> bool:
    """Whether an F-curve or its group is locked."""
    return bool(curve.lock or (curve.group is not None and curve.group.lock))


def is_repeated(curve: Any) -> bool:
    """Whether an F-curve repeats its keys beyond them."""
    return any(modifier.type == "CYCLES" and not modifier.mute for modifier in curve.modifiers)


def distorting(curve: Any, first: float, last: float) -> list[Any]:
    """The modifiers that may show other values than those of the keys, from a first to a last frame."""
    return [
        modifier
        for modifier in curve.modifiers
        if not modifier.mute
        and modifier.type != "CYCLES"
        and not (
            modifier.use_restricted_range and (modifier.frame_end < first or modifier.frame_start > last)
        )
    ]


def write_curve(curve: bpy.types.FCurve, keys: Keys, *, new_handles: bool = True) -> None:
    """Replace all keyframes of an F-curve by sorted ones; nothing else of it changes.

    With `new_handles`, Blender computes automatic handles; otherwise the handles are written unchanged.
    """
    points = curve.keyframe_points
    points.clear()
    if not len(keys):
        return
    points.add(len(keys))
    for name, _, _ in _STORED:
        points.foreach_set(name, keys[name].ravel())
    if new_handles:
        curve.update()


def new_keys(
    frames: npt.ArrayLike, values: npt.ArrayLike, interpolation: str, handles: str = "AUTO_CLAMPED"
) -> Keys:
    """Selected keyframes like those that Blender inserts; frames and values (K,).

    Their handles are at the keys until Blender computes them.
    """
    co = np.stack([frames, values], -1)
    keys = np.ones(len(co), _KEY)
    keys["co"] = keys["handle_left"] = keys["handle_right"] = co
    words = {"handle_left_type": handles, "handle_right_type": handles, "interpolation": interpolation}
    for name, word in {**words, "easing": "AUTO", "type": "KEYFRAME"}.items():
        keys[name] = _enum(name, word)
    for name, value in _NEW.items():
        keys[name] = value
    return keys


def _sloped_keys(frames: Array, values: Array, slopes: Array) -> Keys:
    """Keyframes with given slopes, between which the curve is a cubic in time.

    Their handles reach a third of the way to the next key. They are aligned, except at corners. There are at
    least two keys. Slopes (K, 2) are per frame, before and after each key.
    """
    gaps = np.diff(frames) / 3.0
    before, after = np.concatenate([gaps[:1], gaps]), np.concatenate([gaps, gaps[-1:]])
    keys = new_keys(frames, values, "BEZIER", "ALIGNED")
    keys["handle_left"] = np.stack([frames - before, values - slopes[:, 0] * before], -1)
    keys["handle_right"] = np.stack([frames + after, values + slopes[:, 1] * after], -1)
    for side in ("handle_left_type", "handle_right_type"):
        keys[side][slopes[:, 0] != slopes[:, 1]] = _enum(side, "FREE")  # corners
    return keys


@cache
def _enum(name: str, word: str) -> int:
    described: Any = bpy.types.Keyframe.bl_rna.properties[name]
    return int(described.enum_items[word].value)


def needed(v: Array) -> npt.NDArray[np.bool_]:
    """(K,) which keys with some values are needed, by the rule of Blender's own "Clean Curves".

    A key is removed if its differences from the last kept key and from the next key sum to less than a
    tolerance. So constant sections keep their ends.
    """
    keep = np.ones(len(v), dtype=bool)
    if len(v) < 3 or (np.abs(np.diff(v)) >= _CLEAN).all():
        return keep
    last = float(v[0])
    listed = v.tolist()
    for i in range(1, len(listed) - 1):
        if abs(listed[i] - last) + abs(listed[i] - listed[i + 1]) < _CLEAN:
            keep[i] = False
        else:
            last = listed[i]
    return keep


@dataclass(frozen=True)
class Curve:
    """One channel component of one bone over time.

    Attributes:
        bone: name; channel: "location", "rotation_quaternion", ...; index: component.
        frames: (F,) increasing; values: (F,).
        slopes: (F, 2) per frame, before and after each key; None for Blender's automatic handles.
        jump: factor and offset that change the last value, to which the curve jumps; None for no jump.
    """

    bone: str
    channel: str
    index: int
    frames: Array
    values: Array
    slopes: Array | None = None
    jump: tuple[float, float] | None = None

    @property
    def path(self) -> str:
        """Data path on the armature object."""
        return bone_path(self.bone, self.channel)


def keys_of(curve: Curve, *, clean: bool) -> Keys:
    """The keyframes of a curve; with `clean` without those that change nothing, if it has no slopes."""
    if curve.slopes is not None:
        keys = _sloped_keys(curve.frames, curve.values, curve.slopes)
    else:
        kept = needed(curve.values) if clean else slice(None)
        keys = new_keys(curve.frames[kept], curve.values[kept], "BEZIER")
    if curve.jump is not None:
        factor, offset = curve.jump
        for name in ("co", "handle_left", "handle_right"):
            keys[name][-1, 1] = factor * keys[name][-1, 1] + offset
        keys["interpolation"][-2:-1] = _enum("interpolation", "CONSTANT")
    return keys


def gather_curves(
    bones: Bones,
    keyed: Iterable[tuple[str, str, int]],
    frames: npt.ArrayLike,
    channels: Sequence[Channels],
    *,
    passes: bool = False,
) -> tuple[Curve, ...]:
    """Convert channels of F successive frames to curves, of the `keyed` components (bone, channel, index).

    Between frames of several `passes` of a recording, the sign of a quaternion may flip, and an angle may
    differ by whole turns; these are made continuous.
    """
    keyed = tuple(keyed)
    times = np.asarray(frames, dtype=float)
    stacked = {
        name: np.array([own[name] for own in channels], dtype=float)
        for name in {channel for _, channel, _ in keyed}
    }
    if passes and "rotation_euler" in stacked:
        stacked["rotation_euler"] = np.unwrap(stacked["rotation_euler"], axis=0)
    if passes and "rotation_quaternion" in stacked:
        turns = stacked["rotation_quaternion"]
        parts = Counter(bone for bone, channel, _ in keyed if channel == "rotation_quaternion")
        whole = np.array([parts[name] == turns.shape[-1] for name in bones.names])  # no locked components
        flips = whole & (np.einsum("fbi,fbi->fb", turns[1:], turns[:-1]) < 0.0)
        turns[1:] *= np.cumprod(np.where(flips, -1.0, 1.0), axis=0)[..., None]
    return tuple(
        Curve(bone, channel, index, times, stacked[channel][:, bones.number(bone), index])
        for bone, channel, index in keyed
    )


def joined(curves: Sequence[Curve], bag: Any, last: float) -> tuple[Curve, ...]:
    """Let curves end with the representation of the bag's keys after frame `last`, which are kept."""
    parts: dict[tuple[str, str], list[Curve]] = {}
    for curve in curves:
        parts.setdefault((curve.bone, curve.channel), []).append(curve)
    found: dict[tuple[str, int], Curve] = {}
    for (_, channel), own in parts.items():
        old = [bag.fcurves.find(curve.path, index=curve.index) for curve in own]
        keyed = (key.co.x for each in old if each is not None for key in each.keyframe_points)
        after = min((time for time in keyed if time > last + SAME_FRAME), default=None)
        if after is None:
            continue
        if channel == "rotation_quaternion":
            if None in old or len(own) < CHANNEL_WIDTHS[channel]:  # locked components cannot change sign
                continue
            wanted = np.array([each.evaluate(after) for each in old])
            if wanted @ np.array([curve.values[-1] for curve in own]) < 0.0:
                found.update(((curve.path, curve.index), _jumping(curve, -1.0, 0.0)) for curve in own)
        elif channel == "rotation_euler":
            for curve, each in zip(own, old, strict=True):
                away = 0.0 if each is None else each.evaluate(curve.frames[-1]) - curve.values[-1]
                if turns := round(away / _TURN):
                    found[curve.path, curve.index] = _jumping(curve, 1.0, turns * _TURN)
    return tuple(found.get((curve.path, curve.index), curve) for curve in curves)


def _jumping(curve: Curve, factor: float, offset: float) -> Curve:
    """The curve with a jump, and with a key in the frame before it."""
    before = curve.frames[-1] - 1.0
    if len(curve.frames) > 1 and curve.slopes is not None and curve.frames[-2] < before - SAME_FRAME:
        value, slope = _between(curve.frames[-2:], curve.values[-2:], curve.slopes[-2:], before)
        at = len(curve.frames) - 1
        curve = replace(
            curve,
            frames=np.insert(curve.frames, at, before),
            values=np.insert(curve.values, at, value),
            slopes=np.insert(curve.slopes, at, slope, axis=0),
        )
    return replace(curve, jump=(factor, offset))


def _between(frames: Array, values: Array, slopes: Array, at: float) -> tuple[float, float]:
    """Value and slope of the cubic between two keys."""
    length = frames[1] - frames[0]
    s = (at - frames[0]) / length
    rise = (values[1] - values[0]) / length
    one, other = slopes[0, 1], slopes[1, 0]
    bend, twist = 3.0 * rise - 2.0 * one - other, one + other - 2.0 * rise
    value = values[0] + length * s * (one + s * (bend + s * twist))
    return float(value), float(one + s * (2.0 * bend + 3.0 * s * twist))
