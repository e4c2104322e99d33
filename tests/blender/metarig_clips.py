# SPDX-License-Identifier: GPL-3.0-or-later
"""Random smooth clips for Rigify's metarigs, and what Blender shows of a bake of them.

The targets are where a smooth random motion of the bones, inside their limits, puts the tails of a few bones:
within reach by construction. The same places pushed away from the figure are out of reach, and places out of
different motions are in conflict.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Quaternion

RIGS = (
    "human", "basic_human", "basic_quadruped", "bird", "cat", "horse", "shark", "wolf",
)  # fmt: skip
KINDS = ("within", "out", "conflict")
FAR = 1.5  # times as far from the figure's middle as it can reach
_WAVES = 2  # harmonics of a motion
_SHARE = 0.55  # share of its limits that a bone uses; a pair of turns stays inside an ellipse


@dataclass
class Clip:
    """A figure with targets that move, in the present scene."""

    figure: bpy.types.Object
    bones: list[str]
    targets: np.ndarray
    """(frames, E, 3) world."""
    size: float


def metarig(name: str) -> bpy.types.Object:
    """One of Rigify's metarigs in an empty file."""
    import addon_utils  # there once bpy is

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{name}_metarig_add")()
    return bpy.context.object


def make(name: str, kind: str, seed: int) -> Clip:
    """A clip of some rig: kind "within", "out" of reach or in "conflict"."""
    rng = np.random.default_rng([seed, RIGS.index(name), KINDS.index(kind)])
    figure = metarig(name)
    bones = _effectors(figure, rng)
    if rng.random() < 0.7:
        for bone in figure.pose.bones:
            _limit(bone, rng)
    frames = int(rng.integers(60, 101))
    corners = np.array([bone.tail for bone in figure.pose.bones])
    size = float(np.linalg.norm(corners.max(0) - corners.min(0)))
    places = _places(figure, bones, frames, rng)
    if kind == "conflict":
        places = np.stack([_places(figure, [bone], frames, rng)[:, 0] for bone in bones], 1)
        middle = places.mean(1, keepdims=True)
        places = middle + rng.uniform(0.4, 1.6, size=(len(bones), 1)) * (places - middle)
    elif kind == "out":
        middle = np.array(figure.pose.bones[0].head)
        places = middle + rng.uniform(1.0, FAR, size=(len(bones), 1)) * (places - middle)
    for number, bone in enumerate(bones):
        target = bpy.data.objects.new(f"Target {bone}", None)
        bpy.context.scene.collection.objects.link(target)
        for row, place in enumerate(places[:, number]):
            target.location = place
            target.keyframe_insert("location", frame=row + 1)
        bpy.context.view_layer.objects.active = figure
        bpy.ops.articulate.effector_add(bone=bone, kind="POSITION", target=target.name)
    return Clip(figure, bones, places, size)


def bake(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Bake it; (frames, E) distances, and (frames - 1,) largest turns of a bone in a frame, degrees."""
    bpy.ops.articulate.bake(frame_start=1, frame_end=len(clip.targets))
    scene, misses, turns, before = bpy.context.scene, [], [], None
    for row, wanted in enumerate(clip.targets):
        scene.frame_set(row + 1)
        shown = clip.figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        tails = np.array([shown.matrix_world @ shown.pose.bones[bone].tail for bone in clip.bones])
        misses.append(np.linalg.norm(tails - wanted, axis=1))
        local = [
            (bone.parent.matrix.inverted() @ bone.matrix if bone.parent else bone.matrix).to_quaternion()
            for bone in shown.pose.bones
        ]
        if before is not None:
            pairs = zip(before, local, strict=True)
            turns.append([np.degrees(_angle(a, b)) for a, b in pairs])
        before = local
    return np.array(misses), np.array(turns).max(1)


def _angle(a: Quaternion, b: Quaternion) -> float:
    turn = a.rotation_difference(b).angle
    return min(turn, 2.0 * np.pi - turn)


def _effectors(figure: bpy.types.Object, rng: np.random.Generator) -> list[str]:
    """A few bones, none above another, not too small and not too near the root."""
    lengths = np.array([bone.length for bone in figure.data.bones])
    able = [
        bone.name
        for bone in figure.data.bones
        if len(bone.parent_recursive) >= 3 and bone.length > 0.25 * np.median(lengths)
    ]
    chosen: list[str] = []
    count = int(rng.integers(2, 6))
    for name in rng.permutation(able):
        bone = figure.data.bones[name]
        others = [figure.data.bones[one] for one in chosen]
        apart = all(bone not in one.parent_recursive and one not in bone.parent_recursive for one in others)
        if apart and all(bone.parent != one.parent for one in others):
            chosen.append(str(name))
        if len(chosen) == count:
            break
    return chosen


def _limit(bone: bpy.types.PoseBone, rng: np.random.Generator) -> None:
    for axis in "xyz":
        setattr(bone, f"use_ik_limit_{axis}", True)
        setattr(bone, f"ik_min_{axis}", -float(rng.uniform(0.3, 1.2)))
        setattr(bone, f"ik_max_{axis}", float(rng.uniform(0.3, 1.2)))


def _places(figure: bpy.types.Object, bones: list[str], frames: int, rng: np.random.Generator) -> np.ndarray:
    """(frames, E, 3) where a smooth motion inside the limits puts the tails; the figure rests afterwards."""
    phase = np.arange(frames) * (2.0 * np.pi / frames)
    moved = [figure.pose.bones[bone] for bone in bones]
    above = {bone.name for end in moved for bone in (end, *end.parent_recursive)}
    motion = {}
    for bone in figure.pose.bones:
        if bone.name not in above:
            continue
        wave = np.zeros((3, frames))
        for k in range(1, _WAVES + 1):
            a, b = rng.normal(size=(2, 3, 1)) / k
            wave += a * np.cos(k * phase) + b * np.sin(k * phase)
        wave = np.tanh(0.5 * (wave + rng.normal(size=(3, 1))))
        for row, axis in enumerate("xyz"):
            limited = getattr(bone, f"use_ik_limit_{axis}")
            low = getattr(bone, f"ik_min_{axis}") if limited else -0.7
            high = getattr(bone, f"ik_max_{axis}") if limited else 0.7
            wave[row] = _SHARE * np.where(wave[row] > 0.0, high, -low) * wave[row]
            if getattr(bone, f"lock_ik_{axis}"):
                wave[row] = 0.0
        motion[bone.name] = wave.T
    modes = {name: figure.pose.bones[name].rotation_mode for name in motion}
    out = np.empty((frames, len(bones), 3))
    for row in range(frames):
        for name, wave in motion.items():
            bone = figure.pose.bones[name]
            bone.rotation_mode = "QUATERNION"
            x, y, z = wave[row]
            swing = Quaternion((x, 0.0, z), float(np.hypot(x, z))) if x or z else Quaternion()
            bone.rotation_quaternion = swing @ Quaternion((0.0, 1.0, 0.0), y)
        bpy.context.view_layer.update()
        out[row] = [figure.matrix_world @ figure.pose.bones[bone].tail for bone in bones]
    for name, mode in modes.items():
        figure.pose.bones[name].rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
        figure.pose.bones[name].rotation_mode = mode
    bpy.context.view_layer.update()
    return out
