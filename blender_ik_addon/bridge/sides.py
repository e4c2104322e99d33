# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the bone on the other side by name or by rest position.

Blender finds sides by name prefixes and suffixes. Other tools use other names ("mixamorig:LeftHand", "Bip01 L
Hand"), but their rest poses are symmetric in X.
"""

from __future__ import annotations

from typing import Any, Final

import bpy
from mathutils import Matrix

_NEAR: Final = 0.1  # tolerance for the mirrored ends of a bone, as a share of its length
_ACROSS: Final = Matrix.Diagonal((-1.0, 1.0, 1.0))


def other_side(bones: Any, name: str) -> str:
    """Name of the bone on the other side; "" if there is none, for example for bones in the middle.

    Args:
        bones: of an armature; name: of one of them.
    """
    flipped = bpy.utils.flip_name(name)
    if flipped != name or name not in bones:
        return flipped if flipped in bones else ""
    own = bones[name]
    if _off(own, own) <= _NEAR * own.length:
        return ""
    found = {each.name: _off(own, each) for each in bones if each.name != name}
    nearest = min(found, key=lambda each: found[each], default="")
    return nearest if nearest and found[nearest] <= _NEAR * own.length else ""


def mirrored_axes(own: Any, other: Any) -> Matrix:
    """Matrix from a bone's axes to those of its mirror image.

    A reflection at the bone's own YZ plane if the two are not symmetric at rest.
    """
    if _off(own, other) > _NEAR * own.length:
        return _ACROSS
    return other.matrix_local.to_3x3().transposed() @ _ACROSS @ own.matrix_local.to_3x3()


def _off(own: Any, other: Any) -> float:
    """Largest distance of a bone's ends from the mirrored ends of another one, the armature's units."""
    return max(
        (_ACROSS @ own.head_local - other.head_local).length,
        (_ACROSS @ own.tail_local - other.tail_local).length,
    )
