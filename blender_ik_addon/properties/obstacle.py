# SPDX-License-Identifier: GPL-3.0-or-later
"""One obstacle: an object, or all objects of a collection, that the figure keeps out of. Saved with it."""

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


def _has_surface(_obstacle: "ArticulateObstacle", candidate: bpy.types.Object) -> bool:
    return candidate.type in SURFACES


class ArticulateObstacle(bpy.types.PropertyGroup):
    """An obstacle; its `name` is what scripts call it."""

    object: PointerProperty(
        name="Object",
        description="What the figure keeps out of, as it is seen: with modifiers and shape keys",
        type=bpy.types.Object,
        poll=_has_surface,
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
    def objects(self) -> list[bpy.types.Object]:
        """What it stands for now: the object, or the surfaces of the collection."""
        if self.collection is not None:
            return [thing for thing in self.collection.all_objects if thing.type in SURFACES]
        return [self.object] if self.object is not None else []

    @property
    def shown_name(self) -> str:
        """The name of what it stands for; its own if that was deleted."""
        thing = self.collection or self.object
        return thing.name if thing is not None else self.name
