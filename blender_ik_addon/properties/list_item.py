# SPDX-License-Identifier: GPL-3.0-or-later
"""What the items of all lists have in common: each remembers its place on the list.

Data paths name an item by its index. See `bridge.item_animation`, which follows changes of the index.
"""

from bpy.props import IntProperty


class ListItem:
    """Base of the items."""

    __slots__ = ()

    remembered_index: IntProperty(
        name="Remembered Index",
        description="Index on the list, for animation to follow where it changes",
        default=-1,
        options={"HIDDEN"},
    )
