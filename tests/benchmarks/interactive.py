# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user waits for while posing: a live frame, an update of a drag; see `interactive_scene.py`."""

from __future__ import annotations

from blender import in_blender


def run(arguments: list[str]) -> None:
    """Build the zip and run the scene."""
    in_blender("interactive_scene.py", arguments)
