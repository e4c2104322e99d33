# SPDX-License-Identifier: GPL-3.0-or-later
"""Postures from a character's own actions: each action solved from what is learned of the others.

Options as of `natural_clips`. Hips are given in place and rotation, effectors by places or by poses.
"""

from __future__ import annotations

import motion_files
import natural_clips as clips
import numpy as np
import posture_solver
from timing import table

import ikmath as ik
from ikmath.postures.examples import Examples
from ikmath.postures.objective import PostureObjective
from ikmath.postures.stance import stance

_EVERY = 4  # frames of the other actions that are looked at, at about 30 a second


def run(arguments: list[str]) -> None:
    """Leave out one action after the other; see the module."""
    folder = clips.motion_folder(arguments)
    if folder is None:
        return
    options = dict(a.removeprefix("--").split("=") for a in arguments if a.startswith("--"))
    wanted, only = int(options.get("frames", 8)), options.get("only", "")
    people = {motion.name: motion for motion in clips.read(folder, "")}
    groups = {}
    for name, motion in people.items():
        groups.setdefault(name[:3], []).append(motion)
    for path in sorted(folder.glob("*.glb")):
        groups[path.stem] = motion_files.read_glb(path)
    rows = []
    for name, motions in groups.items():
        if only in name and len(motions) > 2:
            rows += group(name, motions, people, wanted)
    print(table(("figure", "targets", "posture", "alone %", "degrees", "solved %", "degrees"), rows))


def group(name, motions, people, wanted):
    """Rows of the table for one figure."""
    if motions[0].name in people:
        figure = clips.standing(motions[0], people)
    else:
        idle = next(motion for motion in motions if motion.name.endswith("Idle"))
        figure = clips.build(idle, idle.rotation[0], idle.position[0])
    poses = {}
    for motion in motions:
        step = max(int(_EVERY * motion.rate / 30), 1)
        poses[motion.name] = np.array(
            [figure.true_q(motion, f) for f in range(0, len(motion.rotation), step)]
        )
    still = stance(figure.skeleton, figure.map)
    cost = PostureObjective.of(figure.skeleton, still, figure=figure.map, tips=figure.tips)
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for motion in motions:
        own = np.concatenate([q for other, q in poses.items() if other != motion.name])
        frames = np.linspace(1, len(motion.rotation) - 1, wanted).astype(int)
        for setting in ("hips + 5 positions", "hips + 5 poses"):
            oriented = clips.SETTINGS[setting][1]
            effectors = figure.effectors
            examples = Examples(
                figure.skeleton,
                figure.map,
                own,
                effectors,
                figure.tips[effectors],
                [oriented] * len(effectors),
            )
            for frame in frames:
                truth = ik.Pose.forward(figure.skeleton, figure.true_q(motion, frame))
                body, points = figure.map.body, examples.points
                seen = examples.seen(
                    truth.rotation[body], truth.position[body], truth.points(points),
                    truth.rotation[points.joints],
                )  # fmt: skip
                for label, q0 in (("stance", still), ("examples", examples.posture(seen, still))):
                    posture = ik.Pose.forward(figure.skeleton, q0)
                    q, _, known = clips.solve_frame(
                        figure, cost.with_reference(posture), posture, truth, setting, posture_solver.solve
                    )
                    placed = q0.copy()
                    placed[figure.skeleton.columns(figure.skeleton.names[body])] = truth.q[
                        figure.skeleton.columns(figure.skeleton.names[body])
                    ]
                    both = (*clips.measure(figure, truth, placed, setting, known),)
                    found.setdefault((setting, label), []).append(
                        (*both, *clips.measure(figure, truth, q, setting, known))
                    )
    return [
        (name, setting, label, *(f"{value:.2f}" for value in np.mean(values, 0)))
        for (setting, label), values in found.items()
    ]
