# SPDX-License-Identifier: GPL-3.0-or-later
"""Captured clips baked from sparse targets, compared with the truth; Blender's own IK on the same targets.

Head, hands and feet, and where the table says so the hips, lead the figure through each clip; the rest of it
is chosen. Errors are those of the bones between the hips and these: of their heads in % of the figure, and of
world rotations in degrees, without what a target gives. Run by `natural.py`, with the path of the zip.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from blender_scene import install
from captured_rig import CapturedRig
from mathutils import Matrix
from standing import STANDS, how_upright
from timing import table

SCALE = 0.01  # metres a unit of BVH files
BARS = {
    "5 positions": (4.0, 33),
    "5 poses": (2.2, 14),
    "hips + 5 positions": (2.0, 23),
    "hips + 5 poses": (1.2, 11),
}
"""From a relaxed stance: middle bones in % of the figure, rotations in degrees."""
JUMP, CALM = 20.0, 10.0  # degrees that a bone turns in a frame, and that the real one turns at most then
BENT = 0.05  # sine of a bend from which its side is known
ITERATIONS = 100  # of Blender's solver
HEADS = ("targets", "by", "joints %", "degrees", "bar", "farthest %", "jumps %", "bent right %", "ms a frame")


def main(zip_path: Path, *options: str) -> None:
    """Bake all clips and print the table."""
    told = dict(option.removeprefix("--").split("=", 1) for option in options)
    only, count = told.get("clips", ""), int(told.get("frames", 120))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    install(zip_path)
    standing = standing_frames(sorted(Path(told["motion"]).glob("*.bvh")))
    clips = [path for path in standing if only in path.stem]
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for path in clips:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        clip = Clip(path, count, standing[path])
        for setting in BARS:
            for by, bake in {"Articulate": clip.bake, "Blender's IK": clip.bake_by_constraints}.items():
                found.setdefault((setting, by), []).append(clip.measured(setting, bake))
    print(f"\nBlender {bpy.app.version_string}, {len(clips)} clips of at most {count} frames\n")
    rows = []
    for (setting, by), values in found.items():
        joints, degrees, farthest, *others = np.array(values).T
        bar = "{:.1f} | {}".format(*BARS[setting]) if by == "Articulate" else ""
        means = [f"{np.mean(other):.1f}" for other in others]
        errors = f"{np.mean(joints):.2f}", f"{np.mean(degrees):.1f}", bar, f"{np.max(farthest):.2f}"
        rows.append((setting, by, *errors, *means))
    print(table(HEADS, rows))


class Clip:
    """A figure with its captured action, of which every frame is known.

    Args:
        path: of a BVH file; count: frames that are taken, from the first one on; 0 for all.
        standing: file and frame of the pose that becomes the rest pose; None to keep that of the file.
    """

    def __init__(self, path: Path, count: int, standing: tuple[Path, int] | None) -> None:
        self.rig = rig = _imported(path)
        first, last = (int(end) for end in rig.animation_data.action.frame_range)
        self.frames = range(first, min(first + count, last + 1) if count else last + 1)
        self.true = [self._matrices() for _ in self._shown()]
        self._stand(standing)
        found = CapturedRig.of(rig)
        self.hips, self.ends, self.between, self.limbs = found.hips, found.ends, found.middle, found.limbs
        self.carriers = [above.name for above in rig.pose.bones[self.hips].parent_recursive[::-1]]
        self.carriers.append(self.hips)
        self.size = found.size * rig.matrix_world.median_scale

    def _stand(self, standing: tuple[Path, int] | None) -> None:
        """Remove the action; where another pose than the file's stands better, make that the rest pose."""
        rig = self.rig
        rig.animation_data.action = None
        for bone in rig.pose.bones:
            bone.matrix_basis.identity()
        if standing is not None:
            path, frame = standing
            other = _imported(path)
            bpy.context.scene.frame_set(frame)
            for bone in rig.pose.bones:
                bone.matrix_basis = other.pose.bones[bone.name].matrix_basis
            bpy.data.objects.remove(other)
            bpy.context.view_layer.objects.active = rig
            bpy.ops.object.mode_set(mode="POSE")
            bpy.ops.pose.armature_apply()
            bpy.ops.object.mode_set(mode="OBJECT")

    def bake(self, bones: dict[str, str], targets: dict[str, bpy.types.Object]) -> None:
        """Bake by the extension; bones by name, each with the kind of its effector."""
        bpy.context.view_layer.objects.active = self.rig
        for bone, kind in bones.items():
            bpy.ops.articulate.effector_add(bone=bone, kind=kind, target=targets[bone].name)
        self.rig.articulate.solver.root = "FREE"
        bpy.ops.articulate.bake(frame_start=self.frames[0], frame_end=self.frames[-1])
        bpy.ops.articulate.clear()

    def bake_by_constraints(self, bones: dict[str, str], targets: dict[str, bpy.types.Object]) -> None:
        """Bake by constraints as an animator adds them; hips without a target stay as in the first frame."""
        pose, back = self.rig.pose, self.rig.matrix_world.inverted()
        bpy.context.scene.frame_set(self.frames[0])
        for bone in self.carriers:
            pose.bones[bone].matrix = back @ Matrix(self.true[0][bone])
            bpy.context.view_layer.update()
            if self.hips in bones:
                pose.bones[bone].constraints.new("COPY_TRANSFORMS").target = targets[f"{bone} head"]
        for bone in self.ends:
            own = pose.bones[bone].constraints.new("IK")
            own.target, own.iterations, own.use_rotation = targets[bone], ITERATIONS, bones[bone] == "POSE"
            own.chain_count = 1 + [above.name for above in pose.bones[bone].parent_recursive].index(self.hips)
        bpy.ops.nla.bake(
            frame_start=self.frames[0], frame_end=self.frames[-1], only_selected=False,
            visual_keying=True, clear_constraints=True, bake_types={"POSE"},
        )  # fmt: skip

    def measured(self, setting: str, bake: Any) -> tuple[float, ...]:
        """What came of a bake, in the order of the table."""
        rig, kind = self.rig, "POSE" if "poses" in setting else "POSITION"
        bones = {self.hips: "POSE"} if "hips" in setting else {}
        bones |= dict.fromkeys(self.ends, kind)
        for bone in rig.pose.bones:
            bone.matrix_basis.identity()
        targets = {bone: self._target(bone, rig.pose.bones[bone].length) for bone in bones}
        targets |= {f"{bone} head": self._target(bone, 0.0) for bone in self.carriers}
        rig.select_set(True)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="POSE")
        began = time.process_time()
        bake(bones, targets)
        spent = 1e3 * (time.process_time() - began) / len(self.frames)
        bpy.ops.object.mode_set(mode="OBJECT")
        solved = [self._matrices() for _ in self._shown()]
        rig.animation_data_clear()
        for target in targets.values():
            bpy.data.objects.remove(target)
        return (*self._errors(solved, bones), spent)

    def _errors(self, solved: list[dict[str, np.ndarray]], bones: dict[str, str]) -> tuple[float, ...]:
        """Joints, degrees, farthest effector, share of jumps and of limbs that bend as the real ones."""
        turning = [n for n in (*self.between, self.hips, *self.ends) if bones.get(n) != "POSE"]
        truth, found = _stacked(self.true), _stacked(solved)
        off = [np.linalg.norm(truth[n][:, :3, 3] - found[n][:, :3, 3], axis=1) for n in self.between]
        degrees = [_angles(truth[n], found[n]) for n in turning]
        lengths = {n: self.rig.pose.bones[n].length * self.rig.matrix_world.median_scale for n in bones}
        tips = [
            np.linalg.norm(
                (truth[n] - found[n])[:, :3, 3] + lengths[n] * (_y_axis(truth[n]) - _y_axis(found[n])), axis=1
            )
            for n in bones
        ]
        jumps = [
            (_angles(found[n][1:], found[n][:-1]) > JUMP) & (_angles(truth[n][1:], truth[n][:-1]) < CALM)
            for n in self.between
        ]
        right = [_same_side([truth[n] for n in limb], [found[n] for n in limb]) for limb in self.limbs]
        sides = np.concatenate(right)
        return (
            100.0 * float(np.mean(off)) / self.size,
            float(np.mean(degrees)),
            100.0 * float(np.max(tips)) / self.size,
            100.0 * float(np.any(jumps, axis=0).mean()),
            100.0 * float(sides.mean()) if len(sides) else 100.0,
        )

    def _target(self, bone: str, along: float) -> bpy.types.Object:
        """An Empty that is in every frame where a point of a bone really was."""
        target = bpy.data.objects.new(f"Target {bone} {along:.2g}", None)
        bpy.context.scene.collection.objects.link(target)
        target.rotation_mode = "QUATERNION"
        for frame, true in zip(self.frames, self.true, strict=True):
            target.matrix_world = (Matrix(true[bone]) @ Matrix.Translation((0.0, along, 0.0))).normalized()
            target.keyframe_insert("location", frame=frame)
            target.keyframe_insert("rotation_quaternion", frame=frame)
        return target

    def _shown(self) -> Any:
        for frame in self.frames:
            bpy.context.scene.frame_set(frame)
            yield frame

    def _matrices(self) -> dict[str, np.ndarray]:
        world = self.rig.matrix_world
        return {bone.name: np.array((world @ bone.matrix).normalized()) for bone in self.rig.pose.bones}


def standing_frames(paths: list[Path]) -> dict[Path, tuple[Path, int] | None]:
    """For each file, where its skeleton stands best in any of them; None where its rest pose stands."""
    from motion_files import read_bvh  # the library comes with the extension

    motions = {path: read_bvh(path) for path in paths}
    best: dict[tuple[str, ...], tuple[float, tuple[Path, int] | None]] = {}
    for path, motion in motions.items():
        rest = STANDS * float(how_upright(motion.rest[1], motion.parents))
        upright = how_upright(motion.position, motion.parents)
        frame, key = int(upright.argmax()), tuple(motion.joints)
        best.setdefault(key, (rest, None))
        if upright[frame] > best[key][0]:
            best[key] = float(upright[frame]), (path, frame + 1)
    return {path: best[tuple(motion.joints)][1] for path, motion in motions.items()}


def _imported(path: Path) -> bpy.types.Object:
    """The armature of a BVH file, whose frames are the scene's."""
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=SCALE, update_scene_fps=True)
    return bpy.context.object


def _stacked(frames: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """(F, 4, 4) matrices of each bone."""
    return {name: np.array([frame[name] for frame in frames]) for name in frames[0]}


def _y_axis(frames: np.ndarray) -> np.ndarray:
    return frames[:, :3, 1]


def _angles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(F,) degrees between rotations (F, 4, 4)."""
    cosine = 0.5 * (np.einsum("fij,fij->f", a[:, :3, :3], b[:, :3, :3]) - 1.0)
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _same_side(true: list[np.ndarray], found: list[np.ndarray]) -> np.ndarray:
    """Of the frames in which a real limb and the solved one are bent, whether both are to the same side.

    Args:
        true, found: (F, 4, 4) of the upper and the lower bone of the limb and what is at its end.
    """
    bends = [_bend(*limb) for limb in (true, found)]
    axes = [
        np.einsum("fij,fi->fj", upper[:, :3, :3], bend)
        for (upper, *_), bend in zip((true, found), bends, strict=True)
    ]
    known = np.min([np.linalg.norm(axis, axis=1) for axis in axes], axis=0) > BENT
    return np.einsum("fi,fi->f", *axes)[known] > 0.0


def _bend(upper: np.ndarray, lower: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(F, 3) sine of the bend about its axis."""
    first, second = (b[:, :3, 3] - a[:, :3, 3] for a, b in ((upper, lower), (lower, end)))
    return np.cross(*(way / np.linalg.norm(way, axis=1, keepdims=True) for way in (first, second)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
