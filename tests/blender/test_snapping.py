# SPDX-License-Identifier: GPL-3.0-or-later
"""What a drag snaps to: vertices, edges and faces under the mouse, and the steps of the grid."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import arm
from mathutils import Matrix

snapping = installed.module("control.drag.snapping")
sight = installed.module("control.drag.view")
TOP = 0.75


def context() -> SimpleNamespace:
    """That of a view from above."""
    space = SimpleNamespace(
        overlay=SimpleNamespace(grid_scale_unit=1.0),
        shading=SimpleNamespace(type="SOLID", show_xray=False, show_xray_wireframe=True),
    )
    lens = Matrix.Diagonal((2 / 8.0, 2 / 6.0, -1e-3, 1.0))
    return SimpleNamespace(
        scene=bpy.context.scene,
        preferences=bpy.context.preferences,
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
        space_data=space,
        region=SimpleNamespace(width=800, height=600),
        region_data=SimpleNamespace(is_orthographic_side_view=True, window_matrix=lens, view_matrix=None),
    )


def from_above() -> object:
    """800 by 600 pixels, 100 a metre, which look down."""
    lens = np.diag([2 / 8.0, 2 / 6.0, -1e-3, 1.0])
    return sight.Sight(projection=lens, view=np.eye(4), width=800, height=600, perspective=False)


@pytest.fixture
def table(monkeypatch) -> bpy.types.Object:
    """Its top is a square from 1 to 2 m on both axes; a smaller one stands above a corner, 1 m higher."""
    monkeypatch.setattr(snapping, "is_shown", lambda *_given: True)
    rig = arm(3)
    for size, x, y, z in ((1.0, 1.5, 1.5, TOP), (0.2, 2.0, 2.0, TOP + 1.0)):
        bpy.ops.mesh.primitive_plane_add(size=size, location=(x, y, z))
    bpy.ops.mesh.primitive_plane_add(size=10.0, location=(0, 0, 3.0))
    bpy.context.object.parent = rig  # worn
    bpy.context.view_layer.update()
    return rig


def snapped(rig: bpy.types.Object, x: float, y: float, *elements: str) -> tuple[float, ...] | None:
    pixel = 400 + 100 * x, 300 + 100 * y
    found = snapping.Snapper(rig).place(context(), from_above(), pixel, frozenset(elements))
    return None if found is None else tuple(round(float(one), 3) for one in found)


def test_the_face_under_the_mouse_is_found_through_what_the_figure_wears(table):
    assert snapped(table, 1.3, 1.6, "FACE") == (1.3, 1.6, TOP)
    assert snapped(table, 1.95, 1.95, "FACE") == (1.95, 1.95, TOP + 1.0)
    assert snapped(table, -1.0, 0.0, "FACE") is None
    assert snapped(table, 1.3, 1.6) is None


def test_a_vertex_comes_before_an_edge_and_that_before_a_face(table):
    every = "VERTEX", "EDGE", "FACE"
    assert snapped(table, 1.1, 1.15, *every) == (1.0, 1.0, TOP)
    assert snapped(table, 1.1, 1.5, *every) == (1.0, 1.5, TOP)
    assert snapped(table, 1.5, 1.5, *every) == (1.5, 1.5, TOP)
    assert snapped(table, 0.9, 1.4, "EDGE_MIDPOINT") == (1.0, 1.5, TOP)
    assert snapped(table, 0.6, 1.4, "EDGE_MIDPOINT", "VERTEX") is None, "farther than Blender looks"


def test_what_is_hidden_is_not_snapped_to(table):
    assert snapped(table, 2.0, 2.0, "VERTEX")[2] == pytest.approx(TOP + 1.0)


def test_the_settings_are_the_scenes():
    settings, here = bpy.context.scene.tool_settings, context()
    read = snapping.read_snapping
    off = (0.0, False, frozenset())
    assert read(here, turning=False, inverted=False, fine=False) == off
    assert read(here, turning=False, inverted=True, fine=False)[0] == pytest.approx(0.1), "6 pixels at least"
    assert read(here, turning=False, inverted=True, fine=True)[0] == pytest.approx(0.01)
    here.region_data.is_orthographic_side_view = False
    assert read(here, turning=False, inverted=True, fine=False)[0] == pytest.approx(1.0)
    assert read(here, turning=True, inverted=True, fine=False)[0] == pytest.approx(np.radians(5.0))
    assert read(here, turning=True, inverted=True, fine=True)[0] == pytest.approx(np.radians(1.0))
    settings.use_snap, settings.snap_elements = True, {"VERTEX", "FACE"}
    assert read(here, turning=False, inverted=False, fine=False)[2] == {"VERTEX", "FACE"}
    assert read(here, turning=False, inverted=True, fine=False) == off
    assert read(here, turning=True, inverted=False, fine=False) == off, "Rotate is not affected"
    settings.use_snap_translate = False
    assert read(here, turning=False, inverted=False, fine=False) == off
