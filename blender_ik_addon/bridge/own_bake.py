# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an action comes from an earlier bake and is unchanged, so that the next bake may overwrite it.

A bake marks its action with a digest of its name and its bones' keys. An action that the user has renamed,
edited, locked, given a fake user or used elsewhere is not overwritten.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

import bpy

from .. import compat
from .curves import read_curve

_MARK: Final = "articulate_bake"
_COMPARED: Final = ("co", "handle_left", "handle_right", "interpolation", "easing")


def is_own_bake(owner: bpy.types.Object) -> bool:
    """Whether the action of an object comes from a bake and is unchanged."""
    action: Any = owner.animation_data.action if owner.animation_data else None
    if action is None or action.get(_MARK) is None:
        return False
    kept = action.use_fake_user or action.users > 1 or not action.is_editable
    return not kept and action[_MARK] == _digest(owner)


def read_mark(action: bpy.types.Action) -> str | None:
    """The mark of an action, None if it has none."""
    mark: Any = action.get(_MARK)
    return mark


def mark_bake(owner: bpy.types.Object) -> None:
    """Mark the present action of an object as made by a bake."""
    owner.animation_data.action[_MARK] = _digest(owner)


def put_mark(action: bpy.types.Action, mark: str | None) -> None:
    """Restore the mark of an action."""
    action.pop(_MARK, None)
    if mark is not None:
        action[_MARK] = mark


def _digest(owner: bpy.types.Object) -> str:
    found, bag = sha256(owner.animation_data.action.name.encode()), compat.find_bag(owner)
    curves = [c for c in bag.fcurves if c.data_path.startswith("pose.bones[")] if bag is not None else []
    for curve in sorted(curves, key=lambda curve: (curve.data_path, curve.array_index)):
        locked = curve.lock or (curve.group is not None and curve.group.lock)
        about = curve.data_path, curve.array_index, locked, curve.mute, len(curve.modifiers)
        found.update(repr(about).encode())
        keys = read_curve(curve)
        for name in _COMPARED:
            found.update(keys.stored[name].tobytes())
    return found.hexdigest()
