# SPDX-License-Identifier: GPL-3.0-or-later
"""One obstacle: an object, or all objects of a collection, that the figure keeps out of. Saved with it.

An Empty that is an instance of a collection, as sets often are, stands for what it shows of it.
"""

from collections.abc import Iterator

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty

from .options import OVERRIDE

MODES = (
    ("SOLID", "Solid", "A closed surface with an inside that is kept out of", "MESH_CUBE", 0),
    ("ONE_SIDED", "One-Sided", "An open surface such as a ground: its back is forbidden", "MESH_PLANE", 1),
    ("TWO_SIDED", "Two-Sided", "A sheet: either side is allowed, passing through is not", "MOD_CLOTH", 2),
)

SURFACES = ("MESH", "CURVE", "SURFACE", "FONT", "META")
"""Types of objects that have faces."""


Placed = tuple[bpy.types.Object, tuple[bpy.types.Object, ...]]
"""An object with faces, and the instances in which it is there, the outermost first; none for itself."""


def surfaces_of(thing: bpy.types.Object, within: tuple[bpy.types.Object, ...] = ()) -> Iterator[Placed]:
    """The object itself if it has faces, and what it shows of a collection that it is an instance of."""
    if thing.type in SURFACES:
        yield thing, within
    if thing.instance_type == "COLLECTION" and thing.instance_collection is not None:
        yield from _shown(thing.instance_collection, (*within, thing))


def _shown(collection: bpy.types.Collection, within: tuple[bpy.types.Object, ...]) -> Iterator[Placed]:
    for thing in collection.objects:
        if not thing.hide_viewport and thing not in within:
            yield from surfaces_of(thing, within)
    for child in collection.children:
        if not child.hide_viewport:
            yield from _shown(child, within)


def has_surface(thing: bpy.types.Object) -> bool:
    """Whether there is anything to keep out of."""
    return next(surfaces_of(thing), None) is not None


def _may_be_chosen(_obstacle: "ArticulateObstacle", candidate: bpy.types.Object) -> bool:
    return has_surface(candidate)


class ArticulateObstacle(bpy.types.PropertyGroup):
    """An obstacle; its `name` is what scripts call it."""

    object: PointerProperty(
        name="Object",
        description="What the figure keeps out of, as it is seen: with modifiers and shape keys",
        type=bpy.types.Object,
        poll=_may_be_chosen,
        override=OVERRIDE,
    )
    collection: PointerProperty(
        name="Collection",
        description="All surfaces in a collection, in place of one object",
        type=bpy.types.Collection,
        override=OVERRIDE,
    )
    mode: EnumProperty(
        name="Mode",
        description="What counts as inside",
        items=MODES,
        default="SOLID",
        override=OVERRIDE,
    )
    margin: FloatProperty(
        name="Margin",
        description="Distance that is kept from it, on top of the body's own margin",
        default=0.0,
        min=0.0,
        soft_max=0.1,
        subtype="DISTANCE",
        precision=4,
        override=OVERRIDE,
    )
    enabled: BoolProperty(
        name="Enabled", description="Off: the obstacle is ignored", default=True, override=OVERRIDE
    )

    @property
    def surfaces(self) -> list[Placed]:
        """What it stands for now: the surfaces of the object or of all in the collection."""
        whole = self.collection
        things = whole.all_objects if whole is not None else [self.object] if self.object is not None else []
        return [placed for thing in things for placed in surfaces_of(thing)]

    @property
    def shown_name(self) -> str:
        """The name of what it stands for; its own if that was deleted."""
        thing = self.collection or self.object
        return thing.name if thing is not None else self.name
