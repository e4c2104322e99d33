# SPDX-License-Identifier: GPL-3.0-or-later
"""Prevents two copies of the add-on, installed and in development, from being enabled together.

Both would use `Object.articulate` and the same operator names.
"""

from typing import Any

import bpy

NAME = "articulate"
"""Name of the pointers to the add-on's data."""


def registered_by(owner: type = bpy.types.Object) -> str:
    """The package whose data a Blender type points to under `NAME`, "" if there is none."""
    if not hasattr(owner, NAME):
        return ""
    described: Any = owner.bl_rna.properties[NAME]  # type: ignore[attr-defined]
    group: Any = None
    if described.type == "POINTER":
        group = bpy.types.PropertyGroup.bl_rna_get_subclass_py(described.fixed_type.identifier)
    return getattr(group, "__module__", "another add-on").partition(".properties")[0]


def is_ours(owner: type = bpy.types.Object) -> bool:
    """Whether this copy owns the data there."""
    return registered_by(owner) == __package__


def require_alone() -> None:
    """Refuse if another copy is enabled, before anything is imported or registered.

    Raises:
        ImportError: with the name of this package, so that Blender shows it without a traceback.
    """
    other = registered_by()
    if other and not is_ours():
        raise ImportError(
            f"Articulate is enabled already: '{other}' has its data at Object.{NAME}; disable or remove that"
            " copy to use this one",
            name=__package__,
        )
