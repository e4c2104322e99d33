# SPDX-License-Identifier: GPL-3.0-or-later
"""The joint rotations of a figure in the present pose, and the Jacobian of one of its points.

Read from the bones that Blender has evaluated, without forward kinematics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

import ikmath as ik

from ...bridge.armature import Array, Floats, Indices
from ...bridge.skeleton import Figure
from ...bridge.space import nearest_rotation

_TINY: Final = 1e-30  # below any sine that matters; avoids 0/0


def bone_turns(numbers: Indices, basis: Floats) -> Array:
    """(K, 3) joint rotations of some bones about x, y, z, in Blender's precision.

    The same as `rotation.swing_twist_turns` of `nearest_rotation`, in half as many calls. The swing follows
    from the direction of the long axis; the twist is the remaining angle about it.

    Args:
        numbers: (K,) indices of the bones; basis: (B, 4, 4) of all bones now, see `PoseState`.
    """
    # components first, for fewer numpy calls
    columns = basis.swapaxes(1, 2).take(numbers, 0).astype(float)
    rows = np.ascontiguousarray(columns.reshape(-1, 16).T)
    y, z = rows[4:7], rows[8:11]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y /= np.sqrt(np.add.reduce(y * y, 0))
    z -= y * np.add.reduce(y * z, 0)  # only its direction matters for the twist
    sine = np.hypot(y[0], y[2])
    factor = np.arctan2(sine, y[1]) / np.maximum(sine, _TINY)
    turns = np.empty((len(numbers), 3))
    turns[:, 0], turns[:, 2] = y[2] * factor, -y[0] * factor
    turns[:, 1] = np.arctan2(z[0] - y[0] * z[1] + y[1] * z[0], z[2] + y[1] * z[2] - y[2] * z[1])
    return turns


@dataclass(frozen=True, eq=False)
class Lever:
    """The C rotation coordinates that move a point of a bone.

    Attributes:
        figure: in any pose; slots: (C,) 0, 1, 2 for a joint's x, y, z.
        heads: (C,) the bone whose head is the joint; bone: the bone of the point.
        carriers: (C,) the bone whose head moves like the point because rotation is not inherited below it,
            else -1.
    """

    figure: Figure
    slots: Indices
    heads: Indices
    bone: int
    carriers: Indices

    @classmethod
    def of(cls, figure: Figure, bone: str, chain_root: str) -> Lever:
        """The lever of a bone of the figure.

        Args:
            figure: in any pose; bone: its name.
            chain_root: topmost bone that may move for the point; joints above it are excluded.
        """
        skeleton = figure.skeleton
        joint = skeleton.index(bone)
        moves = skeleton.is_turn & skeleton.ancestors[joint, skeleton.owner]
        if chain_root in skeleton.names:
            moves &= skeleton.ancestors[skeleton.owner, skeleton.index(chain_root)]
        columns = np.flatnonzero(moves)
        joints = skeleton.owner[columns]
        carrier = _carriers(skeleton, joint)
        on = figure.plan.bone
        carriers = [on[carrier[owner]] if owner in carrier else -1 for owner in joints.tolist()]
        return cls(
            figure=figure,
            slots=skeleton.slot[columns] - 3,
            heads=on[joints],
            bone=int(on[joint]),
            carriers=np.array(carriers, dtype=np.intp),
        )

    def jacobian(self, basis: Floats, bones: Array, point: Array) -> Array:
        """(3, C) velocities of the point for unit velocities of the coordinates, world.

        Args:
            basis: (B, 4, 4) of the armature's bones, see `PoseState`; bones: (B, 4, 4) of the bones, world.
            point: (3,) world.
        """
        if not len(self.heads):
            return np.zeros((3, 0))
        own = own_axes(bone_turns(self.heads, basis), self.slots)
        frames = bones.take(self.heads, 0)
        axes = np.matmul(nearest_rotation(frames[:, :3, :3]), own[:, :, None])[:, :, 0]
        moved = np.where((self.carriers < 0)[:, None], point, bones[self.carriers, :3, 3])
        return np.cross(axes, moved - frames[:, :3, 3]).T


def _carriers(skeleton: ik.Skeleton, joint: int) -> dict[int, int]:
    """Maps joints above one that does not inherit rotation to that joint, whose head they move."""
    found: dict[int, int] = {}
    carrier, walk = -1, joint
    while walk >= 0:
        if carrier >= 0:
            found[walk] = carrier
        if not skeleton.inherits[walk]:
            carrier = walk
        walk = int(skeleton.parents[walk])
    return found


def own_axes(turns: Array, slots: Indices) -> Array:
    """(C, 3) axes of one rotation coordinate of each joint, in the joints' own frames.

    They are columns of the right Jacobian of `Swing(x, z) @ Twist(y)`: that of the exponential map, rotated
    back by the twist. For large swings they are shorter than 1.

    Args:
        turns: (C, 3) joint rotations; slots: (C,) 0, 1, 2 for x, y, z.
    """
    x, y, z = turns.T
    square = np.maximum(x * x + z * z, 1e-12)
    size = np.sqrt(square)
    first, second = (1.0 - np.cos(size)) / square, (size - np.sin(size)) / (square * size)
    about_x = slots == 0
    # the swing's axis e = (1, 0, 0) or (0, 0, 1): e - first v x e + second v x (v x e), with v = (x, 0, z)
    across, along = np.where(about_x, -z, x), second * np.where(about_x, z, -x)
    u = np.where(about_x, 1.0, 0.0) - along * z
    w = np.where(about_x, 0.0, 1.0) + along * x
    cosine, sine = np.cos(y), np.sin(y)
    axes = np.stack([cosine * u - sine * w, first * across, sine * u + cosine * w], -1)
    axes[slots == 1] = 0.0, 1.0, 0.0
    return axes
