# SPDX-License-Identifier: GPL-3.0-or-later
"""Unkeyed values: animated properties that were set by hand and that a frame change would reset.

An operation that steps through the frames restores all of these when it fails, not only those of the
armature: a target that was moved by hand, a camera, the strength of a light.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import bpy

from .fingerprint import keyed_curves

_LAST: Final = re.compile(r'(?P<holder>.*?)(?:\.?(?P<name>\w+)|\["(?P<key>(?:[^"\\]|\\.)*)"\])$', re.DOTALL)

_Value = Any  # a number, a name, or a tuple of numbers


class ByHand:
    """The present values of all properties in the file that an action or an NLA strip animates.

    Plain data; the owners are looked up again.
    """

    def __init__(self) -> None:
        self._values = {thing.session_uid: _values(thing) for thing in _animated()}

    def give_back(self) -> None:
        """Restore the values that have changed."""
        for thing in _animated():
            held = self._values.get(thing.session_uid, {})
            lost = {path: value for path, value in held.items() if _value(thing, path) != value}
            for path, value in lost.items():
                _set(thing, path, value)
            if lost:
                thing.update_tag()  # a custom property does not tag its owner, but drivers may read it


def _animated() -> Iterator[Any]:
    """All data-blocks with animation, including embedded ones."""
    every: Any = bpy.data
    for described in every.bl_rna.properties:
        if described.type != "COLLECTION":
            continue
        for thing in getattr(every, described.identifier):
            for own in (thing, getattr(thing, "node_tree", None)):
                if getattr(own, "animation_data", None) is not None and own.is_editable:
                    yield own


def _values(thing: Any) -> dict[str, _Value]:
    paths = dict.fromkeys(curve.data_path for curve in keyed_curves(thing))
    found = ((path, _value(thing, path)) for path in paths)
    return {path: value for path, value in found if value is not None}


def _value(thing: Any, path: str) -> _Value | None:
    """The value of a property; None if it does not exist."""
    try:
        value = thing.path_resolve(path)
    except ValueError:
        return None
    return value if isinstance(value, (bool, int, float, str)) else tuple(value)


def _set(thing: Any, path: str, value: _Value) -> None:
    found = _LAST.match(path)
    if found is None:
        return
    holder = thing.path_resolve(found["holder"]) if found["holder"] else thing
    if found["key"] is not None:
        holder[bpy.utils.unescape_identifier(found["key"])] = value
    elif not holder.is_property_readonly(found["name"]):
        setattr(holder, found["name"], value)
