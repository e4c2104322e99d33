# SPDX-License-Identifier: GPL-3.0-or-later
"""Hearing of what the user changes in Blender itself: another tool, another active object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.app.handlers import persistent


class Listener:
    """Who hears of changes of one of Blender's properties; Blender forgets who listens when it loads a file.

    Args:
        owner: type that has the property; name: of it; notify: what to do after a change.
    """

    def __init__(self, owner: type, name: str, notify: Callable[[], None]) -> None:
        key: Any = (owner, name)

        @persistent
        def listen(*_args: object) -> None:
            bpy.msgbus.clear_by_owner(self)
            bpy.msgbus.subscribe_rna(key=key, owner=self, args=(), notify=notify)

        self._listen = listen

    def attach(self) -> None:
        """Begin to listen."""
        bpy.app.handlers.load_post.append(self._listen)
        self._listen()

    def detach(self) -> None:
        """Stop listening."""
        bpy.msgbus.clear_by_owner(self)
        if self._listen in bpy.app.handlers.load_post:
            bpy.app.handlers.load_post.remove(self._listen)
