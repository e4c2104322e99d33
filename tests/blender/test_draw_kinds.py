# SPDX-License-Identifier: GPL-3.0-or-later
"""The colour of an effector says what the solver says, whatever its kind asks for: first off, then solved."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, tip, two_arms
from mathutils import Quaternion
from test_any_of import holds
from test_balance import body, centre, plant
from test_draw_data import FAR, REACHED, colours, drawn, of_colour
from test_draw_figure import only
from test_masks import turned_arm

AWAY, TURNED = np.array([0.3, -0.5, -0.4]), Quaternion((0.8, 0.3, -0.2, 0.4)).normalized()


def first_off_then_reached(rig: bpy.types.Object) -> None:
    """Amber or red before the solve, green after it."""
    only(rig, "lines")
    shown = drawn(rig)
    assert len(shown.lines) and not len(of_colour(shown, "lines", REACHED))
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"
    shown = drawn(rig)
    assert len(of_colour(shown, "lines", REACHED)) == len(shown.lines)


@pytest.mark.parametrize("space", ["WORLD", "TARGET", "BONE"])
@pytest.mark.parametrize("kind", ["POSITION", "ORIENTATION", "POSE"])
def test_only_the_axes_that_count(kind, space):
    rig = turned_arm()
    masks = {"axes": (False, False, True), "turn_axes": (False, True, True)}
    told = {
        name: mask
        for name, mask in masks.items()
        if kind == "POSE" or (name == "axes") == (kind == "POSITION")
    }
    target = add("b4", kind, space=space, **told).target
    target.rotation_mode = "QUATERNION"
    target.location = tip(rig, "b4") + AWAY
    target.rotation_quaternion = TURNED
    first_off_then_reached(rig)


@pytest.mark.parametrize(("kind", "slack"), [("POSITION", "slack"), ("ORIENTATION", "turn_slack")])
def test_what_is_within_the_slack_is_there(kind, slack):
    rig = turned_arm()
    effector = add("b4", kind)
    effector.target.location = tip(rig, "b4") + AWAY
    effector.target.rotation_quaternion = TURNED
    only(rig, "lines")
    assert len(of_colour(drawn(rig), "lines", FAR))
    setattr(effector, slack, 3.0)
    assert len(of_colour(drawn(rig), "lines", REACHED))


@pytest.mark.parametrize(("keep", "distance"), [("AT", 1.5), ("INSIDE", 0.8), ("OUTSIDE", 2.0)])
def test_distances(keep, distance):
    rig = turned_arm()
    effector = add("b4", "DISTANCE", distance=1.0)
    effector.keep, effector.distance = keep, distance
    first_off_then_reached(rig)


def test_a_loop_leads_to_the_second_bone():
    rig = two_arms()
    effector = add("hand.L", "LOOP", second_bone="hand.R")
    effector.second_point, effector.second_offset = "TIP", (0, 0, 0)
    only(rig, "lines")
    assert np.allclose(
        of_colour(drawn(rig), "lines", FAR), [tip(rig, "hand.L"), tip(rig, "hand.R")], atol=1e-5
    )
    first_off_then_reached(rig)
    only(rig, "chain")
    assert len(of_colour(drawn(rig), "lines", colours.CHAIN)) == 16, "both arms take part"


def test_of_several_targets_the_nearest_is_meant():
    rig = two_arms()
    collection = holds((2.5, 0.2, 2.5), (1.0, 0.5, 2.5))
    add("hand.L", "ANY_OF", alternatives=collection.name)
    only(rig, "lines")
    assert np.allclose(of_colour(drawn(rig), "lines", FAR), [tip(rig, "hand.L"), (2.5, 0.2, 2.5)], atol=1e-5)
    first_off_then_reached(rig)


def test_balance_over_a_target():
    rig = body()
    target = add("hips", "BALANCE").target
    plant(rig)
    target.location.x += 0.15
    only(rig, "lines")
    shown = of_colour(drawn(rig), "lines", FAR)
    center = centre(rig)
    assert np.allclose(shown[0], center, atol=1e-4)
    assert np.allclose(shown[-2:], [[*center[:2], target.location.z], target.location], atol=1e-4)
    bpy.ops.articulate.solve()
    assert rig.articulate.report["effectors"]["hips"]["status"] == "REACHED"
    assert len(of_colour(drawn(rig), "lines", REACHED)) == len(drawn(rig).lines)


def test_a_figure_stands_on_what_is_planted():
    rig = body()
    plant(rig, footprint=0.1)
    only(rig, "balance")
    edges = of_colour(drawn(rig), "lines", REACHED)
    assert np.allclose([edges.min(0), edges.max(0)], [(-0.22, -0.1, 0.1), (0.22, 0.1, 0.1)], atol=1e-5)
    assert np.allclose(of_colour(drawn(rig), "points", colours.MASS), centre(rig), atol=1e-4)


def test_a_pole_is_joined_to_the_joint_that_points_at_it():
    rig = two_arms()
    pole = add("hand.L", "POLE").target
    pole.location = (1.0, 0.3, 3.0)
    only(rig, "lines")
    elbow = rig.matrix_world @ rig.pose.bones["hand.L"].head
    assert np.allclose(of_colour(drawn(rig), "lines", FAR), [elbow, pole.location], atol=1e-5)
    first_off_then_reached(rig)
