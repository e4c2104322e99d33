# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws an overlay without a window, and says of which colours the pixels are. A process of its own.

Without a window Blender has no GPU, until it has rendered by one: after a picture by Workbench the shaders
are there, and an off-screen buffer to draw into. Where the machine has no OpenGL at all, Blender ends the
process, so the tests keep this apart from theirs.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import installed

installed.make_profile()

import bpy  # noqa: E402
import numpy as np  # noqa: E402

SIZE = 256


def main(zip_path: Path, out: Path) -> None:
    """Install, draw a line and a point, write what was seen."""
    import gpu
    from mathutils import Matrix

    installed.install(zip_path)
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 16
    bpy.ops.render.render()
    strokes = installed.module("viewport.strokes").Strokes()
    strokes.segments((1.0, 0.0, 0.0, 1.0), [(-0.8, -0.5, 0.0), (0.8, -0.5, 0.0)])
    strokes.segments((0.0, 0.0, 1.0, 1.0), [(-0.5, -0.8, 0.0), (-0.5, 0.8, 0.0)])
    strokes.point((0.0, 1.0, 0.0, 1.0), (0.5, 0.5, 0.0))
    drawing = strokes.drawing()
    canvas = installed.module("viewport.overlay").Canvas()
    buffer = gpu.types.GPUOffScreen(SIZE, SIZE)
    with buffer.bind():
        screen = gpu.state.active_framebuffer_get()
        screen.clear(color=(0.0, 0.0, 0.0, 1.0), depth=1.0)
        with gpu.matrix.push_pop():
            gpu.matrix.load_matrix(Matrix.Identity(4))
            gpu.matrix.load_projection_matrix(Matrix.Identity(4))
            for _ in range(2):  # the second time from what the first one has made
                canvas.draw(drawing, (SIZE, SIZE), 1.0)
        pixels = screen.read_color(0, 0, SIZE, SIZE, 4, 0, "UBYTE")
    pixels.dimensions = SIZE * SIZE * 4
    image = np.array(pixels, dtype=np.uint8).reshape(SIZE, SIZE, 4)[..., :3].astype(int)
    seen = {}
    for name, channel in (("red", 0), ("green", 1), ("blue", 2)):
        others = [c for c in range(3) if c != channel]
        rows, columns = np.nonzero((image[..., channel] > 150) & (image[..., others].max(-1) < 90))
        seen[name] = {"count": len(rows)}
        if len(rows):
            seen[name].update(
                x=[int(columns.min()), int(columns.max())], y=[int(rows.min()), int(rows.max())]
            )
    out.write_text(json.dumps(seen), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.flush()
    installed.remove_profile()
    os._exit(0)
