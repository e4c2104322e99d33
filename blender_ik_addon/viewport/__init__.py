# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the 3D view itself: the tool and its keys."""

from __future__ import annotations

from . import keys, tool

CLASSES: tuple[type, ...] = ()


def attach() -> None:
    """Add the tool to the toolbar and the keys to the keymap."""
    tool.attach()
    keys.attach()


def detach() -> None:
    """Take them out again."""
    keys.detach()
    tool.detach()
