# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the versions of Blender differ, from 4.2 to 5.2: the only file with version checks.

What can be asked of an object itself ("has it slots?") is asked so, because that stays right in versions that
do not exist yet.
"""

from __future__ import annotations

from typing import Any, Final

import bpy

# 4.5 gave points a shader of their own; the plain one draws none there on some drivers.
POINT_SHADER: Final = "POINT_FLAT_COLOR" if bpy.app.version >= (4, 5, 0) else "FLAT_COLOR"

# Since 5.0 numpy reads a matrix of `mathutils` as it reads an array of its own.
MATRICES_ARE_BUFFERS: Final = bpy.app.version >= (5, 0, 0)

# For a click, sticks were half as wide as drawn; since 4.4 they are as wide.
PICK_STICK: Final = 1.0 if bpy.app.version >= (4, 4, 0) else 0.5


def bone_selected(bone: bpy.types.PoseBone) -> bool:
    """Whether a bone is selected in pose mode; 5.0 moved this from the bone to the pose bone."""
    owner: Any = bone if hasattr(bone, "select") else bone.bone
    return bool(owner.select)


def select_bone(bone: bpy.types.PoseBone, select: bool = True) -> None:
    """Select or deselect a bone in pose mode."""
    owner: Any = bone if hasattr(bone, "select") else bone.bone
    owner.select = select


def snaps_to_grid(settings: bpy.types.ToolSettings) -> bool:
    """Whether increments are places of the world; 4.3 made this an element of its own."""
    absolute = getattr(settings, "use_snap_grid_absolute", False) and "INCREMENT" in settings.snap_elements
    return absolute or "GRID" in settings.snap_elements


# ------------------------------------------------------------------------------------------------ actions
# Up to 4.3 an action holds F-curves and groups itself. Since 4.4 it holds slots, layers and strips, and a
# "channel bag" for each slot holds F-curves and groups. An old action quacks like a bag, so callers only ever
# see bags.

Action = Any
"""An action of any version: the types of one version lack what the others have."""


def has_slots(action: Action) -> bool:
    """Whether actions of this Blender are layered."""
    return hasattr(action, "slots")


def _first_strip(action: Action) -> Any | None:
    """Where Blender itself keys a layered action; None if it has no layer or no strip."""
    return action.layers[0].strips[0] if action.layers and action.layers[0].strips else None


def assigned_slot(owner: bpy.types.Object) -> str:
    """Identifier of the slot of its action that animates an object, "" if there is none."""
    return played_slot(owner.animation_data)


def assign_action(owner: bpy.types.Object, action: Action | None, slot: str = "") -> None:
    """Let an action animate an object; see `play`.

    Args:
        owner: with animation data.
        action: None takes the present one off.
        slot: identifier of the slot.
    """
    play(owner.animation_data, action, slot)


def play(player: Any, action: Action | None, slot: str = "") -> None:
    """Let animation data or an NLA strip play an action.

    Args:
        player: the animation data or the strip.
        action: None takes the present one off.
        slot: identifier of the slot; "" for none, whatever Blender would choose: a slot of somebody else
            would move the owner by curves that were made for them.
    """
    player.action = action
    if action is not None and has_slots(action):
        player.action_slot = action.slots.get(slot)


def played_slot(player: Any) -> str:
    """Identifier of the slot that animation data or an NLA strip plays of its action, "" if it plays none."""
    slot = getattr(player, "action_slot", None)
    return slot.identifier if slot else ""


def played_bag(player: Any) -> Any | None:
    """What holds the F-curves that animation data or an NLA strip plays, None if nothing does yet."""
    action: Action = player.action if player else None
    if action is None or not has_slots(action):
        return action
    strip, slot = _first_strip(action), player.action_slot
    return strip.channelbag(slot) if strip is not None and slot is not None else None


def slot_bags(action: Action, slot: str) -> list[Any]:
    """Everything in an action that holds F-curves of a slot, in all its layers and strips.

    Args:
        action: an action.
        slot: identifier of the slot; without meaning up to 4.3.
    """
    if not has_slots(action):
        return [action]
    found = action.slots.get(slot)
    if found is None:
        return []
    bags = (strip.channelbag(found) for layer in action.layers for strip in layer.strips)
    return [bag for bag in bags if bag is not None]


def all_bags(action: Action) -> list[Any]:
    """Everything in an action that holds F-curves, of all slots."""
    if not has_slots(action):
        return [action]
    return [bag for slot in action.slots for bag in slot_bags(action, slot.identifier)]


def find_bag(owner: bpy.types.Object) -> Any | None:
    """What holds the F-curves that animate an object now, None if nothing does yet."""
    return played_bag(owner.animation_data)


def strip_curves(strip: bpy.types.NlaStrip) -> list[Any]:
    """The F-curves that an NLA strip plays, those of its own slot where actions have slots."""
    bag = played_bag(strip)
    return list(bag.fcurves) if bag is not None else []


def ensure_bag(owner: bpy.types.Object) -> Any:
    """What holds the F-curves that animate an object, made within its action where it is missing.

    Args:
        owner: with an action assigned.
    """
    data: Any = owner.animation_data
    action: Action = data.action
    if not has_slots(action):
        return action
    slot = data.action_slot
    if slot is None:
        slot = data.action_slot = action.slots.new(id_type=owner.id_type, name=owner.name)
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def structure(action: Action) -> tuple[set[str], int, int, set[str]]:
    """What an action has besides curves: slots, layers, strips of the first layer, slots that have a bag."""
    if not has_slots(action):
        return set(), 0, 0, set()
    strip, layers = _first_strip(action), action.layers
    bags = {s.identifier for s in action.slots if strip is not None and strip.channelbag(s) is not None}
    return {s.identifier for s in action.slots}, len(layers), len(layers[0].strips) if layers else 0, bags


def restore_structure(action: Action, before: tuple[set[str], int, int, set[str]]) -> None:
    """Remove what `ensure_bag` has made in an action since `before` was taken with `structure`."""
    if not has_slots(action):
        return
    slots, layer_count, strip_count, bags = before
    strip, layers = _first_strip(action), action.layers
    if strip is not None:
        for slot in [s for s in action.slots if s.identifier not in bags]:
            if (bag := strip.channelbag(slot)) is not None:
                strip.channelbags.remove(bag)
        if strip_count == 0:
            layers[0].strips.remove(strip)
    if layers and layer_count == 0:
        layers.remove(layers[0])
    for slot in [s for s in action.slots if s.identifier not in slots]:
        action.slots.remove(slot)


def new_curve(bag: Any, path: str, index: int, group: str) -> bpy.types.FCurve:
    """Add an F-curve to a bag, in the group of that name."""
    curve: bpy.types.FCurve = bag.fcurves.new(path, index=index)
    curve.group = bag.groups.get(group) or bag.groups.new(group)
    return curve
