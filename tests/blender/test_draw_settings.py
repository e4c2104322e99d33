# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks, limits and whatever else is set on bones shows at the next redraw, whoever has set it and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, wall
from bridge_rigs import metarig
from test_draw_data import drawn
from test_draw_figure import only

data = installed.module("viewport.draw_data")

FLAGS = ("lock_rotation_w", "lock_rotations_4d", *(f"lock_ik_{axis}" for axis in "xyz"))
LIMITS = tuple(f"{word}_{axis}" for axis in "xyz" for word in ("use_ik_limit", "ik_min", "ik_max"))
INHERITED = ("use_inherit_rotation", "use_local_location", "use_deform")
ALL = ("lock_location", "lock_rotation", *FLAGS, *LIMITS, "ik_stiffness_x", *INHERITED)
VALUES = {"ik_min": -0.3, "ik_max": 0.001, "ik_stiffness": 0.5}
CHOICES = {"rotation_mode": "XYZ", "inherit_scale": "NONE"}


@pytest.fixture
def sketch() -> Iterator[object]:
    """A sketch that is told what Blender tells."""
    kept = data.Sketch()

    def note(_scene: object, depsgraph: object = None) -> None:
        kept.note(depsgraph)

    kinds = ("depsgraph_update_post", "undo_post", "redo_post")
    for kind in kinds:
        getattr(bpy.app.handlers, kind).append(note)
    yield kept
    for kind in kinds:
        getattr(bpy.app.handlers, kind).remove(note)


def figure(*without: str) -> bpy.types.Object:
    """A figure that is free to move, with bent limbs, some of them limited, beside something.

    Args:
        without: parts of the overlay that are off.
    """
    rig = metarig("basic")
    bpy.ops.articulate.body_fit()
    add("hand.L")
    add("foot.R", "POSE")
    rig.articulate.solver.root = "FREE"
    wall(rig, 1.0)
    for name in ("forearm.L", "shin.R"):
        bone = rig.pose.bones[name]
        bone.rotation_quaternion = (1.0, 0.2, 0.0, 0.0)
        bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -0.1, 2.0 * np.arctan(0.2)
    rig.articulate.body.self_collision = True
    only(rig, *{*data.SWITCHES, "body"}.difference(without))
    bpy.context.view_layer.update()
    return rig


def chosen(rig: bpy.types.Object) -> Iterator[bpy.types.PoseBone]:
    """The bones of which something is set."""
    for bone in rig.pose.bones:
        if bone.name.startswith(("spine", "upper_arm", "forearm", "thigh", "shin")):
            yield bone


def owner_of(bone: bpy.types.PoseBone, name: str) -> bpy.types.bpy_struct:
    return bone if hasattr(bone, name) else bone.bone


def other(name: str, value: object) -> object:
    """A value that a setting has not."""
    if isinstance(value, bool):
        return not value
    return VALUES[name[:-2]] if isinstance(value, float) else [not each for each in value]


def set_one_by_one(rig: bpy.types.Object, name: str) -> None:
    for bone in chosen(rig):
        owner = owner_of(bone, name)
        setattr(owner, name, other(name, getattr(owner, name)))


def set_at_once(rig: bpy.types.Object, name: str) -> None:
    """As scripts do, of which Blender is told nothing but that the armature has changed."""
    bones = rig.pose.bones if hasattr(rig.pose.bones[0], name) else rig.data.bones
    which, values = {bone.name for bone in chosen(rig)}, []
    for bone in bones:
        value = getattr(bone, name)
        value = other(name, value) if bone.name in which else value
        values += [value] if isinstance(value, bool | float) else list(value)
    bones.foreach_set(name, values)
    (rig if bones == rig.pose.bones else rig.data).update_tag()


def same(kept: object, fresh: object) -> bool:
    """Whether two drawings show the same."""
    arrays = ("lines", "line_colours", "points", "point_colours")
    pairs = [(getattr(kept, name), getattr(fresh, name)) for name in arrays]
    alike = all(a.shape == b.shape and np.allclose(a, b, atol=1e-5) for a, b in pairs)
    return alike and [label[1] for label in kept.labels] == [label[1] for label in fresh.labels]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("change", [set_one_by_one, set_at_once])
def test_what_is_set_on_bones_shows_at_the_next_redraw(
    sketch: object, change: Callable[[bpy.types.Object, str], None], turned: bool
):
    """Also where a bone is turned at the same time, which Blender does not tell from it."""
    rig = figure()
    before, changed = drawn(rig, sketch=sketch), set()
    for name in ALL:
        for _ in range(2):  # there, and back for all but numbers
            if turned:
                rig.pose.bones["upper_arm.L"].rotation_quaternion[1] += 0.01
            change(rig, name)
            kept = drawn(rig, sketch=sketch)
            assert same(kept, drawn(rig)), name
            if not same(kept, before):
                changed.add(name)
            before = kept
    assert turned or {"lock_rotation", "lock_ik_x", "use_ik_limit_x", "use_deform"} <= changed


@pytest.mark.parametrize("without", [("ellipsoid",), ("balance", "body", "ellipsoid")])
def test_less_is_read_for_less_that_is_shown(sketch: object, without: tuple[str, ...]):
    rig = figure(*without)
    drawn(rig, sketch=sketch)
    for name in ALL:
        rig.pose.bones["upper_arm.L"].rotation_quaternion[1] += 0.01
        set_one_by_one(rig, name)
        assert same(drawn(rig, sketch=sketch), drawn(rig)), name


@pytest.mark.parametrize("name", CHOICES)
def test_what_is_chosen_for_bones_shows_at_the_next_redraw(sketch: object, name: str):
    rig = figure()
    drawn(rig, sketch=sketch)
    for bone in chosen(rig):
        setattr(owner_of(bone, name), name, CHOICES[name])
        assert same(drawn(rig, sketch=sketch), drawn(rig)), bone.name


def test_bones_that_are_renamed_show_at_the_next_redraw(sketch: object):
    rig = figure()
    drawn(rig, sketch=sketch)
    one, two = (rig.data.bones[name] for name in ("forearm.L", "upper_arm.R"))
    for bone, name in ((one, "Elbow"), (two, "forearm.L"), (one, "upper_arm.R")):
        bone.name = name
        rig.pose.bones["thigh.L"].rotation_quaternion[1] += 0.01
        assert same(drawn(rig, sketch=sketch), drawn(rig)), name


@pytest.mark.parametrize("name", ["lock_rotation", "lock_ik_x", "use_ik_limit_x", "ik_max_x"])
def test_what_is_undone_shows_at_the_next_redraw(sketch: object, name: str):
    rig = figure()
    bpy.ops.ed.undo_push(message="figure")
    before = drawn(rig, sketch=sketch)
    set_one_by_one(rig, name)
    bpy.ops.ed.undo_push(message="set")
    changed = drawn(rig, sketch=sketch)
    assert not same(changed, before)
    bpy.ops.ed.undo()
    rig = bpy.data.objects["metarig"]
    assert same(drawn(rig, sketch=sketch), before)
    bpy.ops.ed.redo()
    assert same(drawn(bpy.data.objects["metarig"], sketch=sketch), changed)
