# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of objects: of collections, faces and vertices, particles and geometry nodes.

Blender lists them in its dependency graph. An entry is valid only until the next one is read. So each surface
is read immediately, once for all instances that share it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ..properties.obstacle import SURFACES
from .armature import Array
from .surface import Surface, surface_of


@dataclass(frozen=True, eq=False)
class Instance:
    """One surface that an object shows at one place.

    Attributes:
        key: unique and constant over frames.
        source: the same for all instances of one surface.
        surface: in the space of the shown object.
        matrix: (4, 4) world transform.
    """

    key: str
    source: str
    surface: Surface
    matrix: Array


def read_instances(
    makers: Collection[str],
    depsgraph: bpy.types.Depsgraph,
    before: Mapping[str, Surface],
    is_left_out: Callable[[bpy.types.Object], bool],
) -> dict[str, list[Instance]]:
    """All surfaces that some objects show as instances, by the full names of these objects.

    Args:
        makers: full names of original objects.
        depsgraph: evaluated.
        before: earlier surfaces, by source; unchanged ones are returned again.
        is_left_out: whether to ignore the instances of an original object.
    """
    found: dict[str, list[Instance]] = {name: [] for name in makers}
    if not found:
        return found
    read: dict[int, tuple[str, Surface | None]] = {}
    alike: dict[str, int] = {}  # objects of one name with different surfaces, for example from geometry nodes
    for instance in depsgraph.object_instances:
        if not instance.is_instance or not instance.show_self:
            continue
        own, shown = found.get(instance.parent.name_full), instance.object
        if own is None or shown.type not in SURFACES or shown.data is None:
            continue
        which = shown.data.as_pointer()
        if which not in read:
            name = f"{shown.name_full}/{shown.data.name_full}"
            alike[name] = alike.get(name, 0) + 1
            source = f"{name}/{alike[name]}"
            thing = (instance.instance_object or shown).original
            read[which] = source, None if is_left_out(thing) else surface_of(shown, before.get(source))
        source, surface = read[which]
        if surface is not None and len(surface.faces):
            persistent: Any = instance.persistent_id
            number = ".".join(map(str, persistent))
            matrix = np.array(instance.matrix_world, dtype=float)
            own.append(Instance(f"{source}/{number}", source, surface, matrix))
    return found
