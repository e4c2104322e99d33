# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay shows of the figure: limits, capsules, critical points, balance, manipulability."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, arm, tip, two_arms, wall
from bridge_rigs import make_rig
from mathutils import Euler, Vector
from test_draw_data import FAR, REACHED, drawn, of_colour

data = installed.module("viewport.draw_data")
colours = installed.module("viewport.parts")


def only(rig: bpy.types.Object, *parts: str) -> None:
    """Switch on some parts of the overlay and nothing else."""
    for name in data.SWITCHES:
        setattr(rig.articulate.overlay, name, name in parts)
    rig.articulate.body.show = "body" in parts


def hinged(axis: str, turn: float, low: float, high: float) -> bpy.types.Object:
    """An arm whose b1 is limited about one axis of its own and turned about it; the object lies anywhere."""
    rig = arm(3)
    rig.location, rig.rotation_euler = (1.0, -2.0, 0.5), (0.4, -0.3, 1.1)
    bone = rig.pose.bones["b1"]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = [turn * (axis == letter) for letter in "xyz"]
    setattr(bone, f"use_ik_limit_{axis}", True)
    setattr(bone, f"ik_min_{axis}", low)
    setattr(bone, f"ik_max_{axis}", high)
    for other in "xyz".replace(axis, ""):
        setattr(bone, f"lock_ik_{other}", True)
    add("b2")
    only(rig, "limits")
    return rig


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_limit_is_shown_where_a_joint_stands_at_it_and_nowhere_else(axis, side):
    low, high = -0.5, 0.8
    rig = hinged(axis, (low, high)[side > 0], low, high)
    bpy.context.view_layer.update()
    arc = of_colour(drawn(rig), "lines", colours.LIMIT)
    assert len(arc)
    bone = rig.pose.bones["b1"]
    head = np.array(rig.matrix_world @ bone.head)
    arm_of = Vector((1, 0, 0)) if axis == "y" else Vector((0, 1, 0))
    # What the bone does, Blender says: turn it and look.
    base = rig.matrix_world @ bone.matrix @ Euler(bone.rotation_euler).to_matrix().to_4x4().inverted()
    wanted = []
    for turn in np.linspace(low, high, 25):
        turned = base @ Euler([turn * (axis == letter) for letter in "xyz"]).to_matrix().to_4x4()
        wanted.append(turned @ (0.4 * bone.length * arm_of))
    found = arc[:48].reshape(24, 2, 3)
    assert np.allclose(found[:, 0], wanted[:-1], atol=1e-4) and np.allclose(
        found[:, 1], wanted[1:], atol=1e-4
    )
    mark = of_colour(drawn(rig), "points", colours.LIMIT)
    assert np.allclose(mark, wanted[-1 if side > 0 else 0], atol=1e-4)
    assert np.allclose(arc[48::2], head, atol=1e-4), "spokes begin at the joint"
    bone.rotation_euler = [0.9 * turn for turn in bone.rotation_euler]
    assert not len(drawn(rig).lines)


def test_the_cone_of_two_limits_is_blenders_ellipse():
    rig = arm(3)
    bone = rig.pose.bones["b1"]
    limits = {"x": (-0.6, 0.3), "z": (-0.2, 0.9)}
    for axis, (low, high) in limits.items():
        setattr(bone, f"use_ik_limit_{axis}", True)
        setattr(bone, f"ik_min_{axis}", low)
        setattr(bone, f"ik_max_{axis}", high)
    # On the ellipse in the sines of half angles, in the quarter of x below zero and z above it.
    sine = np.array([np.cos(2.2) * np.sin(0.3), np.sin(2.2) * np.sin(0.45)])
    bone.rotation_quaternion = (np.sqrt(1 - sine @ sine), sine[0], 0.0, sine[1])
    add("b2")
    only(rig, "limits")
    rim = of_colour(drawn(rig), "lines", colours.LIMIT)[:-2]
    place = rig.matrix_world @ bone.matrix
    rest = place @ bone.matrix_basis.inverted()
    for end in rim:
        # The swing that takes the rest direction to this one, by Blender's own quaternions.
        there = (rest.inverted() @ Vector(end)).normalized()
        swing = Vector((0, 1, 0)).rotation_difference(there)
        x, z = swing.x, swing.z
        room = [np.sin(limits["x"][x > 0] / 2), np.sin(limits["z"][z > 0] / 2)]
        assert (x / room[0]) ** 2 + (z / room[1]) ** 2 == pytest.approx(1.0, abs=2e-3)
    mark = of_colour(drawn(rig), "points", colours.LIMIT)
    assert np.allclose(mark, place @ Vector((0, 0.4 * bone.length, 0)), atol=1e-4)
    bone.rotation_quaternion = (1, 0, 0, 0)
    assert not len(drawn(rig).lines)


def test_the_ellipsoid_is_what_small_turns_do_to_the_point():
    rig = two_arms()
    rig.scale = (0.5, 0.5, 0.5)
    rig.rotation_euler = (0.2, 0.4, -0.7)
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    rig.pose.bones["arm.L"].lock_ik_z = True
    add("hand.L", chain_root="chest")
    bpy.context.view_layer.update()
    columns, step = [], 1e-3
    start = tip(rig, "hand.L")
    for name, free in (("chest", "xyz"), ("arm.L", "xy"), ("hand.L", "xyz")):
        for axis in free:
            ends = []
            for sign in (-1, 1):
                rig.pose.bones[name].rotation_euler["xyz".index(axis)] = sign * step
                ends.append(tip(rig, "hand.L"))
            rig.pose.bones[name].rotation_euler = (0, 0, 0)
            columns.append((ends[1] - ends[0]) / (2 * step))
    values, directions = np.linalg.eigh(np.array(columns).T @ np.array(columns))
    only(rig, "ellipsoid")
    shown = of_colour(drawn(rig), "lines", colours.MOBILITY)
    axes = (shown[-6::2] - shown[-5::2]) / 2 / 0.15
    assert np.allclose(0.5 * (shown[-6::2] + shown[-5::2]), start, atol=1e-4)
    lengths = np.linalg.norm(axes, axis=1)
    assert np.allclose(lengths, np.sqrt(values[::-1]), rtol=1e-3)
    for axis, length, direction in zip(axes, lengths, directions.T[::-1], strict=True):
        assert abs(axis @ direction) == pytest.approx(length, rel=1e-3)


def test_capsules_are_wires_of_their_own_thickness():
    rig = arm(2)
    bpy.ops.articulate.body_fit()
    links = rig.articulate.body.links
    links[0].radius, links[0].a, links[0].b = 0.2, (0, 0.1, 0), (0, 0.9, 0)
    links[1].radius, links[1].a, links[1].b = 0.3, (0, 0.5, 0), (0, 0.5, 0)
    only(rig, "body")
    wires = of_colour(drawn(rig), "lines", colours.BODY)
    assert len(wires)
    off = []
    for link in links:
        place = rig.matrix_world @ rig.pose.bones[link.name].matrix
        a, b = (np.array(place @ Vector(end)) for end in (link.a, link.b))
        way = b - a
        share = np.clip((wires - a) @ way / max(way @ way, 1e-12), 0, 1)
        off.append(np.abs(np.linalg.norm(wires - a - share[:, None] * way, axis=1) - link.radius))
    assert (np.min(off, 0) < 1e-5).all(), "every end of a wire lies on one of the capsules"
    assert all((each < 1e-5).sum() > 40 for each in off)


def test_a_part_that_a_script_makes_thicker_is_drawn_thicker():
    rig = two_arms()
    bpy.ops.articulate.body_fit()
    only(rig, "body")
    sketch = data.Sketch()

    def note(_scene, depsgraph):
        sketch.note(depsgraph)

    bpy.app.handlers.depsgraph_update_post.append(note)
    before = drawn(rig, sketch=sketch).lines
    rig.articulate.body.links[0].radius *= 3.0
    after = drawn(rig, sketch=sketch).lines
    rig.articulate.body.links[0].enabled = False
    fewer = drawn(rig, sketch=sketch).lines
    bpy.app.handlers.depsgraph_update_post.remove(note)
    assert len(before) == len(after) and not np.allclose(before, after)
    assert len(fewer) < len(after)


def test_limits_are_shown_where_the_method_knows_no_obstacles():
    rig = hinged("x", 0.8, -0.5, 0.8)
    wall(rig, 5.0)
    rig.articulate.solver.method = "ccd"
    only(rig, "limits", "critical")
    shown = drawn(rig)
    assert len(of_colour(shown, "lines", colours.LIMIT)) and not shown.labels


def standing() -> bpy.types.Object:
    """Two legs and a torso; the feet point along -Y."""
    rows = [("torso", None, (0, 0, 1), (0, 0, 2))]
    for side, x in (("L", 0.3), ("R", -0.3)):
        rows += [
            (f"leg.{side}", "torso", (x, 0, 1), (x, 0, 0.1)),
            (f"foot.{side}", f"leg.{side}", (x, 0.1, 0.1), (x, -0.4, 0.1)),
        ]
    rig = make_rig(rows)
    bpy.ops.articulate.body_fit()
    for link in rig.articulate.body.links:
        length = rig.data.bones[link.name].length
        link.a, link.b, link.radius = (0, 0, 0), (0, length, 0), 0.3 if link.name == "torso" else 0.1
    only(rig, "balance")
    return rig


def test_the_centre_of_mass_is_that_of_the_capsules_volume_and_stands_over_the_feet():
    rig = standing()
    shown = drawn(rig)
    rng = np.random.default_rng(3)
    # By chance: points in a box, weighed by how many capsules they are in.
    cloud = rng.uniform((-0.6, -0.6, -0.1), (0.6, 0.4, 2.4), (200_000, 3))
    weight = np.zeros(len(cloud))
    for link in rig.articulate.body.links:
        place = rig.matrix_world @ rig.pose.bones[link.name].matrix
        a, b = (np.array(place @ Vector(end)) for end in (link.a, link.b))
        share = np.clip((cloud - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        weight += np.linalg.norm(cloud - a - share[:, None] * (b - a), axis=1) < link.radius
    center = weight @ cloud / weight.sum()
    assert np.allclose(of_colour(shown, "points", colours.MASS), center, atol=0.01)
    edges = of_colour(shown, "lines", REACHED)
    assert np.allclose([edges.min(0), edges.max(0)], [(-0.4, -0.5, 0.0), (0.4, 0.2, 0.0)], atol=1e-5)
    to_feet = [np.linalg.norm(edges[:, :2] - (x, y), axis=1) for x in (-0.3, 0.3) for y in (-0.4, 0.0, 0.1)]
    assert np.allclose(np.min(to_feet, 0), 0.1, atol=1e-5), (
        "as far from the ends of feet and legs as they are thick"
    )
    assert np.allclose(of_colour(shown, "points", REACHED), [*center[:2], 0.0], atol=0.01)


def test_who_leans_over_is_not_steady():
    rig = standing()
    for link in rig.articulate.body.links:
        if link.name == "torso":
            link.a, link.b = (0, 1, 1), (0, 2, 2)
    shown = drawn(rig)
    assert len(of_colour(shown, "points", FAR)) == 1 and not len(of_colour(shown, "points", REACHED))


def test_what_is_no_figure_shows_what_can_be_shown():
    rig = hinged("x", 0.8, -0.5, 0.8)
    rig.articulate.effectors[0].target.location = (3, 3, 3)
    rig.articulate.effectors[0].chain_root = "gone"
    only(rig, "limits", "lines", "ellipsoid")
    shown = drawn(rig)
    assert len(of_colour(shown, "lines", FAR)) == 2 and not len(of_colour(shown, "lines", colours.LIMIT))
