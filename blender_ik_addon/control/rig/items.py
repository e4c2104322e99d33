# SPDX-License-Identifier: GPL-3.0-or-later
"""Items of a rig's lists: free names, and removal. Those of an override's library are disabled instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ...bridge.item_animation import remove_items
from ...properties.refusal import Refused


def free_name(items: Any, *wanted: str) -> str:
    """The first of some names that no item of a list has, else the last one with a number."""
    taken = {item.name for item in items}
    numbered = (f"{wanted[-1]}.{number:03d}" for number in range(1, len(taken) + 2))
    return next(name for name in (*wanted, *numbered) if name not in taken)


def remove_or_switch_off(armature: bpy.types.Object, items: Any, indices: Sequence[int], what: str) -> str:
    """Remove items and their animation, or disable items that come from a library.

    Args:
        armature: the original object.
        items: one of its lists; indices: of the items to remove.
        what: name of the kind of item, for example "Effector".

    Returns:
        A sentence on the items that come from a library and were disabled instead; "" if there are none.

    Raises:
        Refused: all of them come from a library and are already disabled.
    """
    left = remove_items(armature, items, indices)
    on = [item for item in left if item.enabled]
    if left and len(left) == len(indices) and not on:
        raise Refused(
            f"{what} '{left[0].name}' comes from library '{library_name(armature)}' and is switched off"
            " already: remove it in that file"
        )
    for item in on:
        item.enabled = False
    if not on:
        return ""
    more, verb = (f" and {len(on) - 1} more", "are") if on[1:] else ("", "is")
    return f"'{on[0].name}'{more} of library '{library_name(armature)}' {verb} switched off, not removed"


def library_name(armature: bpy.types.Object) -> str:
    """Name of the library of an override."""
    override: Any = armature.override_library
    return override.reference.library.name
