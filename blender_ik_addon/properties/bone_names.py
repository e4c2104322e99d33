# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that are renamed: what names them here follows, as Blender's own constraints do.

Blender does not report the old name of a renamed bone. Therefore each bone that is named here stores its own
name in a property, which persists through renaming, undo and files. If it differs, the bone was renamed. Only
armatures of this file are checked: bones of linked ones are renamed in their own file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy


def remember(armature: Any) -> None:
    """Let the bones that the rig of an armature names know by which name."""
    for owner, group, attribute in _mentions(armature):
        if not _is_own(owner):
            continue
        bone = owner.pose.bones.get(getattr(group, attribute))
        if bone is not None and not _remembered(bone):
            bone.articulate.remembered_name = bone.name


def follow_renamed(armatures: Iterable[Any]) -> None:
    """Have everything in the file that names bones of these armatures name them as they are called by now."""
    for armature in armatures:
        renamed = _renamed(armature)
        if renamed:
            for other in all_armatures():
                _rename(other, armature, renamed)


def all_armatures() -> list[Any]:
    """The armature objects of the file."""
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]


def _renamed(armature: Any) -> dict[str, str]:
    """Names that bones had -> names that they have; from now on they remember these."""
    if not _is_own(armature):
        return {}
    known = [(bone, was) for bone in armature.pose.bones if (was := _remembered(bone))]
    kept = {was for bone, was in known if bone.name == was}
    found: dict[str, str] = {}
    for bone, was in known:
        if bone.name == was:
            continue
        bone.articulate.remembered_name = bone.name
        if was not in kept:  # else it is a copy of that bone
            found.setdefault(was, bone.name)
    return found


def _rename(other: Any, armature: Any, renamed: dict[str, str]) -> None:
    """Change what an armature's rig names of bones of one that is `armature`."""
    if other.library is not None:
        return
    for effector in other.articulate.effectors if other == armature else ():
        name = renamed.get(effector.name)
        if effector.name == effector.bone and name and name not in other.articulate.effectors:
            effector.name = name  # it is called after its bone
    for owner, group, attribute in [*_mentions(other)]:
        name = renamed.get(getattr(group, attribute))
        if owner == armature and name:
            setattr(group, attribute, name)


def _mentions(armature: Any) -> Iterator[tuple[Any, Any, str]]:
    """All places in which a rig names a bone: the armature that the bone is of, the group, the attribute."""
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
    """Whether an armature belongs to the file, with its bones."""
    data = armature.data
    own = armature.library is None and armature.override_library is None and armature.pose is not None
    return own and data.library is None and data.override_library is None


def _remembered(bone: Any) -> str:
    """The name by which a bone is known; "" if nobody names it. To look at its settings would make them."""
    return bone.articulate.remembered_name if bone.is_property_set("articulate") else ""
