# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay shows of what the figure is near to."""

from __future__ import annotations

import bpy
import installed
import numpy as np
from addon_scenes import add, two_arms, wall
from test_draw_data import FAR, REACHED, SHORT, data, drawn, of_colour
from test_draw_figure import only


def test_critical_points_join_the_figure_to_what_is_near():
    rig = two_arms()
    bpy.ops.articulate.body_fit()
    for link in rig.articulate.body.links:
        link.radius = 0.05
        link.enabled = link.name == "hand.L"
    link = rig.articulate.body.links["hand.L"]
    link.a, link.b = (0, 0, 0), (0, rig.data.bones["hand.L"].length, 0)
    add("hand.L")
    cube = wall(rig, 2.05)
    only(rig, "critical")
    shown = drawn(rig)
    assert np.allclose(of_colour(shown, "lines", REACHED), [(1.85, 0, 2), (2.05, 0, 2)], atol=1e-4)
    (label,) = shown.labels
    assert label[1] == "200.0 mm Cube"
    assert np.allclose(label[0], (1.95, 0, 2), atol=1e-4)
    rig.articulate.body.margin = 0.3
    assert len(of_colour(drawn(rig), "lines", SHORT)) == 2
    cube.location.x -= 0.3
    shown = drawn(rig)
    assert np.allclose(of_colour(shown, "lines", FAR), [(1.85, 0, 2), (1.75, 0, 2)], atol=1e-4)
    assert shown.labels[0][1] == "-100.0 mm Cube"


def test_critical_points_notice_when_only_the_obstacles_form_changes():
    rig = two_arms()
    add("hand.L")
    cube = wall(rig, 2.05)
    only(rig, "critical")
    sketch = data.Sketch()

    def note(_scene, depsgraph):
        sketch.note(depsgraph)

    bpy.app.handlers.depsgraph_update_post.append(note)
    before = [drawn(rig, sketch=sketch), drawn(rig, sketch=sketch)]
    cube.modifiers.new("Thicker", "SOLIDIFY").offset = 1.0
    cube.modifiers[0].thickness = 0.1
    thick = drawn(rig, sketch=sketch)
    assert thick.labels[0][1] != before[0].labels[0][1]
    rig.articulate.obstacles[0].enabled = False
    rig.update_tag()
    assert not drawn(rig, sketch=sketch).labels
    cube.modifiers[0].thickness = 0.2  # while nobody looks at it
    drawn(rig, sketch=sketch)
    rig.articulate.obstacles[0].enabled = True
    rig.update_tag()
    assert drawn(rig, sketch=sketch).labels[0][1] != thick.labels[0][1]
    bpy.app.handlers.depsgraph_update_post.remove(note)


def test_what_is_known_from_the_redraw_before_is_what_a_first_look_finds():
    rig = two_arms()
    bpy.ops.articulate.body_fit()
    add("hand.L")
    cube, group = wall(rig, 2.05), bpy.data.collections.new("Group")
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0.0, 5.0, 0.0))
    member, shown = bpy.context.object, bpy.data.objects.new("Shown", None)
    group.objects.link(member)
    shown.instance_type, shown.instance_collection = "COLLECTION", group
    carrier = bpy.data.objects.new("Carrier", None)
    for thing in (shown, carrier):
        bpy.context.scene.collection.objects.link(thing)
    shown.location = (-2.3, -5.0, 2.0)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object=shown.name)
    only(rig, "critical")
    hand, sketch = rig.pose.bones["hand.L"], data.Sketch()
    hand.rotation_mode = "XYZ"

    def note(_scene, depsgraph):
        sketch.note(depsgraph)

    def turn(angle):
        hand.rotation_euler = (angle, 0.5 * angle, -angle)

    changes = [lambda angle=angle: turn(angle) for angle in (0.01, 0.02, 0.05, 0.5, -0.3, -0.31)]
    changes += [
        lambda: setattr(cube.location, "x", 3.0),
        lambda: setattr(cube, "parent", carrier),
        lambda: setattr(carrier, "location", (0.1, -0.2, 0.3)),
        lambda: setattr(member, "location", (0.0, 5.2, 0.1)),
        lambda: turn(0.1),
        lambda: setattr(rig, "location", (0.05, 0.0, 0.0)),
        lambda: cube.hide_set(True),
        lambda: turn(0.12),
        lambda: cube.hide_set(False),
        lambda: setattr(cube.data.vertices[0], "co", (-1.5, -1.0, -1.0)),
        lambda: setattr(rig.articulate.obstacles[0], "margin", 0.02),
        lambda: setattr(cube, "parent", rig),
        lambda: (setattr(cube, "parent_type", "BONE"), setattr(cube, "parent_bone", "hand.L")),
        lambda: setattr(cube, "parent", None),
        lambda: bpy.data.objects.remove(cube),
    ]
    bpy.app.handlers.depsgraph_update_post.append(note)
    try:
        for number, change in enumerate(changes):
            change()
            kept, fresh = drawn(rig, sketch=sketch), drawn(rig)
            assert [label[1:] for label in kept.labels] == [label[1:] for label in fresh.labels], number
            assert len(fresh.lines) and np.allclose(kept.lines, fresh.lines, atol=1e-6), number
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(note)


def test_of_parts_that_hang_together_the_foremost_is_critical():
    rig = two_arms()
    bpy.ops.articulate.body_fit()
    add("hand.L")
    wall(rig, 2.0 + 0.02)
    only(rig, "critical")
    bone = rig.pose.bones["arm.L"]
    bone.rotation_mode, bone.rotation_euler = "XYZ", (0.0, 0.0, 0.0)
    (label,) = drawn(rig).labels
    assert label[1].endswith("Cube")
    rig.articulate.body.margin = 3.0  # however much is to be kept
    assert len(drawn(rig).labels) == 1


def test_from_frame_to_frame_the_surroundings_are_read_once_unless_they_are_animated(monkeypatch):
    rig = two_arms()
    bpy.ops.articulate.body_fit()
    add("hand.L")
    wall(rig, 2.2)
    only(rig, "critical")
    nearness = installed.module("control.collision.nearness")
    read, calls = nearness.read_surroundings, []
    monkeypatch.setattr(nearness, "read_surroundings", lambda *given: calls.append(1) or read(*given))
    sketch = data.Sketch()
    link = rig.articulate.body.links["hand.L"]
    labels = []
    for animated in (False, True):
        if animated:
            for frame, radius in ((1, 0.05), (4, 0.1)):
                link.radius = radius
                link.keyframe_insert("radius", frame=frame)
        for frame in (1, 2, 3, 4):
            bpy.context.scene.frame_set(frame)
            sketch.note(bpy.context.evaluated_depsgraph_get())
            labels.append(drawn(rig, sketch=sketch).labels[0][1])
        assert len(calls) == (5 if animated else 1)
    assert len(set(labels[:4])) == 1 and len(set(labels[4:])) == 4


def test_what_is_far_away_is_told_by_the_nearest():
    rig = two_arms()
    add("hand.L")
    wall(rig, 40.0)
    only(rig, "critical")
    sketch = data.Sketch()
    labels = drawn(rig, sketch=sketch).labels
    assert len(labels) == 1
    rig.pose.bones["hand.L"].scale = (1.0, 1.0, 1.0)
    rig.pose.bones["hand.L"].location = (0.0, 0.0, 0.0)
    sketch.note(None)
    assert drawn(rig, sketch=sketch).labels == labels


def test_in_a_steady_motion_each_redraw_is_what_a_first_look_finds():
    rig = two_arms()
    bpy.ops.articulate.body_fit()
    add("hand.L")
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, radius=0.4, location=(2.3, 0.1, 2.1))
    ball = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object=ball.name)
    wall(rig, 2.6)
    only(rig, "critical")
    arm, hand, sketch = rig.pose.bones["arm.L"], rig.pose.bones["hand.L"], data.Sketch()
    rig.scale = (0.7, 0.7, 0.7)

    def note(_scene, depsgraph):
        sketch.note(depsgraph)

    bpy.app.handlers.depsgraph_update_post.append(note)
    try:
        for number in range(48):
            arm.rotation_quaternion = (1.0, 0.004 * number, 0.0, 0.003 * number)
            hand.rotation_quaternion = (1.0, 0.0, 0.002 * number, 0.0)
            if number >= 12:
                rig.rotation_euler = (0.0, 0.001 * number, 0.0)
            if number in (20, 21):
                arm.scale = (1.0, 1.1, 0.9)  # and shears the hand
            if number == 30:
                hand.scale = (-1.0, 1.0, 1.0)
            if number == 36:
                hand.scale = (1.0, 1.0, 1.0)
            kept, fresh = drawn(rig, sketch=sketch), drawn(rig)
            assert [label[1] for label in kept.labels] == [label[1] for label in fresh.labels], number
            assert len(kept.lines) == len(fresh.lines) and (len(fresh.lines) > 0) == (not 30 <= number < 36)
            assert np.allclose(kept.lines, fresh.lines, atol=2e-6), number
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(note)
