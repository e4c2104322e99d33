# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Blender evaluates an object. It does not if the object is disabled and nothing visible needs it.

Blender does not know that an effector depends on its target. A disabled target has an evaluated copy, but
this is not updated.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.access import holds
from ..properties.refusal import Refused
from .dependencies import follows


def kept_up(thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph, what: str) -> bpy.types.Object:
    """The evaluated copy of an object; refused if Blender does not update it, see `is_kept_up`.

    Args:
        thing: the object; original or evaluated.
        depsgraph: evaluated.
        what: kind of object, for the message.

    Raises:
        Refused: the object is disabled, or not in the scene.
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
    """Whether a dependency graph has the present state of an object.

    It has that of visible objects (the eye in the outliner does not matter), of objects that visible ones
    depend on, and in renders of unanimated objects.

    Args:
        thing: the object; original or evaluated.
        depsgraph: evaluated; of the viewport or a render, which have separate switches.
    """
    own = thing.original
    if not own.evaluated_get(depsgraph).is_evaluated:
        return False
    layer = depsgraph.view_layer
    if depsgraph.mode == "VIEWPORT":
        if own.visible_get(view_layer=layer) or _is_on(own, layer, "hide_viewport"):
            return True
        hidden = "hide_viewport"
    else:
        hidden = "hide_render"
        if _is_on(own, layer, hidden) or (_is_on(own, layer, "hide_viewport") and _stands_still(own)):
            return True
    users: Any = bpy.data.user_map(subset={own}, key_types={"OBJECT"}, value_types={"OBJECT"})[own]
    return any(_is_on(user, layer, hidden) and follows(user, own) for user in users if user != own)


def is_shown(thing: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an object is visible, in the viewport or the render of the depsgraph.

    Args:
        thing: the original object; depsgraph: evaluated.
    """
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


def _stands_still(thing: bpy.types.Object) -> bool:
    """Whether an object and its parents have no animation, no constraints, and no armature."""
    carrier = thing
    while carrier is not None:
        if carrier.animation_data is not None or len(carrier.constraints) or carrier.type == "ARMATURE":
            return False
        carrier = carrier.parent
    return True
