# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that went out through files of other programs and came back are solved and baked like any other."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import addon_utils
import bpy
import numpy as np
import pytest
from addon_scenes import add, animate, miss
from bridge_rigs import metarig


def fbx(path: Path, **options: object) -> Callable[[], object]:
    addon_utils.enable("io_scene_fbx", default_set=True)
    bpy.ops.export_scene.fbx(filepath=str(path))
    return lambda: bpy.ops.import_scene.fbx(filepath=str(path), **options)


GLTF = """
import os, sys, bpy, addon_utils
before, path, after = sys.argv[1:]
bpy.ops.wm.open_mainfile(filepath=before)
addon_utils.enable("io_scene_gltf2", default_set=True)
bpy.ops.export_scene.gltf(filepath=path)
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
bpy.ops.import_scene.gltf(filepath=path)
bpy.ops.wm.save_as_mainfile(filepath=after)
os._exit(0)
"""


def gltf(path: Path) -> Callable[[], object]:
    """There and back in a process of its own.

    After a thousand tests, each of which loads a file, operators of 4.2's add-on write to a data-block that
    Blender has freed, and whatever lies there later crashes.
    """
    before, after = (str(path.with_name(f"{name}.blend")) for name in ("before", "after"))
    bpy.ops.wm.save_as_mainfile(filepath=before, copy=True)
    command = [sys.executable, "-P", "-c", GLTF, before, str(path), after]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return lambda: bpy.ops.wm.open_mainfile(filepath=after)


def usd(path: Path) -> Callable[[], object]:
    bpy.ops.wm.usd_export(filepath=str(path))
    return lambda: bpy.ops.wm.usd_import(filepath=str(path))


WAYS = {
    "fbx": ("figure.fbx", fbx),
    "fbx at a hundredth": ("figure.fbx", lambda path: fbx(path, global_scale=0.01)),
    "fbx with bones turned": ("figure.fbx", lambda path: fbx(path, automatic_bone_orientation=True)),
    "gltf": ("figure.glb", gltf),
    "usd": ("figure.usdc", usd),
}


@pytest.fixture(params=WAYS)
def figure(request: pytest.FixtureRequest, tmp_path: Path) -> bpy.types.Object:
    """The basic metarig with a skinned cube, there and back, stood up as if from a program with Y up."""
    name, way = WAYS[request.param]
    rig = metarig("basic")
    bpy.ops.mesh.primitive_cube_add()
    skin = bpy.context.object
    for bone in ("hand.L", "spine.003"):
        skin.vertex_groups.new(name=bone).add(range(8), 0.5, "ADD")
    skin.parent, skin.modifiers.new("Armature", "ARMATURE").object = rig, rig
    read = way(tmp_path / name)
    for thing in (rig, skin):
        bpy.data.objects.remove(thing)
    read()
    found = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bpy.context.view_layer.objects.active = found
    found.rotation_mode = "XYZ"
    found.rotation_euler.x += np.pi / 2
    bpy.context.view_layer.update()
    return found


def test_it_is_solved_and_baked(figure: bpy.types.Object) -> None:
    bones = [bone.name for bone in figure.data.bones]
    hand, foot = (next(n for n in bones if n.replace("_", ".") == name) for name in ("hand.L", "foot.R"))
    size = max(bone.tail_local.length for bone in figure.data.bones) * figure.matrix_world.median_scale
    reaching, standing = add(hand).target, add(foot, "POSE").target
    start = np.array(reaching.location)
    animate(reaching, {1: start + size * np.array((-0.1, -0.1, 0.05)), 8: start + size * 0.05})
    bpy.ops.articulate.solve()
    assert max(miss(figure, hand), miss(figure, foot)) < 1e-3 * size
    bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    assert standing.animation_data is None
    for frame in range(1, 9):
        bpy.context.scene.frame_set(frame)
        assert max(miss(figure, hand), miss(figure, foot)) < 1e-3 * size
