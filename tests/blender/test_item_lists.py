# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation of list items follows scripts, operators, undo and files; and so on all lists."""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import installed
import pytest
from addon_scenes import add, arm, curves, two_arms, wall
from keyed_items import END, NAMES, START, dead, driven, expected, key, keyed, paths, remove, values

# What scripts do by themselves to the lists is followed at the next operator, undo, save or load.


def by_hand(rig: bpy.types.Object, name: str) -> None:
    rig.articulate.effectors.remove(rig.articulate.effectors.find(name))


@pytest.mark.parametrize(
    "change",
    [
        lambda rig: by_hand(rig, "b"),
        lambda rig: rig.articulate.effectors.move(0, 3),
        lambda rig: rig.articulate.effectors.move(3, 1),
        lambda rig: (by_hand(rig, "d"), by_hand(rig, "a")),
        lambda rig: (by_hand(rig, "d"), setattr(rig.articulate.effectors.add(), "name", "d2")),
        lambda rig: setattr(rig.articulate.effectors["b"], "name", "z"),
        lambda rig: rig.articulate.effectors.clear(),
    ],
)
@pytest.mark.parametrize("when", ["operator", "save"])
def test_lists_that_a_script_changes(change: Callable[[Any], object], when: str, tmp_path: Path):
    rig = keyed(arm())
    change(rig)
    names = ["b" if name == "z" else name for name in rig.articulate.effectors.keys()]  # noqa: SIM118
    if when == "operator":
        bpy.ops.articulate.body_fit()
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    found = values(rig)
    if "z" in found:
        found["b"] = found.pop("z")
    if "d2" in found:
        assert found.pop("d2") == (1.0, 1.0)
        names.remove("d2")
    assert found == expected(*names) and not dead(rig) and len(curves(rig)) == len(names)


def test_a_new_effector_that_is_keyed_before_anybody_looks_keeps_its_keys():
    rig = keyed(arm())
    effector = rig.articulate.effectors.add()
    effector.name, effector.bone, effector.pinned = "e", "b3", True
    key(rig, "e", 0.25)
    remove("c")
    assert values(rig) == {**expected("a", "b", "d"), "e": (0.25, 0.75)}


def test_renaming_and_mirroring_change_no_curves():
    rig = two_arms()
    for bone in ("arm.L", "hand.L", "chest"):
        add(bone)
    for number, effector in enumerate(rig.articulate.effectors):
        key(rig, effector.name, 0.1 * number)
    before = curves(rig)
    rig.data.bones["hand.L"].name = "paw.L"
    bpy.context.view_layer.update()
    rig.articulate.effectors["arm.L"].name = "Upper"
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["arm.L"]
    bpy.ops.articulate.mirror(bone="arm.L")
    assert curves(rig) == before and rig.articulate.effectors.keys() == ["Upper", "paw.L", "chest", "arm.R"]
    bpy.ops.articulate.effector_remove(effector="Upper")
    assert values(rig) == {"paw.L": (0.1, 0.6), "chest": (0.2, 0.7), "arm.R": (1.0, 1.0)}


def test_pins_that_go_take_their_curves_with_them():
    rig = arm()
    for bone in ("b0", "b1", "b2"):
        bpy.ops.articulate.pin(bone=bone)
    add("b3")
    for number, effector in enumerate(rig.articulate.effectors):
        key(rig, effector.name, 0.1 * number)
    bpy.ops.articulate.unpin(bone="b1")
    assert values(rig) == {"b0": (0.0, 0.5), "b2": (0.2, 0.7), "b3": (0.3, 0.8)}
    bpy.ops.articulate.unpin_all()
    assert values(rig) == {"b3": (0.3, 0.8)} and len(curves(rig)) == 1


def test_undo_and_redo():
    rig = keyed(arm())
    driven(rig.articulate.effectors["d"], "weight", rig, "articulate.effectors[2].influence")
    bpy.ops.ed.undo_push(message="set-up")
    before = curves(rig)
    for number, gone in ((1, "b"), (2, "c")):
        bpy.ops.articulate.effector_remove("EXEC_DEFAULT", True, effector=gone)
        assert len(curves(rig)) == 4 - number
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert values(rig) == expected("a", "c", "d")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert values(rig) == expected(*NAMES) and curves(rig) == before
    bpy.ops.ed.redo()
    rig = bpy.data.objects["Rig"]
    assert values(rig) == expected("a", "c", "d")
    (driver,) = rig.animation_data.drivers
    assert driver.data_path == "articulate.effectors[2].weight"
    assert driver.driver.variables[0].targets[0].data_path == "articulate.effectors[1].influence"
    bpy.ops.articulate.clear("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    assert values(bpy.data.objects["Rig"]) == expected("a", "c", "d")


def test_files_from_before_open_as_they_were(tmp_path: Path):
    """What older versions have saved says nothing about the order of the lists."""
    rig = keyed(arm())
    settings = rig.articulate
    for item in settings.effectors:
        item.property_unset("remembered_index")
    settings.property_unset("list_sizes")
    before = curves(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    rig = bpy.data.objects["Rig"]
    assert curves(rig) == before and values(rig) == expected(*NAMES)
    bpy.context.view_layer.objects.active = rig
    by_hand(rig, "a")
    bpy.ops.articulate.body_fit()
    assert values(rig) == expected("b", "c", "d")


def test_saved_lists_follow_after_loading(tmp_path: Path):
    keyed(arm())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    rig = bpy.data.objects["Rig"]
    bpy.context.view_layer.objects.active = rig
    rig.articulate.effectors.move(0, 2)
    remove("b")
    assert values(rig) == expected("c", "a", "d")


# ------------------------------------------------------------------------------------- the other lists


def played(items: Any, name: str) -> list[float]:
    bpy.context.scene.frame_set(END)
    return [round(getattr(item, name), 4) for item in items]


def keyed_items(items: Any, name: str) -> None:
    for number, item in enumerate(items):
        for frame, value in ((START, 0.0), (END, 0.1 * (number + 1))):
            setattr(item, name, value)
            item.keyframe_insert(name, frame=frame)


def test_obstacles():
    rig = arm()
    things = [wall(rig, x) for x in (3.0, 5.0, 7.0)]
    keyed_items(rig.articulate.obstacles, "margin")
    bpy.ops.articulate.obstacle_remove(obstacle=things[0].name)
    assert played(rig.articulate.obstacles, "margin") == [0.2, 0.3]
    assert paths(rig) == {f"articulate.obstacles[{number}].margin" for number in (0, 1)}


def test_links():
    rig = arm()
    bpy.ops.articulate.body_fit()
    links = rig.articulate.body.links
    keyed_items(links, "radius")
    bpy.ops.articulate.link_remove(bone="b1")
    assert played(links, "radius") == [0.1, 0.3, 0.4]
    bpy.ops.articulate.body_fit()
    by_bone = dict(zip(links.keys(), played(links, "radius"), strict=True))
    assert {name: by_bone[name] for name in ("b0", "b2", "b3")} == {"b0": 0.1, "b2": 0.3, "b3": 0.4}
    assert len(paths(rig)) == 3 and "b1" in by_bone
    bpy.ops.articulate.body_clear()
    assert not paths(rig)


def test_pairs():
    rig = arm()
    bpy.ops.articulate.body_fit()
    pairs = rig.articulate.body.pairs
    for a, b in (("b0", "b2"), ("b0", "b3"), ("b1", "b3")):
        bpy.ops.articulate.pair_add(a=a, b=b)
    for number, pair in enumerate(pairs):
        pair.watched = number == 1
        pair.keyframe_insert("watched", frame=START)
    bpy.ops.articulate.pair_remove(index=0)
    assert [pair.watched for pair in pairs] == [True, False]
    assert played(pairs, "watched") == [1, 0] and len(paths(rig)) == 2
    bpy.ops.articulate.pairs_fill()
    assert not dead(rig)


def test_every_list_is_followed():
    """A new collection on the object has to be named where the others are."""

    def collections(group: Any, path: str) -> list[str]:
        found = []
        for described in group.bl_rna.properties:
            name = described.identifier
            if not described.is_runtime:
                continue  # rna_type
            if described.type == "COLLECTION":
                found.append(path + name)
                assert "remembered_index" in described.fixed_type.properties
            elif described.type == "POINTER" and isinstance(getattr(group, name), bpy.types.PropertyGroup):
                found += collections(getattr(group, name), f"{path}{name}.")
        return found

    rig = arm()
    lists = installed.module("properties.rig").LISTS
    assert sorted(collections(rig.articulate, "")) == sorted(lists)
    for name in lists:
        assert operator.attrgetter(name)(rig.articulate) is not None


@pytest.mark.parametrize("gone", ["effector", "pin", "capsule", "animated"])
def test_a_pose_without_keys_stays_when_something_is_removed(gone: str):
    rig = keyed(arm()) if gone == "animated" else arm()
    bone = rig.pose.bones["b1"]
    bone.keyframe_insert("rotation_quaternion", frame=1)
    if gone == "effector":
        add("b3")
    elif gone == "pin":
        bpy.ops.articulate.pin(bone="b3")
    elif gone == "capsule":
        bpy.ops.articulate.body_fit()
    bone.rotation_quaternion = posed = (0.8, 0.6, 0.0, 0.0)
    bpy.context.view_layer.update()
    if gone == "pin":
        bpy.ops.articulate.unpin(bone="b3")
    elif gone == "capsule":
        bpy.ops.articulate.body_clear()
    else:
        bpy.ops.articulate.effector_remove()
    bpy.context.view_layer.update()
    assert tuple(bone.rotation_quaternion) == pytest.approx(posed)
