# SPDX-License-Identifier: GPL-3.0-or-later
"""The still by Cycles, the film by Workbench: both work without a display and without a graphics card."""

from __future__ import annotations

from pathlib import Path

import bpy

STILL = (1200, 1000)
FILM = (900, 750)


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
    scene.render.engine = "BLENDER_WORKBENCH"
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "MATERIAL"
    shading.show_shadows = shading.show_cavity = True
    shading.shadow_intensity = 0.35
    shading.show_object_outline = False
    scene.display.light_direction = (0.2, 0.3, 0.93)
    scene.display.render_aa = "FXAA"  # a picture takes half a second; with eight samples it would be five
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.look = "None"
    scene.view_settings.exposure = 1.4  # Workbench knows no lamps
    _output(FILM, path)
    images = scene.render.image_settings
    if hasattr(images, "media_type"):  # Blender 5
        images.media_type = "VIDEO"
    images.file_format = "FFMPEG"
    scene.render.ffmpeg.format, scene.render.ffmpeg.codec = "MPEG4", "H264"
    scene.render.ffmpeg.constant_rate_factor = "HIGH"
    bpy.ops.render.render(animation=True)


def _output(size: tuple[int, int], path: Path) -> None:
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = size
    render.resolution_percentage = 100
    render.filepath = str(path)
