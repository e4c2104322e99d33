# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the manual's task pages: the person before and after each task, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import bpy
import figure
import pictures
import stage
from body import dress
from mathutils import Vector

from ikmath.examples.solids import Solid, capsule, together

SIZE = (420, 520)
"""Pixels of each half."""
SHOWN = 12
"""The frame of the pictures."""
CAMERA = Vector((-1.9, -4.6, 1.45))
LOOK_AT = Vector((0.0, -0.12, 0.93))
LENS = 66.0

Person = bpy.types.Object
Step = Callable[[Person], None]


def run(directory: Path) -> list[Path]:
    """Make all pictures, each in a new file; return their paths."""
    paths = []
    for name, (before, after) in TASKS.items():
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)
        person = _set_up(table=name == "mend")
        halves = []
        for step in (before, after):
            bpy.context.view_layer.objects.active = person
            step(person)
            halves += pictures.render_frames([SHOWN], SIZE)
        path = directory / f"task-{name}.webp"
        pictures.save_picture(_beside(halves), path)
        paths.append(path)
    return paths


def _set_up(*, table: bool) -> Person:
    """The dressed person in the room, and the camera in front."""
    materials = stage.make_materials()
    stage.set_stage(materials)
    for name in ("Ball", "Way") if table else ("Ball", "Way", "Table", "Table Legs"):
        bpy.data.objects.remove(bpy.data.objects[name])
    person = figure.make_figure()
    dress(person, materials)
    person.hide_render = True
    camera = bpy.context.scene.camera
    camera.location, camera.data.lens = CAMERA, LENS
    camera.rotation_euler = (LOOK_AT - CAMERA).to_track_quat("-Z", "Y").to_euler()
    bpy.context.view_layer.update()
    return person


def _beside(halves: list[Any]) -> Any:
    """Two images of one size in one, with a light line between."""
    from PIL import Image

    width, height = halves[0].size
    image = Image.new("RGB", (2 * width + 4, height), "white")
    for number, half in enumerate(halves):
        image.paste(half, (number * (width + 4), 0))
    return image


def _effector(person: Person, bone: str, kind: str = "POSITION", **options: Any) -> Any:
    bpy.ops.articulate.effector_add(bone=bone, kind=kind, **options)
    return person.articulate.effectors[-1]


def _pin_feet(person: Person) -> None:
    for side in "LR":
        bpy.ops.articulate.pin(bone=f"foot.{side}", kind="POSE")


def _reach(person: Person) -> None:
    bpy.ops.articulate.drag(bone="hand.L", move=(-0.3, -0.7, -0.55))


def _crouch(person: Person) -> None:
    bpy.ops.articulate.drag(bone="spine", move=(0.0, 0.1, -0.32))


def _lift_foot(person: Person) -> None:
    person.articulate.solver.root = "PINNED"
    foot = _effector(person, "foot.L", chain_root="thigh.L")
    foot.target.location += Vector((0.0, -0.12, 0.42))
    bpy.ops.articulate.solve()


def _turn_knee(person: Person) -> None:
    knee = _effector(person, "shin.L", "POLE", chain_root="thigh.L")
    knee.target.location += Vector((0.8, 0.0, 0.0))
    bpy.ops.articulate.solve()


def _hold_staff(person: Person) -> None:
    staff = _staff()
    for bone, x in (("hand.L", 0.25), ("hand.R", -0.25)):
        hand = _effector(person, bone)
        hand.target.parent = staff
        hand.target.location = (x, 0.0, 0.0)
    _pin_feet(person)
    person.articulate.solver.root = "FREE"
    staff.location = (0.0, -0.4, 1.0)
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()


def _move_staff(person: Person) -> None:
    staff = bpy.data.objects["Staff"]
    staff.location, staff.rotation_euler = (0.0, -0.42, 1.4), (0.0, 0.7, 0.2)
    bpy.context.view_layer.update()
    bpy.ops.articulate.solve()


def _staff() -> bpy.types.Object:
    solid: Solid = together([capsule((-0.75, 0, 0), (0.75, 0, 0), 0.018, 0.018)])
    mesh = bpy.data.meshes.new("Staff")
    mesh.from_pydata(solid.vertices.tolist(), [], solid.faces)
    mesh.materials.append(bpy.data.materials["Wood"])
    mesh.shade_smooth()
    staff = bpy.data.objects.new("Staff", mesh)
    bpy.context.scene.collection.objects.link(staff)
    return staff


def _hand_through_table(person: Person) -> None:
    """A clip in which the left hand goes down through the table."""
    hand = _effector(person, "hand.L")
    for frame, height in ((1, 0.12), (SHOWN, -0.06)):
        hand.target.location = (0.45, -0.42, stage.TABLE_TOP + height)
        hand.target.keyframe_insert("location", frame=frame)
    bpy.ops.articulate.bake(frame_start=1, frame_end=SHOWN)
    bpy.ops.articulate.clear(delete_targets=True)


def _mend(person: Person) -> None:
    bpy.ops.articulate.pin(bone="hand.L", kind="POSE", motion=True)
    bpy.ops.articulate.obstacle_add(object="Table", margin=0.005)
    bpy.ops.articulate.bake(frame_start=1, frame_end=SHOWN)


TASKS: Mapping[str, tuple[Step, Step]] = {
    "pose": (_pin_feet, _reach),
    "feet": (_pin_feet, _crouch),
    "knees": (_lift_foot, _turn_knee),
    "props": (_hold_staff, _move_staff),
    "mend": (_hand_through_table, _mend),
}
"""Name of a page -> what is done before the left and before the right picture."""
