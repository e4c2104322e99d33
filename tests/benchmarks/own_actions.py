# SPDX-License-Identifier: GPL-3.0-or-later
"""Postures from the own actions through the extension: each action solved from what the others show.

Files of `--motion=folder` or ARTICULATE_MOTION: `*.glb`, each a figure with its actions, and `*.bvh`, clips
that share a skeleton. Options: `--frames=8` of each action, `--only=Fox`, and `--kinds=thigh.L:hip` for bones
that are recognised wrongly.
"""

from __future__ import annotations

from blender import in_blender
from natural_clips import motion_folder


def run(arguments: list[str]) -> None:
    """Build the zip and solve in Blender; see the module."""
    folder = motion_folder(arguments)
    if folder is not None:
        others = [argument for argument in arguments if not argument.startswith("--motion=")]
        in_blender("own_actions_scene.py", [f"--motion={folder.resolve()}", *others])
