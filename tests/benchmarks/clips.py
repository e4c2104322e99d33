# SPDX-License-Identifier: GPL-3.0-or-later
"""Random smooth clips on Rigify's metarigs, baked: pops and errors."""

from __future__ import annotations

from blender import in_blender


def run(arguments: list[str]) -> None:
    """Build the zip and bake in Blender; `--clips=5` for so many of each rig and kind."""
    in_blender("clips_scene.py", arguments)
