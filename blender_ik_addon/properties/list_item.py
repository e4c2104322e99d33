# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of all list items: each one stores its index in the list.

Data paths name an item by its index. `bridge.item_animation` updates them after changes of the index.
"""

from bpy.props import IntProperty


class ListItem:
    """Base of the items."""

    __slots__ = ()

    remembered_index: IntProperty(
        name="Remembered Index",
        description="Former index in the list, to update animation when it changes",
        default=-1,
        options={"HIDDEN"},
    )
