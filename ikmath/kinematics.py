# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of a tree in a fixed, small number of numpy calls, whatever the number of joints.

Two kernels, because one pose and a batch of poses have different costs: for one pose each numpy call costs
more than its arithmetic, so there the joints are the batch and a tree of depth d needs log2(d) products
(pointer doubling); for many poses the arithmetic counts, so there the poses lie innermost in memory and each
level of the tree is one product of quaternions. A test holds them equal to 1e-12.

Both work on plain arrays and know nothing of names. With `v = (x, 0, z)`, `t = |v|`, the swing is
`S = I + s [v]x + b [v]x^2`, and turning coordinate x (or z) turns the joint about `Jl(v) e_x` (`e_z`) of its
rest frame, `Jl = s I + b [v]x + k v v^T` the left Jacobian of the exponential, with `s = sin(t)/t`,
`b = (1 - cos t)/t^2`, `k = (1 - s)/t^2`. The twist turns about `S e_y`, which is the y axis of the joint
itself.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .rotation import Array, multiply_quaternions, quaternion_from_matrix

Index = npt.NDArray[np.intp]

_TINY: Final = (
    1e-200  # keeps the angle of no swing from being exactly zero; far below any square that matters
)


def _feature_map() -> Array:
    """(27, 18): products of swing and twist -> columns [rotation (3) | turn axes x, z | nothing] of each row.

    The features of a joint are the outer product of (1, b xx, b xz, b zx, b zz, s x, s z) with
    (1, cos y, sin y) and then (k xx, k xz, k zx, k zz, b x, b z).
    """
    swing = np.zeros((7, 3, 3))  # S as a linear map of its seven features
    swing[0] = np.eye(3)
    swing[1, 1, 1] = swing[1, 2, 2] = -1.0  # b xx
    swing[2, 0, 2] = swing[3, 2, 0] = 1.0  # b xz, b zx
    swing[4, 0, 0] = swing[4, 1, 1] = -1.0  # b zz
    swing[5, 2, 1], swing[5, 1, 2] = 1.0, -1.0  # s x
    swing[6, 1, 0], swing[6, 0, 1] = 1.0, -1.0  # s z
    out = np.zeros((27, 3, 6))
    for i in range(7):
        out[3 * i, :, 1] = swing[i, :, 1]  # the twist leaves the second column alone
        out[3 * i + 1, :, 0], out[3 * i + 1, :, 2] = swing[i, :, 0], swing[i, :, 2]
        out[3 * i + 2, :, 0], out[3 * i + 2, :, 2] = -swing[i, :, 2], swing[i, :, 0]
    out[0, 0, 3] = out[0, 2, 4] = 1.0  # s + k xx = 1 - k zz, and so on
    out[24, 0, 3] = -1.0
    out[21, 2, 4] = -1.0
    out[22, 2, 3] = out[22, 0, 4] = 1.0
    out[26, 1, 3] = 1.0
    out[25, 1, 4] = -1.0
    return out.reshape(27, 18)


_FEATURES: Final = _feature_map()
_SKEW_ROWS: Final = np.zeros((3, 9))  # p @ _SKEW_ROWS = -[p]x row after row, so that a @ (...) = p x a
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _SKEW_ROWS[_i, 3 * _j + _k], _SKEW_ROWS[_i, 3 * _k + _j] = 1.0, -1.0
SKEW_ROWS: Final = _SKEW_ROWS


class OneFrame(NamedTuple):
    """Forward kinematics of one pose.

    Attributes:
        rotation: (J + 1, 3, 3) world rotations, the last is the world itself.
        position: (J, 3) world positions of the joints' frames.
        swing_axes: (J, 3, 2) world axes of the turns x and z, as columns.
        slide_frame: (J, 3, 3) axes along which slides go, or None in a figure without slides.
    """

    rotation: Array
    position: Array
    swing_axes: Array
    slide_frame: Array | None


class ManyFrames(NamedTuple):
    """The same for B poses, frames innermost.

    Attributes:
        rotation: (3, 3, J, B); position: (3, J, B); axes: (3 turns, 3, J, B);
        slide_frame: (3, 3, J, B) or None.
    """

    rotation: Array
    position: Array
    axes: Array
    slide_frame: Array | None


class Plan:
    """What the kernels need of a tree's structure, worked out once.

    Args:
        parents: (J,) parents first, -1 for roots; inherits: (J,) whether rotation is inherited;
        owner, slot: (n,) joint and which of its six coordinates.
    """

    def __init__(self, parents: Index, inherits: npt.NDArray[np.bool_], owner: Index, slot: Index) -> None:
        count = self.count = len(parents)
        self.parent = np.where(parents < 0, count, parents)  # the world stands behind the last joint
        self.turn_parent = np.where(inherits, self.parent, count)
        self.cut = bool((self.turn_parent != self.parent).any())
        self.flat = owner * 6 + slot
        self.has_slides = bool((slot < 3).any())
        self.all_balls = len(slot) == 3 * count and not self.has_slides
        # row of each coordinate in [turn axes of all joints; slide axes of all joints]
        self.row = np.where(slot >= 3, 3 * owner + slot - 3, 3 * count + 3 * owner + slot)
        self.rows_in_order = (
            bool((self.row == np.arange(3 * count)).all()) if len(slot) == 3 * count else False
        )
        self.jumps: list[Index] = []
        jump = np.append(self.turn_parent, count)
        while (jump != count).any():
            self.jumps.append(jump)
            jump = jump[jump]
        self._parents = parents

    @cached_property
    def above(self) -> Array:
        """(J, J) 1 where j is i or above i: world positions are `above @ offsets`."""
        above = np.eye(self.count)
        for i, parent in enumerate(self._parents.tolist()):
            if parent >= 0:
                above[i] += above[parent]
        return above

    @cached_property
    def levels(self) -> list[tuple[Index | slice, Index]]:
        """For each depth: the joints there (a slice if they stand side by side) and their turn parents."""
        depth = np.zeros(self.count + 1, dtype=int)
        for i, parent in enumerate(self.turn_parent.tolist()):
            depth[i] = depth[parent] + 1 if parent < self.count else 1
        out: list[tuple[Index | slice, Index]] = []
        for level in range(1, int(depth.max()) + 1):
            joints = np.flatnonzero(depth[:-1] == level)
            side_by_side = joints[-1] - joints[0] == len(joints) - 1
            where = slice(int(joints[0]), int(joints[-1]) + 1) if side_by_side else joints
            out.append((where, self.turn_parent[joints]))
        return out


def forward_one(plan: Plan, rest: Array | None, translation: Array, fixed: Array, q: Array) -> OneFrame:
    """One pose.

    Args:
        plan: the structure; rest: (J, 3, 3), or None where no rest frame is turned; translation: (J, 3);
        fixed: (J, 6) constants of coordinates that are not free, slides all zero (they belong to
            `translation`);
        q: (n,).
    """
    count = plan.count
    slides = None
    if plan.all_balls:
        turns = q.reshape(count, 3).T
    else:
        table = fixed.copy()
        table.ravel()[plan.flat] = q
        turns = table[:, 3:].T
        if plan.has_slides:
            slides = table[:, :3]
    # joints lie innermost up to the product with the feature map: numpy is slow at short inner loops
    swing = turns[::2]
    products = (swing[:, None] * swing).reshape(4, count)
    angles = np.empty((2, count))
    square = products[0] + products[3]
    square += _TINY
    np.sqrt(square, out=angles[0])
    angles[0] *= 0.5
    angles[1] = turns[1]
    sine, cosine = np.sin(angles), np.cos(angles)
    u = sine[0] / angles[0]
    s = u * cosine[0]
    u *= u
    u *= 0.5
    k = (1.0 - s) / square
    outer = np.empty((9, 3, count))
    features = np.empty((7, count))
    features[0] = 1.0
    np.multiply(products, u, out=features[1:5])
    np.multiply(swing, s, out=features[5:])
    outer[:7, 0] = features
    np.multiply(features, cosine[1], out=outer[:7, 1])
    np.multiply(features, sine[1], out=outer[:7, 2])
    flat = outer.reshape(27, count)
    np.multiply(products, k, out=flat[21:25])
    np.multiply(swing, u, out=flat[25:])
    local = flat.T.dot(_FEATURES).reshape(count, 3, 6)
    if rest is not None:
        local = np.matmul(rest, local)
    local[:, :, 5] = translation
    slide_frame = None
    rotation = np.empty((count + 1, 3, 3))
    rotation[:count] = local[:, :, :3]
    rotation[count] = _IDENTITY
    for jump in plan.jumps:
        rotation = np.matmul(rotation.take(jump, 0), rotation)
    parents = rotation.take(plan.parent, 0)
    if slides is not None:
        slide_frame = parents if rest is None else np.matmul(parents, rest)
    carried = np.matmul(parents, local[:, :, 3:])
    if plan.cut:
        carried[:, :, :2] = np.matmul(rotation.take(plan.turn_parent, 0), local[:, :, 3:5])
    way = carried[:, :, 2]
    if slide_frame is not None and slides is not None:
        way = way + np.matmul(slide_frame, slides[:, :, None])[:, :, 0]
    return OneFrame(rotation, plan.above.dot(way), carried[:, :, :2], slide_frame)


_IDENTITY: Final = np.eye(3)


def forward_many(plan: Plan, rest: Array | None, translation: Array, fixed: Array, q: Array) -> ManyFrames:
    """Many poses: q (n, B), the rest as in `forward_one`."""
    count, frames = plan.count, q.shape[1]
    if plan.all_balls:
        table = q.reshape(count, 3, frames)
        slides = None
        x, y, z = table[:, 0], table[:, 1], table[:, 2]
    else:
        full = np.repeat(fixed.reshape(-1, 1), frames, 1)
        full[plan.flat] = q
        table = full.reshape(count, 6, frames)
        slides = table[:, :3] if plan.has_slides else None
        x, y, z = table[:, 3], table[:, 4], table[:, 5]
    xx, zz, xz = x * x, z * z, x * z
    square = xx + zz
    half = square * 0.25
    half += _TINY
    np.sqrt(half, out=half)
    cos_swing = np.cos(half)
    u = np.sin(half)
    u /= half
    half_y = 0.5 * y
    cos_y, sin_y = np.cos(half_y), np.sin(half_y)
    # the local quaternion (c, a, 0, e) * (cos, 0, sin, 0)
    a, e = u * x, u * z
    a *= 0.5
    e *= 0.5
    local = np.empty((4, count, frames))
    np.multiply(cos_swing, cos_y, out=local[0])
    np.multiply(a, cos_y, out=local[1])
    local[1] -= e * sin_y
    np.multiply(cos_swing, sin_y, out=local[2])
    np.multiply(e, cos_y, out=local[3])
    local[3] += a * sin_y
    if rest is not None:
        turned = multiply_quaternions(quaternion_from_matrix(rest)[:, None], np.moveaxis(local, 0, -1))
        local = np.ascontiguousarray(np.moveaxis(turned, -1, 0))
    rotation = _matrices(_chain(plan, local, frames))
    parents = rotation.take(plan.parent, 2)
    way = np.einsum("ijnb,nj->inb", parents, translation)
    slide_frame = None
    if slides is not None:
        slide_frame = parents if rest is None else np.einsum("ijnb,njk->iknb", parents, rest)
        way += np.einsum("ijnb,njb->inb", slide_frame, slides)
    position = np.matmul(plan.above, way)
    rotation = rotation[:, :, :count]
    # axes of turning, told in the joint's own frame before its twist: R T(-y) Jr(v) e
    sine = 2.0 * sin_y * cos_y
    cosine = 1.0 - 2.0 * sin_y * sin_y
    b = u * u
    b *= 0.5
    k = (1.0 - u * cos_swing) / (square + 4.0 * _TINY)
    first, second, third = rotation[:, 0], rotation[:, 1], rotation[:, 2]
    plain_x = cosine * first
    plain_x += sine * third
    plain_z = cosine * third
    plain_z -= sine * first
    axes = np.empty((3, 3, count, frames))
    xz *= k
    np.multiply(1.0 - k * zz, plain_x, out=axes[0])
    axes[0] -= (b * z) * second
    axes[0] += xz * plain_z
    axes[1] = second
    np.multiply(xz, plain_x, out=axes[2])
    axes[2] += (b * x) * second
    axes[2] += (1.0 - k * xx) * plain_z
    return ManyFrames(rotation, position, axes, slide_frame)


def _chain(plan: Plan, local: Array, frames: int) -> Array:
    """World quaternions (J + 1, 4, B) from local ones (4, J, B), one product a level of the tree."""
    count = plan.count
    w, x, y, z = local
    right = np.empty((count, 4, 4, frames))  # right[i] @ p = p * local[i]
    right[:, 0, 0] = right[:, 1, 1] = right[:, 2, 2] = right[:, 3, 3] = w
    right[:, 1, 0] = right[:, 2, 3] = x
    right[:, 2, 0] = right[:, 3, 1] = y
    right[:, 3, 0] = right[:, 1, 2] = z
    np.negative(x, out=right[:, 0, 1])
    right[:, 3, 2] = right[:, 0, 1]
    np.negative(y, out=right[:, 0, 2])
    right[:, 1, 3] = right[:, 0, 2]
    np.negative(z, out=right[:, 0, 3])
    right[:, 2, 1] = right[:, 0, 3]
    world = np.empty((count + 1, 4, frames))
    world[count] = np.array([1.0, 0.0, 0.0, 0.0])[:, None]
    for where, parents in plan.levels:
        if len(parents) == 1 and isinstance(where, slice):
            np.einsum("ijb,jb->ib", right[where.start], world[parents[0]], out=world[where.start])
        else:
            world[where] = np.einsum("kijb,kjb->kib", right[where], world[parents])
    return world


def _matrices(quaternions: Array) -> Array:
    """(J, 4, B) unit quaternions -> (3, 3, J, B)."""
    w, x, y, z = (quaternions[:, i] for i in range(4))
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    out = np.empty((3, 3, *w.shape))
    np.subtract(1.0, yy, out=out[0, 0])
    out[0, 0] -= zz
    np.subtract(1.0, xx, out=out[1, 1])
    out[2, 2] = out[1, 1]
    out[1, 1] -= zz
    out[2, 2] -= yy
    np.subtract(xy, wz, out=out[0, 1])
    np.add(xy, wz, out=out[1, 0])
    np.add(xz, wy, out=out[0, 2])
    np.subtract(xz, wy, out=out[2, 0])
    np.subtract(yz, wx, out=out[1, 2])
    np.add(yz, wx, out=out[2, 1])
    return out
