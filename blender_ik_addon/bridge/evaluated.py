# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's dependency graph evaluates: which objects, what they depend on, and what has changed.

Blender does not know that an effector depends on its target. So it reports no cycle if a target depends on a
solved bone; such a target would move while the figure reaches for it. And a disabled target that nothing
visible needs has an evaluated copy that is not updated.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Self

import bpy

from .. import compat
from ..properties.access import holds, rig_of
from ..properties.obstacle import shown_by
from ..properties.refusal import Refused, absence
from .animation import bone_in_path

_ON_SURFACE: Final = frozenset({"VERTEX", "VERTEX_3"})
_SHAPES = (bpy.types.Object, bpy.types.Mesh, bpy.types.Armature)


def kept_up(thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph, what: str) -> bpy.types.Object:
    """The evaluated copy of an object; refused if Blender does not update it, see `is_kept_up`.

    `what` is the kind of object, for the message.
    """
    if not is_kept_up(thing, depsgraph):
        scene, who = depsgraph.scene, f"{what} '{thing.name}'"
        if not holds(scene.objects, thing.original):
            raise Refused(
                f"{who} is not in scene '{scene.name}' (deleted?); choose another, or link it there."
            )
        where, switch = ("renders", "Renders") if depsgraph.mode == "RENDER" else ("the scene", "Viewports")
        raise Refused(
            f"{who} is switched off in {where}, so Blender does not move it there; switch on its collection "
            f"and 'Show in {switch}'. The eye may hide it."
        )
    return thing.original.evaluated_get(depsgraph)


def is_kept_up(thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether a dependency graph, of the viewport or a render, has the present state of an object.

    It has that of visible objects (the eye in the outliner does not matter), of objects that visible ones
    depend on, and in renders of unanimated objects.
    """
    own = thing.original
    if not own.evaluated_get(depsgraph).is_evaluated:
        return False
    layer, renders = depsgraph.view_layer, depsgraph.mode == "RENDER"
    hidden = "hide_render" if renders else "hide_viewport"
    if is_shown(own, depsgraph) or _is_on(own, layer, hidden):
        return True
    if renders and _is_on(own, layer, "hide_viewport") and stands_still(own):
        return True
    users: Any = bpy.data.user_map(subset={own}, key_types={"OBJECT"}, value_types={"OBJECT"})[own]
    return any(_is_on(user, layer, hidden) and follows(user, own) for user in users if user != own)


def is_shown(thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an object is visible, in the viewport or the render of the depsgraph."""
    if not thing.evaluated_get(depsgraph).is_evaluated:
        return False
    layer = depsgraph.view_layer
    if depsgraph.mode == "RENDER":
        return _is_on(thing, layer, "hide_render")
    return thing.visible_get(view_layer=layer)


def _is_on(thing: bpy.types.Object, layer: bpy.types.ViewLayer, hidden: str) -> bool:
    """Whether neither an object nor its collections are disabled by a flag, for example "hide_viewport"."""
    return not getattr(thing, hidden) and _shows(layer.layer_collection, thing, hidden)


def _shows(layer: bpy.types.LayerCollection, thing: bpy.types.Object, hidden: str) -> bool:
    """Whether a collection of a view layer or one of its children shows an object."""
    if getattr(layer.collection, hidden):
        return False
    if not layer.exclude and holds(layer.collection.objects, thing):
        return True
    return any(_shows(child, thing, hidden) for child in layer.children)


def stands_still(thing: bpy.types.Object) -> bool:
    """Whether an object and its parents have no animation, no constraints, and no armature."""
    return not any(
        carrier.animation_data is not None or len(carrier.constraints) or carrier.type == "ARMATURE"
        for carrier in with_parents(thing)
    )


def with_parents(thing: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """An object, its parent, and so on up to the topmost one."""
    above: bpy.types.Object | None = thing
    while above is not None:
        yield above
        above = above.parent


@dataclass(frozen=True)
class _Link:
    """Something that can be followed: an object, one of its bones, or its surface."""

    thing: bpy.types.Object
    bone: str = ""
    surface: bool = False


def carrying_bone(
    target: bpy.types.Object, subtarget: str, armature: bpy.types.Object, solved: frozenset[str]
) -> str:
    """Name of the solved bone that a target, or its bone `subtarget`, depends on, "" if there is none."""
    for link in _reached([_Link(target, subtarget)]):
        if link.thing == armature and link.bone:
            bone = armature.data.bones.get(link.bone)
            if bone is not None and solved & {bone.name, *(above.name for above in bone.parent_recursive)}:
                return link.bone
        if link.surface and link.thing.find_armature() == armature:
            return next(iter(sorted(solved)))
    return ""


def follows(one: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Whether an object, one of its bones or its shape directly depends on another object in Blender.

    Targets of its effectors do not count, because Blender does not evaluate them.
    """
    if not any(other in each.targets for each in rig_of(one).effectors):
        return True
    links = [*_followed(_Link(one))]
    for bone in one.pose.bones if one.pose is not None else ():
        links += _constraining(bone.constraints)
    return any(link.thing == other for link in links)


def all_followed(armature: bpy.types.Object) -> set[bpy.types.Object]:
    """All objects that an armature, its targets and its obstacles depend on in any way, and these."""
    parts = [(armature, "")]
    for effector in rig_of(armature).enabled_effectors:
        bones = {effector.target: effector.subtarget}
        parts += [(armature, effector.bone), *((thing, bones.get(thing, "")) for thing in effector.targets)]
    todo = [_Link(thing, bone) for thing, bone in parts]
    for form in obstacle_objects(armature):
        todo += [_Link(form), *_forming(form)]
    return {link.thing for link in _reached(todo, forming=True)}


def obstacle_objects(armature: bpy.types.Object) -> list[bpy.types.Object]:
    """The objects of an armature's obstacles that are switched on, with those that they instance."""
    enabled = [obstacle for obstacle in rig_of(armature).obstacles if obstacle.enabled]
    return [each for obstacle in enabled for thing in obstacle.things for each in shown_by(thing)]


def absences(armature: bpy.types.Object) -> Iterator[Refused]:
    """What an armature depends on that Blender did not find in other files: a placeholder is in its place."""
    if not bpy.data.libraries:
        return
    rig = rig_of(armature)
    needed = [each.alternatives for each in rig.enabled_effectors]
    needed += [each.collection for each in rig.obstacles if each.enabled]
    for thing in all_followed(armature):
        actions = (player.action for player in compat.players(thing.animation_data))
        needed += [thing, thing.data, thing.instance_collection, *actions]
    yield from filter(None, map(absence, filter(None, needed)))


def _reached(links: Iterable[_Link], *, forming: bool = False) -> Iterator[_Link]:
    """All direct and indirect dependencies of some links, and these links.

    With `forming`, those of a surface include the links of its shape.
    """
    todo, seen = [*links], set[_Link]()
    while todo:
        link = todo.pop()
        if link not in seen:
            seen.add(link)
            yield link
            todo += _followed(link)
            if forming and link.surface:
                todo += _forming(link.thing)


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


@dataclass(frozen=True)
class Changes:
    """Full names of changed data; None if unknown, so that everything may have changed.

    Attributes:
        touched: names of all evaluated data; other objects are unchanged.
        reshaped: names of data whose geometry was evaluated; other surfaces are unchanged.
    """

    touched: frozenset[str] | None = frozenset()
    reshaped: frozenset[str] | None = frozenset()

    @classmethod
    def of(cls, depsgraph: bpy.types.Depsgraph | None) -> Self:
        """The changes that a handler receives; None for unknown changes, for example after an undo.

        If a scene or a collection has changed, anything may have changed: members of collections, visibility,
        parents.
        """
        if depsgraph is None:
            return cls(None, None)
        things = [(update.id.original, update.is_updated_geometry) for update in depsgraph.updates]
        every = {thing.name_full for thing, _ in things}
        known = bool(things) and all(isinstance(thing, _SHAPES) for thing, _ in things)
        reshaped = frozenset(thing.name_full for thing, geometry in things if geometry)
        return cls(frozenset(every) if known else None, reshaped)

    def then(self, later: Self) -> Self:
        """These changes combined with later ones."""
        pairs = (self.touched, later.touched), (self.reshaped, later.reshaped)
        return type(self)(*(None if a is None or b is None else a | b for a, b in pairs))


UNKNOWN: Final = Changes(None, None)
"""Anything may have changed."""
