# SPDX-License-Identifier: GPL-3.0-or-later
"""Other solvers: each in an environment of its own, made on demand, fed and read through files.

Their damping was found by an earlier sweep over problems of the same kinds; each runs under the same rules:
whole steps (dt 1, gain 1), no velocity limits, stop at the tolerance, results clipped into the limits.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from judging import Result
from problems import Task

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Peer:
    """A solver.

    Attributes:
        name: of its script, `peers/run_NAME.py`; packages: for pip.
        variants: by problem's name, label -> settings.
    """

    name: str
    packages: tuple[str, ...]
    variants: dict[str, dict[str, dict[str, Any]]]

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return ROOT / ".venv" / f"peer-{self.name}" / "bin" / "python"

    def ensure(self) -> None:
        """Make the environment if it is not there."""
        stamp = self.python.parents[1] / "complete"
        if stamp.exists():
            return
        print(f"Installing {self.name} into .venv/peer-{self.name} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(self.python.parents[1])], check=True)
        pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *self.packages], check=True)
        stamp.touch()


def _pink(**more: Any) -> dict[str, dict[str, Any]]:
    return {f"Pink, {solver}": {"solver": solver, "damping": 1e-8, **more} for solver in ("quadprog", "daqp")}


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "pink",
            ("pin", "pin-pink", "qpsolvers[quadprog]", "daqp"),
            {
                "P1": _pink(lm=1.0),
                "P1far": _pink(lm=1.0),
                "P2": _pink(damping=1.0),
                "P2far": _pink(lm=10.0, damping=1e-3),
                "P2track": _pink(damping=1.0),
                "P3": _pink(damping=1e-3),
                "P4": _pink(damping=1.0),
            },
        ),
        Peer(
            "mink",
            ("mink", "mujoco", "daqp"),
            {
                "P1": {"mink": {"solver": "daqp", "lm": 1.0, "damping": 1e-8}},
                "P1far": {"mink": {"solver": "daqp", "lm": 1.0, "damping": 1e-8}},
                "P2": {"mink": {"solver": "daqp", "damping": 1.0}},
                "P2far": {"mink": {"solver": "daqp", "lm": 10.0, "damping": 1e-3}},
                "P2track": {"mink": {"solver": "daqp", "damping": 1.0}},
                "P3": {"mink": {"solver": "daqp", "damping": 1e-3}},
                "P4": {"mink": {"solver": "daqp", "damping": 1.0}},
            },
        ),
        Peer(
            "placo",
            ("placo",),
            {
                "P1": {"placo": {"damping": 1e-3}},
                "P1far": {"placo": {"damping": 1e-3}},
                "P2": {"placo": {"damping": 1.0}},
                "P2track": {"placo": {"damping": 1.0}},
                "P3": {"placo": {"damping": 1e-3}},
                "P4": {"placo": {"damping": 1.0}},
            },
        ),
        Peer("ikpy", ("ikpy",), {"P1": {"ikpy": {}}}),
    )
}


def results(peer: Peer, task: Task, tolerance: float, iterations: int, count: int) -> Iterator[Result]:
    """What a peer found for the first `count` targets, with each of its settings for this problem."""
    family = task.name.split()[0]
    for label, settings in peer.variants.get(family, {}).items():
        with tempfile.TemporaryDirectory(prefix="articulate-peer-") as name:
            directory = Path(name)
            arrays = {"places": task.places[:count]}
            if task.frames is not None:
                arrays["frames"] = task.frames[:count, 0]
            if task.obstacles is not None:
                arrays["obstacles"] = task.obstacles
            np.savez(directory / "targets.npz", **arrays)
            task.model.write(
                directory / "job.json",
                targets=str(directory / "targets.npz"),
                answer=str(directory / "answer.npz"),
                tolerance=tolerance * task.model.scale,
                angle=tolerance,
                iterations=iterations,
                track=task.track,
                settings=settings,
            )
            script = Path(__file__).parent / "peers" / f"run_{peer.name}.py"
            done = subprocess.run(
                [str(peer.python), str(script), str(directory / "job.json")], capture_output=True, text=True
            )
            if done.returncode:
                print(f"{label} failed on {task.name}: {done.stderr.strip().splitlines()[-1:]}")
                continue
            answer = np.load(directory / "answer.npz")
            yield Result(label, answer["q"], answer["seconds"], answer["iterations"])
