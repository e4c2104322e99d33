# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the baked clip does what was asked, measured by Blender alone.

Frame by frame, from the evaluated pose: nothing of the solver, nothing of its mathematics. What is read here
is what an animator sees.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

NEAR = 0.5
"""Metres; skin that is further away is not measured."""
LEVEL = 1e-3
"""Sine below which a point beside a sharp edge counts as level with the face found, not as behind it."""
DEEP = 0.1
"""Metres that skin can be inside of something and still be noticed."""


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
    surface = _places(shown)
    tree, box = BVHTree.FromPolygons(surface.tolist(), _faces(shown)), _box(surface)
    skins = [(skin, ~_touched(skin, besides)) for skin in _skins(figure)]
    least = _Least()
    for frame in frames:
        depsgraph = _go(frame)
        for skin, kept in skins:
            least.look(tree, box, _places(skin.evaluated_get(depsgraph))[kept], frame)
    return least.report()


def own_clearance(
    figure: bpy.types.Object, parts: Iterable[tuple[set[str], set[str]]], frames: range
) -> dict[str, Any]:
    """The smallest distance of some of the figure's skin from other skin of it, over a clip.

    Args:
        figure: the armature.
        parts: pairs of bones: the skin that only the first ones move is kept from the skin that only the
            second ones move.
        frames: of the clip.

    Returns:
        As `clearance`.
    """
    skins = _skins(figure)
    starts = np.cumsum([0, *(len(skin.data.vertices) for skin in skins)])
    corners = np.concatenate([_triangles(skin) + start for skin, start in zip(skins, starts, strict=False)])
    movers = [groups for skin in skins for groups in _movers(skin)]
    kept = []
    for first, second in parts:
        one, other = (np.array([groups <= bones for groups in movers]) for bones in (first, second))
        kept.append((one, corners[other[corners].all(1)]))
    least = _Least()
    for frame in frames:
        depsgraph = _go(frame)
        places = np.concatenate([_places(skin.evaluated_get(depsgraph)) for skin in skins])
        for one, triangles in kept:
            low, high = _box(places[one])
            close = ((places > low - least.reach) & (places < high + least.reach)).all(1)
            chosen, numbers = np.unique(triangles[close[triangles].any(1)], return_inverse=True)
            if len(chosen):
                surface = places[chosen]
                tree = BVHTree.FromPolygons(surface.tolist(), numbers.reshape(-1, 3).tolist())
                least.look(tree, _box(surface), places[one], frame)
    return least.report()


def _box(places: np.ndarray) -> np.ndarray:
    """(2, 3) lowest and highest coordinates."""
    return np.array([places.min(0), places.max(0)])


def _joined(faces: list[list[tuple[int, ...]]], counts: list[int]) -> list[tuple[int, ...]]:
    """The faces of several meshes over the vertices of all of them."""
    starts = [sum(counts[:k]) for k in range(len(counts))]
    return [
        tuple(corner + start for corner in face)
        for start, own in zip(starts, faces, strict=True)
        for face in own
    ]


class _Least:
    """The smallest distance that was met so far."""

    def __init__(self) -> None:
        self.far, self.frame = NEAR, None

    @property
    def reach(self) -> float:
        """What is farther is of no interest, but for what is deep inside."""
        return max(self.far, DEEP)

    def look(self, tree: BVHTree, box: np.ndarray, points: np.ndarray, frame: int) -> None:
        """Ask for the distances of points (V, 3) from a surface in a box; negative behind its faces."""
        inside = ((points > box[0] - self.reach) & (points < box[1] + self.reach)).all(1)
        for point in points[inside].tolist():
            place, normal, _face, far = tree.find_nearest(point, self.reach)
            if place is not None:
                signed = -far if (Vector(point) - place).dot(normal) < -LEVEL * far else far
                if signed < self.far:
                    self.far, self.frame = signed, frame

    def report(self) -> dict[str, Any]:
        """Millimetres and frame."""
        return {"mm": None if self.frame is None else 1e3 * self.far, "frame": self.frame}


def _go(frame: int) -> bpy.types.Depsgraph:
    bpy.context.scene.frame_set(frame)
    return bpy.context.evaluated_depsgraph_get()


def _skins(figure: bpy.types.Object) -> list[bpy.types.Object]:
    skins = [thing for thing in figure.children_recursive if _is_skin(thing, figure)]
    if not skins:
        raise RuntimeError(f"'{figure.name}' has no skin to be measured")
    return skins


def _is_skin(thing: bpy.types.Object, figure: bpy.types.Object) -> bool:
    return any(m.type == "ARMATURE" and m.object == figure for m in thing.modifiers)


def _touched(skin: bpy.types.Object, bones: set[str]) -> np.ndarray:
    """(V,) which vertices some bone out of these moves."""
    return np.array([bool(groups & bones) for groups in _movers(skin)])


def _movers(skin: bpy.types.Object) -> list[set[str]]:
    names = [group.name for group in skin.vertex_groups]
    return [
        {names[element.group] for element in vertex.groups if element.weight > 0.0}
        for vertex in skin.data.vertices
    ]


def _triangles(thing: bpy.types.Object) -> np.ndarray:
    """(T, 3) vertices of the triangles of a mesh as it is modelled."""
    mesh = thing.data
    mesh.calc_loop_triangles()
    flat = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", flat)
    return flat.reshape(-1, 3)


def _faces(thing: bpy.types.Object) -> list[tuple[int, ...]]:
    mesh = thing.to_mesh()
    faces = [tuple(face.vertices) for face in mesh.polygons]
    thing.to_mesh_clear()
    return faces


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
