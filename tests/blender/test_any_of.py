# SPDX-License-Identifier: GPL-3.0-or-later
"""Effectors with several targets to choose from; measured by Blender."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import add, arm, reach, tip

NEAR, FAR = (0.5, -2.5, 3.0), (-1.8, 1.0, 2.0)


def holds(*places: tuple[float, float, float]) -> bpy.types.Collection:
    """A collection of Empties."""
    collection = bpy.data.collections.new("Holds")
    bpy.context.scene.collection.children.link(collection)
    for number, place in enumerate(places):
        empty = bpy.data.objects.new(f"Hold {number}", None)
        empty.location = place
        collection.objects.link(empty)
    bpy.context.view_layer.update()
    return collection


def distance(rig: bpy.types.Object, bone: str, thing: bpy.types.Object) -> float:
    return float(np.linalg.norm(tip(rig, bone) - np.array(thing.matrix_world.translation)))


def test_the_nearest_one_is_taken_and_told():
    rig = arm(5)
    collection = holds(FAR, NEAR)
    add("b4", "ANY_OF", alternatives=collection.name)
    bpy.ops.articulate.solve()
    assert distance(rig, "b4", bpy.data.objects["Hold 1"]) < 1e-3
    row = rig.articulate.report["effectors"]["b4"]
    assert row["chosen"] == [[bpy.context.scene.frame_current, "Hold 1"]] and row["status"] == "REACHED"
    bpy.data.objects["Hold 1"].location = (-9.0, -9.0, 9.0)
    bpy.ops.articulate.solve()
    assert distance(rig, "b4", bpy.data.objects["Hold 0"]) < 1e-3


def test_without_a_collection_two_empties_are_made_and_deleted_again():
    rig = arm()
    effector = add("b3", "ANY_OF")
    first, second = effector.alternatives.objects
    assert distance(rig, "b3", first) < 1e-4 and distance(rig, "b3", second) > 0.1
    before = tip(rig, "b3")
    bpy.ops.articulate.solve()
    assert np.linalg.norm(tip(rig, "b3") - before) < 1e-3
    name = effector.alternatives.name
    bpy.ops.articulate.effector_remove(delete_target=True)
    assert name not in bpy.data.collections and not [o for o in bpy.data.objects if o.type == "EMPTY"]


def test_it_does_not_flicker_in_a_bake():
    """Two targets that take turns in being a little nearer: the figure makes up its mind once."""
    rig = arm(6)
    collection = holds((1.5, 0.5, 3.5), (-1.5, 0.5, 3.5))
    add("b5", "ANY_OF", alternatives=collection.name)
    for number in range(1, 31):
        swing = 0.05 * (-1) ** number
        for hold, side in zip(collection.objects, (1.0, -1.0), strict=True):
            hold.location = (side * 1.5 + swing, 0.5, 3.5)
            hold.keyframe_insert("location", frame=number)
    bpy.ops.articulate.bake(frame_start=1, frame_end=30)
    chosen = rig.articulate.report["effectors"]["b5"]["chosen"]
    assert len(chosen) == 1, chosen
    places = []
    for number in range(1, 31):
        bpy.context.scene.frame_set(number)
        places.append(tip(rig, "b5"))
        assert distance(rig, "b5", bpy.data.objects[chosen[0][1]]) < 2e-3
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < 0.15


def test_it_changes_where_another_becomes_much_cheaper():
    rig = arm(5)
    collection = holds(NEAR, FAR)
    add("b4", "ANY_OF", alternatives=collection.name)
    near = collection.objects["Hold 0"]
    for number, place in ((1, NEAR), (20, (9.0, 9.0, 9.0))):
        near.location = place
        near.keyframe_insert("location", frame=number)
    bpy.ops.articulate.bake(frame_start=1, frame_end=40)
    chosen = [name for _, name in rig.articulate.report["effectors"]["b4"]["chosen"]]
    assert chosen == ["Hold 0", "Hold 1"]
    bpy.context.scene.frame_set(40)
    assert distance(rig, "b4", bpy.data.objects["Hold 1"]) < 2e-3


def test_masks_slack_and_chains_go_with_it():
    rig = arm(5)
    collection = holds(FAR, (5.0, 7.0, 3.0))
    add("b4", "ANY_OF", alternatives=collection.name, axes=(False, False, True), slack=0.05, chain_root="b1")
    reach(rig, "b2", tip(rig, "b2"), priority=1)
    bpy.ops.articulate.solve()
    heights = [abs(tip(rig, "b4")[2] - hold.location.z) for hold in collection.objects]
    assert min(heights) < 0.051
    assert rig.articulate.report["effectors"]["b4"]["status"] == "REACHED"


def test_live_follows_the_alternatives():
    rig = arm(5)
    collection = holds(NEAR, FAR)
    add("b4", "ANY_OF", alternatives=collection.name)
    rig.articulate.live = True
    hold = collection.objects["Hold 0"]
    hold.location = (0.8, -2.2, 2.8)
    bpy.context.view_layer.update()
    assert distance(rig, "b4", hold) < 2e-3


def test_what_is_wrong_is_said():
    rig = arm()
    with pytest.raises(RuntimeError, match="no collection 'Nowhere'"):
        bpy.ops.articulate.effector_add(bone="b3", kind="ANY_OF", alternatives="Nowhere")
    effector = add("b3", "ANY_OF")
    effector.alternatives.objects.unlink(effector.alternatives.objects[0])
    with pytest.raises(RuntimeError, match=r"'b3': collection 'Targets b3' holds one target"):
        bpy.ops.articulate.solve()
    effector.alternatives = None
    with pytest.raises(RuntimeError, match=r"'b3': it has no targets to choose from"):
        bpy.ops.articulate.bake()
    lost = bpy.data.collections.new("Lost")
    for number in range(2):
        lost.objects.link(bpy.data.objects.new(f"Lost {number}", None))
    effector.alternatives = lost
    with pytest.raises(RuntimeError, match="'Lost 0' is not in scene"):
        bpy.ops.articulate.solve()
    assert len(rig.articulate.effectors) == 1


def test_targets_that_another_effector_may_choose_are_not_deleted():
    rig = arm()
    effector = add("b3", "ANY_OF")
    things = list(effector.alternatives.objects)
    add("b2", "ANY_OF", alternatives=effector.alternatives.name, name="second")
    bpy.ops.articulate.effector_remove(effector="b3", delete_target=True)
    assert all(thing.name in bpy.data.objects for thing in things)
    assert len(rig.articulate.effectors["second"].alternative_objects) == 2
    bpy.ops.articulate.clear(delete_targets=True)
    assert not [thing for thing in bpy.data.objects if thing.type == "EMPTY"]
