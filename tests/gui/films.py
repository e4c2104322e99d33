# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's films and pictures: a dressed person in Blender's window, by mouse and keyboard.

python build.py test --gui -- tests/gui/films.py
python -m docs.pictures

They take some minutes and test little, so they run only when they are named.
"""

from __future__ import annotations

from typing import Final

import pytest
from PIL import Image, ImageDraw

from tests.gui.blender_window import SHOTS, BlenderWindow
from tooling.environment import ROOT

VIEW: Final = (0, 28, 1056, 718)
"""Left, top, right, bottom of the 3D view with its header, pixels."""
FILM_SIZE: Final = (704, 460)
POINTER: Final = ((0, 0), (0, 19), (5, 15), (9, 22), (12, 21), (8, 13), (14, 13))
"""Corners of a mouse pointer, which is not in photographs of the screen."""
IMPORTS: Final = "import sys; sys.path[:0] = [{folder!r}]"
PERSON: Final = """
import tasks, figure, body, stage
from mathutils import Vector
for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
person = tasks.set_up(table={table})
person.data.display_type, person.show_in_front = 'STICK', True
for collection in person.data.collections_all:
    if any(word in collection.name for word in ('Face', 'Fingers')):
        collection.is_visible = False
space = bpy.context.space_data
space.shading.color_type, space.shading.show_shadows, space.lens = 'MATERIAL', True, tasks.LENS
space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
space.overlay.show_extras, space.overlay.show_relationship_lines = True, False
for name in ('Room', ):
    bpy.data.objects[name].hide_select = True
for thing in bpy.data.objects:
    if thing.type in ('LIGHT', 'CAMERA'):
        thing.hide_set(True)
view = space.region_3d
view.view_perspective, view.view_location = 'PERSP', {look_at}
view.view_rotation = Vector({direction}).to_track_quat('-Z', 'Y')
view.view_distance = {distance}
view.update()
for material in bpy.data.materials:  # solid shading has no lamps
    material.diffuse_color = [channel ** 0.6 for channel in material.diffuse_color]
bpy.ops.pose.select_all(action='DESELECT')
bpy.context.preferences.system.viewport_aa = 'FXAA'
"""


@pytest.fixture
def stage(window: BlenderWindow) -> BlenderWindow:
    """The window, in which the demo's modules can be imported."""
    window.run(IMPORTS.format(folder=window.share(ROOT / "demo")))
    return window


def enter(
    window: BlenderWindow,
    *,
    table: bool = False,
    look_at: tuple[float, float, float] = (0.53, -0.22, 0.98),
    direction: tuple[float, float, float] = (1.9, 4.5, -0.5),
    distance: float = 3.9,
) -> None:
    """Put a person on the stage, and the tab beside it."""
    window.operate(PERSON.format(table=table, look_at=look_at, direction=direction, distance=distance))
    window.show_tab("Articulate")
    window.settle()


class Film:
    """Photographs of the 3D view, one after the other.

    Args:
        window: to be photographed.
        name: of the file.
    """

    def __init__(self, window: BlenderWindow, name: str) -> None:
        self._window, self._name = window, name
        window.run("view()['area'].spaces.active.shading.show_shadows = False")  # takes a second a frame
        self._frames: list[Image.Image] = []
        self._times: list[int] = []

    def take(self, pointer: tuple[float, float] | None = None, milliseconds: int = 80) -> None:
        """One frame, with the mouse pointer at a pixel of the screen."""
        self._window.settle()
        picture = self._window.screen.picture()
        if pointer is not None:
            draw = ImageDraw.Draw(picture)
            corners = [(pointer[0] + x, pointer[1] + y) for x, y in POINTER]
            draw.polygon(corners, fill="black", outline="white")
        self._frames.append(picture.crop(VIEW).resize(FILM_SIZE, Image.Resampling.LANCZOS))
        self._times.append(milliseconds)

    def glide(self, start: tuple[float, float], end: tuple[float, float], frames: int) -> None:
        """Move the mouse evenly, and take a frame after each step."""
        for step in range(1, frames + 1):
            share = step / frames
            share = share * share * (3.0 - 2.0 * share)
            place = tuple(a + share * (b - a) for a, b in zip(start, end, strict=True))
            self._window.screen.xdotool("mousemove", f"{place[0]:.0f}", f"{place[1]:.0f}")
            self.take(place)

    def save(self) -> None:
        """Write the film beside the screenshots."""
        self._times[-1] = 1500
        first, *others = self._frames
        path = SHOTS / f"{self._name}.webp"
        options = {"save_all": True, "append_images": others, "duration": self._times, "loop": 0}
        first.save(path, quality=60, method=4, **options)
        assert path.stat().st_size < 2_000_000


def _tail(window: BlenderWindow, bone: str) -> tuple[float, float]:
    place = f"(person.matrix_world @ person.pose.bones[{bone!r}].tail)"
    return tuple(window.run(f"person = bpy.data.objects['Person']\nresult = pixel_of({place})"))


def _middle(window: BlenderWindow, bone: str) -> tuple[float, float]:
    bones = f"person.pose.bones[{bone!r}]"
    place = f"person.matrix_world @ (({bones}.head + {bones}.tail) / 2)"
    return tuple(window.run(f"person = bpy.data.objects['Person']\nresult = pixel_of({place})"))


def step(window: BlenderWindow, code: str) -> None:
    window.operate(f"import tasks\nperson = bpy.data.objects['Person']\n{code}")
    window.settle()


@pytest.mark.parametrize("task", ["pose", "feet", "knees", "props", "mend"])
def test_picture_of_a_task(stage: BlenderWindow, task: str) -> None:
    enter(stage, table=task == "mend")
    step(stage, f"for step in tasks.TASKS[{task!r}]:\n    step(person)")
    if task == "mend":
        step(stage, "bpy.context.scene.frame_set(tasks.SHOWN)")
    stage.screenshot(f"task_{task}", fine=True)


def test_film_of_a_drag(stage: BlenderWindow) -> None:
    """A hand to the floor and up again, while both feet are pinned."""
    enter(stage)
    step(stage, "tasks.pin_feet(person)\nbpy.ops.wm.tool_set_by_id(name='articulate.drag_bone')")
    film = Film(stage, "film-drag")
    hand = _middle(stage, "hand.L")
    start = (hand[0] + 150, hand[1] + 60)
    stage.move(*start)
    film.take(start, 500)
    film.glide(start, hand, 6)
    stage.press()
    low, high = (hand[0] - 130, hand[1] + 175), (hand[0] + 10, hand[1] - 200)
    film.glide(hand, low, 14)
    film.take(low, 400)
    film.glide(low, high, 18)
    stage.settle(0.5)
    film.take(high, 500)
    stage.release()
    film.save()


def test_film_of_a_bake(stage: BlenderWindow) -> None:
    """The demo's clip: five effectors follow their targets, then keys."""
    enter(stage, table=True, look_at=(0.45, -0.4, 1.1), direction=(2.2, 4.2, -0.8), distance=4.1)
    step(
        stage,
        "import acting, stage\n"
        "materials = {name: bpy.data.materials[name] for name in stage.COLOURS}\n"
        "for name in ('Table', 'Table Legs'):\n    bpy.data.objects.remove(bpy.data.objects[name])\n"
        "for name in ('Room', ):\n    bpy.data.objects.remove(bpy.data.objects[name])\n"
        "ball = stage.set_stage(materials)\n"
        "for thing in bpy.data.objects:\n"
        "    if thing.type in ('LIGHT', 'CAMERA'):\n        thing.hide_set(True)\n"
        "bpy.context.view_layer.objects.active = person\n"
        "acting.direct(person, ball)",
    )
    film = Film(stage, "film-bake")
    for frame in range(1, 121, 12):  # before: only the ball moves
        step(stage, f"bpy.context.scene.frame_set({frame})")
        film.take()
    step(stage, "bpy.ops.articulate.bake('EXEC_DEFAULT', frame_start=1, frame_end=120)")
    for frame in range(1, 121, 3):
        step(stage, f"bpy.context.scene.frame_set({frame})")
        film.take(milliseconds=100)
    film.save()


def test_film_of_a_hand_round_an_obstacle(stage: BlenderWindow) -> None:
    """Live, with the arm as chain: the target goes through a ball, the hand round it."""
    enter(stage, look_at=(0.45, -0.2, 1.1), direction=(0.6, 3.2, -2.0), distance=3.2)
    step(
        stage,
        "from mathutils import Vector\n"
        "hand = tasks.effector(person, 'hand.L', chain_root='shoulder.L')\n"
        "bpy.ops.object.mode_set(mode='OBJECT')\n"
        "bpy.ops.mesh.primitive_uv_sphere_add(radius=0.12, location=(0.35, -0.45, 1.25))\n"
        "ball = bpy.context.object\n"
        "ball.name = 'Globe'\n"
        "ball.data.materials.append(bpy.data.materials['Ball'])\n"
        "ball.data.shade_smooth()\n"
        "bpy.context.view_layer.objects.active = person\n"
        "person.select_set(True)\n"
        "bpy.ops.object.mode_set(mode='POSE')\n"
        "bpy.ops.articulate.obstacle_add(object='Globe', margin=0.01)\n"
        "person.articulate.solver.root = 'PINNED'\n"
        "for frame, x in ((1, 0.62), (25, 0.1), (49, 0.62)):\n"
        "    hand.target.location = (x, -0.4, 1.25)\n"
        "    hand.target.keyframe_insert('location', frame=frame)\n"
        "bpy.context.scene.frame_set(1)\n"
        "bpy.ops.articulate.solve()\n"
        "person.articulate.live = True",
    )
    film = Film(stage, "film-obstacle")
    for frame in range(1, 50):
        step(stage, f"bpy.context.scene.frame_set({frame})")
        film.take()
    film.save()


SIDE: Final = {"look_at": (0.2, -0.1, 1.05), "direction": (-2.6, 4.0, -0.7), "distance": 3.8}
NEAR: Final = {"look_at": (0.3, -0.2, 1.2), "direction": (1.9, 4.5, -0.5), "distance": 3.0}
ALL: Final = {"look_at": (0.5, -0.2, 0.9), "direction": (1.9, 4.5, -1.2), "distance": 3.9}
"""Other views of the person: from its left, nearer, and from above, with the ground that it stands on."""
REACH: Final = """
from mathutils import Vector
tasks.pin_feet(person)
hand = tasks.effector(person, 'hand.L')
hand.target.location += Vector({move})
person.articulate.solver.root = 'FREE'
"""
WALL: Final = """
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.95, -0.35, 0.8), scale=(0.12, 0.9, 1.6))
wall = bpy.context.object
wall.name = 'Wall'
wall.data.materials.append(bpy.data.materials['Wood'])
wall.select_set(False)
bpy.context.view_layer.objects.active = person
person.select_set(True)
bpy.ops.object.mode_set(mode='POSE')
bpy.ops.articulate.obstacle_add(object='Wall', margin=0.01)
"""


def keyed_reach(ways: dict[int, tuple[float, float, float]]) -> str:
    """A script that pins the feet and keys how far the hand's target is from its start, by frame."""
    return (
        REACH.format(move=(0, 0, 0)) + "start = hand.target.location.copy()\n"
        f"for frame, way in {ways}.items():\n"
        "    hand.target.location = start + Vector(way)\n"
        "    hand.target.keyframe_insert('location', frame=frame)\n"
    )


def test_picture_of_a_solve(stage: BlenderWindow) -> None:
    enter(stage)
    step(stage, REACH.format(move=(-0.2, -0.45, 0.35)) + "bpy.ops.articulate.solve()")
    stage.screenshot("person_solved", fine=True)


def test_picture_of_a_bake(stage: BlenderWindow) -> None:
    enter(stage)
    step(
        stage,
        keyed_reach({1: (0, 0, 0), 20: (-0.2, -0.4, 0.5), 40: (0, 0, 0)})
        + "bpy.ops.articulate.bake(frame_start=1, frame_end=40)\n"
        "bpy.context.scene.frame_set(20)",
    )
    stage.screenshot("person_baked", fine=True)


def test_picture_of_a_live_figure(stage: BlenderWindow) -> None:
    enter(stage)
    step(
        stage,
        keyed_reach({1: (0, 0, 0), 30: (-0.4, -0.6, -0.5)}) + "person.articulate.live = True\n"
        "bpy.context.scene.frame_set(15)",
    )
    stage.screenshot("person_live", fine=True)


def test_picture_of_the_pins(stage: BlenderWindow) -> None:
    enter(stage)
    step(
        stage,
        "for bone in person.pose.bones:\n"
        "    select_bone(bone, bone.name in ('foot.L', 'foot.R'))\n"
        "person.data.bones.active = person.data.bones['foot.L']",
    )
    stage.move(*stage.pixel_of((0.5, -0.2, 1.2)))
    stage.key("shift+alt+p")
    stage.settle()
    stage.screenshot("person_pins", fine=True)
    stage.key("Escape")


def test_picture_of_a_drag_against_a_wall(stage: BlenderWindow) -> None:
    enter(stage)
    step(stage, "tasks.pin_feet(person)" + WALL + "bpy.ops.wm.tool_set_by_id(name='articulate.drag_bone')")
    hand = _middle(stage, "hand.L")
    stage.move(*hand)
    stage.press()
    stage.glide(hand, (hand[0] + 140, hand[1] - 20))
    stage.settle(0.5)
    stage.screenshot("person_at_wall", fine=True)
    stage.release()
    stage.settle(0.5)


def test_picture_of_the_gizmo(stage: BlenderWindow) -> None:
    enter(stage, **NEAR)
    step(
        stage,
        REACH.format(move=(0.0, -0.3, 0.2)) + "for bone in person.pose.bones:\n"
        "    select_bone(bone, bone.name == 'hand.L')\n"
        "person.data.bones.active = person.data.bones['hand.L']\n"
        "bpy.ops.articulate.solve()\n"
        "person.articulate.live = True",
    )
    stage.settle(0.5)
    x, y = stage.pixel_of(
        stage.run("result = list(bpy.data.objects['Target hand.L'].matrix_world.translation)")
    )
    stage.move(x, y - 60)
    stage.press()
    stage.glide((x, y - 60), (x, y - 110))
    stage.screenshot("person_gizmo", fine=True)
    stage.release()
    stage.settle(0.3)


def test_picture_of_all_overlays(stage: BlenderWindow) -> None:
    enter(stage, **ALL)
    step(
        stage,
        REACH.format(move=(0.05, -0.25, -0.1)) + "other = tasks.effector(person, 'hand.R')\n"
        "other.target.location += Vector((0.1, -0.3, 0.3))"
        + WALL.replace("0.95, -0.35", "0.85, -0.35")
        + "rig = person.articulate\n"
        "rig.body.show = rig.overlay.critical = True\n"
        "rig.overlay.balance = rig.overlay.ellipsoid = True\n"
        "rig.active_effector = [each.name for each in rig.effectors].index('hand.L')\n"
        "bpy.ops.articulate.solve()",
    )
    stage.settle(0.5)
    stage.screenshot("person_overlay", fine=True)


def test_picture_of_joint_limits(stage: BlenderWindow) -> None:
    enter(stage, **SIDE)
    step(
        stage,
        REACH.format(move=(-0.3, -0.25, 0.75)) + "other = tasks.effector(person, 'hand.R')\n"
        "other.target.location += Vector((0.75, 0.3, 0.1))\n"
        "bpy.ops.articulate.solve()",
    )
    stage.screenshot("person_limits", fine=True)
