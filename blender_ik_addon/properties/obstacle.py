# SPDX-License-Identifier: GPL-3.0-or-later
"""An obstacle: an object, or all objects of a collection. Saved with the armature object.

Instances count, too: Empties that instance a collection, as in many sets, and instances from particles,
geometry nodes, faces and vertices.
"""

from collections.abc import Iterator

import bpy

from . import saved
from .saved import ListItem

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


def _may_be_chosen(_obstacle: "ArticulateObstacle", candidate: bpy.types.Object) -> bool:
    return has_surface(candidate)


class ArticulateObstacle(ListItem, bpy.types.PropertyGroup):
    """An obstacle; scripts refer to it by `name`."""

    __slots__ = ()

    object: saved.Pointer(
        name="Object",
        description="Object that the figure stays clear of, with modifiers and shape keys",
        type=bpy.types.Object,
        poll=_may_be_chosen,
    )
    collection: saved.Pointer(
        name="Collection",
        description="Collection whose surfaces are all obstacles, instead of one object",
        type=bpy.types.Collection,
    )
    mode: saved.Enum(name="Mode", description="What counts as inside", items=MODES, default="SOLID")
    margin: saved.Float(
        name="Margin",
        description="Distance to keep from it, in addition to the margin of the body",
        default=0.0,
        min=0.0,
        soft_max=0.1,
        subtype="DISTANCE",
        precision=4,
    )
    enabled: saved.Bool(name="Enabled", description="Off: the obstacle is ignored", default=True)

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
