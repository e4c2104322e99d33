# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that a person can set or press says what it does; so does every choice of a menu."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import installed
import pytest


def registered() -> Iterator[tuple[str, Any]]:
    """Name and RNA of every type of the extension that has properties."""
    for module in installed.module("registration").MODULES:
        for cls in getattr(module, "CLASSES", ()):
            if issubclass(cls, bpy.types.PropertyGroup | bpy.types.AddonPreferences):
                yield cls.__name__, cls.bl_rna
            elif issubclass(cls, bpy.types.Operator):
                group, name = cls.bl_idname.split(".")
                yield cls.bl_idname, getattr(getattr(bpy.ops, group), name).get_rna_type()


NAMES = [name for name, _ in registered()]


def rna(name: str) -> Any:
    """The RNA of a type as it is registered now: that of a former registration is freed memory."""
    return dict(registered())[name]


def own(name: str) -> list[Any]:
    """What the extension has declared; Blender's own are `name`, and settings of dialogs."""
    return [
        each
        for each in rna(name).properties
        if each.identifier not in {"rna_type", "name"} and each.is_runtime
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_choice_has_a_tooltip(name: str):
    silent = [
        f"{each.identifier}.{item.identifier}"
        for each in own(name)
        if each.type == "ENUM"
        for item in each.enum_items
        if not item.description
    ]
    assert not silent


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("articulate.")])
def test_every_button_has_a_tooltip(name: str):
    assert rna(name).description
    assert not [each.identifier for each in own(name) if not each.description]


def test_feet_are_not_translated_as_a_length():
    """Blender's Japanese, Chinese, Korean and Russian have "Feet" as the unit alone."""
    for name in ("hold", "unpinned"):
        described = rna("ArticulateSolver").properties[name]
        assert described.translation_context == bpy.app.translations.contexts.id_armature
