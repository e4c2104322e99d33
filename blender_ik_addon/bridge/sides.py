# SPDX-License-Identifier: GPL-3.0-or-later
"""The bone of the other side, by its name or by where it is drawn.

Blender finds sides by names that begin or end with them. Other tools use other names ("mixamorig:LeftHand",
"Bip01 L Hand"), but draw both sides as mirror images, left and right of X.
"""

from __future__ import annotations

from typing import Any, Final

import bpy
from mathutils import Matrix

_NEAR: Final = 0.1  # of a bone's length, that its ends may be off the mirrored ones
_ACROSS: Final = Matrix.Diagonal((-1.0, 1.0, 1.0))


def other_side(bones: Any, name: str) -> str:
    """Name of the bone on the other side; "" if there is none, as for bones in the middle.

    Args:
        bones: an armature's; name: of one of them.
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
    """From a bone's axes into those of its mirror image, across the plane between them.

    Across its own YZ where the two are not drawn as mirror images.
    """
    if _off(own, other) > _NEAR * own.length:
        return _ACROSS
    return other.matrix_local.to_3x3().transposed() @ _ACROSS @ own.matrix_local.to_3x3()


def _off(own: Any, other: Any) -> float:
    """How far the ends of a bone are from those of another one mirrored, armature's units."""
    return max(
        (_ACROSS @ own.head_local - other.head_local).length,
        (_ACROSS @ own.tail_local - other.tail_local).length,
    )
