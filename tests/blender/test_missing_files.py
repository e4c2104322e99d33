# SPDX-License-Identifier: GPL-3.0-or-later
"""Shots that need another file, which is not there: nothing reaches for placeholders; a farm tries again."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import installed
import pytest
from addon_scenes import add, arm, miss


def link(library: Path, kind: str, name: str) -> bpy.types.ID:
    """A data-block of a library, linked into the file that is open."""
    with bpy.data.libraries.load(str(library), link=True, relative=True) as (_there, here):
        setattr(here, kind, [name])
    return getattr(here, kind)[0]


def set_library(path: Path, *, cup: str = "Cup") -> Path:
    """A library with a moving cup, the action of it, and a collection."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(1.5, 0.5, 2.0))
    thing = bpy.context.object
    thing.name = cup
    thing.keyframe_insert("location", frame=1)
    thing.animation_data.action.name = "Move"
    own = bpy.data.collections.new("Set")
    own.objects.link(thing)
    own.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path / "set.blend"))
    return path / "set.blend"


def cup(library: Path) -> bpy.types.Object:
    thing = link(library, "objects", "Cup")
    bpy.context.scene.collection.objects.link(thing)
    return thing


def as_target(library: Path) -> None:
    add("b3", target=cup(library).name)


def as_parent(library: Path) -> None:
    add("b3").target.parent = cup(library)


def by_constraint(library: Path) -> None:
    add("b3").target.constraints.new("COPY_LOCATION").target = cup(library)


def by_action(library: Path) -> None:
    data = add("b3").target.animation_data_create()
    data.action = link(library, "actions", "Move")


def by_a_strip(library: Path) -> None:
    data = add("b3").target.animation_data_create()
    data.nla_tracks.new().strips.new("Move", 1, link(library, "actions", "Move"))


def below_the_armature(library: Path) -> None:
    add("b3")
    bpy.context.object.parent = cup(library)


def as_obstacle(library: Path) -> None:
    add("b3")
    bpy.ops.articulate.obstacle_add(object=cup(library).name)


def as_a_collection_of_obstacles(library: Path) -> None:
    add("b3")
    own = link(library, "collections", "Set")
    bpy.context.scene.collection.children.link(own)
    bpy.ops.articulate.obstacle_add(collection=own.name)


def as_an_instance(library: Path) -> None:
    add("b3")
    shown = bpy.data.objects.new("Shown", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", link(library, "collections", "Set")
    bpy.context.scene.collection.objects.link(shown)
    bpy.ops.articulate.obstacle_add(object="Shown")


NEEDS = (
    as_target,
    as_parent,
    by_constraint,
    by_action,
    by_a_strip,
    below_the_armature,
    as_obstacle,
    as_a_collection_of_obstacles,
    as_an_instance,
)


def shot(path: Path, need) -> Path:
    """A saved file with an arm that needs something of the library."""
    library = set_library(path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(path / "shot.blend"))
    arm().name = "Rig"
    bpy.context.scene.frame_end = 2
    need(library)
    bpy.ops.wm.save_mainfile()
    return path / "shot.blend"


def bake(path: Path) -> tuple[int, dict[str, object]]:
    """Exit status, and the report of the one armature."""
    places = ["--output", str(path / "out.blend"), "--report", str(path / "report.json")]
    status = installed.module("cli").run(["bake", str(path / "shot.blend"), *places, "--exit-zero"])
    (told,) = json.loads((path / "report.json").read_text()).values()
    return status, told


@pytest.mark.parametrize("need", NEEDS)
def test_a_farm_tries_again_where_the_file_is(tmp_path: Path, need):
    shot(tmp_path, need)
    library = tmp_path / "set.blend"
    library.rename(tmp_path / "away.blend")
    status, told = bake(tmp_path)
    assert status == 1 and told["status"] == "FAILED" and told["retry"]
    assert "set.blend" in told["message"] and "was not found" in told["message"]
    assert not (tmp_path / "out.blend").exists()
    (tmp_path / "away.blend").rename(library)
    status, told = bake(tmp_path)
    assert status == 0 and told["status"] != "FAILED", told["message"]


def test_what_is_no_longer_in_the_file_is_missing_on_every_machine(tmp_path: Path):
    shot(tmp_path, as_target)
    set_library(tmp_path, cup="Mug")
    status, told = bake(tmp_path)
    assert status == 0 and told["status"] == "FAILED" and not told["retry"]
    assert "'Cup' is not in" in told["message"] and "set.blend" in told["message"]


def test_a_character_whose_file_is_missing(tmp_path: Path):
    arm().name = "Rig"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "cast.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    linked = link(tmp_path / "cast.blend", "objects", "Rig")
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked.override_create(remap_local_usages=True)
    add("b3")
    bpy.ops.wm.save_mainfile()
    (tmp_path / "cast.blend").unlink()
    status, told = bake(tmp_path)
    assert status == 1 and told["retry"] and "cast.blend' was not found" in told["message"]
    rig = next(thing for thing in bpy.data.objects if thing.library is None and thing.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    refusals = installed.module("properties.check").refusals(rig, bpy.context.scene)
    assert "cast.blend' was not found" in str(next(refusals))  # what the tab says
    with pytest.raises(RuntimeError, match="' was not found"):
        bpy.ops.articulate.drag(bone="b3", move=(0.0, 0.0, -0.1))


def test_what_the_figure_does_not_need_may_be_missing(tmp_path: Path):
    shot(tmp_path, lambda library: (add("b3"), cup(library)))
    (tmp_path / "set.blend").unlink()
    status, told = bake(tmp_path)
    assert status == 0 and told["status"] == "REACHED"
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    assert miss(bpy.data.objects["Rig"], "b3") < 1e-3
