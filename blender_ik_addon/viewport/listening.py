# SPDX-License-Identifier: GPL-3.0-or-later
"""Subscribes to changes of Blender's own properties: the active tool, the active object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.app.handlers import persistent


class Listener:
    """A subscription to changes of a property. Blender clears subscriptions when a file is loaded.

    Args:
        owner: type with the property; name: of the property; notify: called after a change.
    """

    def __init__(self, owner: type, name: str, notify: Callable[[], None]) -> None:
        key: Any = (owner, name)

        @persistent
        def listen(*_args: object) -> None:
            bpy.msgbus.clear_by_owner(self)
            bpy.msgbus.subscribe_rna(key=key, owner=self, args=(), notify=notify)

        self._listen = listen

    def attach(self) -> None:
        """Subscribe, again after each load."""
        bpy.app.handlers.load_post.append(self._listen)
        self._listen()

    def detach(self) -> None:
        """Unsubscribe."""
        bpy.msgbus.clear_by_owner(self)
        if self._listen in bpy.app.handlers.load_post:
            bpy.app.handlers.load_post.remove(self._listen)
