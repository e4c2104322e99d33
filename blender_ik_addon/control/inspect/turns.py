# SPDX-License-Identifier: GPL-3.0-or-later
"""How the joints of a figure are turned at one moment, and about which axes a point of it turns.

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

_TINY: Final = 1e-30  # below any sine that matters, keeps 0/0 away


def bone_turns(numbers: Indices, basis: Floats) -> Array:
    """(K, 3) how the joints of some bones are turned, about x, y, z, as exactly as Blender keeps them.

    What `rotation.swing_twist_turns` makes of `nearest_rotation`, in half as many calls: the swing is where
    the long axis points, and of two rotations that point alike the twists differ by the angle between them.

    Args:
        numbers: (K,) of the bones; basis: (B, 4, 4) of all now, see `PoseState`.
    """
    # components first, for fewer numpy calls
    columns = basis.swapaxes(1, 2).take(numbers, 0).astype(float)
    rows = np.ascontiguousarray(columns.reshape(-1, 16).T)
    y, z = rows[4:7], rows[8:11]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y /= np.sqrt(np.add.reduce(y * y, 0))
    z -= y * np.add.reduce(y * z, 0)  # however long, it tells the twist
    sine = np.hypot(y[0], y[2])
    factor = np.arctan2(sine, y[1]) / np.maximum(sine, _TINY)
    turns = np.empty((len(numbers), 3))
    turns[:, 0], turns[:, 2] = y[2] * factor, -y[0] * factor
    turns[:, 1] = np.arctan2(z[0] - y[0] * z[1] + y[1] * z[0], z[2] + y[1] * z[2] - y[2] * z[1])
    return turns


@dataclass(frozen=True, eq=False)
class Lever:
    """The C coordinates by which a point of a bone turns: all that has to be read again when it moves.

    Attributes:
        figure: at any moment; slots: (C,) 0, 1, 2 for a joint's x, y, z.
        heads: (C,) the bone at whose head the joint is; bone: that of the point.
        carriers: (C,) the bone whose head is moved in the point's stead, where rotation is not inherited on
            the way, else -1.
    """

    figure: Figure
    slots: Indices
    heads: Indices
    bone: int
    carriers: Indices

    @classmethod
    def of(cls, figure: Figure, bone: str, chain_root: str) -> Lever:
        """That of a bone of the figure.

        Args:
            figure: at any moment; bone: of it.
            chain_root: topmost bone that may move for the point; all that is above it does not count.
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
            basis: (B, 4, 4) of the armature's bones, see `PoseState`; bones: (B, 4, 4) where they are in the
                world.
            point: (3,) where the point is, world.
        """
        if not len(self.heads):
            return np.zeros((3, 0))
        own = own_axes(bone_turns(self.heads, basis), self.slots)
        frames = bones.take(self.heads, 0)
        axes = np.matmul(nearest_rotation(frames[:, :3, :3]), own[:, :, None])[:, :, 0]
        moved = np.where((self.carriers < 0)[:, None], point, bones[self.carriers, :3, 3])
        return np.cross(axes, moved - frames[:, :3, 3]).T


def _carriers(skeleton: ik.Skeleton, joint: int) -> dict[int, int]:
    """Joints above one that turns without its parents -> that one, whose head they carry."""
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
    """(C, 3) the axes, in the frames that they turn, of one coordinate of each joint.

    They are columns of the right Jacobian of `Swing(x, z) @ Twist(y)`: of the exponential, turned back by the
    twist; shorter than 1 for swings that are far out.

    Args:
        turns: (C, 3) of the joints; slots: (C,) 0, 1, 2 for x, y, z.
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
