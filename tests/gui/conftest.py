# SPDX-License-Identifier: GPL-3.0-or-later
"""A windowed Blender for all tests, with a new scene for each of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.blender_window import BlenderWindow
from tooling.problem import Problem

# software draws the floor's grid and outlines pixel by pixel, which is a quarter of what these tests compute
PLAIN = """
space = view()['area'].spaces.active
overlay, shading = space.overlay, space.shading
overlay.show_floor = overlay.show_axis_x = overlay.show_axis_y = overlay.show_ortho_grid = False
shading.light, shading.show_object_outline = 'FLAT', False
"""


@pytest.fixture(scope="session")
def blender() -> Iterator[BlenderWindow]:
    """The window. Without one these tests fail: a run that skips them has not tested what animators do."""
    if "ARTICULATE_ZIP" not in os.environ:
        pytest.exit("Run the tests in a window by: python build.py test --gui", returncode=2)
    try:
        window = BlenderWindow(Path(os.environ["ARTICULATE_ZIP"]))
    except Problem as problem:
        pytest.exit(str(problem), returncode=2)
    yield window
    window.close()


@pytest.fixture
def window(blender: BlenderWindow) -> Iterator[BlenderWindow]:
    """The window with the factory's scene; whatever Blender complains about on its console fails the test."""
    blender.key("Escape")
    blender.run("bpy.ops.wm.read_homefile(use_factory_startup=True)")
    blender.run(PLAIN)
    blender.settle()
    before = len(blender.complaints())
    yield blender
    assert not blender.complaints()[before:]
