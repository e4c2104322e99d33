# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything in the 3D view: the tool, its keys, the overlay and the gizmos."""

from __future__ import annotations

from . import gizmos, hover, keys, listening, overlay, tool

CLASSES = (*hover.CLASSES, *gizmos.CLASSES)


def attach() -> None:
    """Register the tool, the keys and the draw handlers."""
    tool.attach()
    listening.attach()
    keys.attach()
    overlay.attach()


def detach() -> None:
    """Remove them."""
    overlay.detach()
    keys.detach()
    listening.detach()
    tool.detach()
