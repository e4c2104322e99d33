# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the baked clip does what was asked, measured by Blender alone.

Frame by frame, from the evaluated pose: nothing of the solver, nothing of its mathematics. What is read here
is what an animator sees.
"""

from __future__ import annotations

import time
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

NEAR = 0.25
"""Metres; skin that is further away is not measured."""


def measure(figure: bpy.types.Object, frames: range) -> dict[str, dict[str, Any]]:
    """Errors of every effector over a clip: millimetres, degrees, and the frame where they are worst."""
    distances: dict[str, list[float]] = {effector.name: [] for effector in figure.articulate.effectors}
    angles: dict[str, list[float]] = {effector.name: [] for effector in figure.articulate.effectors}
    scene = bpy.context.scene
    for frame in frames:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        shown = figure.evaluated_get(depsgraph)
        for effector in figure.articulate.effectors:
            bone = shown.pose.bones[effector.bone]
            target = effector.target.evaluated_get(depsgraph).matrix_world
            frame_of_bone = shown.matrix_world @ bone.matrix
            start = bone.length if effector.point == "TIP" else 0.0
            point = frame_of_bone @ (Vector((0.0, start, 0.0)) + Vector(effector.offset))
            way = target.translation - point
            distances[effector.name].append(1e3 * way.length)
            if effector.kind == "AIM":
                axis = _turn(frame_of_bone)[:, "XYZ".index(effector.axis)]
                angles[effector.name].append(_between(axis, np.array(way)))
            else:
                angles[effector.name].append(_angle(_turn(frame_of_bone), _turn(target)))
    report = {}
    for effector in figure.articulate.effectors:
        row: dict[str, Any] = {"bone": effector.bone, "kind": effector.kind}
        if effector.kind in {"POSITION", "POSE"}:
            row |= _summary("mm", distances[effector.name], frames)
        if effector.kind in {"ORIENTATION", "POSE", "AIM"}:
            row |= _summary("degrees", angles[effector.name], frames)
        report[effector.name] = row
    return report


def clearance(
    figure: bpy.types.Object, thing: bpy.types.Object, besides: set[str], frames: range
) -> dict[str, Any]:
    """The smallest distance of the figure's skin from an object that stands still, over a clip.

    Args:
        figure: the armature.
        thing: a closed mesh.
        besides: bones whose skin may touch it.
        frames: of the clip.

    Returns:
        `mm`, negative if some skin is inside, and its `frame`; `mm` is None if none ever comes near.
    """
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    places, mesh = _places(shown), shown.to_mesh()
    tree = BVHTree.FromPolygons(places.tolist(), [tuple(face.vertices) for face in mesh.polygons])
    shown.to_mesh_clear()
    low, high = places.min(0) - NEAR, places.max(0) + NEAR
    skins = [(skin, _apart(skin, besides)) for skin in figure.children_recursive if _is_skin(skin, figure)]
    if not skins:
        raise RuntimeError(f"'{figure.name}' has no skin to be measured")
    least: tuple[float, int | None] = (NEAR, None)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for skin, kept in skins:
            points = _places(skin.evaluated_get(depsgraph))[kept]
            for point in points[((points > low) & (points < high)).all(1)].tolist():
                place, normal, _face, far = tree.find_nearest(point, NEAR)
                if place is not None:
                    side = -1.0 if (Vector(point) - place).dot(normal) < 0.0 else 1.0
                    least = min(least, (side * far, frame), key=lambda pair: pair[0])
    return {"mm": None if least[1] is None else 1e3 * least[0], "frame": least[1]}


def _is_skin(thing: bpy.types.Object, figure: bpy.types.Object) -> bool:
    return any(m.type == "ARMATURE" and m.object == figure for m in thing.modifiers)


def _apart(skin: bpy.types.Object, besides: set[str]) -> np.ndarray:
    """(V,) which vertices no bone out of some moves."""
    names = [group.name for group in skin.vertex_groups]
    moved = [
        {names[element.group] for element in v.groups if element.weight > 0.0} for v in skin.data.vertices
    ]
    return np.array([not groups & besides for groups in moved])


def _places(shown: bpy.types.Object) -> np.ndarray:
    """(V, 3) the vertices of an evaluated object in the world."""
    mesh = shown.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    matrix = np.array(shown.matrix_world)
    shown.to_mesh_clear()
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def frame_change(frames: range) -> float:
    """Seconds that Blender itself needs to go to a frame of this scene, which every bake pays."""
    scene = bpy.context.scene
    started = time.perf_counter()
    for frame in frames:
        scene.frame_set(frame)
    return (time.perf_counter() - started) / len(frames)


def largest_turn(figure: bpy.types.Object, frames: range) -> dict[str, Any]:
    """The fastest turn of any bone against its parent, degrees in one frame: a pop would show."""
    scene, before, worst = bpy.context.scene, {}, {"degrees": 0.0, "bone": "", "frame": 0}
    for frame in frames:
        scene.frame_set(frame)
        shown = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        now = {bone.name: _turn(bone.matrix_basis) for bone in shown.pose.bones}
        for name, turn in before.items():
            degrees = _angle(turn, now[name])
            if degrees > worst["degrees"]:
                worst = {"degrees": degrees, "bone": name, "frame": frame}
        before = now
    return worst


def _turn(matrix: Matrix) -> np.ndarray:
    """(3, 3) the rotation of a matrix, without scale."""
    return np.array(matrix.to_3x3().normalized())


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    """Degrees between two rotations; by the sine too, since a cosine near 1 tells small angles badly."""
    d = a.T @ b
    sine = np.linalg.norm([d[2, 1] - d[1, 2], d[0, 2] - d[2, 0], d[1, 0] - d[0, 1]])
    return float(np.degrees(np.arctan2(sine, np.trace(d) - 1.0)))


def _between(a: np.ndarray, b: np.ndarray) -> float:
    """Degrees between two directions."""
    return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)))


def _summary(unit: str, values: list[float], frames: range) -> dict[str, Any]:
    return {
        f"mean_{unit}": float(np.mean(values)),
        f"worst_{unit}": float(np.max(values)),
        f"worst_{unit}_frame": frames[int(np.argmax(values))],
    }
