# SPDX-License-Identifier: GPL-3.0-or-later
"""A character linked into a shot: what an animator sets up on its library override is there after loading."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from addon_scenes import add, arm, miss


def shot(path: Path, *, prepared: bool) -> bpy.types.Object:
    """The overridden armature of a library in which Articulate was used, or never heard of."""
    arm()
    if prepared:
        add("b3").target.location = (1.5, 0.5, 2.0)
    cast = bpy.data.collections.new("Cast")
    bpy.context.scene.collection.children.link(cast)
    for thing in list(bpy.context.scene.collection.objects):
        cast.objects.link(thing)
        bpy.context.scene.collection.objects.unlink(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(path / "library.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(path / "library.blend"), link=True) as (_there, here):
        here.collections = ["Cast"]
    bpy.context.scene.collection.children.link(here.collections[0])
    here.collections[0].override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )
    return own_rig()


def own_rig() -> bpy.types.Object:
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.library is None)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    return rig


@pytest.mark.parametrize("prepared", [False, True])
def test_what_was_set_up_on_an_override_is_there_after_loading(tmp_path: Path, prepared: bool):
    rig = shot(tmp_path, prepared=prepared)
    add("b2", "ORIENTATION")
    add("b1").weight = 0.5
    settings = rig.articulate
    settings.solver.root, settings.solver.max_iterations = "FREE", 77
    settings.solver.parameters.hierarchical_search = True
    settings.bake.step, settings.body.self_collision = 3, True
    rig.pose.bones["b1"].articulate.posture = 0.25
    for _ in range(3):  # saved again, too
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
        rig = own_rig()
        settings = rig.articulate
        assert [(e.bone, e.kind, e.weight) for e in settings.effectors] == [
            *([("b3", "POSITION", 1.0)] if prepared else []),
            ("b2", "ORIENTATION", 1.0),
            ("b1", "POSITION", 0.5),
        ]
        assert all(effector.target is not None for effector in settings.effectors)
        assert (settings.solver.root, settings.solver.max_iterations) == ("FREE", 77)
        assert settings.solver.parameters.hierarchical_search
        assert (settings.bake.step, settings.body.self_collision) == (3, True)
        assert rig.pose.bones["b1"].articulate.posture == 0.25
        assert rig.pose.bones["b2"].articulate.posture == 1.0
    bpy.ops.articulate.bake(frame_start=1, frame_end=2)
    assert miss(rig, "b1") < 3.0


def link(path: Path, *, override: bool) -> bpy.types.Object:
    """An armature that is linked into an empty file, as it is or as an override that is not to be edited."""
    arm()
    bpy.ops.wm.save_as_mainfile(filepath=str(path / "library.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(path / "library.blend"), link=True) as (_there, here):
        here.objects = ["Rig"]
    (rig,) = here.objects
    if override:
        rig = rig.override_create()
        rig.override_library.is_system_override = True
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    return rig


@pytest.mark.parametrize("override", [False, True])
def test_who_begins_with_a_linked_character_is_told_to_make_an_override(tmp_path: Path, override: bool):
    rig = link(tmp_path, override=override)
    before = rig.pose.bones["b3"].matrix_basis.copy()
    with pytest.raises(RuntimeError, match="make a library override of it"):
        bpy.ops.articulate.begin()
    with pytest.raises(RuntimeError, match="make a library override of it"):
        bpy.ops.articulate.drag(bone="b3", move=(0.1, 0.0, 0.0))
    assert bpy.context.mode == "OBJECT" and rig.pose.bones["b3"].matrix_basis == before
