# SPDX-License-Identifier: GPL-3.0-or-later
"""How long an update of a drag takes that leads a hand round something; see `around_scene.py`."""

from __future__ import annotations

from blender import in_blender


def run(arguments: list[str]) -> None:
    """Build the zip and drag in Blender; `--scenes=6` for fewer, `--first=6` for others, `--draw=7` anew."""
    in_blender("around_scene.py", arguments)
