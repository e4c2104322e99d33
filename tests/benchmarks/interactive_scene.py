# SPDX-License-Identifier: GPL-3.0-or-later
"""How long Blender takes longer for a frame because a figure is live, and how long an update of a drag takes.

Live: the metarig with five effectors. The time is that of `frame_set`, less that of the same frames with live
off. *Again* are frames that were shown before and have not changed since, as when a loop is played. *Floor*
is what Blender itself takes to evaluate the figure a second time, measured with a handler that does nothing
but tag it. Each round moves all targets a little, so that no other frame was ever shown before.

Drag: points of the world in, the pose written, as `control.drag` is called on a tick of the timer; Blender's
own redraw is not in it. The hand goes round in steps of about a centimetre. *A solve* is what of it is spent
in a solver's `solve`, of which an update may take several. *Fine* meshes have 30,000 triangles each and
more, and the figure keeps its limbs apart too. All are processor time of the main thread, the least of some
rounds. *Table and chair*: the hand is led through the top of a table and the back of a chair, of some hundred
faces each; *the same, empty* is that drag without them.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import blender_scene
import bpy
import numpy as np
from blender_scene import FRAMES
from timing import clock, machine, table

ROUNDS = 7
LIVE_ROUNDS = 20  # a frame takes a thousandth of a second, in which anything else on the machine counts
UPDATES = 150
BUDGET = 1.0 / 60.0  # seconds, as the operator has it; longer drags go on in the next update
FAR = 3.0  # how much farther from their start the targets are that cannot be reached
LIVE_BAR, SOLVE_BAR = 1.0, 4.0
DRAG_BARS = {"metarig": 2.0, "metarig, 3 meshes": 8.0, "metarig, 3 fine meshes": 8.0, "trunk": 3.0}
DRAG_BARS |= {"metarig, table and chair": 33.0, "the same, empty": 2.0, "hips, beyond reach": 33.0}
TABLE_P95_BAR = 100.0  # milliseconds, among table and chair
# middles and sizes of the boxes of a table and a chair, metres
TABLE = [((0.75, -0.1, 1.3), (0.6, 0.9, 0.04))]
TABLE += [((0.75 + x, -0.1 + y, 0.64), (0.05, 0.05, 1.28)) for x in (-0.27, 0.27) for y in (-0.42, 0.42)]
CHAIR = [((0.45, -0.55, 0.5), (0.4, 0.4, 0.04)), ((0.45, -0.36, 1.1), (0.4, 0.03, 1.2))]
CHAIR += [((0.45 + x, -0.55 + y, 0.25), (0.04, 0.04, 0.5)) for x in (-0.17, 0.17) for y in (-0.17, 0.17)]
PINS = {"foot.L": "POSE", "foot.R": "POSE", "hand.R": "POSITION", "spine.006": "ORIENTATION"}
PINS["spine"] = "ORIENTATION"
HINGES = ("forearm", "shin")
LOOSE, STIFF, TWIST = np.radians((80.0, 25.0, 40.0))


def main(zip_path: Path) -> None:
    """Measure and print."""
    print(f"\nBlender {bpy.app.version_string} ({machine()})")
    figure, targets = blender_scene.build_scene(1.0)
    blender_scene.install(zip_path)
    blender_scene.add_effectors(figure, targets)
    live(figure, targets)
    dragging()


def live(figure: bpy.types.Object, targets: Sequence[bpy.types.Object]) -> None:
    """The table of live frames."""
    carrier = bpy.data.objects.new("Carrier", None)
    bpy.context.scene.collection.objects.link(carrier)
    for target in targets:
        target.parent = carrier
    print(f"\nNothing live: {1e6 * idle():.1f} us a frame, all handlers together\n")
    rows = []
    plain, tagged = frames(carrier), frames(carrier, tag=figure)
    rows.append(("floor", *_cells(tagged - plain)))
    figure.articulate.live = True
    for name, mode in {"each frame": "EACH", "continuous": "CONTINUOUS"}.items():
        figure.articulate.live_mode = mode
        rows.append((name, *_cells(frames(carrier) - plain)))
        if mode == "EACH":
            rows.append((f"{name}, again", *_cells(frames(carrier, step=0.0) - plain)))
    carrier.scale = (FAR,) * 3
    for name, mode in {"each frame": "EACH", "continuous": "CONTINUOUS"}.items():
        figure.articulate.live_mode = mode
        rows.append((f"{name}, out of reach", *_cells(frames(carrier) - plain)))
    figure.articulate.live = False
    print(table((f"live, {len(figure.pose.bones)} bones", "median ms", "p95 ms"), rows))
    print(f"\nThe bar is {LIVE_BAR:g} ms.")


def idle() -> float:
    """Seconds of our handlers of a frame change and of an update while nothing is live."""
    depsgraph, scene = bpy.context.evaluated_depsgraph_get(), bpy.context.scene
    lists = bpy.app.handlers.frame_change_post, bpy.app.handlers.depsgraph_update_post
    ours = [f for functions in lists for f in functions if "articulate" in f.__module__]
    took = []
    for _ in range(2000):
        started = clock()
        for function in ours:
            function(scene, depsgraph)
        took.append(clock() - started)
    return float(np.median(took))


def frames(
    carrier: bpy.types.Object, *, tag: bpy.types.Object | None = None, step: float = 1e-4
) -> np.ndarray:
    """(F,) seconds of the frames: the least of the rounds, with the targets moved on by a step after each."""
    scene, took = bpy.context.scene, []
    handler: Callable[..., None] = lambda *_: tag.update_tag(refresh={"OBJECT"}) if tag else None  # noqa: E731
    if tag is not None:
        bpy.app.handlers.frame_change_post.append(handler)
    for _ in range(LIVE_ROUNDS):
        carrier.location.x += step
        bpy.context.view_layer.update()
        took.append(np.zeros(len(FRAMES)))
        for row, frame in enumerate(FRAMES):
            started = clock()
            scene.frame_set(frame)
            took[-1][row] = clock() - started
    if tag is not None:
        bpy.app.handlers.frame_change_post.remove(handler)
    return np.min(took, axis=0)


def dragging() -> None:
    """The table of drags."""
    rows = []
    for name, (build, bone, size) in {
        "metarig": (person, "hand.L", 0.15),
        "metarig, 3 meshes": (person_among_meshes, "hand.L", 0.15),
        "metarig, 3 fine meshes": (person_among_fine_meshes, "hand.L", 0.15),
        "metarig, table and chair": (person_at_table, "hand.L", 0.3),
        "the same, empty": (person, "hand.L", 0.3),
        "hips, beyond reach": (person, "spine", 0.3),
        "trunk": (trunk, "b29", 2.0),
    }.items():
        rig = build()
        rows.append((name, *drag(rig, bone, size), f"{DRAG_BARS.get(name, DRAG_BARS['metarig']):g}"))
    print("\n" + table(("drag", "degrees", "median ms", "p95 ms", "a solve", "worst mm", "bar"), rows))
    print(f"\nThe bar of a solve among fine meshes is {SOLVE_BAR:g} ms, of the 95th percentile at the table")
    print(f"{TABLE_P95_BAR:g} ms.")


def drag(rig: bpy.types.Object, bone: str, size: float) -> tuple[str, ...]:
    """One drag along a circle that begins where the bone is."""
    package = next(a.module for a in bpy.context.preferences.addons if a.module.endswith("articulate"))
    module = importlib.import_module(f"{package}.control.drag.drag")
    took, errors = np.empty((ROUNDS, UPDATES)), []
    solver: Any = sys.modules["ikmath"].Solver  # type: ignore[attr-defined]
    work, solves = solver.solve, list[float]()

    def timed(own: Any, *given: Any, **options: Any) -> Any:
        started = clock()
        found = work(own, *given, **options)
        solves.append(clock() - started)
        return found

    solver.solve = timed
    for number in range(ROUNDS):
        held = module.Drag(rig, bpy.context, module.Grip(bone=bone), budget=BUDGET)
        for row, angle in enumerate(np.linspace(0.0, 4.0 * np.pi, UPDATES)):
            way = size * np.array([np.cos(angle) - 1.0, -0.5 * np.sin(0.5 * angle), np.sin(angle)])
            started = clock()
            moved = held.move_to(held.anchor + way)
            took[number, row] = clock() - started
            errors.append(moved.error)
            bpy.context.view_layer.update()
        held.cancel()
        bpy.context.view_layer.update()
    solver.solve = work
    each = 1e3 * float(np.median(solves))
    return str(held._task.figure.skeleton.n), *_cells(took.min(0)), f"{each:.3f}", f"{1e3 * max(errors):.1f}"


def person() -> bpy.types.Object:
    """The metarig with limits and five pins."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.object.armature_human_metarig_add()
    rig = bpy.context.object
    for bone in rig.pose.bones:
        name = bone.name.removesuffix(".L").removesuffix(".R")
        limit = STIFF if name.startswith(("spine", "shoulder")) else LOOSE
        for axis in "xyz":
            hinge = name in HINGES and axis != "x"
            setattr(bone, f"lock_ik_{axis}", hinge)
            setattr(bone, f"use_ik_limit_{axis}", True)
            most = TWIST if axis == "y" else limit
            setattr(bone, f"ik_min_{axis}", -0.05 if name in HINGES and axis == "x" else -most)
            setattr(bone, f"ik_max_{axis}", 2.6 if name in HINGES and axis == "x" else most)
    rig.articulate.solver.root = "FREE"
    bpy.context.view_layer.update()
    for bone, kind in PINS.items():
        bpy.ops.articulate.pin(bone=bone, kind=kind)
    bpy.context.view_layer.update()
    return rig


def person_among_meshes() -> bpy.types.Object:
    """The same with a table, a ball and a monkey close to the way of the hand."""
    rig = person()
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.75, -0.45, 0.6), scale=(0.5, 0.5, 0.05))
    things = [bpy.context.object]
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.12, location=(0.75, 0.35, 1.35))
    things.append(bpy.context.object)
    bpy.ops.mesh.primitive_monkey_add(size=0.3, location=(0.35, -0.5, 1.45))
    things.append(bpy.context.object)
    bpy.context.view_layer.objects.active = rig
    for thing in things:
        bpy.ops.articulate.obstacle_add(object=thing.name, margin=0.01)
    bpy.context.view_layer.update()
    return rig


def person_at_table() -> bpy.types.Object:
    """The same at a table, with a chair beside it."""
    rig = person()
    for name, boxes in (("Table", TABLE), ("Chair", CHAIR)):
        parts = []
        for middle, size in boxes:
            bpy.ops.mesh.primitive_cube_add(size=1.0, location=middle, scale=size)
            parts.append(bpy.context.object)
        for part in parts:
            part.select_set(True)
        bpy.ops.object.join()
        thing = bpy.context.object
        thing.name = name
        finer = thing.modifiers.new("Finer", "SUBSURF")
        finer.subdivision_type, finer.levels = "SIMPLE", 1
    bpy.context.view_layer.objects.active = rig
    for name in ("Table", "Chair"):
        bpy.ops.articulate.obstacle_add(object=name, margin=0.01)
    bpy.context.view_layer.update()
    return rig


def person_among_fine_meshes() -> bpy.types.Object:
    """The same with meshes of 30,000 triangles and more, and limbs that keep clear of each other."""
    rig = person_among_meshes()
    for obstacle in rig.articulate.obstacles:
        thing = obstacle.object
        while len(thing.data.loop_triangles) < 30_000:
            finer = thing.modifiers.new("Finer", "SUBSURF")
            finer.subdivision_type, finer.levels = "SIMPLE", 1
            bpy.context.view_layer.update()
            shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
            thing.modifiers.clear()
            thing.data = bpy.data.meshes.new_from_object(shown)
            thing.data.calc_loop_triangles()
    rig.articulate.body.self_collision = True
    bpy.context.view_layer.update()
    return rig


def trunk() -> bpy.types.Object:
    """Thirty bones of a metre in a slight bow, each with limits of 30, 15 (twist) and 30 degrees."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bones.remove(bones[0])
    before = None
    for number in range(30):
        bone = bones.new(f"b{number}")
        bone.head = before.tail if before else (0.0, 0.0, 0.0)
        angle = 0.03 * number
        bone.tail = bone.head + type(bone.head)((np.sin(angle), 0.0, np.cos(angle)))
        bone.parent, bone.use_connect = before, before is not None
        before = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in rig.pose.bones:
        for axis, degrees in (("x", 30.0), ("y", 15.0), ("z", 30.0)):
            setattr(bone, f"use_ik_limit_{axis}", True)
            setattr(bone, f"ik_min_{axis}", -np.radians(degrees))
            setattr(bone, f"ik_max_{axis}", np.radians(degrees))
    bpy.context.view_layer.update()
    return rig


def _cells(seconds: np.ndarray) -> tuple[str, str]:
    return f"{1e3 * float(np.median(seconds)):.3f}", f"{1e3 * float(np.percentile(seconds, 95)):.3f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # Blender 4.2 crashes and 4.5 hangs at exit while add-ons' handlers are registered
