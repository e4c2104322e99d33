# SPDX-License-Identifier: GPL-3.0-or-later
"""The centre of mass over a target or over what the feet span; weighed here anew, from what Blender shows."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, evaluated, reach, tip
from bridge_rigs import make_rig
from mathutils import Vector

ROWS = [
    ("hips", None, (0, 0, 1.0), (0, 0, 1.2)),
    ("chest", "hips", (0, 0, 1.2), (0, 0.02, 1.7)),
    ("arm.L", "chest", (0.2, 0, 1.6), (0.5, 0.05, 1.6)),
    ("hand.L", "arm.L", (0.5, 0.05, 1.6), (0.8, 0, 1.6)),
    ("thigh.L", "hips", (0.12, 0, 1.0), (0.12, -0.03, 0.55)),
    ("shin.L", "thigh.L", (0.12, -0.03, 0.55), (0.12, 0, 0.1)),
    ("thigh.R", "hips", (-0.12, 0, 1.0), (-0.12, -0.03, 0.55)),
    ("shin.R", "thigh.R", (-0.12, -0.03, 0.55), (-0.12, 0, 0.1)),
]
MASSES = {"hips": 12.0, "chest": 30.0, "arm.L": 4.0, "hand.L": 3.0}
FEET = ("shin.L", "shin.R")


def body() -> bpy.types.Object:
    """A figure on two legs with one arm, standing up; masses are given to all its bones."""
    rig = make_rig(ROWS)
    for bone in rig.pose.bones:
        bone.articulate.mass = MASSES.get(bone.name, 5.0)
    rig.articulate.solver.root = "FREE"
    return rig


def centre(rig: bpy.types.Object) -> np.ndarray:
    """(3,) centre of mass, world: each bone's mass is in the middle of it."""
    shown = evaluated(rig)
    masses = np.array([rig.pose.bones[bone.name].articulate.mass for bone in shown.pose.bones])
    middles = [np.array(shown.matrix_world @ ((bone.head + bone.tail) / 2)) for bone in shown.pose.bones]
    return masses @ np.array(middles) / masses.sum()


def plant(rig: bpy.types.Object, footprint: float = 0.0) -> None:
    """Let the figure stand on its feet."""
    for foot in FEET:
        add(foot, name=f"foot {foot}", planted=True, footprint=footprint)


def outside(rig: bpy.types.Object, place: np.ndarray, radius: float) -> float:
    """How far a place is outside of two discs around the feet and what lies between them, metres."""
    a, b = (tip(rig, foot)[:2] for foot in FEET)
    along = np.clip((place[:2] - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return float(np.linalg.norm(place[:2] - a - along * (b - a)) - radius)


def test_a_new_target_is_at_the_centre_of_mass():
    rig = body()
    rig.rotation_euler, rig.location = (0.3, 0.2, 0.9), (1, 2, 0)
    bpy.context.view_layer.update()
    effector = add("hips", "BALANCE")
    np.testing.assert_allclose(effector.target.location, centre(rig), atol=1e-5)


@pytest.mark.parametrize("turned", [False, True])
def test_the_centre_is_kept_over_the_target(turned):
    rig = body()
    if turned:
        rig.rotation_euler, rig.scale = (0.5, -0.4, 0.7), (0.5, 0.5, 0.5)
        bpy.context.view_layer.update()
    for foot in FEET:
        add(foot)
    before = [tip(rig, foot) for foot in FEET]
    target = add("chest", "BALANCE", priority=1).target
    height = centre(rig)[2]
    target.location = np.array(target.location) + np.array([0.04, -0.03, 5.0])
    bpy.ops.articulate.solve()
    assert np.linalg.norm(centre(rig)[:2] - np.array(target.location)[:2]) < 1e-3
    assert abs(centre(rig)[2] - height) < 0.5, "how high it is does not count"
    for foot, place in zip(FEET, before, strict=True):
        assert np.linalg.norm(tip(rig, foot) - place) < 1e-3
    row = rig.articulate.report["effectors"]["chest"]
    assert row["status"] == "REACHED" and row["worst"] < 1e-3 and row["angle_worst"] is None


@pytest.mark.solver
def test_over_the_feet_it_stands_while_the_hand_reaches():
    rig = body()
    plant(rig, footprint=0.12)
    add("chest", "BALANCE", over="SUPPORT", name="balance")
    assert rig.articulate.effectors["balance"].target is None
    reach(rig, "hand.L", (0.9, -0.7, 1.1), priority=1)
    bpy.ops.articulate.solve()
    assert outside(rig, centre(rig), 0.12) < 1e-3
    rows = rig.articulate.report["effectors"]
    assert rows["balance"]["status"] == "REACHED" and rows["foot shin.L"]["worst"] < 1e-3
    rig.articulate.effectors["balance"].enabled = False
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    bpy.ops.articulate.solve()
    assert outside(rig, centre(rig), 0.12) > 0.02, "without it the figure would fall"


@pytest.mark.solver
def test_a_margin_keeps_it_farther_inside():
    rig = body()
    plant(rig, footprint=0.15)
    add("chest", "BALANCE", over="SUPPORT", margin=0.05, name="balance")
    reach(rig, "hand.L", (0.9, -0.7, 1.1), priority=1)
    bpy.ops.articulate.solve()
    assert outside(rig, centre(rig), 0.10) < 1e-3


def test_inside_its_support_the_figure_does_not_move():
    rig = body()
    plant(rig, footprint=0.3)
    add("chest", "BALANCE", over="SUPPORT")
    before = [bone.matrix.copy() for bone in rig.pose.bones]
    bpy.ops.articulate.solve()
    for bone, matrix in zip(evaluated(rig).pose.bones, before, strict=True):
        np.testing.assert_allclose(bone.matrix, matrix, atol=1e-5)


def test_a_foot_that_is_lifted_does_not_carry():
    """Planted is animated: the weight goes over to the foot that stands."""
    rig = body()
    plant(rig, footprint=0.06)
    add("chest", "BALANCE", over="SUPPORT")
    foot = rig.articulate.effectors["foot shin.L"]
    for number, planted in ((1, True), (6, False)):
        foot.planted = planted
        foot.keyframe_insert("planted", frame=number)
    bpy.ops.articulate.bake(frame_start=1, frame_end=10)
    bpy.context.scene.frame_set(1)
    assert abs(centre(rig)[0]) < 0.06
    bpy.context.scene.frame_set(10)
    assert np.linalg.norm(centre(rig)[:2] - tip(rig, "shin.R")[:2]) < 0.061
    assert tip(rig, "shin.L")[2] == pytest.approx(0.1, abs=1e-3), "the other foot still follows its target"


def test_the_balance_fades_in_by_its_influence():
    rig = body()
    plant(rig)
    target = add("chest", "BALANCE").target
    effector = rig.articulate.active
    start = centre(rig)
    target.location = start + np.array([0.0, -0.1, 0.0])
    for number, value in ((1, 0.0), (11, 1.0)):
        effector.influence = value
        effector.keyframe_insert("influence", frame=number)
    bpy.ops.articulate.bake(frame_start=1, frame_end=11)
    places = []
    for number in range(1, 12):
        bpy.context.scene.frame_set(number)
        places.append(centre(rig)[1])
    assert abs(places[0] - start[1]) < 1e-4 and places[-1] == pytest.approx(start[1] - 0.1, abs=2e-3)
    assert np.abs(np.diff(places)).max() < 0.03


def test_without_given_masses_the_volume_of_the_bones_counts():
    """A leg twice as thick in each direction weighs more and draws the centre to its side."""
    rig = make_rig(ROWS)
    middle = np.array(add("hips", "BALANCE", name="slender").target.location)
    bpy.ops.articulate.effector_remove(effector="slender", delete_target=True)
    bpy.ops.articulate.body_fit()
    for link in rig.articulate.body.links:
        link.a, link.b = (0, 0.02, 0), (0, 0.1, 0)
        link.radius = 0.2 if link.name == "thigh.R" else 0.05
    heavy = np.array(add("hips", "BALANCE").target.location)
    thigh = evaluated(rig).pose.bones["thigh.R"]
    there = thigh.matrix @ Vector((0, 0.06, 0))
    volume = {r: np.pi * r * r * (0.08 + 4 / 3 * r) for r in (0.05, 0.2)}
    share = volume[0.2] / (volume[0.2] + 7 * volume[0.05])
    assert heavy[0] < middle[0] - 0.05 and abs(heavy[0] - share * there[0]) < 0.08
    rig.data.bones["thigh.R"].use_deform = False
    assert add("chest", "BALANCE").target.location[0] > heavy[0] + 0.05, "control bones weigh nothing"


def test_without_planted_effectors_it_is_refused():
    rig = body()
    effector = add("chest", "BALANCE", over="SUPPORT")
    for operator in (bpy.ops.articulate.solve, bpy.ops.articulate.bake):
        with pytest.raises(RuntimeError, match=r"'chest': no enabled effector is planted"):
            operator()
    plant(rig)
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    for foot in FEET:
        rig.articulate.effectors[f"foot {foot}"].enabled = False
    with pytest.raises(RuntimeError, match="planted"):
        bpy.ops.articulate.solve()
    effector.over = "TARGET"
    with pytest.raises(RuntimeError, match="no target"):
        bpy.ops.articulate.solve()


def test_a_figure_that_weighs_nothing_is_refused():
    rig = body()
    for bone in rig.pose.bones:
        bone.articulate.mass = 0.0
    bpy.ops.articulate.body_fit()
    for link in rig.articulate.body.links:
        link.radius = 0.0
    with pytest.raises(RuntimeError, match="has no mass to balance"):
        add("chest", "BALANCE")
    assert not rig.articulate.effectors


def test_a_mass_that_changes_counts_at_once_while_live():
    rig = body()
    plant(rig)
    target = add("chest", "BALANCE", priority=1).target
    rig.articulate.live = True
    bpy.context.view_layer.update()
    rig.pose.bones["hand.L"].articulate.mass = 30.0
    bpy.context.view_layer.update()
    assert np.linalg.norm(centre(rig)[:2] - np.array(target.location)[:2]) < 2e-3
