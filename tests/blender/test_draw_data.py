# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay shows of effectors, pins and chains, as arrays; a real window is looked at elsewhere."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, arm, reach, tip, two_arms
from bridge_rigs import make_rig, metarig
from mathutils import Euler

data = installed.module("viewport.draw_data")
colours = installed.module("viewport.parts")
drag = installed.module("control.drag.drag")
Miss = installed.module("viewport.marks").Miss
REACHED, SHORT, FAR = (colours.BY_ERROR[miss] for miss in (Miss.REACHED, Miss.SHORT, Miss.FAR))


def drawn(rig: bpy.types.Object, held: str = "", sketch=None):
    """The drawing of an armature that is up to date."""
    bpy.context.view_layer.update()
    return (sketch or data.Sketch()).drawing(rig, bpy.context.evaluated_depsgraph_get(), held)


def of_colour(drawing, what: str, colour) -> np.ndarray:
    """The ends of the lines, or the points, that have a colour."""
    places = drawing.lines if what == "lines" else drawing.points
    colours = drawing.line_colours if what == "lines" else drawing.point_colours
    return places[(colours == np.array(colour, dtype=np.float32)).all(1)]


def test_an_effector_is_joined_to_its_target_in_the_colour_of_its_error():
    rig = arm(4)
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    shown = drawn(rig)
    assert np.allclose(of_colour(shown, "lines", FAR), [tip(rig, "b3"), target.location], atol=1e-5)
    assert np.allclose(of_colour(shown, "points", FAR), [tip(rig, "b3")], atol=1e-5)
    target.location = tip(rig, "b3") + np.array([0.1, 0.0, 0.0])
    assert len(of_colour(drawn(rig), "lines", SHORT)) == 2
    bpy.ops.articulate.solve()
    shown = drawn(rig)
    assert np.allclose(of_colour(shown, "lines", REACHED), [target.location] * 2, atol=1e-3)
    assert not len(of_colour(shown, "points", FAR))


@pytest.mark.parametrize("kind", ["ORIENTATION", "AIM", "PLANE"])
def test_what_turns_aims_or_stays_on_a_plane_has_an_error_too(kind):
    rig = arm(3)
    target = add("b2", kind).target
    assert len(of_colour(drawn(rig), "lines", REACHED)) == 2
    target.rotation_mode = "XYZ"
    target.rotation_euler = (1.0, 0.4, 0.0)
    target.location.x += 2.0
    assert len(of_colour(drawn(rig), "lines", FAR)) == 2
    bpy.ops.articulate.solve()
    assert len(of_colour(drawn(rig), "lines", REACHED)) == 2


def test_the_chain_of_the_active_effector():
    rig = two_arms()
    add("hand.L", chain_root="arm.L")
    assert len(of_colour(drawn(rig), "lines", colours.CHAIN)) == 4
    rig.articulate.effectors["hand.L"].chain_root = ""
    chain = of_colour(drawn(rig), "lines", colours.CHAIN)
    assert len(chain) == 10, "four bones, and the way from the chest to the shoulder"
    assert np.allclose(chain[-2:], [(0, 0.05, 2), (0.2, 0, 2)], atol=1e-5)


def test_the_chain_of_a_figure_of_short_loose_bones_hangs_together():
    rows = [("hips", None, (0, 0, 1), (0, 0, 1.1))]
    for name, above, x in (("arm", "hips", 0.3), ("fore", "arm", 1.0), ("hand", "fore", 1.7)):
        rows.append((name, above, (x, 0, 1.5), (x, 0, 1.6)))
    rig = make_rig(rows)
    add("hand")
    chain = of_colour(drawn(rig), "lines", colours.CHAIN).reshape(-1, 2, 3)
    ways = [way for way in chain if np.linalg.norm(way[1] - way[0]) > 0.2]
    expected = [[(0, 0, 1.1), (0.3, 0, 1.5)], [(0.3, 0, 1.5), (1, 0, 1.5)], [(1, 0, 1.5), (1.7, 0, 1.5)]]
    assert np.allclose(ways, expected, atol=1e-5)


def test_the_bones_that_a_drag_would_take_along_are_shown_before_it_begins():
    rig = two_arms()
    assert not len(drawn(rig).lines)
    assert len(of_colour(drawn(rig, "hand.R"), "lines", colours.CHAIN)) == 10
    bpy.ops.articulate.pin(bone="hand.L")
    shown = drawn(rig, "hand.R")
    assert len(of_colour(shown, "lines", colours.CHAIN)) == 10
    along = of_colour(shown, "lines", colours.ALONG).reshape(-1, 2, 3)
    arm, hand, shoulder = ((0.2, 0, 2), (1, 0.1, 2)), ((1, 0.1, 2), (1.8, 0, 2)), ((0, 0.05, 2), (0.2, 0, 2))
    assert np.allclose(along, [arm, hand, shoulder], atol=1e-5)


@pytest.mark.parametrize("kind", ["POSITION", "ORIENTATION", "POSE"])
def test_a_pin_says_what_it_holds_and_is_red_only_where_it_does_not_hold(kind):
    rig = two_arms()
    rig.location = (1, 2, 3)
    bpy.context.view_layer.update()
    bpy.ops.articulate.pin(bone="hand.L", kind=kind)
    shown = drawn(rig)
    assert np.allclose(of_colour(shown, "points", colours.PINS[kind]), [tip(rig, "hand.L")], atol=1e-5)
    ring = of_colour(shown, "lines", colours.PINS[kind])
    if kind == "POSITION":
        assert not len(ring)
    else:
        radius = np.linalg.norm(ring - tip(rig, "hand.L"), axis=1)
        assert np.allclose(radius, 0.2 * rig.data.bones["hand.L"].length, rtol=1e-4)
    assert not len(of_colour(shown, "points", FAR)) + len(of_colour(shown, "lines", FAR))
    bone = rig.pose.bones["hand.L"]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (0.0, 0.8, 1.2)
    shown = drawn(rig)
    stays = tip(rig, "hand.L") if kind == "ORIENTATION" else (2.8, 2, 5)
    assert np.allclose(of_colour(shown, "points", colours.PINS[kind]), [stays], atol=1e-5)
    assert len(of_colour(shown, "lines", FAR)) == 2


def test_pins_have_colours_of_their_own():
    every = [*colours.PINS.values(), *colours.BY_ERROR.values()]
    distances = [np.linalg.norm(np.subtract(a, b)) for i, a in enumerate(every) for b in every[:i]]
    assert min(distances) > 0.25
    assert all(colour[0] < 0.9 or min(colour[:3]) > 0.9 for colour in colours.PINS.values()), (
        "no pin is reddish"
    )


def test_what_is_missing_or_off_is_not_shown():
    rig = two_arms()
    add("hand.L").target = None
    add("hand.R").enabled = False
    add("arm.L").bone = "gone"
    rig.articulate.active_effector = 1
    shown = drawn(rig)
    assert not len(shown.lines) and not len(shown.points)


def test_every_part_has_a_switch():
    rig = two_arms()
    reach(rig, "hand.L", (1.0, 1.0, 1.0))
    bpy.ops.articulate.pin(bone="hand.R", kind="POSE")
    parts = {"lines": FAR, "pins": colours.PINS["POSE"], "chain": colours.CHAIN}
    for only in parts:
        for name in parts:
            setattr(rig.articulate.overlay, name, name == only)
        shown = drawn(rig)
        assert [name for name, colour in parts.items() if len(of_colour(shown, "lines", colour))] == [only]


def test_nothing_is_made_anew_while_nothing_changes():
    rig = two_arms()
    target = reach(rig, "hand.L", (1.0, 1.0, 1.0))
    sketch = data.Sketch()
    first = drawn(rig, sketch=sketch)
    assert drawn(rig, sketch=sketch) is first
    sketch.note(bpy.context.evaluated_depsgraph_get())
    assert drawn(rig, sketch=sketch) is first, "something else has changed"
    before = first
    effector = rig.articulate.effectors[0]

    def limit():
        rig.pose.bones["arm.L"].use_ik_limit_x = True

    changes = {
        "a target moves": lambda: setattr(target.location, "x", 2.0),
        "the armature moves": lambda: setattr(rig.location, "x", 0.5),
        "a bone moves": lambda: (
            setattr(rig.pose.bones["arm.L"], "rotation_mode", "XYZ")
            or setattr(rig.pose.bones["arm.L"], "rotation_euler", (0.1, 0, 0))
        ),
        "an effector is set otherwise": lambda: setattr(effector, "kind", "POSE"),
        "a switch": lambda: setattr(rig.articulate.overlay, "pins", False),
        "a limit": limit,
    }
    for what, change in changes.items():
        change()
        sketch.note(bpy.context.evaluated_depsgraph_get())
        after = drawn(rig, sketch=sketch)
        assert after is not before, what
        assert drawn(rig, sketch=sketch) is after, what
        before = after


def test_another_armature_and_another_file_are_noticed():
    sketch = data.Sketch()
    one = two_arms()
    add("hand.L")
    first = drawn(one, sketch=sketch)
    other = arm(3)
    other.select_set(True)
    add("b2")
    assert drawn(other, sketch=sketch) is not first
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = arm(5)
    add("b4")
    assert len(of_colour(drawn(rig, sketch=sketch), "lines", colours.CHAIN)) == 10


def test_what_was_changed_in_edit_mode_is_noticed():
    rig = arm(3)
    for bone in rig.pose.bones:
        bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -1.0, 0.0
        bone.rotation_mode = "XYZ"
        bone.lock_ik_y = bone.lock_ik_z = True
    add("b2")
    sketch = data.Sketch()

    def note(_scene, depsgraph):
        sketch.note(depsgraph)

    bpy.app.handlers.depsgraph_update_post.append(note)
    try:
        before = drawn(rig, sketch=sketch)
        bpy.ops.object.mode_set(mode="EDIT")
        for bone in rig.data.edit_bones:
            bone.use_connect = False
        rig.data.edit_bones["b2"].parent = None
        bpy.ops.object.mode_set(mode="OBJECT")
        after = drawn(rig, sketch=sketch)
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(note)
    assert len(of_colour(before, "points", colours.LIMIT)) == 3
    assert len(of_colour(after, "points", colours.LIMIT)) == 1, "b0 and b1 take part no more"
    assert np.array_equal(after.lines, drawn(rig).lines)


def test_what_a_script_sets_on_an_effector_is_noticed():
    rig = two_arms()
    effector = add("hand.L")
    sketch = data.Sketch()

    def note(_scene, depsgraph):
        sketch.note(depsgraph)

    bpy.app.handlers.depsgraph_update_post.append(note)
    try:
        last = drawn(rig, sketch=sketch)
        for name, value in (
            ("kind", "POSE"),
            ("bone", "hand.R"),
            ("chain_root", "arm.R"),
            ("slack", 0.5),
            ("target", None),
        ):
            setattr(effector, name, value)
            now = drawn(rig, sketch=sketch)
            assert now is not last, name
            last = now
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(note)


def test_the_axes_that_a_drag_keeps_to_are_drawn_in_their_colours_and_the_place_it_snaps_to():
    rig = two_arms()
    session = bpy.context.window_manager.articulate
    sketch = data.Sketch()
    theme = bpy.context.preferences.themes[0].user_interface
    red, green = ((*tuple(colour)[:3], 1.0) for colour in (theme.axis_x, theme.axis_y))
    session.dragged, session.locked, session.anchor = rig.session_uid, "Y", (1.0, 2.0, 3.0)
    session.axes = np.eye(3).ravel()
    line = of_colour(drawn(rig, sketch=sketch), "lines", green)
    assert np.allclose(line[:, [0, 2]], (1.0, 3.0)) and np.ptp(line[:, 1]) > 1000.0
    turned = np.array(Euler((0, 0, 0.5)).to_matrix())
    session.locked, session.axes = "XY", turned.ravel()
    shown = drawn(rig, sketch=sketch)
    for colour, axis in ((red, turned[:, 0]), (green, turned[:, 1])):
        way = np.diff(of_colour(shown, "lines", colour), axis=0)[0]
        assert np.allclose(way / np.linalg.norm(way), axis, atol=1e-5)
    session.locked, session.is_snapped, session.snapped = "", True, (0.5, 0.0, 1.0)
    shown = drawn(rig, sketch=sketch)
    assert not len(of_colour(shown, "lines", green))
    assert np.allclose(of_colour(shown, "points", colours.SNAP), (0.5, 0.0, 1.0))
    session.dragged, session.locked = 0, "X"
    shown = drawn(rig, sketch=sketch)
    assert not len(of_colour(shown, "lines", red)) and not len(of_colour(shown, "points", colours.SNAP))
    session.locked, session.is_snapped = "", False


def test_what_will_hold_by_itself_is_marked_before_a_drag_and_during_it():
    rig = metarig("basic")
    sketch = data.Sketch()
    ankles, balls = (
        [np.array(rig.matrix_world @ getattr(rig.pose.bones[name], end)) for name in ("foot.L", "foot.R")]
        for end in ("head", "tail")
    )
    assert not len(of_colour(drawn(rig, sketch=sketch), "points", colours.HOLD))
    shown = drawn(rig, "hand.L", sketch)
    marked = of_colour(shown, "points", colours.HOLD)
    assert np.allclose(sorted(map(tuple, marked)), sorted(map(tuple, balls)), atol=1e-5), "as pins are"
    assert len(of_colour(shown, "lines", colours.HOLD)), "rings: they do not turn either"
    legs = of_colour(shown, "lines", colours.ALONG)
    assert all(np.linalg.norm(legs - ankle, axis=1).min() < 1e-5 for ankle in ankles)
    session = bpy.context.window_manager.articulate
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="hand.L"))
    session.dragged, session.grip = rig.session_uid, "hand.L"
    held.move_to(held.anchor + np.array([0.0, -0.3, -0.6]))
    during = of_colour(drawn(rig, sketch=sketch), "points", colours.HOLD)
    assert np.allclose(sorted(map(tuple, during)), sorted(map(tuple, balls)), atol=2e-3)
    session.levels = 2  # of the arm alone, which nothing has to hold
    assert not len(of_colour(drawn(rig, sketch=sketch), "points", colours.HOLD))
    session.dragged, session.grip, session.levels = 0, "", 0
    held.cancel()


def test_no_foot_is_marked_that_does_not_hold():
    rig = metarig("basic")
    assert len(of_colour(drawn(rig, "foot.L"), "points", colours.HOLD)) == 1, "the one in the hand moves"
    assert len(of_colour(drawn(rig, "hand.L"), "points", colours.HOLD)) == 2
    rig.articulate.solver.hold = "ROOT"
    assert not len(of_colour(drawn(rig, "hand.L"), "points", colours.HOLD))
    rig.articulate.solver.hold = "FEET"
    rig.articulate.overlay.pins = False
    assert not len(of_colour(drawn(rig, "hand.L"), "points", colours.HOLD))
    rig.articulate.overlay.pins = True
    bpy.ops.articulate.pin(bone="hand.R")
    assert len(of_colour(drawn(rig, "hand.L"), "points", colours.HOLD)) == 2, "a pinned hand changes nothing"
    bpy.ops.articulate.pin(bone="foot.R")
    assert len(of_colour(drawn(rig, "hand.L"), "points", colours.HOLD)) == 1, "that foot has a pin"


def test_what_holds_is_looked_for_when_the_pose_rests(monkeypatch):
    rig, sketch, asked = metarig("basic"), data.Sketch(), []
    find = data.holding
    monkeypatch.setattr(data, "holding", lambda *given: asked.append(given) or find(*given))
    drawn(rig, "hand.L", sketch)
    for angle in (0.1, 0.2, 0.3):
        rig.pose.bones["spine"].rotation_quaternion = (1.0, angle, 0.0, 0.0)
        bpy.context.view_layer.update()
        sketch.note(bpy.context.evaluated_depsgraph_get())
        assert len(of_colour(drawn(rig, "hand.L", sketch), "points", colours.HOLD)) == 2
        assert len(asked) == 1
    for _ in range(3):
        drawn(rig, "hand.L", sketch)
        assert len(asked) == 2
    drawn(rig, "hand.R", sketch)
    assert len(asked) == 3


@pytest.mark.parametrize("kind", ["POSITION", "ORIENTATION", "POSE"])
def test_a_pin_in_the_hand_is_shown_where_it_goes_along(kind: str):
    rig = arm(4)
    bpy.ops.articulate.pin(bone="b3", kind=kind)
    session = bpy.context.window_manager.articulate
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="b3"))
    session.dragged, session.grip = rig.session_uid, "b3"
    held.move_to(held.anchor + np.array([0.8, 0.0, -0.9]))
    shown = drawn(rig)
    (pin,) = of_colour(shown, "points", colours.PINS[kind])
    assert np.allclose(pin, tip(rig, "b3"), atol=1e-5)
    assert not any(
        len(of_colour(shown, what, colour)) for what in ("lines", "points") for colour in (SHORT, FAR)
    )
    session.dragged, session.grip = 0, ""
    held.cancel()


def test_a_pinned_rotation_is_shown_on_its_bone_wherever_that_is():
    rig = arm(4)
    bpy.ops.articulate.pin(bone="b3", kind="ORIENTATION")
    rig.pose.bones["b0"].rotation_quaternion = (1.0, 0.4, 0.0, 0.0)
    shown = drawn(rig)
    (pin,) = of_colour(shown, "points", colours.PINS["ORIENTATION"])
    assert np.allclose(pin, tip(rig, "b3"), atol=1e-5)


def test_a_bone_that_a_script_renames_in_edit_mode_is_no_error():
    """There the pose and the bones differ until the mode ends, and no figure can be read."""
    rig = two_arms()
    add("hand.L")
    bpy.ops.object.mode_set(mode="EDIT")
    rig.pose.bones["hand.R"].name = "paw"
    for body in (False, True):
        rig.articulate.body.show = body
        assert len(of_colour(drawn(rig), "lines", REACHED)) == 2
    bpy.ops.object.mode_set(mode="POSE")
