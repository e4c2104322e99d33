# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything in the 3D view: the tool, its keys, the overlay and the gizmos."""

from __future__ import annotations

from . import gizmos, overlay, tool

CLASSES = (*tool.CLASSES, *gizmos.CLASSES)


def attach() -> None:
    """Register the tool, the keys and the draw handlers."""
    tool.attach()
    overlay.attach()


def detach() -> None:
    """Remove them."""
    overlay.detach()
    tool.detach()
