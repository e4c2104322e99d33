# SPDX-License-Identifier: GPL-3.0-or-later
"""Data paths with which animation names a bone's properties on its armature object."""

from __future__ import annotations

import re
from typing import Final

import bpy

_BONE: Final = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.?(.*)', re.DOTALL)


def bone_path(bone: str, channel: str) -> str:
    """Data path of a bone's property."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{channel}'


def bone_in_path(path: str) -> tuple[str, str]:
    """The bone that a data path names, and the rest of the path; both "" if it names none."""
    found = _BONE.match(path)
    return (bpy.utils.unescape_identifier(found[1]), found[2]) if found else ("", "")
