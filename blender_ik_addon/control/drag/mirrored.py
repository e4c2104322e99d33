# SPDX-License-Identifier: GPL-3.0-or-later
"""What the other hand does in a drag with Blender's *X-Axis Mirror*.

Blender's own tools give the bone of the other side the mirrored channels of the one that is moved, or with
*Relative Mirror* its mirrored change, in the bone's own axes (measured). A drag moves limbs and not single
bones. So the limb on the other side begins as the mirror image of the one in the hand, and what the hand
asks for is asked for on the other side, across the armature's YZ plane; with *Relative Mirror* the limb
stays as it is, and it is the way of the hand that is mirrored, and the turn, in the bone's own axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ikmath import rotation

from ...bridge.armature import Array, PoseState
from ...bridge.sides import mirrored_axes, other_side
from ...bridge.skeleton import Figure
from ...bridge.space import Space

_ACROSS = np.array([-1.0, 1.0, 1.0])


def other_hand(armature: bpy.types.Object, bone: str) -> str:
    """The bone that comes along on the other side; "" where none does: for bones in the middle, too."""
    return other_side(armature.data.bones, bone) if armature.pose.use_mirror_x else ""


@dataclass(frozen=True, eq=False)
class Mirrored:
    """From a bone in the hand to the one on the other side.

    Attributes:
        limb: pairs of bones, this side's and the other's, from those in the hands up; each with (3, 3) from
            the axes of the one into those of the other's mirror image.
        began: (4, 4) where both were when they were taken, figure space, if only what is done since then is
            mirrored; else None.
    """

    limb: tuple[tuple[str, str, Array], ...]
    began: tuple[Array, Array] | None = None

    @classmethod
    def of(cls, armature: bpy.types.Object, bone: str, other: str) -> Mirrored:
        """The limbs that hang from what both sides share, or from where they differ.

        Args:
            armature: the original object; bone: in the hand; other: of the other side.
        """
        bones = armature.data.bones
        limb, one, two = [], bones[bone], bones[other]
        while one is not None and two is not None and one != two:
            if limb and other_side(bones, one.name) != two.name:
                break
            limb.append((one.name, two.name, np.array(mirrored_axes(one, two))))
            one, two = one.parent, two.parent
        return cls(tuple(limb))

    def start(self, figure: Figure) -> PoseState:
        """The pose with the limb on the other side as the mirror image of this one, as far as it may move.

        Args:
            figure: measured at a pose.
        """
        skeleton, q, solved = figure.skeleton, figure.q.copy(), set(figure.solved)
        turns = figure.measured[:, 3:]
        for bone, other, axes in self.limb:
            if not {bone, other} <= solved:
                continue
            joint, number = skeleton.index(bone), skeleton.index(other)
            turned = axes @ rotation.swing_twist_matrix(turns[joint]) @ axes.T
            own = np.flatnonzero((skeleton.owner == number) & (skeleton.slot >= 3))
            q[own] = rotation.swing_twist_turns(turned)[skeleton.slot[own] - 3]
        return figure.state_of(figure.channels(q), figure.state.matrix)

    def across(self, hand: Array, space: Space) -> Array:
        """Where the other hand is asked to be, (4, 4) world.

        Args:
            hand: (4, 4) world, where this one is; space: of the armature.
        """
        own, other, axes = into(space, hand), np.eye(4), self.limb[0][2]
        if self.began is None:
            place, turned = _ACROSS * own[:3, 3], _ACROSS[:, None] * own[:3, :3] @ axes.T
        else:
            one, two = self.began
            place = two[:3, 3] + _ACROSS * (own[:3, 3] - one[:3, 3])
            turned = two[:3, :3] @ axes @ one[:3, :3].T @ own[:3, :3] @ axes.T
        other[:3, :3], other[:3, 3] = space.rotation_out(turned), space.point_out(place)
        return other


def into(space: Space, frame: Array) -> Array:
    """A place with axes (4, 4) of the world in figure space."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = space.rotation_in(frame[:3, :3]), space.point_in(frame[:3, 3])
    return out
