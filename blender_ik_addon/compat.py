# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between Blender versions from 4.2 to 5.2; the only file with version checks.

Where possible, features of objects are tested instead of versions, because this also works in future
versions.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

import bpy

# 4.5 has a separate point shader; the plain one draws no points there on some drivers.
POINT_SHADER: Final = "POINT_FLAT_COLOR" if bpy.app.version >= (4, 5, 0) else "FLAT_COLOR"

# Until 4.3, the clickable width of sticks was half the drawn width.
PICK_STICK: Final = 1.0 if bpy.app.version >= (4, 4, 0) else 0.5

# The mouse wheel; until 4.2 there is only the icon of the middle button.
WHEEL_ICON: Final[Any] = "MOUSE_MMB_SCROLL" if bpy.app.version >= (4, 3, 0) else "MOUSE_MMB"


def bone_selected(bone: bpy.types.PoseBone) -> bool:
    """Whether a bone is selected in Pose Mode; 5.0 moved this from the bone to the pose bone."""
    return bool((bone if hasattr(bone, "select") else bone.bone).select)


def select_bone(bone: bpy.types.PoseBone, select: bool = True) -> None:
    """Select or deselect a bone in Pose Mode."""
    (bone if hasattr(bone, "select") else bone.bone).select = select


def snaps_to_grid(settings: bpy.types.ToolSettings) -> bool:
    """Whether increments are absolute positions; 4.3 made this a separate snap element."""
    absolute = getattr(settings, "use_snap_grid_absolute", False) and "INCREMENT" in settings.snap_elements
    return absolute or "GRID" in settings.snap_elements


# ------------------------------------------------------------------------------------------------ actions
# Up to 4.3 an action contains F-curves and groups. From 4.4 on it contains slots, layers and strips, and a
# "channel bag" per slot contains F-curves and groups. An old action has the interface of a bag, so callers
# only use bags.

Action = Any
"""An action of any version; the types of one version lack members of the others."""


def has_slots(action: Action) -> bool:
    """Whether this Blender's actions are layered."""
    return hasattr(action, "slots")


def play(player: Any, action: Action | None, slot: str = "") -> None:
    """Assign an action to animation data or an NLA strip; None removes the present one.

    The slot is given by its identifier, "" for none. Blender's own choice is overridden, because another
    owner's slot would move this one with curves that are not for it.
    """
    player.action = action
    if action is not None and has_slots(action):
        player.action_slot = action.slots.get(slot)


def played_slot(player: Any) -> str:
    """Identifier of the slot that animation data or an NLA strip plays, "" if it plays none."""
    slot = getattr(player, "action_slot", None)
    return slot.identifier if slot else ""


def played_bag(player: Any) -> Any | None:
    """The bag of F-curves that animation data or an NLA strip plays, None if there is none."""
    action: Action = player.action if player else None
    return next(iter(slot_bags(action, played_slot(player))), None) if action is not None else None


def slot_bags(action: Action, slot: str) -> list[Any]:
    """All bags of F-curves of a slot in an action, in all layers and strips. Up to 4.3 there are no slots."""
    if not has_slots(action):
        return [action]
    found = action.slots.get(slot)
    if found is None:
        return []
    bags = (strip.channelbag(found) for layer in action.layers for strip in layer.strips)
    return [bag for bag in bags if bag is not None]


def all_bags(action: Action) -> list[Any]:
    """All bags of F-curves in an action, of all slots."""
    if not has_slots(action):
        return [action]
    return [bag for slot in action.slots for bag in slot_bags(action, slot.identifier)]


def find_bag(owner: bpy.types.Object) -> Any | None:
    """The bag of F-curves that animate an object, None if there is none."""
    return played_bag(owner.animation_data)


def played_curves(player: Any) -> Any:
    """The F-curves that animation data or an NLA strip plays; with slots, those of its own slot."""
    bag = played_bag(player)
    return bag.fcurves if bag is not None else ()


def nla_strips(data: Any) -> Iterator[Any]:
    """The NLA strips of animation data, which may be None; those in meta strips, too."""
    waiting = [strip for track in data.nla_tracks for strip in track.strips] if data is not None else []
    while waiting:
        strip = waiting.pop(0)
        waiting += strip.strips
        yield strip


def players(data: Any) -> Iterator[Any]:
    """Everything that plays an action for the owner of animation data: the data itself, and NLA strips."""
    if data is not None:
        yield from (player for player in (data, *nla_strips(data)) if player.action is not None)


def ensure_bag(owner: bpy.types.Object, undo: ExitStack | None = None) -> Any:
    """The bag of F-curves that animate an object; created in its assigned action if missing.

    `undo` gets the calls that remove what is created.
    """
    data: Any = owner.animation_data
    action: Action = data.action
    if not has_slots(action):
        return action
    undo, slot = undo or ExitStack(), data.action_slot
    if slot is None:
        slot = data.action_slot = action.slots.new(id_type=owner.id_type, name=owner.name)
        undo.callback(action.slots.remove, slot)
    if not action.layers:
        undo.callback(action.layers.remove, action.layers.new("Layer"))
    layer = action.layers[0]
    if not layer.strips:
        undo.callback(layer.strips.remove, layer.strips.new(type="KEYFRAME"))
    strip = layer.strips[0]
    bag = strip.channelbag(slot)
    if bag is None:
        bag = strip.channelbags.new(slot)
        undo.callback(strip.channelbags.remove, bag)
    return bag


def new_curve(bag: Any, path: str, index: int, group: str, undo: ExitStack | None = None) -> Any:
    """Add an F-curve to a bag, in the group with a name; `undo` as for `ensure_bag`."""
    undo, curve = undo or ExitStack(), bag.fcurves.new(path, index=index)
    undo.callback(bag.fcurves.remove, curve)
    own = bag.groups.get(group)
    if own is None:
        own = bag.groups.new(group)
        undo.callback(bag.groups.remove, own)
    curve.group = own
    return curve
