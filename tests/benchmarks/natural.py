# SPDX-License-Identifier: GPL-3.0-or-later
"""How far each part of a figure turns when an animator pulls a hand, a paw, the hips; and how drags feel."""

from __future__ import annotations

from blender import in_blender


def run(arguments: list[str]) -> None:
    """Build the zip and pose in Blender; `--only=hand` for the scenes and drags with that in their names."""
    in_blender("natural_scene.py", arguments)
