# SPDX-License-Identifier: GPL-3.0-or-later
"""The bone on the other side in a drag with Blender's *X-Axis Mirror*.

Blender's own tools give the bone on the other side the mirrored channels of the moved bone. With *Relative
Mirror* they give it the mirrored change, in the bone's own axes (measured). A drag moves whole limbs. So the
other limb starts as the mirror image of the dragged limb, and the target is mirrored at the armature's YZ
plane. With *Relative Mirror* the other limb keeps its pose, and the displacement and the rotation are
mirrored, the latter in the bone's own axes.
"""

from dataclasses import dataclass
from typing import Self

import bpy
import numpy as np

from ikmath import rotation

from ...bridge.armature import Array, PoseState
from ...bridge.bone_map import mirrored_axes, other_side
from ...bridge.skeleton import Figure
from ...bridge.space import Space

_ACROSS = np.array([-1.0, 1.0, 1.0])


def other_hand(armature: bpy.types.Object, bone: str) -> str:
    """The bone on the other side that follows; "" if there is none, for example for bones in the middle."""
    return other_side(armature.data.bones, bone) if armature.pose.use_mirror_x else ""


@dataclass(frozen=True, eq=False)
class Mirrored:
    """Maps the transform of a dragged bone to the bone on the other side.

    Attributes:
        limb: pairs of bones of both sides, from the dragged ones up; each with (3, 3), from the axes of one
            bone to those of the other's mirror image.
        began: (4, 4) of both at the start of the drag, figure space, for *Relative Mirror*; else None.
    """

    limb: tuple[tuple[str, str, Array], ...]
    began: tuple[Array, Array] | None = None

    @classmethod
    def of(cls, armature: bpy.types.Object, bone: str, other: str) -> Self:
        """The limbs of a dragged bone and of the other side, up to a shared ancestor or a difference."""
        bones = armature.data.bones
        limb, one, two = [], bones[bone], bones[other]
        while one is not None and two is not None and one != two:
            if limb and other_side(bones, one.name) != two.name:
                break
            limb.append((one.name, two.name, np.array(mirrored_axes(one, two))))
            one, two = one.parent, two.parent
        return cls(tuple(limb))

    def start(self, figure: Figure) -> PoseState:
        """The measured pose with the other limb as mirror image of this one, as far as its joints allow."""
        skeleton, q, solved = figure.skeleton, figure.q.copy(), set(figure.solved)
        turns = figure.measured[:, 3:]
        for bone, other, axes in self.limb:
            if not {bone, other} <= solved:
                continue
            joint, number = skeleton.index(bone), skeleton.index(other)
            skeleton.set_turn(q, number, axes @ rotation.swing_twist_matrix(turns[joint]) @ axes.T)
        return figure.state_of(figure.channels(q), figure.state.matrix)

    def across(self, hand: Array, space: Space) -> Array:
        """The target of the bone on the other side, for that of the dragged bone; both (4, 4), world."""
        own, axes = space.frame_in(hand), self.limb[0][2]
        if self.began is None:
            place, turned = _ACROSS * own[:3, 3], _ACROSS[:, None] * own[:3, :3] @ axes.T
        else:
            one, two = self.began
            place = two[:3, 3] + _ACROSS * (own[:3, 3] - one[:3, 3])
            turned = two[:3, :3] @ axes @ one[:3, :3].T @ own[:3, :3] @ axes.T
        return space.frame_out(turned, place)
