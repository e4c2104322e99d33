# SPDX-License-Identifier: GPL-3.0-or-later
"""What all saved settings have in common: overrides may change them, and a change updates the armature."""

from functools import partial
from typing import Any, Literal

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from .bone_names import remember
from .older_files import store_root

OVERRIDE: set[Literal["LIBRARY_OVERRIDABLE"]] = {"LIBRARY_OVERRIDABLE"}


def moved(owner: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Tag the armature after a change, so that live solving notices it, and clear the old message."""
    armature: Any = owner.id_data
    armature.update_tag()
    forget_message(armature)
    if armature.library is None:
        store_root(armature.articulate)


def forget_message(armature: Any) -> None:
    """Clear the message on the last solve, which no longer applies; live solving writes a new one."""
    rig = armature.articulate
    if rig.message and not rig.live and armature.library is None:
        rig.message = ""


def named(owner: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Store the name of a referenced bone, and tag the armature."""
    remember(owner.id_data)
    moved(owner, context)


def reshaped(owner: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Count a change of thickness or mass, which the overlay could not distinguish from a motion."""
    moved(owner, context)
    manager: Any = context.window_manager
    manager.articulate.flesh_changes += 1


# Settings that no solve depends on, groups of settings, and lists with their active index.
Switch = partial(BoolProperty, override=OVERRIDE)
Number = partial(IntProperty, override=OVERRIDE)
Group = partial(PointerProperty, override=OVERRIDE)
List = partial(CollectionProperty, override={*OVERRIDE, "USE_INSERTION"})
Index = partial(IntProperty, default=0, min=0, override=OVERRIDE)

# Settings of a solve; their `update` may be replaced.
Bool = partial(BoolProperty, override=OVERRIDE, update=moved)
BoolVector = partial(BoolVectorProperty, override=OVERRIDE, update=moved)
Enum = partial(EnumProperty, override=OVERRIDE, update=moved)
Float = partial(FloatProperty, override=OVERRIDE, update=moved)
FloatVector = partial(FloatVectorProperty, override=OVERRIDE, update=moved)
Int = partial(IntProperty, override=OVERRIDE, update=moved)
Pointer = partial(PointerProperty, override=OVERRIDE, update=moved)
String = partial(StringProperty, override=OVERRIDE, update=moved)


class ListItem:
    """Base of all list items: each one stores its index in the list.

    Data paths name an item by its index. `bridge.item_animation` updates them after changes of the index.
    """

    __slots__ = ()

    remembered_index: IntProperty(
        name="Remembered Index",
        description="Former index in the list, to update animation when it changes",
        default=-1,
        options={"HIDDEN"},
    )
