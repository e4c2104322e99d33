# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that nobody would set up: figures with locks and limits that stand in what they are to keep out of.

Each seed gives one: a figure of any kind, some of whose rotations are partly locked, self-collision mostly
on, a few pins, and obstacles that go through it, press it from two sides, close it in, or push through it in
the frames that follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import bpy
import natural_poses as natural
import numpy as np
import standing_figures
from bridge_rigs import chain_rig, shake, tree_rig

FRAMES = range(1, 7)
_SHARES = (0.0, 0.15, 0.5)  # of bones that have locks, and that have limits
_PUSH = 0.5  # figure heights that what is animated goes in the frames


@dataclass(frozen=True)
class Scene:
    """One of them.

    Attributes:
        name: figure and surroundings; rig: the armature, active; height: of it, metres.
        grips: bones to be dragged; ways: (G, 3) where to, metres.
    """

    name: str
    rig: bpy.types.Object
    height: float
    grips: tuple[str, ...]
    ways: np.ndarray


def scene(seed: int) -> Scene:
    """The scene of a seed, in an empty file."""
    rng = np.random.default_rng(seed)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    figure, around = list(FIGURES)[seed % len(FIGURES)], list(SURROUNDINGS)[seed // 3 % len(SURROUNDINGS)]
    rig = FIGURES[figure](seed)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    heads = np.array([rig.matrix_world @ bone.head for bone in rig.pose.bones])
    tails = np.array([rig.matrix_world @ bone.tail for bone in rig.pose.bones])
    height = float(np.ptp(np.concatenate([heads, tails]), axis=0).max())
    _lock(rig, rng)
    rig.articulate.solver.root = str(rng.choice(["PINNED", "FREE"]))
    bpy.context.view_layer.update()
    middles = 0.5 * (heads + tails)
    for thing in SURROUNDINGS[around](rng, middles, height):
        bpy.context.view_layer.objects.active = rig
        bpy.context.view_layer.update()
        bpy.ops.articulate.obstacle_add(object=thing.name)
    rig.articulate.body.self_collision = bool(rng.random() < 0.7)
    ends = [bone.name for bone in rig.pose.bones if not bone.children] or [rig.pose.bones[-1].name]
    ends = rng.permutation(ends).tolist()
    for name in ends[2 : 2 + int(rng.integers(0, 5))]:
        bpy.ops.articulate.pin(bone=name, kind=str(rng.choice(["POSE", "POSITION"])))
    bpy.context.view_layer.update()
    grips = tuple(ends[:2])
    ways = rng.normal(size=(len(grips), 3))
    ways *= 0.35 * height / np.linalg.norm(ways, axis=1, keepdims=True)
    return Scene(f"{seed} {figure}, {around}", rig, height, grips, ways)


def _lock(rig: bpy.types.Object, rng: np.random.Generator) -> None:
    """Turn some bones a little, lock components of their rotations, and give some limits."""
    locked, limited = rng.choice(_SHARES), rng.choice(_SHARES)
    for bone in rig.pose.bones:
        bone.rotation_mode = str(rng.choice(["XYZ", "ZXY", "QUATERNION"]))
        turn = 0.2 * rng.normal(size=3)
        if bone.rotation_mode == "QUATERNION":
            bone.rotation_quaternion = (1.0, *(0.5 * turn))
        else:
            bone.rotation_euler = turn
        if rng.random() < locked:
            bone.lock_rotation[int(rng.integers(3))] = True
        for axis in "xyz":
            if rng.random() < limited:
                setattr(bone, f"use_ik_limit_{axis}", True)
                setattr(bone, f"ik_min_{axis}", -rng.uniform(0.2, 1.5))
                setattr(bone, f"ik_max_{axis}", rng.uniform(0.2, 1.5))


def _built(rows: Callable[[], standing_figures.Rows]) -> Callable[[int], bpy.types.Object]:
    return lambda _: standing_figures.build(rows())


def _tree(seed: int) -> bpy.types.Object:
    rig = tree_rig(seed, 14)
    shake(rig, seed, turn=0.3, scale="UNIFORM" if seed % 2 else "NONE")
    return rig


def _chain(seed: int) -> bpy.types.Object:
    rig = chain_rig(5 + seed % 9)
    shake(rig, seed, turn=0.3, move=0.0)
    return rig


def _metarig(name: str) -> Callable[[int], bpy.types.Object]:
    return lambda _: natural.rest_figure(name)


FIGURES: dict[str, Callable[[int], bpy.types.Object]] = {
    "person": _built(standing_figures.person),
    "tree": _tree,
    "human": _metarig("human"),
    "chain": _chain,
    "spider": _built(standing_figures.spider),
    "basic human": _metarig("basic_human"),
    "snake": _built(standing_figures.snake),
    "wolf": _metarig("wolf"),
    "centaur": _built(standing_figures.centaur),
    "palm": _built(standing_figures.palm),
    "robot": _built(standing_figures.robot_arm),
}


def _box(name: str, place: np.ndarray, size: Any, turn: Any = (0, 0, 0)) -> bpy.types.Object:
    """A box with edges of so many metres."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=tuple(place), rotation=tuple(turn))
    box = bpy.context.object
    box.name, box.scale = name, np.broadcast_to(size, 3).tolist()
    return box


def _through(rng: np.random.Generator, middles: np.ndarray, height: float) -> list[bpy.types.Object]:
    picked = rng.choice(len(middles), 2)
    return [
        _box(f"Block {n}", middles[bone], height * rng.uniform(0.1, 0.3, 3), rng.normal(size=3))
        for n, bone in enumerate(picked)
    ]


def _walls(rng: np.random.Generator, middles: np.ndarray, height: float) -> list[bpy.types.Object]:
    """On two sides, a little inside of the figure's outermost bones."""
    axis = int(rng.integers(2))
    low, high = np.quantile(middles[:, axis], (0.15, 0.85))
    places = np.tile(middles.mean(0), (2, 1))
    places[:, axis] = low - 0.5 * height, high + 0.5 * height
    size = np.full(3, 3.0 * height)
    size[axis] = height
    return [_box(f"Wall {n}", place, size) for n, place in enumerate(places)]


def _room(rng: np.random.Generator, middles: np.ndarray, height: float) -> list[bpy.types.Object]:
    low, high = middles.min(0), middles.max(0)
    return [_box("Room", 0.5 * (low + high), (high - low) * rng.uniform(0.95, 1.2) + 0.1 * height)]


def _plates(rng: np.random.Generator, middles: np.ndarray, height: float) -> list[bpy.types.Object]:
    """Above and below, closer than the figure is tall."""
    low, high = np.quantile(middles[:, 2], (0.1, 0.9))
    middle = middles.mean(0)
    thick = height * rng.choice([0.01, 0.2])
    found = []
    for n, (z, side) in enumerate(((low, -1.0), (high, 1.0))):
        place = np.array([middle[0], middle[1], z + 0.5 * side * thick])
        found.append(
            _box(
                f"Plate {n}",
                place,
                (3 * height, 3 * height, thick),
                (0.1 * rng.normal(), 0.1 * rng.normal(), 0),
            )
        )
    return found


def _sheets(rng: np.random.Generator, middles: np.ndarray, height: float) -> list[bpy.types.Object]:
    """Without any thickness, across the figure."""
    found = []
    for n, bone in enumerate(rng.choice(len(middles), 3)):
        bpy.ops.mesh.primitive_grid_add(
            x_subdivisions=8,
            y_subdivisions=8,
            size=height * rng.uniform(0.3, 1.0),
            location=tuple(middles[bone] + 0.03 * height * rng.normal(size=3)),
            rotation=tuple(rng.normal(size=3)),
        )
        bpy.context.object.name = f"Sheet {n}"
        found.append(bpy.context.object)
    return found


def _crowd(rng: np.random.Generator, middles: np.ndarray, height: float) -> list[bpy.types.Object]:
    """Many small things in and about the figure."""
    low, high = middles.min(0) - 0.1 * height, middles.max(0) + 0.1 * height
    return [
        _box(f"Thing {n}", rng.uniform(low, high), height * rng.uniform(0.02, 0.08), rng.normal(size=3))
        for n in range(80)
    ]


def _pushers(rng: np.random.Generator, middles: np.ndarray, height: float) -> list[bpy.types.Object]:
    """Come from a side and go on through the figure."""
    found = []
    for n, bone in enumerate(rng.choice(len(middles), 2)):
        way = rng.normal(size=3)
        way *= _PUSH * height / np.linalg.norm(way)
        box = _box(f"Pusher {n}", middles[bone], height * rng.uniform(0.1, 0.3, 3))
        for frame, share in ((FRAMES[0], -0.6), (FRAMES[-1], 0.4)):
            box.location = middles[bone] + share * way
            box.keyframe_insert("location", frame=frame)
        found.append(box)
    return found


def _floor(rng: np.random.Generator, middles: np.ndarray, height: float) -> list[bpy.types.Object]:
    """Above the feet, and a post."""
    place = middles.mean(0)
    place[2] = np.quantile(middles[:, 2], 0.12) - 0.25 * height
    post = middles[rng.integers(len(middles))]
    return [
        _box("Floor", place, (4 * height, 4 * height, 0.5 * height)),
        _box("Post", post, (0.05 * height, 0.05 * height, 2 * height)),
    ]


SURROUNDINGS: dict[str, Callable[[np.random.Generator, np.ndarray, float], list[bpy.types.Object]]] = {
    "through": _through,
    "walls": _walls,
    "room": _room,
    "plates": _plates,
    "sheets": _sheets,
    "crowd": _crowd,
    "pushers": _pushers,
    "floor": _floor,
}
