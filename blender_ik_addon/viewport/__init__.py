# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the 3D view itself: the tool, its keys, the overlay and the gizmos."""

from __future__ import annotations

from . import gizmos, hints, hover, keys, overlay, selection, tool

CLASSES = (*hover.CLASSES, *gizmos.CLASSES)


def attach() -> None:
    """Add the tool to the toolbar and the keys to the keymap; begin to draw."""
    tool.attach()
    selection.LISTENER.attach()
    keys.attach()
    overlay.attach()
    hints.attach()


def detach() -> None:
    """Take them out again."""
    hints.detach()
    overlay.detach()
    keys.detach()
    selection.LISTENER.detach()
    tool.detach()
