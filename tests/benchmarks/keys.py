# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes with few keys, beside Blender's own Decimate."""

from __future__ import annotations

from blender import in_blender


def run(arguments: list[str]) -> None:
    """Build the zip and bake in Blender; `--only=human` for the clips with that in their names."""
    in_blender("keys_scene.py", arguments)
