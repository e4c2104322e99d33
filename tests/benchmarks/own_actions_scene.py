# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves one action out: its frames are solved with the posture of the others, and compared with the truth.

The hips are given in place and rotation; head, hands and feet, or paws, by places or by poses. Errors are
those of the bones between the hips and these: of their heads in % of the figure, of their world rotations in
degrees, without what a target gives. Run by `own_actions.py`, with the path of the extension's zip.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from blender_scene import addon_module, install
from captured_rig import CapturedRig
from timing import table

SCALE = 0.01  # metres a unit of BVH files
POSTURES = {"rest": "POSE", "automatic": "AUTO", "other actions": "ACTIONS"}


def main(zip_path: Path, *options: str) -> None:
    """Solve all figures and print the tables."""
    told = dict(option.removeprefix("--").split("=", 1) for option in options)
    folder, only, count = Path(told["motion"]), told.get("only", ""), int(told.get("frames", 8))
    rows, costs = [], []
    installed = False
    for name, files in figures(folder):
        if only not in name:
            continue
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        if not installed:
            install(zip_path)
            installed = True
        rig, actions = load(files)
        if len(actions) < 3:
            continue
        for pair in filter(None, told.get("kinds", "").split(",")):
            bone, kind = pair.rsplit(":", 1)
            if bone in rig.pose.bones:
                rig.pose.bones[bone].articulate.kind = kind
        measured = Measured(rig)
        for kind in ("POSITION", "POSE"):
            for label, found in measured.leave_one_out(actions, kind, count).items():
                rows.append((name, kind.lower(), label, *(f"{value:.2f}" for value in found)))
        costs.append((name, f"{len(actions)}", *measured.costs()))
    print(f"\nBlender {bpy.app.version_string}, {count} frames of each action\n")
    print(table(("figure", "targets", "posture", "%", "degrees"), rows))
    print("\n" + table(("figure", "actions", "read ms", "fit ms", "a frame ms"), costs))


def figures(folder: Path) -> list[tuple[str, list[Path]]]:
    """Names of figures, each with its files."""
    found: dict[str, list[Path]] = {path.stem: [path] for path in sorted(folder.glob("*.glb"))}
    for path in sorted(folder.glob("*.bvh")):
        found.setdefault(path.stem.split("_")[0], []).append(path)
    return list(found.items())


def load(files: list[Path]) -> tuple[bpy.types.Object, list[bpy.types.Action]]:
    """The armature of files, without an action, and its actions."""
    for path in files:
        if path.suffix == ".glb":
            bpy.ops.import_scene.gltf(filepath=str(path))
        else:
            bpy.ops.import_anim.bvh(filepath=str(path), global_scale=SCALE, use_fps_scale=True)
    rigs = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    rig, actions = rigs[0], list(bpy.data.actions)
    for other in rigs[1:]:
        bpy.data.objects.remove(other)
    rig.animation_data.action = None
    for track in list(rig.animation_data.nla_tracks):
        rig.animation_data.nla_tracks.remove(track)
    for number, action in enumerate(actions):
        action.name, action.use_fake_user = f"take{number:03d}", True
    bpy.context.view_layer.objects.active = rig
    return rig, actions


class Measured:
    """One figure: what is asked of it, what came of it and what it cost."""

    def __init__(self, rig: bpy.types.Object) -> None:
        """Read the map and add the effectors."""
        self.rig, self.spent = rig, {"read": [], "fit": [], "posture": []}
        found = CapturedRig.of(rig)
        self.hips, self.ends, self.middle, self.size = found.hips, found.ends, found.middle, found.size
        self.between = [*self.middle, *self.ends]
        self._watch("control.frame.plan", "action_poses", "read")
        learned = addon_module("control.frame.posture").Learned
        self._time(learned, "posture", "posture")
        self._time(learned, "of", "fit")

    def _watch(self, module: str, name: str, spent: str) -> None:
        self._time(addon_module(module), name, spent)

    def _time(self, owner: Any, name: str, spent: str) -> None:
        """Note the processor time of each call of a function."""
        function = getattr(owner, name)

        def timed(*given: Any, **named: Any) -> Any:
            begun = time.process_time()
            found = function(*given, **named)
            self.spent[spent].append(1e3 * (time.process_time() - begun))
            return found

        setattr(owner, name, timed)

    def costs(self) -> list[str]:
        """Median milliseconds of reading, fitting and asking."""
        fits = [ms for ms in self.spent["fit"] if ms > 1.0]  # what is kept costs nothing
        columns = self.spent["read"], fits, self.spent["posture"]
        return [f"{np.median(column):.2f}" if column else "" for column in columns]

    def leave_one_out(
        self, actions: list[bpy.types.Action], kind: str, count: int
    ) -> dict[str, tuple[float, float]]:
        """By posture: mean error of places in % of the figure, and of rotations in degrees."""
        rig, scene = self.rig, bpy.context.scene
        bpy.ops.articulate.clear(delete_targets=True)
        bpy.ops.articulate.effector_add(bone=self.hips, kind="POSE")
        for bone in self.ends:
            bpy.ops.articulate.effector_add(bone=bone, kind=kind)
        rig.articulate.solver.root = "FREE"
        turning = self.middle if kind == "POSE" else self.between
        errors: dict[str, list[tuple[float, float]]] = {label: [] for label in POSTURES}
        for action in actions:
            others = ",".join(other.name for other in actions if other != action)
            rig.articulate.solver.posture_actions = others
            for frame in np.linspace(*action.frame_range, count + 2)[1:-1].astype(int).tolist():
                rig.animation_data.action = action
                if hasattr(action, "slots"):
                    rig.animation_data.action_slot = action.slots[0]
                scene.frame_set(frame)
                truth = self._matrices()
                for effector in rig.articulate.effectors:
                    bone = rig.pose.bones[effector.bone]
                    effector.target.matrix_world = (
                        rig.matrix_world @ bone.matrix @ _lift(bone.length)
                    ).normalized()
                rig.animation_data.action = None
                for label, source in POSTURES.items():
                    for bone in rig.pose.bones:
                        bone.matrix_basis.identity()
                    rig.articulate.solver.posture_from = source
                    bpy.context.view_layer.update()
                    bpy.ops.articulate.solve()
                    errors[label].append(self._off(truth, self._matrices(), turning))
        return {label: tuple(np.mean(found, 0).tolist()) for label, found in errors.items()}

    def _matrices(self) -> dict[str, np.ndarray]:
        bpy.context.view_layer.update()
        world = self.rig.matrix_world
        return {name: np.array(world @ self.rig.pose.bones[name].matrix) for name in self.between}

    def _off(self, truth: Any, found: Any, turning: list[str]) -> tuple[float, float]:
        scale = self.size * self.rig.matrix_world.median_scale
        off = [np.linalg.norm(truth[name][:3, 3] - found[name][:3, 3]) for name in self.middle]
        angles = [_angle(truth[name][:3, :3], found[name][:3, :3]) for name in turning]
        return 100.0 * float(np.mean(off)) / scale, float(np.degrees(np.mean(angles)))


def _lift(length: float) -> Any:
    from mathutils import Matrix

    return Matrix.Translation((0.0, length, 0.0))


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    """Between two rotations that may be scaled, radians."""
    turn = (a / np.linalg.norm(a, axis=0)).T @ (b / np.linalg.norm(b, axis=0))
    return float(np.arccos(np.clip((np.trace(turn) - 1.0) / 2.0, -1.0, 1.0)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
