# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own inverse kinematics and ours on one figure, in one run.

Runs `blender_scene.py` in a process of its own: there the extension is installed from a fresh zip into a
throw-away profile, and `ikmath` comes from that zip and not from the source.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(arguments: list[str]) -> None:
    """Build the zip and run the scene."""
    in_blender("blender_scene.py", arguments)


def in_blender(script: str, arguments: list[str]) -> None:
    """Build the zip and run a script of this directory with it; prints what that printed.

    Args:
        script: its name; it gets the path of the zip, then the arguments.
        arguments: for the script.
    """
    from tooling import package

    built = package.build_zip(Path(sys.executable))
    with tempfile.TemporaryDirectory(prefix="articulate-bench-") as profile:
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        variables["BLENDER_USER_RESOURCES"] = profile
        command = [sys.executable, str(Path(__file__).with_name(script)), str(built), *arguments]
        done = subprocess.run(command, env=variables, cwd=profile, capture_output=True, text=True)
    print(done.stdout[done.stdout.find("\nBlender ") :] if "\nBlender " in done.stdout else done.stdout)
    if done.returncode:
        raise SystemExit(f"The measurement in Blender failed:\n{done.stderr}")
