# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties that a class declares in its annotations, before Blender registers it."""

from __future__ import annotations

from inspect import get_annotations
from typing import Any


def declared(group: type) -> dict[str, Any]:
    """Name and declaration of all annotations of a class, those of its bases first.

    In Python 3.14, a class has no own `__annotations__` until they are first read.
    """
    found: dict[str, Any] = {}
    for owner in reversed(group.__mro__):
        found.update(get_annotations(owner))
    return found
