# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses and centres of mass of the bones, for balance.

The mass of a bone is the one that the user has set, or else that of water in the volume of its capsule. The
capsules are the fitted body or, without one, derived from the lengths of the bones. Only deforming bones
count, unless none deforms or a bone has a set mass.
"""

from typing import Final

import bpy
import numpy as np

from ...bridge.armature import Bones
from ...bridge.goals import Masses
from ...properties.bone import bone_settings
from ...properties.refusal import Refused
from ..collision.body import read_links, slender_links

_WATER: Final = 1000.0  # kg per cubic metre


def read_masses(armature: bpy.types.Object, bones: Bones, metre: float) -> Masses:
    """The masses of an armature's bones; metre: metres per Blender unit. Refused if no bone has a mass."""
    masses = weigh(armature, bones, metre)
    if not masses.mass.sum() > 0.0:
        raise Refused(
            f"Armature '{armature.name}' has no mass to balance: switch Deform on for some of its bones, or"
            " give them a mass"
        )
    return masses


def weigh(armature: bpy.types.Object, bones: Bones, metre: float) -> Masses:
    """The masses; all of them may be zero."""
    scale = armature.matrix_world.median_scale * metre
    deforming = {bone.name for bone in armature.data.bones if bone.use_deform} or set(bones.names)
    given = {name: mass for name, mass in bone_settings(armature, "mass").items() if mass > 0.0}
    table, counts = read_links(armature), (deforming | given.keys()) & bones.index.keys()
    fitted = np.isin(table["bone"], list(counts))
    others = given.keys() - set(table["bone"].tolist()) if len(table) else counts
    bare = [name for name in bones.names if name in others]
    links = np.concatenate([table[fitted], slender_links(bones, bare)])
    names, a, b, radius = links["bone"].tolist(), links["a"], links["b"], links["radius"]
    length = np.sqrt(((b - a) ** 2).sum(1))
    volumes = np.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    weights = (_WATER * scale**3 * volumes).tolist()
    return Masses(
        names=tuple(names),
        numbers=np.array([bones.index[name] for name in names], dtype=np.intp),
        mass=np.array([given.get(name, weight) for name, weight in zip(names, weights, strict=True)]),
        centers=0.5 * (a + b),
    )
