# SPDX-License-Identifier: GPL-3.0-or-later
"""What surrounds the person: a room without corners, a table, a ball on its way, light and a camera."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from mathutils import Vector

from ikmath.examples.solids import Solid, blocks, capsule, ellipsoid, together

FRAMES = 120
TABLE_TOP = 1.0
TABLE = ((0.30, 1.05), (-0.80, 0.12))
"""Extent of the table's top in x and y, metres."""
BALL_RADIUS = 0.075
WAY = {  # of the ball's centre, by frame: from the right hip past the front, up on the left and over
    1: (-0.68, -0.24, 1.06),
    24: (-0.56, -0.60, 0.96),
    48: (-0.18, -0.86, 1.22),
    72: (0.22, -0.78, 1.66),
    96: (-0.02, -0.50, 2.10),
    120: (-0.50, -0.28, 2.12),
}

COLOURS = {  # linear RGB and roughness
    "Skin": ((0.66, 0.36, 0.25), 0.5),
    "Hair": ((0.045, 0.026, 0.016), 0.55),
    "Eyes": ((0.012, 0.010, 0.010), 0.12),
    "Shirt": ((0.045, 0.20, 0.30), 0.8),
    "Trousers": ((0.055, 0.058, 0.075), 0.85),
    "Shoes": ((0.36, 0.33, 0.30), 0.7),
    "Coat": ((0.26, 0.20, 0.15), 0.9),
    "Wood": ((0.42, 0.24, 0.125), 0.42),
    "Ball": ((0.85, 0.17, 0.03), 0.28),
    "Way": ((0.85, 0.30, 0.10), 0.6),
    "Room": ((0.30, 0.35, 0.38), 0.9),
}


def make_materials() -> dict[str, bpy.types.Material]:
    """One material a colour, the same for Cycles and for the viewport."""
    made = {}
    for name, (colour, roughness) in COLOURS.items():
        material = made[name] = bpy.data.materials.new(name)
        material.diffuse_color, material.roughness = (*colour, 1.0), roughness
        if material.node_tree is None:  # since Blender 5.0 there is always one
            material.use_nodes = True
        shader = material.node_tree.nodes["Principled BSDF"]
        shader.inputs["Base Color"].default_value = (*colour, 1.0)
        shader.inputs["Roughness"].default_value = roughness
    return made


def set_stage(materials: dict[str, bpy.types.Material]) -> bpy.types.Object:
    """Put everything there; the ball is returned."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.render.fps = 24
    room(materials["Room"])
    _table(materials["Wood"])
    ball = _add("Ball", [ellipsoid((0, 0, 0), (BALL_RADIUS,) * 3)], materials["Ball"], smooth=2)
    for frame, place in WAY.items():
        ball.location = place
        ball.keyframe_insert("location", frame=frame)
    _dots(ball, materials["Way"])
    _lights()
    _camera()
    return ball


def _add(
    name: str, solids: Iterable[Solid], material: bpy.types.Material, smooth: int = 0
) -> bpy.types.Object:
    solid = together(solids)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(solid.vertices.tolist(), [], solid.faces)
    mesh.materials.append(material)
    mesh.shade_smooth()
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    if smooth:
        rounder = thing.modifiers.new("Smooth", "SUBSURF")
        rounder.levels = rounder.render_levels = smooth
    return thing


def room(material: bpy.types.Material) -> bpy.types.Object:
    """A floor that bends up into a wall, so that no horizon crosses the picture."""
    bend = [(1.6 + 2.0 * math.sin(a), 2.0 - 2.0 * math.cos(a)) for a in np.linspace(0.0, math.pi / 2, 24)]
    profile = [(-9.0, 0.0), *bend, (3.6, 8.0)]
    vertices = np.array([(x, y, z) for y, z in profile for x in (-12.0, 12.0)])
    faces = tuple((2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(len(profile) - 1))
    return _add("Room", [Solid(vertices, faces)], material)


def _table(material: bpy.types.Material) -> None:
    (left, right), (front, back) = TABLE
    thick, leg, inset = 0.035, 0.028, 0.07
    top = blocks((left, right), (front, back), (TABLE_TOP - thick, TABLE_TOP), [[[True]]])
    legs = [
        capsule((x, y, leg), (x, y, TABLE_TOP - thick), leg * 0.75, leg)
        for x in (left + inset, right - inset)
        for y in (front + inset, back - inset)
    ]
    board = _add("Table", [top], material)
    for face in board.data.polygons:
        face.use_smooth = False
    bevel = board.modifiers.new("Bevel", "BEVEL")
    bevel.width, bevel.segments = 0.006, 3
    _add("Table Legs", legs, material)


def add_block(extents: Sequence[tuple[float, float]], material: bpy.types.Material) -> bpy.types.Object:
    """A box to stand on, by its extents in x, y and z, metres."""
    box = _add("Block", [blocks(*extents, [[[True]]])], material)
    for face in box.data.polygons:
        face.use_smooth = False
    return box


def _dots(ball: bpy.types.Object, material: bpy.types.Material) -> None:
    """Where the ball was and will be, a dot every other frame."""
    scene = bpy.context.scene
    places = []
    for frame in range(1, FRAMES + 1, 2):
        scene.frame_set(frame)
        places.append(tuple(ball.matrix_world.translation))
    scene.frame_set(1)
    dots = _add("Way", [ellipsoid(place, (0.0075,) * 3) for place in places], material)
    dots.display.show_shadows = False


def _lights() -> None:
    for name, place, towards, power, size, colour in (
        ("Key", (-3.0, -3.2, 4.2), (0.0, -0.2, 1.2), 330.0, 1.8, (1.0, 0.93, 0.85)),
        ("Fill", (3.6, -3.6, 2.0), (0.0, 0.0, 1.1), 70.0, 3.0, (0.82, 0.90, 1.0)),
        ("Rim", (1.6, 1.5, 3.3), (0.0, 0.0, 1.4), 130.0, 1.0, (1.0, 0.96, 0.9)),
    ):
        light = bpy.data.lights.new(name, "AREA")
        light.energy, light.size, light.color = power, size, colour
        thing = bpy.data.objects.new(name, light)
        thing.location = place
        thing.rotation_euler = _towards(place, towards)
        bpy.context.scene.collection.objects.link(thing)
    world = bpy.data.worlds.new("World")
    bpy.context.scene.world = world
    world.color = (0.62, 0.60, 0.57)
    if world.node_tree is None:
        world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.80, 0.86, 0.95, 1.0)
    background.inputs["Strength"].default_value = 0.3


def _camera() -> None:
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (-2.5, -4.7, 1.65)
    camera.rotation_euler = _towards(camera.location, (0.02, -0.30, 1.13))
    camera.data.lens = 64.0
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def _towards(place: Sequence[float], towards: Sequence[float]) -> tuple[float, float, float]:
    return tuple((Vector(towards) - Vector(place)).to_track_quat("-Z", "Y").to_euler())
