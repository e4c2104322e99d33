# SPDX-License-Identifier: GPL-3.0-or-later
"""What all other solvers share: reading a job, writing the figure in a format they know, timing, the answer.

These scripts run in environments of their own, without ikmath: `python run_NAME.py JOB.json`. A job names a
figure (as `models.Model.write` tells it), a file with targets, the solver's settings and where the answer
goes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

import numpy as np  # noqa: E402

Solve = Callable[[np.ndarray, np.ndarray, "np.ndarray | None"], tuple[np.ndarray, int]]
"""(start (n,), places (E, 3), rotation (3, 3) or None) -> (coordinates (n,), iterations)."""


class Job:
    """One problem for one solver.

    Attributes:
        names, parents, offsets, axes, slides, lower, upper: of the joints, n each.
        effectors: (name, joint number, point); spheres: (joint number, centre, radius).
        start: (n,); places: (T, E, 3); frames: (T, 3, 3) or None; obstacles: (K, 4) or None.
        track: each target starts where the one before ended.
        tolerance: metres; angle: radians; iterations: at most.
        settings: the solver's own.
    """

    def __init__(self, path: str) -> None:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
        self.names, self.parents, offsets, axes, self.slides, lower, upper = zip(*told["joints"], strict=True)
        self.offsets, self.axes = np.array(offsets), np.array(axes)
        self.lower, self.upper = np.array(lower), np.array(upper)
        self.n = len(self.names)
        self.effectors, self.spheres = told["effectors"], told["spheres"]
        self.start = np.array(told["start"])
        self.tolerance, self.angle, self.iterations = told["tolerance"], told["angle"], told["iterations"]
        self.track, self.settings, self.answer = told["track"], told["settings"], told["answer"]
        targets = np.load(told["targets"])
        self.places = targets["places"]
        self.frames = targets.get("frames")
        self.obstacles = targets.get("obstacles")

    def run(self, solve: Solve) -> None:
        """Solve all targets, each timed alone (as `timing` does), and write the answer."""
        q, seconds, iterations = [], [], []
        start = self.start
        solve(start, self.places[0], None if self.frames is None else self.frames[0])  # not counted
        for number, places in enumerate(self.places):
            frame = None if self.frames is None else self.frames[number]
            began = time.thread_time()
            found, steps = solve(start, places, frame)
            seconds.append(time.thread_time() - began)
            q.append(found)
            iterations.append(steps)
            if self.track:
                start = found
        np.savez(self.answer, q=q, seconds=seconds, iterations=iterations)

    def urdf(self) -> str:
        """The figure as URDF, in joints' own names; effectors are fixed links "e_NAME"."""
        moments = 'ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"'
        mass = f'<inertial><mass value="0.01"/><inertia {moments}/></inertial>'
        solid: dict[int, str] = {-1: ""}
        for joint, centre, radius in self.spheres if self.obstacles is not None else ():
            solid[joint] = _collision(centre, radius)
        for row in () if self.obstacles is None else self.obstacles:
            solid[-1] += _collision(row[:3], row[3])
        parts = [f'<robot name="figure"><link name="base">{mass}{solid[-1]}</link>']
        for i, name in enumerate(self.names):
            parent = "base" if self.parents[i] < 0 else f"l_{self.names[self.parents[i]]}"
            kind = "prismatic" if self.slides[i] else "revolute"
            bounds = f'lower="{self.lower[i]:.15g}" upper="{self.upper[i]:.15g}"'
            parts.append(
                f'<link name="l_{name}">{mass}{solid.get(i, "")}</link><joint name="{name}" type="{kind}">'
                f'<parent link="{parent}"/><child link="l_{name}"/>'
                f'<origin xyz="{_row(self.offsets[i])}" rpy="0 0 0"/><axis xyz="{_row(self.axes[i])}"/>'
                f'<limit {bounds} effort="1e6" velocity="1e6"/></joint>'
            )
        for name, joint, point in self.effectors:
            parts.append(
                f'<link name="e_{name}">{mass}</link><joint name="f_{name}" type="fixed">'
                f'<parent link="l_{self.names[joint]}"/><child link="e_{name}"/>'
                f'<origin xyz="{_row(point)}" rpy="0 0 0"/></joint>'
            )
        return "".join([*parts, "</robot>"])

    def mjcf(self) -> str:
        """The figure as MuJoCo's XML; effectors are sites "e_NAME", spheres "s0".., obstacles "o0"..."""

        def body(i: int) -> str:
            kind = "slide" if self.slides[i] else "hinge"
            text = (
                f'<body name="l_{self.names[i]}" pos="{_row(self.offsets[i])}">'
                '<inertial pos="0 0 0" mass="0.01" diaginertia="1e-3 1e-3 1e-3"/>'
                f'<joint name="{self.names[i]}" type="{kind}" axis="{_row(self.axes[i])}" limited="true" '
                f'range="{self.lower[i]:.15g} {self.upper[i]:.15g}"/>'
            )
            for number, (joint, centre, radius) in enumerate(self.spheres):
                if joint == i and self.obstacles is not None:
                    text += (
                        f'<geom name="s{number}" type="sphere" size="{radius}" pos="{_row(centre)}" '
                        'contype="1" conaffinity="2"/>'
                    )
            for name, joint, point in self.effectors:
                if joint == i:
                    text += f'<site name="e_{name}" pos="{_row(point)}"/>'
            return text + "".join(body(k) for k in range(self.n) if self.parents[k] == i) + "</body>"

        stones = "".join(
            f'<geom name="o{k}" type="sphere" size="{row[3]}" pos="{_row(row[:3])}" '
            'contype="2" conaffinity="1"/>'
            for k, row in enumerate(() if self.obstacles is None else self.obstacles)
        )
        trunk = "".join(body(k) for k in range(self.n) if self.parents[k] < 0)
        return f'<mujoco><compiler angle="radian"/><worldbody>{stones}{trunk}</worldbody></mujoco>'


def turned(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two rotations, radians."""
    d = a.T @ b
    v = (d[2, 1] - d[1, 2], d[0, 2] - d[2, 0], d[1, 0] - d[0, 1])
    return float(np.arctan2(np.linalg.norm(v), np.trace(d) - 1.0))


def read() -> Job:
    """The job that the command line names."""
    return Job(sys.argv[1])


def _row(values: object) -> str:
    return " ".join(f"{float(v):.15g}" for v in values)  # type: ignore[attr-defined]


def _collision(centre: object, radius: float) -> str:
    return (
        f'<collision><origin xyz="{_row(centre)}" rpy="0 0 0"/>'
        f'<geometry><sphere radius="{float(radius):.15g}"/></geometry></collision>'
    )
