# SPDX-License-Identifier: GPL-3.0-or-later
"""Two copies of the add-on, an installed one and one in development, cannot be enabled at once.

Both have their data at `Object.articulate` and their operators under the same names.
"""

from typing import Any

import bpy

NAME = "articulate"
"""Of the pointers to the add-on's data."""


def registered_by(owner: type = bpy.types.Object) -> str:
    """The package whose data a type of Blender's points to under `NAME`, "" if there is none."""
    if not hasattr(owner, NAME):
        return ""
    described: Any = owner.bl_rna.properties[NAME]  # type: ignore[attr-defined]
    group: Any = None
    if described.type == "POINTER":
        group = bpy.types.PropertyGroup.bl_rna_get_subclass_py(described.fixed_type.identifier)
    return getattr(group, "__module__", "another add-on").partition(".properties")[0]


def is_ours(owner: type = bpy.types.Object) -> bool:
    """Whether it is this copy that has its data there."""
    return registered_by(owner) == __package__


def require_alone() -> None:
    """Stop before anything is imported or registered if another copy is enabled.

    Raises:
        ImportError: of this package, which Blender shows as a sentence without a traceback.
    """
    other = registered_by()
    if other and not is_ours():
        raise ImportError(
            f"Articulate is enabled already: '{other}' has its data at Object.{NAME}; disable or remove that"
            " copy to use this one",
            name=__package__,
        )
