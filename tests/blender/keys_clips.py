# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of figures for bakes with few keys, and what Blender shows of them."""

from __future__ import annotations

import bpy
import metarig_clips
import numpy as np

EFFECTORS = {
    "human": (("foot.L", "foot.R"), ("hand.L", "hand.R", "spine.006")),
    "basic_quadruped": (("foot.L", "foot.R", "front_foot.L", "front_foot.R"), ("spine.003",)),
    "bird": (("foot.L", "foot.R"), ("Wing.002.L", "Wing.002.R", "head")),
}
MOTIONS = ("gentle", "wide", "walking", "jagged")
FRAMES = 250


def make(rig: str, motion: str, frames: int = FRAMES) -> bpy.types.Object:
    """A figure with effectors on feet (held to the ground), hands or wings and head, and moving targets.

    gentle, wide: smooth ways of the upper ends in slow waves, the feet planted. walking: feet that step, one
    after the other, and are planted between. jagged: straight ways to another place every five frames.
    """
    figure = metarig_clips.metarig(rig)
    figure.articulate.solver.root = "FREE"
    feet, ends = EFFECTORS[rig]
    corners = np.array([bone.tail for bone in figure.pose.bones])
    size = float(np.linalg.norm(corners.max(0) - corners.min(0)))
    rng = np.random.default_rng([tuple(EFFECTORS).index(rig), MOTIONS.index(motion)])
    times = np.arange(frames)
    for number, bone in enumerate(feet + ends):
        start = np.array(figure.matrix_world @ figure.pose.bones[bone].tail)
        if bone in feet:
            way = _steps(times, number, len(feet), size) if motion == "walking" else np.zeros((frames, 3))
        elif motion == "jagged":
            knots = times[::5]
            places = rng.uniform(-0.04, 0.04, size=(len(knots), 3)) * size
            way = np.stack([np.interp(times, knots, column) for column in places.T], -1)
        else:
            way = _waves(times, rng) * size * {"gentle": 0.02, "wide": 0.08, "walking": 0.02}[motion]
        if motion == "walking":
            way[:, 1] -= 0.003 * size * times * (bone in ends)
        _animated(figure, bone, start + way)
    return figure


def _animated(figure: bpy.types.Object, bone: str, places: np.ndarray) -> None:
    target = bpy.data.objects.new(f"Target {bone}", None)
    bpy.context.scene.collection.objects.link(target)
    for row, place in enumerate(places):
        target.location = place
        target.keyframe_insert("location", frame=row + 1)
    bpy.context.view_layer.objects.active = figure
    bpy.ops.articulate.effector_add(bone=bone, kind="POSITION", target=target.name)


def _waves(times: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(F, 3) smooth, about as large as 1, with periods of some 25 frames and longer."""
    out = np.zeros((len(times), 3))
    for period in (120.0, 60.0, 27.0):
        phase = rng.uniform(0.0, 2.0 * np.pi, size=3)
        out += (
            rng.normal(size=3) * 0.5 * (np.sin(2 * np.pi * times[:, None] / period + phase) - np.sin(phase))
        )
    return out


def _steps(times: np.ndarray, number: int, feet: int, size: float) -> np.ndarray:
    """(F, 3) a foot that goes ahead in steps of 16 frames and stands for as long or longer."""
    cycle, swing = 16.0 * feet, 16.0
    at = (times - swing * number) / cycle
    whole, share = np.floor(at), np.clip((at - np.floor(at)) * feet, 0.0, 1.0)
    eased = share * share * (3.0 - 2.0 * share)
    way = np.zeros((len(times), 3))
    way[:, 1] = -0.003 * size * cycle * (whole + eased + (0.0 if number == 0 else 1.0))
    way[:, 1] -= way[0, 1]
    way[:, 2] = 0.04 * size * np.sin(np.pi * share) ** 2
    return way


def shown(figure: bpy.types.Object, frames: int) -> np.ndarray:
    """(F, P, 3) world places of both ends of all bones and two points aside of each, by Blender."""
    found = []
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        seen = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrices = np.array([np.array(seen.matrix_world @ bone.matrix) for bone in seen.pose.bones])
        length = np.array([bone.bone.length for bone in seen.pose.bones])[:, None]
        head, (x, y, z) = matrices[:, :3, 3], matrices[:, :3, :3].transpose(2, 0, 1)
        found.append(np.concatenate([head, head + length * y, head + length * x, head + length * z]))
    return np.array(found)
