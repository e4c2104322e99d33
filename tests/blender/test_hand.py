# SPDX-License-Identifier: GPL-3.0-or-later
"""From pixels and keys to places and rotations, in all views; Blender's projection is the judge."""

from __future__ import annotations

import installed
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

sight = installed.module("control.drag.view")
hand = installed.module("operators.hand")

ANCHOR = np.array([0.4, -0.3, 1.2])


def make_sight(seed: int, *, perspective: bool):
    """A view from somewhere at the anchor, with matrices as Blender makes them."""
    rng = np.random.default_rng(seed)
    turn = Euler(rng.uniform(-3, 3, 3)).to_matrix().to_4x4()
    view = (Matrix.Translation(ANCHOR) @ turn @ Matrix.Translation((0.3, 0.2, 6.0))).inverted()
    near, far, half = 0.1, 1000.0, 0.36
    if perspective:
        lens = np.array(
            [
                [1 / half, 0, 0, 0],
                [0, 1.6 / half, 0, 0],
                [0, 0, (near + far) / (near - far), 2 * near * far / (near - far)],
                [0, 0, -1, 0],
            ]
        )
    else:
        lens = np.diag([0.25, 0.4, -2 / (far - near), 1.0])
    view = np.array(view)
    return sight.Sight(projection=lens @ view, view=view, width=1280, height=800, perspective=perspective)


VIEWS = [make_sight(seed, perspective=p) for seed in range(6) for p in (True, False)]


@pytest.mark.parametrize("view", VIEWS)
def test_a_place_is_under_its_pixel_and_in_the_plane_that_faces_the_view(view):
    for pixel in ((10.0, 20.0), (640.0, 400.0), (1270.0, 700.0)):
        place = view.place(pixel, ANCHOR)
        assert np.allclose(view.pixels(place), pixel, atol=1e-3)  # matrices are of single precision
        assert abs((place - ANCHOR) @ view.forward) < 1e-9
    assert np.allclose(view.place(view.pixels(ANCHOR), ANCHOR), ANCHOR, atol=1e-8)


def test_blender_sees_the_same():
    """`bpy_extras` projects by the same matrices."""
    from types import SimpleNamespace

    from bpy_extras.view3d_utils import location_3d_to_region_2d, region_2d_to_location_3d

    for view in VIEWS:
        region = SimpleNamespace(x=0, y=0, width=view.width, height=view.height)
        data = SimpleNamespace(
            perspective_matrix=Matrix(view.projection.tolist()),
            view_matrix=Matrix(view.view.tolist()),
            is_perspective=view.perspective,
            view_perspective="PERSP" if view.perspective else "ORTHO",
        )
        assert np.allclose(
            location_3d_to_region_2d(region, data, Vector(ANCHOR)), view.pixels(ANCHOR), atol=0.05
        )
        theirs = region_2d_to_location_3d(region, data, (300, 500), Vector(ANCHOR))
        assert np.allclose(theirs, view.place((300, 500), ANCHOR), atol=1e-2)  # theirs is coarse
        again = sight.read_sight(region, data)
        assert np.allclose(again.projection, view.projection, atol=1e-4)


@pytest.mark.parametrize("view", VIEWS)
def test_an_axis_is_followed(view):
    axis = np.array([0.0, 0.0, 1.0])
    for far in (-0.7, 0.0, 0.4):
        found = view.along_axis(view.pixels(ANCHOR + far * axis), ANCHOR, axis)
        assert found == pytest.approx(far, abs=1e-5)


def test_an_axis_seen_end_on_is_followed_by_the_way_up():
    view = VIEWS[1]
    pixel = view.pixels(ANCHOR)
    assert view.along_axis(pixel, ANCHOR, view.forward) == pytest.approx(0.0, abs=1e-9)
    assert 0.0 < view.along_axis(pixel + np.array([0, 50]), ANCHOR, view.forward) < 5.0


def test_what_is_behind_the_eye_has_no_pixel():
    view = VIEWS[0]
    eye = -view.view[:3, :3].T @ view.view[:3, 3]
    assert np.isnan(view.pixels(eye - view.forward)).all()


@pytest.mark.parametrize("view", VIEWS)
def test_the_point_follows_the_mouse(view):
    begun = view.pixels(ANCHOR) + np.array(
        [7.0, -4.0]
    )  # nobody hits the point exactly: it does not jump to the mouse
    held = hand.Hand(view, begun, ANCHOR)
    assert np.allclose(held.place(), ANCHOR, atol=1e-9)
    for _ in range(5):
        held.move((12.0, 8.0), fine=False)
    held.move((50.0, 0.0), fine=True)
    wanted = view.place(begun + np.array([65.0, 40.0]), ANCHOR) - view.place(begun, ANCHOR) + ANCHOR
    assert np.allclose(held.place(), wanted, atol=1e-8)


def test_keys_constrain_and_numbers_are_exact():
    held = hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR)
    held.move((30.0, 30.0), fine=False)
    held.press_axis("Z")
    assert np.allclose((held.place() - ANCHOR)[:2], 0.0)
    assert all(held.type(c) for c in "1.25")
    assert np.allclose(held.place(), ANCHOR + np.array([0, 0, 1.25]))
    assert held.type("-") and np.allclose(held.place(), ANCHOR - (0, 0, 1.25))
    assert held.type("") and held.typed == "-1.2"
    held.press_axis("Z")
    assert held.axis == "" and np.allclose(held.place(), ANCHOR - (1.2, 0, 0))
    for _ in range(5):
        held.type("")
    assert held.typed == "" and held.number is None and held.type("") is not False
    assert not held.type("q") and held.typed == ""
    assert held.type(",") and held.number is None and not held.type(".")


@pytest.mark.parametrize("view", VIEWS)
def test_a_turn_follows_the_mouse_round_the_point(view):
    centre = view.pixels(ANCHOR)
    held = hand.Hand(view, centre + np.array([100.0, 0.0]), ANCHOR)
    held.begin(ANCHOR, turning=True)
    angles = np.linspace(0, 1.5 * np.pi, 40)
    ring = centre + 100.0 * np.stack([np.cos(angles), np.sin(angles)], -1)
    for way in np.diff(ring, axis=0):
        held.move(way, fine=False)
    assert np.allclose(held.turn(), -view.forward * 1.5 * np.pi, atol=1e-6)
    held.press_axis("X")
    assert abs(held.turn()[0]) == pytest.approx(1.5 * np.pi) and not held.turn()[1:].any()
    for character in "90":
        held.type(character)
    assert np.allclose(held.turn(), (np.pi / 2, 0, 0))


def test_the_wheel_goes_from_the_whole_figure_to_one_bone_and_back():
    assert [hand.changed_levels(*given) for given in ((0, 5, -1), (4, 5, -1), (1, 5, -1))] == [4, 3, 1]
    assert [hand.changed_levels(*given) for given in ((3, 5, 1), (4, 5, 1), (0, 5, 1))] == [4, 0, 0]
