# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds targets that depend on a solved bone; such a target would move while the figure reaches for it.

A target can depend on a bone through parents, constraints, drivers or skinned meshes, over any number of
objects and bones. Blender reports no cycle, because the solve is not part of its dependency graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import bpy

from ..properties.access import rig_of
from .data_path import bone_in_path

_ON_SURFACE: Final = frozenset({"VERTEX", "VERTEX_3"})


@dataclass(frozen=True)
class _Link:
    """Something that can be followed: an object, one of its bones, or its surface."""

    thing: bpy.types.Object
    bone: str = ""
    surface: bool = False


def carrying_bone(
    target: bpy.types.Object, subtarget: str, armature: bpy.types.Object, solved: frozenset[str]
) -> str:
    """Name of the moving bone that a target depends on, "" if there is none.

    Args:
        target: the original object.
        subtarget: name of its bone, "" for the object itself.
        armature: the original armature object.
        solved: names of its solved bones.
    """
    todo, seen = [_Link(target, subtarget)], set[_Link]()
    while todo:
        link = todo.pop()
        if link in seen:
            continue
        seen.add(link)
        if link.thing == armature and link.bone:
            bone = armature.data.bones.get(link.bone)
            if bone is not None and solved & {bone.name, *(above.name for above in bone.parent_recursive)}:
                return link.bone
        if link.surface and link.thing.find_armature() == armature:
            return next(iter(sorted(solved)))
        todo += _followed(link)
    return ""


def follows(one: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Whether an object, one of its bones or its shape directly depends on another object in Blender.

    Targets of its effectors do not count, because Blender does not evaluate them.

    Args:
        one: an object that uses the other in some way.
        other: the object that it may depend on.
    """
    if not any(other in each.targets for each in rig_of(one).effectors):
        return True
    links = [*_followed(_Link(one))]
    for bone in one.pose.bones if one.pose is not None else ():
        links += _constraining(bone.constraints)
    return any(link.thing == other for link in links)


def all_followed(
    parts: Iterable[tuple[bpy.types.Object, str]], forms: Iterable[bpy.types.Object]
) -> set[bpy.types.Object]:
    """All objects that some objects depend on, directly or indirectly, including themselves.

    Args:
        parts: objects with the names of their bones, "" for the object itself; forms: objects whose shape
            also counts.
    """
    todo = [_Link(thing, bone) for thing, bone in parts]
    for form in forms:
        todo += [_Link(form), *_forming(form)]
    seen = set[_Link]()
    while todo:
        link = todo.pop()
        if link not in seen:
            seen.add(link)
            todo += _followed(link)
            if link.surface:
                todo += _forming(link.thing)
    return {link.thing for link in seen}


def _forming(thing: bpy.types.Object) -> Iterator[_Link]:
    """The links of an object's shape: the objects of its modifiers, for an armature with all bones."""
    for modifier in thing.modifiers:
        for name in ("object", "target"):
            other = getattr(modifier, name, None)
            if isinstance(other, bpy.types.Object):
                yield _Link(other)
                for bone in other.pose.bones if other.pose is not None else ():
                    yield from _constraining(bone.constraints)


def _followed(link: _Link) -> Iterator[_Link]:
    """The direct dependencies of a link."""
    thing = link.thing
    if thing.parent is not None:
        bone = thing.parent_bone if thing.parent_type == "BONE" else ""
        yield _Link(thing.parent, bone, thing.parent_type in _ON_SURFACE)
    yield from _constraining(thing.constraints)
    yield from _driving(thing, "")
    if not link.bone or thing.pose is None:
        return
    bone = thing.pose.bones.get(link.bone)
    for each in [bone, *bone.parent_recursive] if bone is not None else []:
        yield from _constraining(each.constraints)
        yield from _driving(thing, each.name)


def _constraining(constraints: Any) -> Iterator[_Link]:
    for constraint in constraints:
        if constraint.mute or constraint.influence <= 0.0:
            continue
        for holder in (constraint, *getattr(constraint, "targets", ())):
            followed = getattr(holder, "target", None)
            if followed is None:
                continue
            part = getattr(holder, "subtarget", "")
            if followed.type == "ARMATURE":
                yield _Link(followed, part)
            else:
                yield _Link(followed, "", bool(part) or constraint.type == "SHRINKWRAP")


def _driving(thing: bpy.types.Object, bone: str) -> Iterator[_Link]:
    """The drivers' inputs of an object (bone "") or of one of its bones."""
    data = thing.animation_data
    for curve in data.drivers if data else ():
        if curve.mute or bone_in_path(curve.data_path)[0] != bone:
            continue
        for variable in curve.driver.variables:
            for read in variable.targets:
                if isinstance(read.id, bpy.types.Object):
                    named = bone_in_path(read.data_path)[0] if variable.type == "SINGLE_PROP" else ""
                    yield _Link(read.id, named or read.bone_target)
