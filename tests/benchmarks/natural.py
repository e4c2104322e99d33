# SPDX-License-Identifier: GPL-3.0-or-later
"""How far each part of a figure turns when an animator pulls at it; captured clips from sparse targets.

Options: `--only=hand` for the scenes and drags with that in their names; `--motion=folder`, or the
environment's ARTICULATE_MOTION, for BVH clips of people, which are baked and compared with the truth, beside
Blender's own IK: `--frames=120` of each (0 for all), `--clips=salsa` for those with that in their names.
"""

from __future__ import annotations

from blender import in_blender
from natural_clips import motion_folder


def run(arguments: list[str]) -> None:
    """Build the zip, and pose and bake in Blender; see the module."""
    clips = [one for one in arguments if one.startswith(("--frames=", "--clips="))]
    folder = motion_folder(arguments)
    in_blender("natural_scene.py", [one for one in arguments if one.startswith("--only=")])
    if folder is not None:
        in_blender("whole_clips_scene.py", [f"--motion={folder.resolve()}", *clips])
