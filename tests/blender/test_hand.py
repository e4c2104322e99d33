# SPDX-License-Identifier: GPL-3.0-or-later
"""From pixels and keys to places and rotations, in all views; Blender's projection is the judge."""

from __future__ import annotations

from dataclasses import replace

import bpy
import installed
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

sight = installed.module("control.drag.view")
hand = installed.module("operators.hand")

ANCHOR = np.array([0.4, -0.3, 1.2])


def make_sight(seed: int, *, perspective: bool, near: float = 0.1, far: float = 1000.0):
    """A view from somewhere at the anchor, with matrices as Blender makes them."""
    rng = np.random.default_rng(seed)
    turn = Euler(rng.uniform(-3, 3, 3)).to_matrix().to_4x4()
    view = (Matrix.Translation(ANCHOR) @ turn @ Matrix.Translation((0.3, 0.2, 6.0))).inverted()
    half = 0.36
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


@pytest.mark.parametrize(("near", "far"), [(1e-6, 1e6), (1e-6, 1000.0), (1e-3, 1e8), (10.0, 11.0)])
@pytest.mark.parametrize("seed", range(4))
def test_how_near_and_far_a_view_is_clipped_does_not_matter(near: float, far: float, seed: int):
    view = make_sight(seed, perspective=True, near=near, far=far)
    view = replace(view, projection=view.projection.astype(np.float32).astype(float))  # as Blender has it
    for pixel in ((10.0, 20.0), (640.0, 400.0), (1270.0, 700.0)):
        place = view.place(pixel, ANCHOR)
        assert np.allclose(view.pixels(place), pixel, atol=0.05)
        assert abs((place - ANCHOR) @ view.forward) < 1e-6


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


def typed(held, characters: str) -> None:
    for character in characters:
        key = {"\b": "BACK_SPACE", "\t": "TAB"}.get(character, character.upper())
        assert held.press(key, character if character.isprintable() else "")


def test_keys_constrain_and_numbers_are_exact():
    held = hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR)
    held.move((30.0, 30.0), fine=False)
    typed(held, "z")
    assert np.allclose((held.place() - ANCHOR)[:2], 0.0)
    typed(held, "1.25")
    assert np.allclose(held.place(), ANCHOR + np.array([0, 0, 1.25]))
    typed(held, "-")
    assert np.allclose(held.place(), ANCHOR - (0, 0, 1.25))
    typed(held, "\b")
    assert held.text == ["along global Z", "-1.2|"]
    typed(held, "zz")
    assert held.lock.letters == "" and np.allclose(held.place(), ANCHOR - (1.2, 0, 0))
    typed(held, "\b" * 4)
    assert not held.numbers and not held.press("BACK_SPACE", "")
    assert not held.press("Q", "q") and not held.numbers
    typed(held, ",5\t-2\t4")
    assert np.allclose(held.place(), ANCHOR + np.array([0.5, -2, 4])), "Tab goes to the next axis"


def test_a_key_means_global_then_local_then_nothing_as_in_blender():
    axes = np.array(Euler((0.3, -0.5, 1.1)).to_matrix())
    held = hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR)
    held.begin(ANCHOR, turning=False, axes=axes)
    held.move((60.0, 30.0), fine=False)
    free = held.place()
    ways = []
    for _press in range(3):
        typed(held, "x")
        ways.append(held.place() - ANCHOR)
    assert np.allclose(ways[0][1:], 0.0) and ways[0][0]
    assert np.allclose(axes.T @ ways[1] * (0, 1, 1), 0.0) and np.linalg.norm(ways[1]) > 1e-3
    assert np.allclose(ANCHOR + ways[2], free)
    typed(held, "xxy")
    assert held.lock.text == "along global Y", "another axis begins anew"
    typed(held, "c")
    assert not held.lock.letters
    first = hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR, ("local", None))
    typed(first, "x")
    assert first.lock.text == "along local X"


@pytest.mark.parametrize("view", VIEWS)
def test_the_middle_button_takes_the_axis_along_which_the_mouse_went(view):
    start = view.pixels(ANCHOR)
    shown = view.pixels(ANCHOR + 0.01 * np.eye(3)) - start
    held = hand.Hand(view, start, ANCHOR)
    held.press("MIDDLEMOUSE", "")
    for axis, way in enumerate(shown):
        if np.linalg.norm(way) < 0.2 * np.linalg.norm(shown, axis=1).max():
            continue  # it points at the viewer
        goal = start + 80.0 * way / np.linalg.norm(way)
        held.move(goal - held._pixel, fine=False)
        assert held.lock.letters == "XYZ"[axis] and held.lock.space == "global"
        assert np.allclose(view.pixels(held.place()), goal, atol=1e-2)
    last = held.lock.letters
    held.picking = False  # the button is up
    held.move((-37.0, 53.0), fine=False)
    assert held.lock.letters == last
    held.press("MIDDLEMOUSE", "")
    assert held.lock.letters == "" and not held.picking, "With an axis it releases this."
    held.press("MIDDLEMOUSE", "", shift=True)
    assert len(held.lock.letters) == 2


@pytest.mark.parametrize("view", VIEWS)
def test_the_first_axis_is_that_of_the_scenes_orientation(view):
    """Then comes the global one, except from Global, which is followed by the bone's own."""
    scene = bpy.context.scene
    slot, turned = scene.transform_orientation_slots[0], Euler((0.3, -0.4, 0.5))
    scene.cursor.rotation_euler = turned
    expected = {
        "CURSOR": turned.to_matrix(),
        "VIEW": view.view[:3, :3].T,
        "GLOBAL": np.eye(3),
        "GIMBAL": np.eye(3),
    }
    for kind, axes in expected.items():
        slot.type = kind
        held = hand.Hand(view, view.pixels(ANCHOR), ANCHOR, hand.read_orientation(scene, view))
        name = "global" if kind == "GIMBAL" else kind.lower()
        for letter, axis in zip("xyz", np.array(axes).T, strict=True):
            typed(held, letter)
            assert held.lock.text == f"along {name} {letter.upper()}"
            assert np.allclose(held.lock.axis, axis, atol=1e-6)
        typed(held, "z")
        assert held.lock.text == f"along {'local' if name == 'global' else 'global'} Z"
        typed(held, "z")
        assert not held.lock.text
    slot.type = "GLOBAL"


def test_the_first_axis_may_be_that_of_an_orientation_of_ones_own():
    """Made from an object that is turned, as Blender does it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scene, turned = bpy.context.scene, Euler((0.3, -0.4, 0.5))
    bpy.context.view_layer.objects.active.rotation_euler = turned
    bpy.context.view_layer.update()
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.transform.create_orientation(name="Mine", use=True)
    view = VIEWS[0]
    held = hand.Hand(view, view.pixels(ANCHOR), ANCHOR, hand.read_orientation(scene, view))
    for letter, axis in zip("xyz", np.array(turned.to_matrix()).T, strict=True):
        typed(held, letter)
        assert held.lock.text == f"along custom {letter.upper()}"
        assert np.allclose(held.lock.axis, axis, atol=1e-6)
    typed(held, "z")
    assert held.lock.text == "along global Z"


@pytest.mark.parametrize("view", VIEWS)
def test_shift_and_a_key_keep_to_the_plane_under_the_mouse(view):
    held = hand.Hand(view, view.pixels(ANCHOR), ANCHOR)
    held.press("Z", "Z", shift=True)
    assert held.text == ["locking global Z"]
    for pixel in ((5.0, -3.0), (20.0, 10.0)):
        held.move(pixel, fine=False)
        assert abs(held.place()[2] - ANCHOR[2]) < 1e-9
    if abs(view.forward[2]) > 0.2:
        assert np.allclose(view.pixels(held.place()), view.pixels(ANCHOR) + np.array([25.0, 7.0]), atol=1e-2)
    typed(held, "1\t2")
    assert np.allclose(held.place(), ANCHOR + np.array([1, 2, 0]))
    held.begin(ANCHOR, turning=True)
    typed(held, "90")
    assert np.allclose(held.turn(), (0, 0, np.pi / 2)), "a turn in the plane"


def test_expressions_and_units_after_an_equals_sign():
    held = hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR)
    typed(held, "x=20cm+1m/2")
    assert np.allclose(held.place(), ANCHOR + np.array([0.7, 0, 0]), atol=1e-6)
    assert held.text == ["along global X", "=20cm+1m/2|"]
    typed(held, "*")
    before = held.place()
    assert np.isfinite(before).all(), "unfinished"
    held = hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR)
    typed(held, "/4")
    assert np.allclose(held.place(), ANCHOR + np.array([0.25, 0, 0]))
    held.begin(ANCHOR, turning=True)
    typed(held, "z=pi*1r")
    assert np.allclose(held.turn(), (0, 0, np.pi), atol=1e-6)


def test_expressions_begin_by_the_asterisk_of_the_numpad_and_by_the_users_preference():
    inputs, held = bpy.context.preferences.inputs, hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR)
    typed(held, "x")
    held.press("NUMPAD_ASTERIX", "*")
    typed(held, "2cm")
    held.press("NUMPAD_ASTERIX", "*")
    typed(held, "3")
    assert held.text == ["along global X", "=2cm*3|"]
    inputs.use_numeric_input_advanced = True
    held = hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR)
    typed(held, "x-20cm")
    inputs.use_numeric_input_advanced = False
    assert np.allclose(held.place(), ANCHOR - np.array([0.2, 0, 0]), atol=1e-6)


def test_increments_grid_and_places_to_snap_to():
    held = hand.Hand(VIEWS[0], VIEWS[0].pixels(ANCHOR), ANCHOR)
    held.move((90.0, 50.0), fine=False)
    held.step = 0.25
    assert np.allclose(held.place(), ANCHOR + 0.25 * np.round((held.place() - ANCHOR) / 0.25))
    held.grid = True
    assert np.allclose(held.place(), 0.25 * np.round(held.place() / 0.25))
    held.snapped = np.array([3.0, 2.0, 1.0])
    assert np.allclose(held.place(), (3, 2, 1))
    typed(held, "z")
    assert np.allclose(held.place(), (*ANCHOR[:2], 1.0)), "as near as the axis leads"
    held.begin(ANCHOR, turning=True)
    held.lock.release()
    held.step, held.snapped = np.radians(5.0), None
    held.move((40.0, 70.0), fine=False)
    angle = np.linalg.norm(held.turn()) / held.step
    assert angle == pytest.approx(round(angle)) and angle > 0.5


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
    typed(held, "x")
    assert abs(held.turn()[0]) == pytest.approx(1.5 * np.pi) and not held.turn()[1:].any()
    typed(held, "90")
    assert np.allclose(held.turn(), (np.pi / 2, 0, 0))


@pytest.mark.parametrize("view", VIEWS)
def test_a_free_turn_follows_the_mouse_like_a_trackball(view):
    """What is before the point goes to the right and up with the mouse, by a hundredth radian a pixel."""
    held = hand.Hand(view, view.pixels(ANCHOR) + np.array([50.0, 0.0]), ANCHOR)
    held.begin(ANCHOR, turning=True)
    held.move((0.0, 30.0), fine=False)
    held.roll()
    assert held.text == ["trackball"] and not held.turn().any(), "it begins anew"
    for way in ((20.0, 0.0), (0.0, 20.0), (7.0, 4.0)):
        begun = held.turn()
        held.move(way, fine=False)
        assert np.linalg.norm(held.turn() - begun) == pytest.approx(0.01 * np.hypot(*way))
    held.roll()
    held.roll()
    held.move((3.0, 4.0), fine=False)
    near = -0.1 * view.forward
    shown = view.pixels(ANCHOR + Matrix.Rotation(0.05, 3, Vector(held.turn())) @ Vector(near))
    way = shown - view.pixels(ANCHOR + near)
    assert np.allclose(way / np.linalg.norm(way), (0.6, 0.8), atol=0.05)
    typed(held, "x")
    assert not held.turn()[1:].any() and held.text == ["about global X"]
    typed(held, "90")
    assert np.allclose(held.turn(), (np.pi / 2, 0, 0))
    held.roll()
    assert held.text == []


def test_the_wheel_goes_from_the_whole_figure_to_one_bone_and_back():
    assert [hand.changed_levels(*given) for given in ((0, 5, -1), (4, 5, -1), (1, 5, -1))] == [4, 3, 1]
    assert [hand.changed_levels(*given) for given in ((3, 5, 1), (4, 5, 1), (0, 5, 1))] == [4, 0, 0]
