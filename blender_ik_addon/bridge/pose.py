# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes channels to the pose of an armature, and restores them on Esc.

All bones are written, not only the solved ones. In a render the original object still has the values of the
first frame, and tagging it makes the dependency graph read all of them.
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
    """Write the channels of all bones to the pose and tag the object, without an update.

    Args:
        armature_object: the original object.
        channels: of all bones, from `read_channels` or `Figure.channels`.
        present: the original object's channels, if known; unchanged arrays are not written.

    Raises:
        FigureFault: the number of bones differs from that of the channels; nothing is written.
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
    # `DATA` would also evaluate the armature's data, which takes half as long again.
    armature_object.update_tag(refresh={"OBJECT"})
