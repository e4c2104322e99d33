# SPDX-License-Identifier: GPL-3.0-or-later
"""The still by Cycles, the film by Workbench: both work without a display and without a graphics card."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import bpy

STILL = (1200, 1000)
FILM = (900, 750)
LOOP = (480, 400)


@contextlib.contextmanager
def logged(path: Path) -> Iterator[None]:
    """Blender's own lines go into a file: one for each frame, and complaints where there is no screen."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with path.open("ab") as log:
        try:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            yield
        finally:
            for number, descriptor in enumerate(kept, start=1):
                os.dup2(descriptor, number)
                os.close(descriptor)


def render_still(path: Path, frame: int, samples: int = 8) -> None:
    """One frame by Cycles."""
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    scene.view_settings.exposure = 0.0
    _output(STILL, path)
    scene.render.image_settings.file_format = "PNG"
    bpy.ops.render.render(write_still=True)


def render_film(path: Path) -> None:
    """All frames by Workbench, as an mp4."""
    scene = bpy.context.scene
    workbench()
    _output(FILM, path)
    images = scene.render.image_settings
    if hasattr(images, "media_type"):  # Blender 5
        images.media_type = "VIDEO"
    images.file_format = "FFMPEG"
    scene.render.ffmpeg.format, scene.render.ffmpeg.codec = "MPEG4", "H264"
    scene.render.ffmpeg.constant_rate_factor = "HIGH"
    bpy.ops.render.render(animation=True)


def write_manual(directory: Path, still: Path) -> None:
    """The manual's pictures: the still, smaller, and a loop of every third frame."""
    from PIL import Image

    with Image.open(still) as picture:
        save_picture(picture.resize((900, 750)), directory / "reach.webp")
    frames = render_frames(range(1, bpy.context.scene.frame_end + 1, 3), LOOP)
    frames += frames[-2:0:-1]  # there and back, so that the loop has no jump
    save_loop(frames, directory / "reach-loop.webp")


def render_frames(frames: Iterable[int], size: tuple[int, int]) -> list[Any]:
    """Some frames by Workbench, as Pillow's images."""
    from PIL import Image

    scene = bpy.context.scene
    workbench()
    images = scene.render.image_settings
    if hasattr(images, "media_type"):
        images.media_type = "IMAGE"
    images.file_format = "PNG"
    rendered = []
    with tempfile.TemporaryDirectory() as name:
        for frame in frames:
            scene.frame_set(frame)
            path = Path(name) / f"{frame}.png"
            _output(size, path)
            bpy.ops.render.render(write_still=True)
            with Image.open(path) as picture:
                rendered.append(picture.convert("RGB"))
    return rendered


def save_picture(picture: Any, path: Path) -> None:
    """One of Pillow's images for the manual."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.convert("RGB").save(path, quality=88, method=6)


def save_loop(frames: list[Any], path: Path, quality: int = 70) -> None:
    """Eight of Pillow's images a second, over and over."""
    path.parent.mkdir(parents=True, exist_ok=True)
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=125, loop=0, quality=quality, method=6
    )


def workbench() -> None:
    """Shaded as in the viewport, with shadows."""
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "MATERIAL"
    shading.show_shadows = shading.show_cavity = True
    shading.shadow_intensity = 0.35
    shading.show_object_outline = False
    scene.display.light_direction = (0.30, 0.85, 0.40)  # the second is up
    scene.display.render_aa = "FXAA"  # a picture takes half a second; with eight samples it would be five
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.look = "None"
    scene.view_settings.exposure = 1.4  # Workbench knows no lamps


def _output(size: tuple[int, int], path: Path) -> None:
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = size
    render.resolution_percentage = 100
    render.filepath = str(path)
