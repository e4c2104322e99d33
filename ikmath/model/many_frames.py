# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of many poses of a tree.

Here the arithmetic counts. So the poses lie innermost in memory, and each level of the tree is one product of
quaternions. See `forward_kinematics` for one pose and for the formulas.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..rotation import Array, multiply_quaternions, quaternion_from_matrix, sine_and_cosine
from .forward_kinematics import Constants
from .topology import Topology, span

_TINY: Final = 1e-150  # keeps the angle of no swing from being exactly zero; far below any that matters


class ManyFrames(NamedTuple):
    """Forward kinematics of B poses, frames innermost; see `forward_kinematics.OneFrame`."""

    rotation: Array  # (3, 3, J, B)
    position: Array  # (3, J, B)
    axes: Array  # (3, J, 3, B) of each joint's three turns
    slide_axes: Array | None  # (3, S, 3, B) along which the joints of `Topology.sliding` slide


_IDENTITY: Final = np.eye(3)


class ForwardMany:
    """The kernel of many poses, bound to a figure's constants."""

    def __init__(self, topology: Topology, constants: Constants) -> None:
        self.topology, self.constants = topology, constants
        # most bones are away from their parents along y only
        translation = constants.translation
        moving = translation.any(1)
        moving[topology.sliding] = True
        self._moving = np.flatnonzero(moving)  # joints elsewhere than their parents
        self._along = span(np.flatnonzero(translation.any(0)))
        # side by side in memory, or BLAS would not take them
        self._above = np.ascontiguousarray(topology.above[:, span(self._moving)])
        rest = _IDENTITY[None] if constants.rest is None else constants.rest
        turned = np.flatnonzero((rest != _IDENTITY).any((1, 2)))
        self._turned = span(turned)  # joints whose rest is turned
        # and their rest quaternions as matrices, transposed
        self._rest = multiply_quaternions(quaternion_from_matrix(rest[turned])[:, None], np.eye(4))

    def at(self, q: Array) -> ManyFrames:
        """Many poses, q (n, B)."""
        topology = self.topology
        count, frames = topology.count, q.shape[1]
        if topology.in_order:
            table = q[topology.first_turn :].reshape(count, 3, frames)
            x, y, z = table[:, 0], table[:, 1], table[:, 2]
        else:
            full = np.repeat(self.constants.fixed.reshape(-1, 1), frames, 1)
            full[topology.flat] = q
            table = full.reshape(count, 6, frames)
            x, y, z = table[:, 3], table[:, 4], table[:, 5]
        xx, zz, xz = x * x, z * z, x * z
        square = xx + zz
        half = np.empty((2, count, frames))
        np.sqrt(square, out=half[0])
        half[0] += _TINY
        half[1] = y
        half *= 0.5
        (sin_swing, sin_y), (cos_swing, cos_y) = sine_and_cosine(half)
        u = sin_swing / half[0]
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
        turned = self._turned
        local[:, turned] = np.einsum("jki,kjb->ijb", self._rest, local[:, turned])
        rotation = _matrices(self._world(local))
        position, slide_axes = self._positions(rotation, q)
        rotation = rotation[:, :, :count]
        # axes of turning, in the joint's own frame before its twist: R T(-y) Jr(v) e
        sine = 2.0 * sin_y * cos_y
        cosine = 1.0 - 2.0 * sin_y * sin_y
        b = u * u
        b *= 0.5
        k = (1.0 - u * cos_swing) / (square + _TINY)
        ahead, about, across = 1.0 - k * zz, 1.0 - k * xx, k * xz
        out, axis = np.empty((3, count, 3, frames)), np.empty((3, count, frames))
        np.subtract(ahead * cosine, across * sine, out=axis[0])
        np.multiply(b, -z, out=axis[1])
        np.add(ahead * sine, across * cosine, out=axis[2])
        out[:, :, 0] = np.einsum("ijnb,jnb->inb", rotation, axis)
        out[:, :, 1] = rotation[:, 1]
        np.subtract(across * cosine, about * sine, out=axis[0])
        np.multiply(b, x, out=axis[1])
        np.add(across * sine, about * cosine, out=axis[2])
        out[:, :, 2] = np.einsum("ijnb,jnb->inb", rotation, axis)
        return ManyFrames(rotation, position, out, slide_axes)

    def _positions(self, rotation: Array, q: Array) -> tuple[Array, Array | None]:
        """`ManyFrames.position` and `slide_axes`, out of world rotations (3, 3, J + 1, B) and q (n, B)."""
        topology, constants, moving = self.topology, self.constants, self._moving
        parents = rotation[:, self._along].take(topology.parent[moving], 2)
        way = np.einsum("ijnb,nj->inb", parents, constants.translation[moving, self._along])
        slide_axes = None
        if len(topology.sliding):
            carriers = rotation.take(topology.carriers, 2)
            slides = constants.along.reshape(-1, topology.count, 3)[:, topology.sliding].transpose(1, 2, 0)
            slid = slides.dot(q[topology.slid])
            way[:, np.searchsorted(moving, topology.sliding)] += np.einsum("ijnb,njb->inb", carriers, slid)
            own = _IDENTITY[None] if constants.rest is None else constants.rest.take(topology.sliding, 0)
            slide_axes = np.einsum("ijnb,njk->inkb", carriers, own)
        return np.matmul(self._above, way), slide_axes

    def _world(self, local: Array) -> Array:
        """World quaternions (J + 1, 4, B), the last that of the world, from local ones (4, J, B)."""
        count, frames = local.shape[1:]
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
        for where, parents in self.topology.levels:
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
