# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the settings of library overrides when a file is saved and opened again.

A file stores only an override's differences from the library. If the library has no data of the add-on,
Blender 5.0 stores that everything differs, cannot read this back, and loses everything. So before saving, the
linked originals get the same groups with default values. Then only single properties differ, as in Blender
4.2 and 4.5. The library's file is not changed.
"""

from __future__ import annotations

from typing import Any

import bpy

from .bone_names import all_armatures


def prepare_overrides() -> None:
    """Prepare the linked originals so that settings of overridden armatures are saved."""
    for thing in all_armatures():
        override = thing.override_library
        if override is None or override.reference is None:
            continue
        linked: Any = override.reference
        _match(thing, linked)
        for bone in thing.pose.bones:
            original = linked.pose.bones.get(bone.name)
            if original is not None:
                _match(bone, original)


def _match(own: Any, linked: Any) -> None:
    """Create the groups on a linked owner that its override has, recursively."""
    if not own.is_property_set("articulate"):
        return
    _make(linked.articulate)
    _match_within(own.articulate, linked.articulate)


def _match_within(own: Any, linked: Any) -> None:
    for described in own.bl_rna.properties:
        name = described.identifier
        if not described.is_runtime:
            continue  # rna_type
        if described.type == "POINTER" and isinstance(getattr(own, name), bpy.types.PropertyGroup):
            if own.is_property_set(name):
                _make(getattr(linked, name))
                _match_within(getattr(own, name), getattr(linked, name))
        elif described.type == "COLLECTION":
            for mine, theirs in zip(getattr(own, name), getattr(linked, name), strict=False):
                _match_within(mine, theirs)


def _make(group: Any) -> None:
    group.name = group.name  # writing a property creates the group
