# SPDX-License-Identifier: GPL-3.0-or-later
"""What the person does on the manual's task pages; tests/gui/films.py photographs it in Blender's window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import bpy
import figure
import stage
from body import dress
from mathutils import Vector

from ikmath.examples.solids import Solid, capsule, together

SHOWN = 12
"""The frame of the pictures."""
LENS = 66.0

Person = bpy.types.Object
Step = Callable[[Person], None]


def set_up(*, table: bool) -> Person:
    """The dressed person in the room."""
    materials = stage.make_materials()
    stage.set_stage(materials)
    for name in ("Ball", "Way") if table else ("Ball", "Way", "Table", "Table Legs"):
        bpy.data.objects.remove(bpy.data.objects[name])
    person = figure.make_figure()
    dress(person, materials)
    bpy.context.view_layer.update()
    return person


def effector(person: Person, bone: str, kind: str = "POSITION", **options: Any) -> Any:
    """Add an effector, and return it."""
    bpy.ops.articulate.effector_add(bone=bone, kind=kind, **options)
    return person.articulate.effectors[-1]


def pin_feet(person: Person) -> None:
    """Hold both feet in place and rotation."""
    for side in "LR":
        bpy.ops.articulate.pin(bone=f"foot.{side}", kind="POSE")


def _reach(person: Person) -> None:
    bpy.ops.articulate.drag(bone="hand.L", move=(-0.1, -0.5, -0.3))


def _crouch(person: Person) -> None:
    bpy.ops.articulate.drag(bone="spine", move=(0.0, 0.1, -0.32))


def _lift_foot(person: Person) -> None:
    person.articulate.solver.root = "PINNED"
    foot = effector(person, "foot.L", chain_root="thigh.L")
    foot.target.location += Vector((0.0, -0.12, 0.42))
    bpy.ops.articulate.solve()


def _turn_knee(person: Person) -> None:
    knee = effector(person, "shin.L", "POLE", chain_root="thigh.L")
    knee.target.location += Vector((0.8, 0.0, 0.0))
    bpy.ops.articulate.solve()


def _hold_staff(person: Person) -> None:
    staff = _staff()
    for bone, x in (("hand.L", 0.25), ("hand.R", -0.25)):
        hand = effector(person, bone)
        hand.target.parent = staff
        hand.target.location = (x, 0.0, 0.0)
    pin_feet(person)
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
    hand = effector(person, "hand.L")
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
    "pose": (pin_feet, _reach),
    "feet": (pin_feet, _crouch),
    "knees": (_lift_foot, _turn_knee),
    "props": (_hold_staff, _move_staff),
    "mend": (_hand_through_table, _mend),
}
"""Name of a page -> how the person is prepared, and what it does."""
