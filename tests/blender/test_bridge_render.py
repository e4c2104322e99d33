# SPDX-License-Identifier: GPL-3.0-or-later
"""In a render the pose goes into the frame that is rendered, and bones that are not solved stay animated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from bridge_rigs import make_rig
from installed import module

action = module("bridge.action")
armature = module("bridge.armature")
compat = module("compat")

SIZE = 32  # pixels, over 8 units


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[bpy.types.Scene]:
    """A bone that the handler writes (upper half of the picture) and one that is keyed (lower half)."""
    rig = make_rig([("solved", None, (0, 0, 2), (0, 0, 3)), ("keyed", None, (0, 0, -2), (0, 0, -1))])
    for name in ("solved", "keyed"):
        bpy.ops.mesh.primitive_ico_sphere_add(radius=0.6)
        ball = bpy.context.object
        ball.parent, ball.parent_type, ball.parent_bone = rig, "BONE", name
    moves = action.Curve("keyed", "location", 0, np.array([1.0, 11.0]), np.array([-3.0, 3.0]))
    action.write_keys(rig, [moves])
    for key in compat.find_bag(rig).fcurves[0].keyframe_points:
        key.interpolation = "LINEAR"
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 8
    camera.location, camera.rotation_euler = (0, -10, 0), (np.pi / 2, 0, 0)
    scene = bpy.context.scene
    scene.collection.objects.link(camera)
    scene.camera = camera
    render = scene.render
    render.engine, render.resolution_x, render.resolution_y = "CYCLES", SIZE, SIZE
    render.film_transparent = True
    render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGBA"
    render.filepath = str(tmp_path / "frame_")
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.device = 1, False, "CPU"
    scene.frame_start, scene.frame_end, scene.frame_step = 2, 10, 4

    def handler(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        original = bpy.data.objects[rig.name]
        channels = armature.read_channels(original.evaluated_get(depsgraph)).copy()
        channels["location"][0, 0] = 3 - 0.6 * (scene.frame_current - 1)
        armature.write_channels(original, channels)

    bpy.app.handlers.frame_change_post.append(handler)
    yield scene
    bpy.app.handlers.frame_change_post.remove(handler)


def test_every_rendered_frame(scene: bpy.types.Scene, tmp_path: Path) -> None:
    bpy.ops.render.render(animation=True)
    files = sorted(tmp_path.glob("frame_*.png"))
    assert len(files) == 3
    for file, frame in zip(files, (2, 6, 10), strict=True):
        image = bpy.data.images.load(str(file))
        alpha = np.array(image.pixels[:]).reshape(SIZE, SIZE, 4)[:, :, 3]
        across = (np.arange(SIZE) + 0.5) * 8 / SIZE - 4
        for half, expected in (
            (alpha[: SIZE // 2], -3 + 0.6 * (frame - 1)),
            (alpha[SIZE // 2 :], 3 - 0.6 * (frame - 1)),
        ):
            assert half.sum() > 5
            assert (half.sum(0) * across).sum() / half.sum() == pytest.approx(expected, abs=0.25), file.name
