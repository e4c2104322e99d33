# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to happen when Blender loads a file or undoes: a bake that this cut off must not seem to go on."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from .properties.access import session_of


@persistent
def forget_bake(*_args: object) -> None:
    """After a load: no bake is running, whatever the window manager of the old file said."""
    session = session_of(bpy.context)
    session.baking, session.progress = False, 0.0


_HANDLERS = ((bpy.app.handlers.load_post, forget_bake),)

CLASSES: tuple[type, ...] = ()


def attach() -> None:
    """Add the handlers."""
    for handlers, function in _HANDLERS:
        handlers.append(function)


def detach() -> None:
    """Remove the handlers."""
    for handlers, function in _HANDLERS:
        if function in handlers:
            handlers.remove(function)
