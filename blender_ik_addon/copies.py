# SPDX-License-Identifier: GPL-3.0-or-later
"""One copy of the add-on at a time, with the library that it came with.

Two copies, installed and in development, would use the same `Object.articulate` and operator names.
"""

import sys
from importlib import metadata
from typing import Any

import bpy

NAME = "articulate"
"""Name of the pointers to the add-on's data."""

_LIBRARY = "ikmath"


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


def forget_if_replaced() -> None:
    """Remove the library from memory if the version on disk differs; the next import loads that one.

    An update in a running Blender replaces the files of `ikmath`, but not the modules in Python's memory.
    Without this, the new extension would call the old library until Blender is restarted.
    """
    loaded = sys.modules.get(_LIBRARY)
    if loaded is None:
        return
    try:
        on_disk = metadata.version(_LIBRARY)
    except metadata.PackageNotFoundError:  # running from the source tree, not installed
        return
    if on_disk != loaded.__version__:
        for name in [name for name in sys.modules if name.partition(".")[0] == _LIBRARY]:
            del sys.modules[name]
