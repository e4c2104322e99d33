# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes channels into the pose of an armature, and restores them on Esc.

All bones are written, not only the solved ones, from the evaluated state. In a render the original object
still has the values of the first frame, and tagging one bone makes the dependency graph read all of them.
"""

from __future__ import annotations

import bpy
import numpy as np

from .armature import CHANNEL_WIDTHS, Channels, Floats, read_channels
from .faults import FigureFault

__all__ = ("read_channels", "write_channels")


def write_channels(
    armature_object: bpy.types.Object, channels: Channels, *, present: Channels | None = None
) -> None:
    """Put the channels of all bones into the pose and tag the dependency graph; no update is run.

    Args:
        armature_object: the original object.
        channels: all bones, as `read_channels` or `Figure.channels` gave them; written exactly as they are.
        present: what the original object holds, if that is known; saves writing it again.

    Raises:
        FigureFault: the armature has another number of bones than the channels; nothing is written.
    """
    pose = armature_object.pose.bones
    if len(pose) != len(channels.location):
        name = armature_object.name
        raise FigureFault(name, f"The bones of '{name}' have changed in the meantime; start again.")
    for name in CHANNEL_WIDTHS:
        values: Floats = getattr(channels, name)
        there = None if present is None else getattr(present, name)
        if there is None or (values is not there and values.tobytes() != there.tobytes()):
            pose.foreach_set(name, np.ascontiguousarray(values, dtype=np.float32).ravel())
    # `DATA` would have the armature's data evaluated again too, which takes half as long again.
    armature_object.update_tag(refresh={"OBJECT"})
