# SPDX-License-Identifier: GPL-3.0-or-later
"""List items with their animation: F-curves, drivers and their readers follow an item when its index changes.

Blender's data paths name an item by its index, and the interface finds the keys of a property by this path
only. Paths by name would not be shown as keyed, so the paths must follow the index.

Each item stores its index (`properties.saved.ListItem`), and the rig stores the number of items. Their
difference from the present list shows where each item has moved, whether by an operator, a script or the
library of an override. `follow` applies it to:

- the F-curves that the object plays, in its action and its NLA strips;
- those that it may play again: in actions that nothing plays now, such as the source of a bake;
- its drivers;
- driver variables of all data-blocks, and keying sets, that name an item of it.

An action that another data-block plays too, or that is linked, is copied before it is changed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

import bpy
import numpy as np

from .. import compat
from ..properties.access import rig_of
from ..properties.bone_names import all_armatures
from ..properties.refusal import Refused
from ..properties.rig import LISTS

_KEY: Final = re.compile(r'\[(?:(\d+)|"((?:[^"\\]|\\.)*)")\]')
"""How a path names an item: by its index or, in scripts, by its name."""


@dataclass(frozen=True)
class Moves:
    """Where the items of one list have moved.

    Attributes:
        prefix: data path of the list on the object.
        places: old index -> new index, None if the item was removed.
        names: of the present items.
    """

    prefix: str
    places: dict[int, int | None]
    names: frozenset[str]

    def new_path(self, path: str) -> str | None:
        """The new data path of one that begins with the prefix; None if its item was removed."""
        key = _KEY.match(path, len(self.prefix))
        if key is None:
            return path
        if key[1] is None:
            name = bpy.utils.unescape_identifier(key[2])
            return path if name in self.names or None not in self.places.values() else None
        place = self.places.get(int(key[1]), int(key[1]))
        return None if place is None else f"{self.prefix}[{place}]{path[key.end() :]}"


def follow(armature: bpy.types.Object) -> None:
    """Update the animation of an armature's lists to the present indices of their items."""
    if armature.library is not None or not armature.is_property_set("articulate"):
        return
    rig = rig_of(armature)
    sizes, moves = list(rig.list_sizes), list[Moves]()
    for number, name in enumerate(LISTS):
        items = attrgetter(name)(rig)
        before = np.empty(len(items), dtype=np.intc)
        items.foreach_get("remembered_index", before)
        places = _places(before.tolist(), sizes[number])
        if any(was != place for was, place in places.items()):
            moves.append(Moves(f"articulate.{name}", places, frozenset(items.keys())))
        for now in np.flatnonzero(before != np.arange(len(items))).tolist():
            items[now].remembered_index = now  # `foreach_set` does nothing on an override
        if len(items) != max(sizes[number], 0):
            sizes[number] = len(items)
    if sizes != list(rig.list_sizes):
        rig.list_sizes = sizes
    if moves:
        _move(armature, moves)


def remove_items(owner: Any, name: str, indices: Iterable[int]) -> list[Any]:
    """Remove items of a list of a rig or body with their animation; returns those of a library that stay."""
    armature, items, active = owner.id_data, getattr(owner, name), f"active_{name.removesuffix('s')}"
    follow(armature)
    kept = []
    for index in sorted(indices, reverse=True):
        try:
            items.remove(index)
        except TypeError:  # there is no other way to detect that an item comes from the library
            if armature.override_library is None:
                raise
            kept.append(index)
    follow(armature)
    setattr(owner, active, max(0, min(getattr(owner, active), len(items) - 1)))
    # items of a library come before those of the override, so their indices have not changed
    return [items[index] for index in reversed(kept)]


def _places(before: Sequence[int], size: int) -> dict[int, int | None]:
    """Old index -> new index of a list's items; empty if the indices were never stored.

    `before` has the stored indices in the present order, -1 for a new item; `size` is their old number.
    """
    if size < 0:
        return {}
    places: dict[int, int | None] = dict.fromkeys(range(size))
    for now in reversed(range(len(before))):
        if before[now] >= 0:
            places[before[now]] = now  # of two copies of an item the first one counts
    return places


def _move(armature: bpy.types.Object, moves: Sequence[Moves]) -> None:
    def new_path(path: str) -> str | None:
        return next((each.new_path(path) for each in moves if path.startswith(each.prefix)), path)

    data: Any = armature.animation_data
    tweaking = data is not None and data.use_tweak_mode
    if tweaking:
        data.use_tweak_mode = False  # it hides an action and prevents changing it
    _move_curves(armature, new_path)
    if data is not None:
        _rename(data.drivers, new_path, data.drivers)
    if tweaking:
        data.use_tweak_mode = True
    readers = bpy.data.user_map(subset={armature})[armature]
    for reader in {armature, *readers}:
        _move_readers(reader, armature, new_path)


def _rename(some: Iterable[Any], new_path: Callable[[str], str | None], every: Any) -> None:
    """Set new data paths of some of all curves or drivers; remove those whose item was removed."""
    for each in list(some):
        path = new_path(each.data_path)
        if path is None:
            every.remove(each)
        elif path != each.data_path:
            each.data_path = path


# ------------------------------------------------------------------------------------------ F-curves


def _move_curves(armature: bpy.types.Object, new_path: Callable[[str], str | None]) -> None:
    """Update the curves that the armature plays, and those that nothing plays but that it may play again."""
    players = list(compat.players(armature.animation_data))
    played = dict.fromkeys((player.action, compat.played_slot(player)) for player in players)
    for action, slot in dict.fromkeys([*played, *_playable(armature)]):
        bags = compat.slot_bags(action, slot)
        if all(new_path(curve.data_path) == curve.data_path for bag in bags for curve in bag.fcurves):
            continue
        if not action.is_editable and armature.override_library is not None:
            continue  # an action of the library uses the library's indices
        if not action.is_editable or _is_shared(armature, action, slot):
            if (action, slot) not in played:
                continue
            mine = action.copy()
            for player in players:
                if player.action == action:
                    compat.play(player, mine, compat.played_slot(player))
            bags = compat.slot_bags(mine, slot)
        for bag in bags:
            _rename(bag.fcurves, new_path, bag.fcurves)


def _playable(armature: bpy.types.Object) -> Iterator[tuple[bpy.types.Action, str]]:
    """The actions of this file with the slots that Blender would assign to the armature."""
    identifiers = {f"OB{armature.name}", getattr(armature.animation_data, "last_slot_identifier", "")}
    # without slots, an action does not say for which object it was made
    only_one = [one for one in all_armatures() if one.is_property_set("articulate")] == [armature]
    for action in (each for each in bpy.data.actions if each.is_editable):
        if compat.has_slots(action):
            slots = sorted(slot.identifier for slot in action.slots if slot.identifier in identifiers)
        else:
            slots = [""] if only_one else []
        yield from ((action, slot) for slot in slots)


def _is_shared(armature: bpy.types.Object, action: bpy.types.Action, slot: str) -> bool:
    """Whether another data-block plays the same curves."""
    users = (user for user in bpy.data.user_map(subset={action})[action] if user != armature)
    players = (one for user in users for one in compat.players(getattr(user, "animation_data", None)))
    return any(player.action == action and compat.played_slot(player) == slot for player in players)


# ------------------------------------------------------------------------------------------- readers


def _move_readers(
    reader: bpy.types.ID, armature: bpy.types.Object, new_path: Callable[[str], str | None]
) -> None:
    """Update the driver variables and keying sets of a data-block that refer to an armature's items.

    A variable that refers to a removed item gets an empty path, and Blender marks its driver as invalid.
    """
    for part in (reader, getattr(reader, "node_tree", None)):
        data = getattr(part, "animation_data", None)
        for curve in data.drivers if data is not None else ():
            for variable in curve.driver.variables:
                for target in variable.targets:
                    if target.id == armature and new_path(target.data_path) != target.data_path:
                        target.data_path = new_path(target.data_path) or ""
    if isinstance(reader, bpy.types.Scene):
        for chosen in reader.keying_sets:
            own = [path for path in chosen.paths if path.id == armature]
            _rename(own, new_path, chosen.paths)


def free_name(items: Any, *wanted: str) -> str:
    """The first of some names that no item of a list has, else the last one with a number."""
    taken = {item.name for item in items}
    numbered = (f"{wanted[-1]}.{number:03d}" for number in range(1, len(taken) + 2))
    return next(name for name in (*wanted, *numbered) if name not in taken)


def remove_or_switch_off(owner: Any, name: str, indices: Sequence[int], what: str) -> str:
    """Remove items of a list with their animation, or disable those of a library; a sentence on these or "".

    A refusal uses `what`, for example "Effector".
    """
    left = remove_items(owner, name, indices)
    on = [item for item in left if item.enabled]
    if not left or (not on and len(left) < len(indices)):
        return ""
    library = library_name(owner.id_data)
    if not on:
        raise Refused(
            f"{what} '{left[0].name}' comes from library '{library}' and is switched off already: remove it"
            " in that file"
        )
    for item in on:
        item.enabled = False
    more, verb = (f" and {len(on) - 1} more", "are") if on[1:] else ("", "is")
    return f"'{on[0].name}'{more} of library '{library}' {verb} switched off, not removed"


def library_name(armature: bpy.types.Object) -> str:
    """Name of the library of an override."""
    return armature.override_library.reference.library.name
