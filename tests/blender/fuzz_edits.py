# SPDX-License-Identifier: GPL-3.0-or-later
"""What people and scripts do beside the extension's operators, for its fuzzer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import installed
import numpy as np
from bridge_rigs import MODES
from fuzz_operators import NAMES, Session, new_figure, settle
from fuzz_promises import KEYED, MARK, OWN, Fault, groups_of, handler_names, picture, same

KEPT = {"report_json", "message", *OWN}
"""Properties that no random value is written to."""


def new_mesh(s: Session) -> None:
    bpy.ops.mesh.primitive_cube_add(size=float(s.rng.uniform(0.1, 1.0)) * s.size, location=s.vector(s.size))
    if s.chance(0.2):
        bpy.context.object.data.clear_geometry()


def move_thing(s: Session) -> None:
    thing = s.any(bpy.data.objects)
    thing.location = np.array(thing.location) + s.rng.normal(size=3) * s.any((0.1, 1.0, 1.0, 1e6)) * s.size
    if s.chance(0.3):
        thing.rotation_euler = s.vector()


def scale_thing(s: Session) -> None:
    s.any(bpy.data.objects).scale = s.any(((0, 0, 0), (1, 0, 1), (-1, 1, 1), (2, 1, 0.5), (1e-6,) * 3))


def pose_bone(s: Session) -> None:
    bone = s.any(s.rig.pose.bones)
    bone.rotation_mode = s.any(MODES)
    bone.rotation_quaternion, bone.rotation_euler = s.rng.normal(size=4), s.vector()
    bone.location, bone.scale = s.vector(0.2), s.any(((1, 1, 1), (1, 1, 1), (1, 2, 1), (0, 0, 0)))


def lock_bone(s: Session) -> None:
    bone, axis = s.any(s.rig.pose.bones), s.any("xyz")
    bone.lock_rotation = (s.rng.random(3) < 0.4).tolist()
    setattr(bone, f"lock_ik_{axis}", s.chance(0.5))
    setattr(bone, f"ik_stiffness_{axis}", s.any((0.0, 0.9)))
    setattr(bone, f"use_ik_limit_{axis}", s.chance(0.7))
    setattr(bone, f"ik_min_{axis}", -s.rng.uniform(0.0, 3.2))
    setattr(bone, f"ik_max_{axis}", s.rng.uniform(0.0, 3.2))


def constrain_bone(s: Session) -> None:
    made = s.any(s.rig.pose.bones).constraints.new(
        s.any(("COPY_LOCATION", "COPY_ROTATION", "LIMIT_ROTATION"))
    )
    if hasattr(made, "target"):
        made.target = s.any(bpy.data.objects)


def set_anything(s: Session) -> None:
    """Any property of the extension, to a value that the interface allows."""
    groups = [group for _, group in groups_of(s.rig.articulate, "")] + [s.any(s.rig.pose.bones).articulate]
    group = s.any(groups)
    found = [p for p in group.bl_rna.properties if not p.is_readonly and p.identifier not in {"name", *KEPT}]
    prop = s.any(found)
    if prop.type == "POINTER":
        own(group)
    value = {"BOOLEAN": flag, "INT": number, "FLOAT": number, "ENUM": choice}.get(prop.type, pointer)(s, prop)
    s.steps[-1] += f"({group.path_from_id()}.{prop.identifier} = {value!r})"
    setattr(group, prop.identifier, value)


def flag(s: Session, prop: Any) -> Any:
    return s.chance(0.5) if not prop.is_array else (s.rng.random(prop.array_length) < 0.5).tolist()


def number(s: Session, prop: Any) -> Any:
    most = 40 if prop.identifier == "max_iterations" else prop.hard_max
    values = (prop.hard_min, most, prop.soft_min, min(prop.soft_max, most), 0, 1)
    found = [s.any(values) for _ in range(prop.array_length or 1)]
    return found if prop.is_array else found[0]


def choice(s: Session, prop: Any) -> Any:
    return s.any(prop.enum_items).identifier


def pointer(s: Session, prop: Any) -> Any:
    if prop.type == "STRING":
        return s.bone()
    pool = bpy.data.objects if prop.fixed_type.identifier == "Object" else bpy.data.collections
    return s.any([None, *pool])


def own(data: Any) -> Any:
    """The same data, not linked: Blender lets scripts key, and point to local data from, what is linked.

    It crashes when that is undone.
    """
    if not data.id_data.is_editable:
        raise ValueError("linked data")
    return data


def key(owner: Any, channel: str, frame: int) -> bool:
    """Key a value; whether it has a key now, which it has not where the action is linked."""
    return bool(own(owner).keyframe_insert(channel, frame=frame))


def key_item(s: Session) -> None:
    """Key a value of an item, and mark the item with it, so that the curve shows whose it is."""
    data = s.rig.animation_data
    if data and data.action and data.action.users > 1:
        return  # the marks would be of one figure alone
    name = s.any(KEYED)
    item = s.any(s.rig.path_resolve(f"articulate.{name}"))
    value = float(s.rng.uniform(0.2, 0.9))
    setattr(item, KEYED[name], value)
    if key(item, KEYED[name], s.any((1, 5))):
        item[MARK] = value


def key_pose(s: Session) -> None:
    bone = s.any(s.rig.pose.bones)
    for channel in ("location", "rotation_quaternion", "rotation_euler"):
        key(bone, channel, int(s.rng.integers(0, 10)))


def key_thing(s: Session) -> None:
    thing = s.any(bpy.data.objects)
    for frame in (1, 8):
        thing.location = s.vector(s.size)
        key(thing, "location", frame)


def rename(s: Session) -> None:
    items = [*s.rig.data.bones, *s.rig.articulate.effectors, *s.rig.articulate.obstacles, *bpy.data.objects]
    s.any(items).name = s.any((*NAMES[1:], "b1", "hand.R", f"n{s.rng.integers(9)}"))


def delete_bone(s: Session) -> None:
    bones = s.rig.data
    bpy.ops.object.mode_set(mode="EDIT")
    bones.edit_bones.remove(s.any(bones.edit_bones))
    bpy.ops.object.mode_set(mode=s.any(("OBJECT", "POSE")))


def delete_thing(s: Session) -> None:
    bpy.data.objects.remove(
        s.any([thing for thing in bpy.data.objects if thing is not s.rig or s.chance(0.1)])
    )


def duplicate(s: Session) -> None:
    if bpy.context.mode == "OBJECT":
        s.rig.select_set(True)
        bpy.ops.object.duplicate(linked=s.chance(0.5))


def parent(s: Session) -> None:
    own(s.any(bpy.data.objects)).parent = s.any([None, *bpy.data.objects])


def change_mode(s: Session) -> None:
    rig = s.rig
    bpy.ops.object.mode_set(mode="POSE" if rig.mode == "OBJECT" else "OBJECT")
    for bone in rig.data.bones if bpy.app.version < (5, 0) else rig.pose.bones:
        bone.select = s.chance(0.3)


def go_live(s: Session) -> None:
    s.rig.articulate.live = not s.rig.articulate.live


def set_frame(s: Session) -> None:
    bpy.context.scene.frame_set(int(s.rng.integers(-2, 12)), subframe=s.any((0.0, 0.0, 0.5)))


def set_units(s: Session) -> None:
    bpy.context.scene.unit_settings.scale_length = s.any((1.0, 0.01, 1000.0))


def auto_key(s: Session) -> None:
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = s.chance(0.5)


def write_text(s: Session) -> None:
    """A text of a person's, under the name that the report has."""
    text = bpy.data.texts.new("Articulate report")
    text.write("mine")
    text[MARK] = "mine"


def damage_report(s: Session) -> None:
    s.rig.articulate.report_json = s.any(("{", "[]", '{"effectors": 3}', "[" * 5000))


def undo(s: Session) -> None:
    bpy.ops.ed.undo_push(message="edit")
    for verb in ("undo", "undo", "redo")[: int(s.rng.integers(1, 4))]:
        getattr(bpy.ops.ed, verb)()


def save_and_load(s: Session) -> None:
    """What is saved is what is loaded."""
    path = str(s.folder / "saved.blend")
    settle()
    live = installed.module("properties.rig").any_live()
    bpy.ops.wm.save_as_mainfile(filepath=path)
    before = picture()
    bpy.ops.wm.open_mainfile(filepath=path)
    if bpy.data.libraries:  # an override is made anew from its library
        return
    same(before, picture(), "lost by saving", told=not live)


def remove_by_script(s: Session) -> None:
    """A script takes an item off a list; its curves go at the next save."""
    effectors = s.rig.articulate.effectors
    effectors.remove(int(s.rng.integers(len(effectors))))
    bpy.ops.wm.save_as_mainfile(filepath=str(s.folder / "saved.blend"))


def link_into_a_shot(s: Session) -> None:
    """All that is there becomes a library; go on with an override of it."""
    if bpy.data.libraries:
        return
    cast = bpy.data.collections.new("Cast")
    bpy.context.scene.collection.children.link(cast)
    for thing in bpy.data.objects:
        cast.objects.link(thing)
    path = str(s.folder / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    empty_file()
    with bpy.data.libraries.load(path, link=True) as (_there, here):
        here.collections = ["Cast"]
    bpy.context.scene.collection.children.link(here.collections[0])
    here.collections[0].override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )


def reload_extension(s: Session) -> None:
    """Disabled, nothing of it is left; enabled again, all is there."""
    installed.disable()
    left = [name for name, owner, _ in handler_names() if "articulate" in owner]
    if left:
        raise Fault(f"handlers left: {left}")
    installed.enable()


EDITS: dict[Callable[[Session], Any], int] = {
    new_figure: 1,
    new_mesh: 5,
    move_thing: 10,
    scale_thing: 2,
    pose_bone: 4,
    lock_bone: 4,
    constrain_bone: 2,
    set_anything: 14,
    key_item: 8,
    write_text: 1,
    damage_report: 1,
    key_pose: 3,
    key_thing: 3,
    rename: 4,
    delete_bone: 2,
    delete_thing: 1,
    duplicate: 1,
    parent: 2,
    change_mode: 4,
    go_live: 3,
    set_frame: 5,
    set_units: 1,
    auto_key: 1,
    undo: 3,
    save_and_load: 3,
    remove_by_script: 2,
    link_into_a_shot: 1,
    reload_extension: 1,
}


def edit(s: Session, what: Callable[[Session], Any]) -> None:
    """An edit; Blender itself may refuse it, of an override for instance."""
    try:
        what(s)
    except (RuntimeError, AttributeError, TypeError, ValueError, ReferenceError) as refusal:
        s.counts[what.__name__, "not possible"] += 1
        s.steps[-1] += f" (not possible: {str(refusal).strip()[:80]})"
    else:
        s.counts[what.__name__, "done"] += 1


def empty_file() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.preferences.edit.use_keyframe_insert_available = False
