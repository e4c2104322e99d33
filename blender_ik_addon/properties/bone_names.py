# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates the add-on's references to renamed bones, like Blender does for its own constraints.

Blender does not report the old name of a renamed bone. So each referenced bone stores its own name in a
property, which persists through renaming, undo and files. If it differs, the bone was renamed. Only armatures
of this file are checked, because bones of linked ones are renamed in their own file.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import bpy


def remember(armature: Any) -> None:
    """Store the names of all bones that an armature's rig refers to."""
    for owner, group, attribute in _mentions(armature):
        if not _is_own(owner):
            continue
        bone = owner.pose.bones.get(getattr(group, attribute))
        if bone is not None and not _remembered(bone):
            bone.articulate.remembered_name = bone.name


def follow_renamed(armatures: Iterable[Any]) -> None:
    """Update all references in the file to renamed bones of some armatures."""
    for armature in armatures:
        renamed = _renamed(armature)
        if renamed:
            for other in all_armatures():
                _rename(other, armature, renamed)


def all_armatures() -> list[Any]:
    """The armature objects of the file."""
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]


def _renamed(armature: Any) -> dict[str, str]:
    """Old names -> new names of renamed bones; also stores the new names."""
    if not _is_own(armature):
        return {}
    known = [(bone, was) for bone in armature.pose.bones if (was := _remembered(bone))]
    kept = {was for bone, was in known if bone.name == was}
    found: dict[str, str] = {}
    for bone, was in known:
        if bone.name == was:
            continue
        bone.articulate.remembered_name = bone.name
        if was not in kept:  # otherwise it is a copy of that bone
            found.setdefault(was, bone.name)
    return found


def _rename(other: Any, armature: Any, renamed: dict[str, str]) -> None:
    """Update an armature's rig for renamed bones of `armature`."""
    if other.library is not None:
        return
    for effector in other.articulate.effectors if other == armature else ():
        name = renamed.get(effector.name)
        if effector.name == effector.bone and name and name not in other.articulate.effectors:
            effector.name = name  # it is named after its bone
    for owner, group, attribute in [*_mentions(other)]:
        name = renamed.get(getattr(group, attribute))
        if owner == armature and name:
            setattr(group, attribute, name)


def _mentions(armature: Any) -> Iterator[tuple[Any, Any, str]]:
    """All references of a rig to bones: the bone's armature, the group, the attribute."""
    rig = armature.articulate
    for effector in rig.effectors:
        for attribute in ("bone", "second_bone", "chain_root"):
            yield armature, effector, attribute
        if effector.target is not None and effector.target.type == "ARMATURE":
            yield effector.target, effector, "subtarget"
    for link in rig.body.links:
        yield armature, link, "name"
    for pair in rig.body.pairs:
        yield armature, pair, "a"
        yield armature, pair, "b"


def _is_own(armature: Any) -> bool:
    """Whether an armature and its bones belong to this file."""
    data = armature.data
    own = armature.library is None and armature.override_library is None and armature.pose is not None
    return own and data.library is None and data.override_library is None


def _remembered(bone: Any) -> str:
    """The stored name of a bone, "" if there is none. Reading its settings would create them."""
    return bone.articulate.remembered_name if bone.is_property_set("articulate") else ""
