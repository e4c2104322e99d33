# SPDX-License-Identifier: GPL-3.0-or-later
"""Library overrides: what is set up on a linked character has to be there when the shot is opened again.

A file keeps of an override what differs from the library. Where the library has nothing of the add-on at all,
because nobody used it there, Blender 5.0 notes that all of it differs. That it cannot read back: everything
is lost. Before saving, the linked originals are therefore given the same groups, with all at its default:
then what differs are single properties, as Blender 4.2 and 4.5 have it by themselves. In the library's file
nothing changes.
"""

from __future__ import annotations

from typing import Any

import bpy


def prepare_overrides() -> None:
    """Let a file that is saved now keep what is set up on overridden armatures."""
    for thing in bpy.data.objects:
        override = thing.override_library
        if thing.type != "ARMATURE" or override is None or override.reference is None:
            continue
        linked: Any = override.reference
        _match(thing, linked)
        for bone in thing.pose.bones:
            original = linked.pose.bones.get(bone.name)
            if original is not None:
                _match(bone, original)


def _match(own: Any, linked: Any) -> None:
    """Make the groups of a linked owner that its override has, and those within."""
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
    group.name = group.name  # a group is made when something in it is written
