# SPDX-License-Identifier: GPL-3.0-or-later
"""What a redraw of the 3D view takes for the overlay; see `overlay_scene.py`."""

from __future__ import annotations

from blender import in_blender


def run(arguments: list[str]) -> None:
    """Build the zip and run the scene."""
    in_blender("overlay_scene.py", arguments)
