# SPDX-License-Identifier: GPL-3.0-or-later
"""What all saved settings have in common: overrides may change them, and a change updates the armature.

A property without a label gets its own name as label, see `registration`.

A .blend file does not store properties with default values. So a rig stores its *Root* explicitly as soon as
anything else is set. A rig with effectors or settings but without a stored *Root* is from an older file, in
which the default was pinned.

A file stores only an override's differences from the library. If the library has no data of the add-on,
Blender 5.0 stores that everything differs, cannot read this back, and loses everything. So before saving, the
linked originals get the same groups with default values. Then only single properties differ, as in Blender
4.2 and 4.5. The library's file is not changed.
"""

from collections.abc import Iterable
from functools import partial
from inspect import get_annotations
from typing import Any, Literal

import bpy
from bpy import props

from .bone_names import all_armatures, remember

OLDER_ROOT = "PINNED"
OVERRIDE: set[Literal["LIBRARY_OVERRIDABLE"]] = {"LIBRARY_OVERRIDABLE"}

# Settings that no solve depends on, groups of settings, and lists with their active index.
Switch = partial(props.BoolProperty, override=OVERRIDE)
Number = partial(props.IntProperty, override=OVERRIDE)
Group = partial(props.PointerProperty, override=OVERRIDE)
List = partial(props.CollectionProperty, override={*OVERRIDE, "USE_INSERTION"})
Index = partial(props.IntProperty, default=0, min=0, override=OVERRIDE)
# Results of a solve or a bake, which only these write, and other texts that are not shown.
Text = partial(props.StringProperty, options={"HIDDEN"})
Measured = partial(props.FloatProperty, options={"HIDDEN"}, subtype="DISTANCE", precision=4)


def store_roots(armatures: Iterable[Any]) -> None:
    """Store the *Root* of all rigs with settings."""
    for armature in armatures:
        if armature.library is None and _lacks_root(armature):
            store_root(armature.articulate)


def store_root(rig: Any) -> None:
    """Store the present *Root*, if it is not stored yet."""
    if not rig.solver.is_property_set("root"):
        rig.solver.root = rig.solver.root


def pin_older_roots(armatures: Iterable[Any]) -> None:
    """Pin the roots of rigs from older files; for linked ones only in memory."""
    for armature in armatures:
        if _lacks_root(armature):
            armature.articulate.solver.root = OLDER_ROOT


def _lacks_root(armature: Any) -> bool:
    """Whether a rig has settings but no stored *Root*."""
    if not armature.is_property_set("articulate"):  # reading the settings would create them
        return False
    rig = armature.articulate
    solver = rig.solver
    if solver.is_property_set("root"):
        return False
    stored = (name for name, one in declared(type(solver)).items() if "update" in one.keywords)
    return len(rig.effectors) > 0 or any(map(solver.is_property_set, stored))


def declared(group: type) -> dict[str, Any]:
    """Name and declaration of all annotations of a class, those of its bases first.

    In Python 3.14, a class has no own `__annotations__` until they are first read.
    """
    found: dict[str, Any] = {}
    for owner in reversed(group.__mro__):
        found.update(get_annotations(owner))
    return found


def prepare_overrides() -> None:
    """Prepare the linked originals so that settings of overridden armatures are saved."""
    for thing in all_armatures():
        override = thing.override_library
        if override is None or override.reference is None:
            continue
        linked: Any = override.reference
        _match(thing, linked, "articulate")
        for bone in thing.pose.bones:
            original = linked.pose.bones.get(bone.name)
            if original is not None:
                _match(bone, original, "articulate")


def _match(own: Any, linked: Any, name: str) -> None:
    """Create a group on a linked owner if its override has that, and the groups within."""
    if own.is_property_set(name):
        group = getattr(linked, name)
        group.name = group.name  # writing a property creates the group
        _match_within(getattr(own, name), group)


def _match_within(own: Any, linked: Any) -> None:
    for described in own.bl_rna.properties:
        name = described.identifier
        if not described.is_runtime:
            continue  # rna_type
        if described.type == "POINTER" and isinstance(getattr(own, name), bpy.types.PropertyGroup):
            _match(own, linked, name)
        elif described.type == "COLLECTION":
            for mine, theirs in zip(getattr(own, name), getattr(linked, name), strict=False):
                _match_within(mine, theirs)


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


# Settings of a solve; their `update` may be replaced.
Bool = partial(props.BoolProperty, override=OVERRIDE, update=moved)
Enum = partial(props.EnumProperty, override=OVERRIDE, update=moved)
Float = partial(props.FloatProperty, override=OVERRIDE, update=moved)
FloatVector = partial(props.FloatVectorProperty, override=OVERRIDE, update=moved)
Int = partial(props.IntProperty, override=OVERRIDE, update=moved)
Pointer = partial(props.PointerProperty, override=OVERRIDE, update=moved)
String = partial(props.StringProperty, override=OVERRIDE, update=moved)

# Which of three axes count. Quantities: a length of zero or more, a share, a point along three axes, and a
# rotation.
Axes = partial(
    props.BoolVectorProperty, subtype="XYZ", size=3, default=(True,) * 3, override=OVERRIDE, update=moved
)
Length = partial(Float, min=0.0, subtype="DISTANCE", precision=4)
Share = partial(Float, min=0.0, max=1.0, subtype="FACTOR")
Point = partial(FloatVector, subtype="XYZ", size=3)
Quaternion = partial(FloatVector, subtype="QUATERNION", size=4, default=(1.0, 0.0, 0.0, 0.0))


class ListItem:
    """Base of all list items: each one stores its index in the list.

    Data paths name an item by its index. `bridge.item_animation` updates them after changes of the index.
    """

    __slots__ = ()

    remembered_index: props.IntProperty(
        description="Former index in the list, to update animation when it changes",
        default=-1,
        options={"HIDDEN"},
    )
