# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse targets on captured motion: how near the solved poses are to the real ones.

The clips are BVH files of people in `--motion=folder` or the environment's ARTICULATE_MOTION. Options:
`--frames=20` a clip (0 for all), `--only=salsa`, `--effort=even`, `--solver=hierarchical` for `ikmath.solve`
in place of the bench's own solver. Each frame is solved by itself from the posture carried to its targets.
The table also shows where the hips are off, and how many knees and elbows bend the wrong way.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import motion_files
import numpy as np
import posture_solver
from standing import STANDS, how_upright
from timing import table

import ikmath as ik
from ikmath import rotation
from ikmath.model.figure_map import FigureMap, Kind, map_figure, map_skeleton
from ikmath.postures.alignment import Correspondence, align, carried, moves_with_body
from ikmath.postures.objective import PostureObjective
from ikmath.postures.stance import stance
from ikmath.postures.support import unsupported

BARS = {
    "5 positions": (4.0, 33),
    "5 poses": (2.2, 14),
    "hips + 5 positions": (2.0, 23),
    "hips + 5 poses": (1.2, 11),
}
"""From a relaxed stance: middle joints in % of the figure, rotations in degrees."""
SETTINGS = {name: ("hips" in name, "poses" in name) for name in BARS}
BENT = np.radians(60.0)  # the bend that the extension's solves try, see `by_hierarchical`
_WRONG = 0.05  # sine of a bend from which it counts as the wrong way


@dataclass
class Figure:
    """A captured skeleton without fingers, face and bones for twist.

    Attributes:
        skeleton: whose rest pose is the standing frame; map: of it; tips: (J, 3).
    """

    skeleton: ik.Skeleton
    map: FigureMap
    tips: np.ndarray

    @property
    def effectors(self) -> list[int]:
        """Head, hands and feet, or paws."""
        ends = [limb.end if limb.end >= 0 else limb.joints[-1] for limb in self.map.limbs]
        return [*([self.map.head] if self.map.head >= 0 else []), *ends]

    def true_q(self, motion: motion_files.Motion, frame: int) -> np.ndarray:
        """Coordinates (n,) of a frame."""
        own_joints = [motion.joints.index(name) for name in self.skeleton.names]
        turned, there = motion.rotation[frame, own_joints], motion.position[frame, own_joints]
        q, parents = np.zeros(self.skeleton.n), self.skeleton.parents
        for j, parent in enumerate(parents.tolist()):
            rest = self.skeleton.rest_rotation[j]
            local = turned[parent].T @ turned[j] if parent >= 0 else turned[j]
            own = self.skeleton.columns(self.skeleton.names[j])
            q[own][-3:] = rotation.swing_twist_turns(rest.T @ local)
            if parent < 0:
                q[own][:3] = rest.T @ (there[j] - self.skeleton.rest_translation[j])
        return q


def build(motion: motion_files.Motion, turned: np.ndarray, there: np.ndarray) -> Figure:
    """The figure in a frame in which it stands, with a root that is free to move."""
    tails = there + np.einsum("jab,jb->ja", turned, motion.tips)
    found = map_figure(motion.parents, there, tails)
    kept: list[int] = []
    for j, kind in enumerate(found.kinds):
        way = [j]
        while motion.parents[way[-1]] >= 0:
            way.append(int(motion.parents[way[-1]]))
        if kind not in (Kind.OTHER, Kind.APPENDAGE, Kind.FINGER) and found.body in way:
            kept += [k for k in way[: way.index(found.body) + 1] if k not in kept]
    kept.sort()
    joints, tips = [], []
    for j in kept:
        parent = int(motion.parents[j]) if j != found.body else -1
        above = turned[parent] if parent >= 0 else np.eye(3)
        way = there[j] - (there[parent] if parent >= 0 else 0.0)
        joints.append(
            ik.Joint(
                motion.joints[j], motion.joints[parent] if parent >= 0 else None,
                rotation=above.T @ turned[j], translation=above.T @ way, slides="xyz" if parent < 0 else "",
            )
        )  # fmt: skip
        tips.append(motion.tips[j])
    skeleton = ik.Skeleton(joints)
    order = [skeleton.index(motion.joints[j]) for j in kept]
    ends = np.zeros((len(kept), 3))
    ends[order] = tips
    return Figure(skeleton, map_skeleton(skeleton, tips=ends), ends)


def postures(figure: Figure) -> dict[str, np.ndarray]:
    """The postures that are solved from."""
    straight = {"arms_down": 0.0, "elbows": 0.0, "knees": 0.0}
    return {
        "T-pose": stance(figure.skeleton, figure.map, **straight),
        "stance": stance(figure.skeleton, figure.map),
    }


def solve_frame(figure, cost, posture, truth, setting, solver):
    """Solve one frame; returns the pose (n,) and the largest error of its goals."""
    hips, oriented = SETTINGS[setting]
    found, size = figure.map, figure.map.size
    goals, pairs = [], []
    for j in [found.body, *figure.effectors] if hips else figure.effectors:
        offset = np.zeros(3) if j == found.body else figure.tips[j]
        turned = truth.rotation[j] if oriented or j == found.body else None
        goals.append((j, offset, truth.point(j, offset), turned))
        ahead = j in found.feet or found.kinds[j] == Kind.HEAD
        pairs.append(
            Correspondence(
                posture.point(j, offset),
                goals[-1][2],
                None if turned is None else posture.rotation[j],
                turned,
                offset,
                ahead=ahead,
                hips=j == found.body,
                with_body=moves_with_body(found.kinds[j], on_fours=found.on_fours),
            )
        )
    motion = align(pairs, found.forward, size)
    start = carried(figure.skeleton, posture.q, motion)
    limbs = posture_solver.hinges(found, ik.Pose.forward(figure.skeleton, figure.skeleton.rest))
    cost = cost.carried_by(motion).with_support(unsupported("The feet follow their targets."))
    return (*solver(cost, start, goals, size, limbs), [g[0] for g in goals])


def measure(figure, truth, q, setting, known):
    """Mean error of the joints that have no goal in % of the figure, and of free rotations in degrees."""
    hips, oriented = SETTINGS[setting]
    pose = ik.Pose.forward(figure.skeleton, q)
    free = [j for j in range(len(figure.skeleton)) if j not in known]
    turning = (
        free if oriented else [j for j in range(len(figure.skeleton)) if j != figure.map.body or not hips]
    )
    off = np.linalg.norm(pose.position[free] - truth.position[free], axis=-1).mean() / figure.map.size
    angle = rotation.angle(pose.rotation[turning].swapaxes(1, 2) @ truth.rotation[turning]).mean()
    return 100 * off, np.degrees(angle)


def read(folder: Path, only: str) -> list[motion_files.Motion]:
    """The people's clips."""
    return [motion_files.read_bvh(path) for path in sorted(folder.glob("*.bvh")) if only in path.stem]


def standing(motion: motion_files.Motion, everything: dict[str, motion_files.Motion]) -> Figure:
    """The figure of a clip, in its rest pose or standing as in the best frame of all clips alike."""
    turned, there = motion.rest
    best = STANDS * how_upright(there, motion.parents)
    for other in everything.values():
        if other.joints != motion.joints:
            continue
        upright = how_upright(other.position, other.parents)
        frame = int(upright.argmax())
        if upright[frame] > best:
            best, turned, there = upright[frame], other.rotation[frame], other.position[frame]
    return build(motion, turned, there)


def by_hierarchical(cost, q, goals, size, limbs=()):
    """As `posture_solver.solve`, by `ikmath.solve`.

    Knees and elbows have no limits there. From almost straight limbs a third of the knees would bend the
    wrong way, so the solve starts from bent ones. The extension has limits, and tries limbs bent as far.
    """
    figure = cost.skeleton
    q = bent(figure, q, limbs)
    asked = []
    for joint, offset, place, turned in goals:
        asked.append(ik.Position(figure.names[joint], place, offset))
        if turned is not None:
            asked.append(ik.Orientation(figure.names[joint], turned))
    answer = ik.solve(ik.Problem(figure, asked, posture=cost), q, "hierarchical", restarts=0)
    return answer.q, float(answer.errors.max())


def bent(figure, q, limbs):
    """Coordinates (n,) with limbs, see `posture_solver.hinges`, bent by at least `BENT`; both halves lean."""
    q = q.copy()
    for upper, lower, hinge, first, second in limbs:
        pose = ik.Pose.forward(figure, q)
        axis = pose.rotation[upper] @ hinge
        a, e = pose.rotation[upper] @ first, pose.rotation[lower] @ second
        more = max(BENT - np.arctan2(np.cross(a, e) @ axis, a @ e), 0.0)
        for joint, angle in ((upper, -0.5 * more), (lower, 0.5 * more)):
            parent = int(figure.parents[joint])
            above = ik.Pose.forward(figure, q).rotation[parent] @ figure.rest_rotation[joint]
            turned = above.T @ rotation.exp(angle * axis) @ pose.rotation[joint]
            q[figure.columns(figure.names[joint])] = rotation.swing_twist_turns(turned)
    return q


def off_hips(figure, truth, q, limbs):
    """Error of the hips ahead, aside and up in % of the figure, and the share of limbs bent the wrong way."""
    body, found = figure.map.body, figure.map
    rest = ik.Pose.forward(figure.skeleton, figure.skeleton.rest)
    ahead = truth.rotation[body] @ rest.rotation[body].T @ found.forward
    ahead = ahead - found.up * (ahead @ found.up)
    ahead /= np.linalg.norm(ahead)
    pose = ik.Pose.forward(figure.skeleton, q)
    axes = np.stack([ahead, np.cross(found.up, ahead), found.up])
    off = axes @ (pose.position[body] - truth.position[body])
    wrong = posture_solver.bend_sines(pose, limbs)[0] < -_WRONG
    return (*(100 * np.abs(off) / found.size), 100 * wrong.mean())


def motion_folder(arguments: list[str]) -> Path | None:
    """Where the clips are; says so if they are not there."""
    given = [a.removeprefix("--motion=") for a in arguments if a.startswith("--motion=")]
    name = given[0] if given else os.environ.get("ARTICULATE_MOTION", "")
    if not name or not Path(name).is_dir():
        print("No captured motion: give its folder with --motion=folder or ARTICULATE_MOTION.")
        return None
    return Path(name)


def run(arguments: list[str]) -> None:
    """Solve all settings on all clips; see the module."""
    folder = motion_folder(arguments)
    if folder is None:
        return
    options = dict(a.removeprefix("--").split("=") for a in arguments if a.startswith("--"))
    wanted, only = int(options.get("frames", 20)), options.get("only", "")
    variant = options.get("effort", "natural")
    solver = by_hierarchical if options.get("solver") == "hierarchical" else posture_solver.solve
    everything = {motion.name: motion for motion in read(folder, "")}
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    begun, count = time.perf_counter(), 0
    for name, motion in everything.items():
        if only not in name:
            continue
        figure = standing(motion, everything)
        limbs = posture_solver.hinges(figure.map, ik.Pose.forward(figure.skeleton, figure.skeleton.rest))
        frames = np.linspace(1, len(motion.rotation) - 1, wanted or len(motion.rotation)).astype(int)
        for label, q0 in postures(figure).items():
            cost = PostureObjective.of(
                figure.skeleton, q0, figure=figure.map, tips=figure.tips, effort=variant
            )
            posture = ik.Pose.forward(figure.skeleton, q0)
            for frame in frames:
                truth = ik.Pose.forward(figure.skeleton, figure.true_q(motion, frame))
                for setting in SETTINGS:
                    q, miss, known = solve_frame(figure, cost, posture, truth, setting, solver)
                    rows.setdefault((setting, label), []).append(
                        (
                            *measure(figure, truth, q, setting, known),
                            miss,
                            *off_hips(figure, truth, q, limbs),
                        )
                    )
                    count += 1
    print(f"\n{count} frames solved, {1e3 * (time.perf_counter() - begun) / max(count, 1):.0f} ms each")
    shown = []
    for setting, bar in BARS.items():
        for label in ("T-pose", "stance"):
            values = np.array(rows.get((setting, label), [(0.0,) * 7]))
            bars = f"{bar[0]:.1f} | {bar[1]}" if label == "stance" else ""
            reached = f"{100 * (values[:, 2] < 1e-4).mean():.0f}"
            joints, degrees, _, *hips, wrong = values.mean(0)
            where = " ".join(f"{part:.1f}" for part in hips)
            row = (setting, label, f"{joints:.2f}", f"{degrees:.1f}", bars, where, f"{wrong:.0f}", reached)
            shown.append(row)
    heads = ("joints %", "degrees", "bar", "hips ahead, aside, up %", "bent wrong %", "reached %")
    print(table(("targets", "posture", *heads), shown))
