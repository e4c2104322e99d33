# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles, the figure's capsules, and results of collision avoidance. Saved with the armature object.

An obstacle is an object, or all objects of a collection. Instances count, too: Empties that instance a
collection, as in many sets, and instances from particles, geometry nodes, faces and vertices.
"""

from collections.abc import Iterator

import bpy

from . import saved
from .menus import AVOIDANCE, DEFAULT_AVOIDANCE, ArticulateAvoidanceParameters
from .saved import ListItem
from .session import reshaped

MODES = (
    (
        "SOLID",
        "Solid",
        "A closed mesh with an inside. An open mesh counts as two-sided",
        "MESH_CUBE",
        0,
    ),
    (
        "ONE_SIDED",
        "One-Sided",
        "An open surface such as a ground. The figure stays in front of it",
        "MESH_PLANE",
        1,
    ),
    (
        "TWO_SIDED",
        "Two-Sided",
        "A sheet. The figure may be on both sides, but not pass through",
        "MOD_CLOTH",
        2,
    ),
)

SURFACES = ("MESH", "CURVE", "SURFACE", "FONT", "META")
"""Types of objects that have faces."""


def shown_by(
    thing: bpy.types.Object, within: tuple[bpy.types.Object, ...] = ()
) -> Iterator[bpy.types.Object]:
    """An object, and recursively the objects of the collection that it instances."""
    yield thing
    if thing.instance_type == "COLLECTION" and thing.instance_collection is not None:
        for each in thing.instance_collection.all_objects:
            if not each.hide_viewport and each != thing and each not in within:
                yield from shown_by(each, (*within, thing))


def makes_instances(thing: bpy.types.Object) -> bool:
    """Whether an object may show instances: of a collection, on its faces, by particles or nodes."""
    return thing.is_instancer or any(modifier.type == "NODES" for modifier in thing.modifiers)


def has_surface(thing: bpy.types.Object) -> bool:
    """Whether an object may have a surface."""
    return thing.type in SURFACES or any(
        each.type in SURFACES or any(modifier.type == "NODES" for modifier in each.modifiers)
        for each in shown_by(thing)
    )


class ArticulateObstacle(ListItem, bpy.types.PropertyGroup):
    """An obstacle; scripts refer to it by `name`."""

    __slots__ = ()

    object: saved.Pointer(
        description="Object that the figure stays clear of, with modifiers and shape keys",
        type=bpy.types.Object,
        poll=lambda _obstacle, candidate: has_surface(candidate),
    )
    collection: saved.Pointer(
        description="Collection whose surfaces are all obstacles, instead of one object",
        type=bpy.types.Collection,
    )
    mode: saved.Enum(description="What counts as inside", items=MODES, default="SOLID")
    margin: saved.Length(
        description="Distance to keep from it, in addition to the margin of the body", soft_max=0.1
    )
    enabled: saved.Bool(description="Off: the obstacle is ignored", default=True)

    @property
    def things(self) -> list[bpy.types.Object]:
        """The present objects: the object itself, or all objects with a surface in the collection."""
        if self.collection is not None:
            return [thing for thing in self.collection.all_objects if has_surface(thing)]
        return [self.object] if self.object is not None else []

    @property
    def shown_name(self) -> str:
        """The name of its object or collection; its own name if that was deleted."""
        thing = self.collection or self.object
        return thing.name if thing is not None else self.name


class ArticulateLink(ListItem, bpy.types.PropertyGroup):
    """A capsule on a bone, a ball if both ends coincide; its `name` is the bone's."""

    __slots__ = ()

    a: saved.Point(
        name="First End",
        description="One end of the capsule's axis, along the bone's own axes from its head",
        precision=4,
        update=reshaped,
    )
    b: saved.Point(
        name="Second End",
        description="The other end of the capsule's axis",
        precision=4,
        update=reshaped,
    )
    radius: saved.Float(
        description="Radius of the capsule, in the armature's own units",
        default=0.05,
        min=0.0,
        soft_max=1.0,
        precision=4,
        update=reshaped,
    )
    enabled: saved.Bool(
        description="Off: exclude this part from collision checks",
        default=True,
        update=reshaped,
    )


class ArticulatePair(ListItem, bpy.types.PropertyGroup):
    """Two bones with their own setting for self-collision."""

    __slots__ = ()

    a: saved.String(name="Bone", description="One of the two bones")
    b: saved.String(name="Other Bone", description="The other of the two bones")
    watched: saved.Bool(description="On: keep them apart, even if they touch at rest. Off: let them touch")


class ArticulateBody(bpy.types.PropertyGroup):
    """The figure's capsules and avoidance settings."""

    __slots__ = ()

    links: saved.List(type=ArticulateLink)
    active_link: saved.Index()
    show: saved.Switch(name="Show Capsules", description="Draw the capsules in the 3D view")
    margin: saved.Length(
        description="Distance to keep from every obstacle and between parts of the figure", soft_max=0.1
    )
    self_collision: saved.Bool(
        name="Self-Collision",
        description="Keep parts of the figure apart, except those that touch at rest",
    )
    pairs: saved.List(type=ArticulatePair)
    active_pair: saved.Index()
    avoidance: saved.Enum(
        description="How the figure avoids obstacles",
        items=AVOIDANCE,
        default=DEFAULT_AVOIDANCE,
    )
    parameters: saved.Group(
        description="Parameters of the avoidance methods", type=ArticulateAvoidanceParameters
    )

    clearance: saved.Measured(
        description="Smallest distance to an obstacle after the last solve, or over all frames after a bake"
    )
    nearest: saved.Text(description="Nearest obstacle or pair of bones")
    notes: saved.Text(description="Ignored obstacles with reasons, one sentence per line")
