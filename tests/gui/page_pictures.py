# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the manual's pages on characters, farms, what went wrong, and of the first start.

python build.py test --gui -- tests/gui/page_pictures.py
python -m docs.pictures

As `films.py`, they run only when they are named.
"""

from __future__ import annotations

from typing import Final

from tests.gui.blender_window import BlenderWindow
from tests.gui.films import enter, keyed_reach, stage, step

__all__ = ("stage",)


def test_picture_of_the_tab(stage: BlenderWindow) -> None:
    """A character in Object Mode, and the first button."""
    enter(stage)
    step(
        stage,
        "bpy.ops.object.mode_set(mode='OBJECT')\n"
        "bpy.ops.object.select_all(action='DESELECT')\n"
        "person.select_set(True)\n"
        "bpy.context.view_layer.objects.active = person",
    )
    stage.screenshot("person_in_object_mode", fine=True)


WOLF: Final = """
import addon_utils
addon_utils.enable('rigify')
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.object.armature_wolf_metarig_add()
wolf = bpy.context.object
wolf.location, wolf.rotation_euler = (0.95, 0.1, 0.0), (0.0, 0.0, 0.5)
wolf.show_in_front, wolf.data.display_type = True, 'OCTAHEDRAL'
for collection in wolf.data.collections_all:
    if any(word in collection.name for word in ('Face', 'Ears', 'Tail')):
        collection.is_visible = collection.name.startswith('Tail')
bpy.context.view_layer.update()
bpy.ops.object.mode_set(mode='POSE')
for foot in ('front_foot.R', 'foot.L', 'foot.R'):
    bpy.ops.articulate.pin(bone=foot, kind='POSE')
bpy.ops.articulate.drag(bone='front_foot.L', move=(0.0, -0.1, 0.25))
space = bpy.context.space_data
space.show_gizmo_object_rotate = space.show_gizmo_tool = False
bpy.ops.articulate.unpin_all()
"""


def test_picture_of_several_characters(stage: BlenderWindow) -> None:
    """A person and a wolf, the wolf with a paw lifted."""
    enter(stage, look_at=(0.75, -0.1, 0.85), distance=4.6)
    step(stage, WOLF)
    stage.screenshot("task_characters", fine=True)


def test_picture_of_a_shot_from_a_farm(stage: BlenderWindow) -> None:
    """A baked shot in the middle of its motion."""
    enter(stage)
    step(
        stage,
        keyed_reach({1: (0, 0, 0), 21: (-0.2, -0.45, 0.35), 40: (0, 0, 0)}) + "scene = bpy.context.scene\n"
        "scene.frame_start, scene.frame_end = 1, 40\n"
        "bpy.ops.articulate.bake(frame_start=1, frame_end=40, step=2)\n"
        "scene.frame_set(21)",
    )
    stage.screenshot("task_farm", fine=True)


def test_picture_of_a_target_out_of_reach(stage: BlenderWindow) -> None:
    """The message says which effector misses its target, by how much and why."""
    enter(stage)
    step(
        stage,
        "from mathutils import Vector\n"
        "hand = tasks.effector(person, 'hand.L', chain_root='upper_arm.L')\n"
        "hand.target.location += Vector((0.1, -0.55, 0.55))\n"
        "bpy.ops.articulate.solve()",
    )
    stage.screenshot("task_wrong", fine=True)
