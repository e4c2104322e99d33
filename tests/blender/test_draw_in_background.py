# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlay as its draw handlers draw it into the 3D view, without a window: from Blender 5.2 on."""

from __future__ import annotations

import bpy
import gpu
import installed
import numpy as np
import pytest
from addon_scenes import add, arm, reach, tip, two_arms, wall
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix
from test_draw_figure import only

overlay = installed.module("viewport.overlay")
colours = installed.module("viewport.parts")
Miss = installed.module("viewport.marks").Miss

pytestmark = pytest.mark.skipif(
    not hasattr(gpu, "init"), reason="without a window there is no GPU before 5.2"
)
NEAR = 3  # pixels about a place in which its colour is looked for


@pytest.fixture
def view():
    """The 3D view of a window that is not there, as arguments of `temp_override`."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    gpu.init()
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return {"window": window, "area": area, "region": region}


def seen(view, labels=overlay.draw_labels) -> np.ndarray:
    """The view's pixels with nothing but the overlay, (height, width, 3) from the bottom left, 0 to 255."""
    region, about = view["region"], view["area"].spaces.active.region_3d
    size = region.width, region.height
    buffer = gpu.types.GPUOffScreen(*size)
    pixels = Matrix(((2 / size[0], 0, 0, -1), (0, 2 / size[1], 0, -1), (0, 0, -1, 0), (0, 0, 0, 1)))
    with buffer.bind(), bpy.context.temp_override(**view):
        screen = gpu.state.active_framebuffer_get()
        screen.clear(color=(0.0, 0.0, 0.0, 1.0), depth=1.0)
        for draw, projection in ((overlay.draw, about.perspective_matrix), (labels, pixels)):
            with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
                gpu.matrix.load_matrix(Matrix.Identity(4))
                gpu.matrix.load_projection_matrix(projection)
                draw()
        read = screen.read_color(0, 0, *size, 4, 0, "UBYTE")
    buffer.free()
    read.dimensions = size[0] * size[1] * 4
    return np.array(read, dtype=np.uint8).reshape(size[1], size[0], 4)[..., :3].astype(int)


def shows(picture: np.ndarray, view, place, miss) -> bool:
    """Whether a pixel about a place of the world has the colour of an error."""
    x, y = location_3d_to_region_2d(view["region"], view["area"].spaces.active.region_3d, place)
    x, y = round(x), round(y)
    near = picture[y - NEAR : y + NEAR + 1, x - NEAR : x + NEAR + 1]
    wanted = 255.0 * np.array(colours.BY_ERROR[miss])
    return bool((np.abs(near - wanted[:3]).max(-1) < 20 + 255 - wanted[3]).any())


def test_an_effector_and_its_target_are_joined_in_the_colour_of_the_error(view):
    rig = arm(4)
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    middle = (tip(rig, "b3") + np.array(target.location)) / 2
    before = seen(view)
    assert shows(before, view, middle, Miss.FAR) and not shows(before, view, middle, Miss.REACHED)
    bpy.ops.articulate.solve()
    after = seen(view)
    assert not shows(after, view, middle, Miss.FAR)
    assert shows(after, view, target.location, Miss.REACHED)


def test_nothing_is_drawn_while_overlays_are_off(view):
    rig = arm(3)
    reach(rig, "b2", (1.5, 0.5, 2.0))
    assert seen(view).any()
    view["area"].spaces.active.overlay.show_overlays = False
    assert not seen(view).any()


def test_clearances_are_written_beside_what_is_near(view):
    rig = two_arms()
    add("hand.L")
    wall(rig, 2.05)
    only(rig, "critical")
    with_words, without = (seen(view, labels=labels) for labels in (overlay.draw_labels, lambda: None))
    ((place, _text, _colour),) = overlay.Overlay.canvas.drawn.labels
    x, _y = location_3d_to_region_2d(view["region"], view["area"].spaces.active.region_3d, place)
    written = (with_words != without).any(-1)
    assert written.sum() > 100, "pixels of words"
    assert np.nonzero(written.any(0))[0].min() > x, "to the right of their place"
