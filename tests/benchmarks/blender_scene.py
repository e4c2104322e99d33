# SPDX-License-Identifier: GPL-3.0-or-later
"""The metarig follows five moving targets: by Blender's own IK constraints, then by the extension.

Same armature, same targets, same frames. The targets are where a smooth motion of the bones put hands, feet
and head, so all of them can be reached. Blender's time is that of `frame_set`, less the same with the
constraints muted; ours goes from the sampling of the targets to the pose written. Both are processor
time of all threads, which other programs do not lengthen. Errors are measured on
the evaluated pose, by Blender. Run by `blender.py`, with the path of the extension's zip.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Quaternion
from timing import machine, table

BONES = ("hand.L", "hand.R", "foot.L", "foot.R", "spine.006")
FRAMES = range(1, 61)
MOVED = {  # bones of the motion, with the largest turn about each of their axes, degrees
    "spine": 6, "spine.001": 10, "spine.002": 10, "spine.003": 8, "spine.004": 10, "spine.005": 10,
    "spine.006": 8, "shoulder": 8, "upper_arm": 35, "forearm": 30, "hand": 20, "thigh": 22, "shin": 22,
    "foot": 15,
}  # fmt: skip
MOTIONS = {"Gentle": 1.0, "Wide": 1.7}
BARS = {"median ms": 1.4, "p95 ms": 15.0, "mean mm": 0.7, "worst mm": 9.9}
ITERATIONS = 500  # of Blender's solver, its default


def main(zip_path: Path) -> None:
    """Measure and print."""
    print(f"\nBlender {bpy.app.version_string}, {len(BONES)} effectors, {len(FRAMES)} frames ({machine()})")
    installed = False
    for motion, size in MOTIONS.items():
        figure, targets = build_scene(size)
        native = by_blender(figure, targets)
        if not installed:
            install(zip_path)
            installed = True
        add_effectors(figure, targets)
        ours = by_extension(figure, targets)
        away = f"{unsolved(figure, targets):.0f} mm from the rest pose on average"
        print(f"\n{motion} motion of {len(figure.pose.bones)} bones, targets {away}\n")
        rows = [(name, *_cells(one)) for name, one in {"Blender's IK": native, "Articulate": ours}.items()]
        print(table(("", *BARS), [*rows, ("bar", *(f"{bar:g}" for bar in BARS.values()))]))
        print(f"Articulate: {_verdict(ours, native)}.")
        started = time.perf_counter()
        bpy.ops.articulate.bake(frame_start=FRAMES[0], frame_end=FRAMES[-1])
        each = 1e3 * (time.perf_counter() - started) / len(FRAMES)
        print(f"The whole bake operator, with frame changes and keys: {each:.2f} ms a frame.")


def _verdict(ours: dict[str, Any], native: dict[str, Any]) -> str:
    pairs = zip(BARS, _numbers(ours), _numbers(native), strict=True)
    worse = [column for column, a, b in pairs if a >= b]
    return f"not below Blender in {', '.join(worse)}" if worse else "below Blender in all four"


def build_scene(size: float) -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    """The metarig in rest pose, and five Empties with keys on every frame of a motion of some size."""
    import addon_utils  # there once bpy is

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    figure = bpy.context.object
    places = _motion(figure, size)
    targets = []
    for number, bone in enumerate(BONES):
        target = bpy.data.objects.new(f"Target {bone}", None)
        bpy.context.scene.collection.objects.link(target)
        for row, frame in enumerate(FRAMES):
            target.location = places[row, number]
            target.keyframe_insert("location", frame=frame)
        targets.append(target)
    return figure, targets


def _motion(figure: bpy.types.Object, scale: float) -> np.ndarray:
    """(F, 5, 3) world places of the five tails along a motion; the figure is at rest again afterwards."""
    draw = np.random.default_rng(5)
    time_line = np.arange(len(FRAMES)) * (2 * np.pi / len(FRAMES))
    turns = {}
    for bone in figure.pose.bones:
        size = MOVED.get(bone.name.removesuffix(".L").removesuffix(".R"))
        if size is not None:
            a, b, c = draw.normal(size=(3, 3, 1)) * 0.6
            wave = np.tanh(a + b * np.cos(time_line) + c * np.sin(time_line)) * np.radians(size * scale)
            if "shin" in bone.name or "forearm" in bone.name:  # knees and elbows bend one way only
                wave[0], wave[1:] = np.abs(wave[0]) + 0.15, 0.0
            turns[bone.name] = wave.T
    places = np.empty((len(FRAMES), len(BONES), 3))
    modes = {name: figure.pose.bones[name].rotation_mode for name in turns}
    for row in range(len(FRAMES)):
        for name, wave in turns.items():
            figure.pose.bones[name].rotation_mode = "QUATERNION"
            figure.pose.bones[name].rotation_quaternion = Quaternion(wave[row], np.linalg.norm(wave[row]))
        places[row] = _tails(figure)
    for name, mode in modes.items():
        figure.pose.bones[name].rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
        figure.pose.bones[name].rotation_mode = mode
    return places


def _tails(figure: bpy.types.Object) -> np.ndarray:
    bpy.context.view_layer.update()
    shown = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([shown.matrix_world @ shown.pose.bones[bone].tail for bone in BONES])


def _misses(figure: bpy.types.Object, targets: list[bpy.types.Object]) -> np.ndarray:
    """(5,) distances of tails and targets in the present frame, metres."""
    places = _tails(figure)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    wanted = [target.evaluated_get(depsgraph).matrix_world.translation for target in targets]
    return np.linalg.norm(places - np.array(wanted), axis=1)


def unsolved(figure: bpy.types.Object, targets: list[bpy.types.Object]) -> float:
    """How far the rest pose is from the targets, millimetres; leaves the figure's animation off."""
    if figure.animation_data:
        figure.animation_data.action = None
    for bone in figure.pose.bones:
        bone.matrix_basis.identity()
    misses = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        misses.append(_misses(figure, targets))
    return 1e3 * float(np.mean(misses))


def by_blender(figure: bpy.types.Object, targets: list[bpy.types.Object]) -> dict[str, Any]:
    """IK constraints on the five bones, chains up to the root."""
    constraints = []
    for bone, target in zip(BONES, targets, strict=True):
        constraint = figure.pose.bones[bone].constraints.new("IK")
        constraint.target, constraint.chain_count, constraint.iterations = target, 0, ITERATIONS
        constraints.append(constraint)
    scene = bpy.context.scene
    times = {}
    for mute in (True, False):
        for constraint in constraints:
            constraint.mute = mute
        rounds = []
        for _ in range(3):
            took = []
            for frame in FRAMES:
                started = time.process_time()
                scene.frame_set(frame)
                took.append(time.process_time() - started)
            rounds.append(took)
        times[mute] = np.median(rounds, axis=0)
    misses = []
    for frame in FRAMES:
        scene.frame_set(frame)
        misses.append(_misses(figure, targets))
    for constraint, bone in zip(constraints, BONES, strict=True):
        figure.pose.bones[bone].constraints.remove(constraint)
    return {"seconds": times[False] - np.median(times[True]), "misses": np.array(misses)}


def install(zip_path: Path) -> None:
    """Install and enable the extension."""
    bpy.ops.extensions.package_install_files(
        filepath=str(zip_path), repo="user_default", enable_on_install=True
    )
    if not hasattr(bpy.types.Object, "articulate"):
        raise SystemExit(f"Blender did not install and enable {zip_path.name}.")


def add_effectors(figure: bpy.types.Object, targets: list[bpy.types.Object]) -> None:
    """Five effectors by the extension's operator; the root stays, as it does for Blender's IK."""
    bpy.context.view_layer.objects.active = figure
    for bone, target in zip(BONES, targets, strict=True):
        bpy.ops.articulate.effector_add(bone=bone, kind="POSITION", target=target.name)


def by_extension(figure: bpy.types.Object, targets: list[bpy.types.Object]) -> dict[str, Any]:
    """The extension's control path in a bake, its parts timed."""
    frame, tasks, plan_module, sample, pose = (
        importlib.import_module(f"{_package()}.{name}")
        for name in (
            "control.frame.solve_frame",
            "control.frame.task",
            "control.frame.plan",
            "control.frame.sample",
            "bridge.armature",
        )
    )
    scene, rounds, misses = bpy.context.scene, [], []
    plan = plan_module.read_plan(figure, bpy.context)
    for bone in figure.pose.bones:
        bone.matrix_basis.identity()
    for number in range(3):
        samples: list[Any] = []
        took = np.zeros(len(FRAMES))
        for row, at in enumerate(FRAMES):
            scene.frame_set(at)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            before = samples[-1] if samples else None
            started = time.process_time()
            samples.append(sample.take_sample(plan, figure, depsgraph, at, before=before))
            took[row] += time.process_time() - started
        body = tasks.first_figure(plan, figure, samples[0])
        solved: list[Any] = []
        task = None
        for row, each in enumerate(samples):
            started = time.process_time()
            task = tasks.next_task(task, each) if task else tasks.make_task(plan, body, each)
            solved.append(frame.solve_task(task, solved[-1] if solved else None))
            pose.write_channels(figure, solved[-1].channels)
            took[row] += time.process_time() - started
        rounds.append(took)
        if number == 0:
            for at, one in zip(FRAMES, solved, strict=True):
                scene.frame_set(at)
                pose.write_channels(figure, one.channels)
                misses.append(_misses(figure, targets))
        for bone in figure.pose.bones:
            bone.matrix_basis.identity()
    return {"seconds": np.median(rounds, axis=0), "misses": np.array(misses)}


def addon_module(name: str) -> Any:
    """A module of the installed extension."""
    return importlib.import_module(f"{_package()}.{name}")


def _package() -> str:
    names = [addon.module for addon in bpy.context.preferences.addons]
    return next(name for name in names if name.rpartition(".")[2] == "articulate")


def _numbers(measured: dict[str, Any]) -> list[float]:
    seconds, misses = measured["seconds"], measured["misses"]
    return [
        1e3 * float(np.median(seconds)),
        1e3 * float(np.percentile(seconds, 95)),
        1e3 * float(misses.mean()),
        1e3 * float(misses.max()),
    ]


def _cells(measured: dict[str, Any]) -> list[str]:
    return [f"{number:.3f}" for number in _numbers(measured)]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # Blender 4.2 crashes and 4.5 hangs at exit while add-ons' handlers are registered
