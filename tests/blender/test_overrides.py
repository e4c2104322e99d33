# SPDX-License-Identifier: GPL-3.0-or-later
"""A character linked into a shot: what an animator sets up on its library override is there after loading."""

from __future__ import annotations

from pathlib import Path

import bpy
import installed
import pytest
from addon_scenes import add, arm, miss, wall


def shot(path: Path, *, prepared: bool) -> bpy.types.Object:
    """The overridden armature of a library in which Articulate was used, or never heard of."""
    arm()
    if prepared:
        add("b3").target.location = (1.5, 0.5, 2.0)
    return in_shot(path)


def in_shot(path: Path) -> bpy.types.Object:
    """Save what is there as a library; its armature, overridden in an empty file."""
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
    settings.solver.parameters.damped_damping = 0.5
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
        assert settings.solver.parameters.damped_damping == 0.5
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
    with pytest.raises(RuntimeError, match="choose Object > Library Override > Make"):
        bpy.ops.articulate.begin()
    refusal = installed.module("properties.check").library_refusal(rig)
    assert len(str(refusal)) < 90, "three lines of the tab"
    with pytest.raises(RuntimeError, match="choose Object > Library Override > Make"):
        bpy.ops.articulate.drag(bone="b3", move=(0.1, 0.0, 0.0))
    assert bpy.context.mode == "OBJECT" and rig.pose.bones["b3"].matrix_basis == before


def test_a_solve_stays_on_an_override_with_keys(tmp_path: Path):
    """Nothing is moved on the lists, so that no animation has to be evaluated again."""
    rig = shot(tmp_path, prepared=False)
    add("b3").target.location = (1.5, 0.5, 2.0)
    rig.pose.bones["b0"].keyframe_insert("rotation_quaternion", frame=3)
    bpy.context.scene.frame_set(1)
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-5
    bpy.ops.articulate.pairs_fill()
    assert miss(rig, "b3") < 1e-5


def stocked_shot(path: Path) -> bpy.types.Object:
    """The override of a figure whose effectors, obstacles, capsules and pairs come from its library."""
    rig = arm()
    for bone in ("b1", "b2"):
        add(bone)
    bpy.ops.articulate.pin(bone="b3")
    wall(rig, 4.0)
    bpy.ops.articulate.pair_add(a="b0", b="b3")
    return in_shot(path)


def press(operator: str, **options: object) -> str:
    """Press a button; what it refuses, "" if it does not."""
    try:
        getattr(bpy.ops.articulate, operator)(**options)
    except RuntimeError as refusal:
        return str(refusal)
    return ""


def reopened(path: Path) -> bpy.types.Object:
    bpy.ops.wm.save_as_mainfile(filepath=str(path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(path / "shot.blend"))
    return own_rig()


def test_effectors_of_the_library_are_switched_off(tmp_path: Path):
    rig = stocked_shot(tmp_path)
    add("b0", name="mine")
    assert press("effector_remove", effector="b1") == ""
    assert [(e.name, e.enabled) for e in rig.articulate.effectors] == [
        ("b1", False),
        ("b2", True),
        ("b3", True),
        ("mine", True),
    ]
    refusal = press("effector_remove", effector="b1")
    assert "Effector 'b1' comes from library" in refusal and "library.blend" in refusal
    target = rig.articulate.effectors["b2"].target
    assert press("effector_remove", effector="b2", delete_target=True) == ""
    assert rig.articulate.effectors["b2"].target == target, "it is still there to be switched on"
    assert press("effector_remove", effector="mine") == "" and "mine" not in rig.articulate.effectors
    rig = reopened(tmp_path)
    assert [e.enabled for e in rig.articulate.effectors] == [False, False, True]


def test_clear_and_unpin_all_on_an_override(tmp_path: Path):
    rig = stocked_shot(tmp_path)
    add("b0", name="mine")
    assert press("unpin_all") == ""
    assert [e.enabled for e in rig.articulate.effectors] == [True, True, False, True]
    assert press("pin", bone="b3") == "" and rig.articulate.effectors["b3"].enabled
    assert press("clear", delete_targets=True) == ""
    assert [(e.name, e.enabled) for e in rig.articulate.effectors] == [
        ("b1", False),
        ("b2", False),
        ("b3", False),
    ]
    assert all(e.target is not None for e in rig.articulate.effectors if e.name != "b3")
    assert "switched off already" in press("clear")


def test_obstacles_capsules_and_pairs_of_the_library(tmp_path: Path):
    rig = stocked_shot(tmp_path)
    body, (obstacle,) = rig.articulate.body, rig.articulate.obstacles
    assert press("obstacle_remove") == "" and not obstacle.enabled
    assert "Obstacle 'Cube' comes from library" in press("obstacle_remove", obstacle=obstacle.name)
    assert press("link_remove", bone="b2") == "" and not body.links["b2"].enabled
    assert "Capsule 'b2' comes from library" in press("link_remove", bone="b2")
    assert press("link_add", bone="b2") == "" and body.links["b2"].enabled
    refusal = press("pair_remove", index=0)
    assert "The pair of 'b0' and 'b3' comes from library" in refusal and len(body.pairs) == 1
    assert press("pairs_fill") == "" and len({frozenset((p.a, p.b)) for p in body.pairs}) == len(body.pairs)
    assert "comes from" not in press("body_fit") and "capsules of library" in press("body_clear")
    assert len(body.links) == 4


def test_a_body_of_the_library_is_fitted_in_place(tmp_path: Path):
    rig = stocked_shot(tmp_path)
    links = rig.articulate.body.links
    was = [(link.name, round(link.radius, 6)) for link in links]
    for link in links:
        link.radius, link.enabled = 0.5, False
    for _ in range(2):
        assert press("body_fit") == ""
        assert [(link.name, round(link.radius, 6)) for link in links] == was
        assert all(link.enabled for link in links)
    links["b1"].radius = 0.25
    rig = reopened(tmp_path)
    assert [link.name for link in rig.articulate.body.links] == ["b0", "b1", "b2", "b3"]
    assert rig.articulate.body.links["b1"].radius == 0.25


def test_animation_of_effectors_of_the_override_follows(tmp_path: Path):
    rig = stocked_shot(tmp_path)
    for number, name in enumerate(("x", "y", "z")):
        effector = add("b0", "PLANE", name=name)
        effector.influence = 0.2 * number
        effector.keyframe_insert("influence", frame=1)
    assert press("effector_remove", effector="x") == ""
    for _ in range(2):
        bpy.context.scene.frame_set(1)
        influences = {e.name: round(e.influence, 4) for e in rig.articulate.effectors}
        assert influences == {"b1": 1.0, "b2": 1.0, "b3": 1.0, "y": 0.2, "z": 0.4}
        rig = reopened(tmp_path)


@pytest.mark.parametrize("change", ["remove", "add"])
def test_animation_follows_where_the_library_changes(tmp_path: Path, change: str):
    """What is on the override has another place on the list then."""
    rig = stocked_shot(tmp_path)
    for number, name in enumerate(("x", "y")):
        effector = add("b0", "PLANE", name=name)
        effector.influence = 0.2 + 0.2 * number
        effector.keyframe_insert("influence", frame=1)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "library.blend"))
    own_rig()
    if change == "remove":
        bpy.ops.articulate.effector_remove(effector="b1")
    else:
        add("b0", "ORIENTATION", name="new")
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    rig = own_rig()
    bpy.context.scene.frame_set(1)
    found = {e.name: round(e.influence, 4) for e in rig.articulate.effectors}
    assert {"x": found["x"], "y": found["y"]} == {"x": 0.2, "y": 0.4}
    assert all(value == 1.0 for name, value in found.items() if name not in "xy")


@pytest.mark.parametrize("override", [False, True])
def test_nothing_of_a_linked_figure_is_changed(tmp_path: Path, override: bool):
    rig = link(tmp_path, override=override)
    for operator, options in (
        ("effector_add", {"bone": "b1"}),
        ("effector_remove", {"effector": "b1"}),
        ("clear", {}),
        ("pin", {"bone": "b1"}),
        ("unpin_all", {}),
        ("body_fit", {}),
        ("body_clear", {}),
        ("link_add", {"bone": "b1"}),
        ("link_remove", {"bone": "b1"}),
        ("pair_add", {"a": "b0", "b": "b3"}),
        ("pair_remove", {"index": 0}),
        ("pairs_fill", {}),
        ("obstacle_remove", {"obstacle": "b1"}),
        ("method_set", {"method": "damped"}),
        ("solve", {}),
    ):
        assert "choose Object > Library Override > Make" in press(operator, **options), operator
    assert not rig.articulate.effectors and not rig.articulate.body.links


def test_a_pin_of_a_linked_figure_cannot_be_moved(tmp_path: Path):
    arm()
    bpy.ops.articulate.pin(bone="b3")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_there, here):
        here.objects = ["Rig"]
    (effector,) = here.objects[0].articulate.effectors
    target = installed.module("control.rig.target")
    assert "choose Object > Library Override > Make" in target.why_not_held(effector)
    refused = installed.module("properties.refusal").Refused
    with pytest.raises(refused, match="choose Object > Library Override > Make"):
        target.TargetInHand(here.objects[0], "b3").move_to((0.0, 0.0, 0.0))


def test_a_keying_set_keys_nothing_that_is_linked(tmp_path: Path):
    """Blender lets scripts key linked data from 4.5 on, and crashes when that is undone."""
    bpy.ops.object.empty_add()
    bpy.context.object.name = "Prop"
    arm()
    add("b3").target.location = (1.5, 0.5, 2.0)
    rig = in_shot(tmp_path)
    linked = next(thing for thing in bpy.data.objects if thing.name == "Prop" and thing.library is not None)
    scene = bpy.context.scene
    own = scene.keying_sets.new(name="Own")
    own.paths.add(linked, "location")
    own.paths.add(rig, 'pose.bones["b3"].location')
    settings = scene.tool_settings
    settings.use_keyframe_insert_auto = settings.use_keyframe_insert_keyingset = True
    bpy.ops.articulate.solve()
    assert linked.animation_data is None
    assert rig.animation_data.action is not None
