# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of many poses of a tree.

Here the arithmetic counts. So the poses lie innermost in memory, and each level of the tree is one product of
quaternions. See `forward_kinematics` for one pose and for the formulas.
"""

from typing import Final, NamedTuple

import numpy as np

from ..rotation import (
    PRODUCTS,
    RIGHT,
    TO_MATRIX,
    Array,
    multiply_quaternions,
    quaternion_from_matrix,
    sine_and_cosine,
)
from .forward_kinematics import Constants
from .topology import Topology, span

_TINY: Final = 1e-150  # keeps the angle of no swing from being exactly zero; far below any that matters


class ManyFrames(NamedTuple):
    """Forward kinematics of B poses, frames innermost; see `forward_kinematics.OneFrame`."""

    rotation: Array  # (3, 3, J, B)
    position: Array  # (3, J, B)
    axes: Array  # (3, 3 J, B) of the turns x, y, z of one joint after another
    slide_axes: Array  # (3, 3 S, B) along which the joints of `Topology.sliding` slide, likewise


_IDENTITY: Final = np.eye(3)
_TO_MATRIX: Final = 2.0 * TO_MATRIX.T


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
            x, y, z = q[topology.first_turn :].reshape(count, 3, frames).swapaxes(0, 1)
        else:
            full = np.repeat(self.constants.fixed.reshape(-1, 1), frames, 1)
            full[topology.flat] = q
            x, y, z = full.reshape(count, 6, frames).swapaxes(0, 1)[3:]
        xx, zz, xz = x * x, z * z, x * z
        square = xx + zz
        half = np.stack([np.sqrt(square) + _TINY, y])
        half *= 0.5
        (sin_swing, sin_y), (cos_swing, cos_y) = sine_and_cosine(half)
        u = sin_swing / half[0]
        half_u = 0.5 * u
        # the local quaternion (c, a, 0, e) * (cos, 0, sin, 0)
        a, e = half_u * x, half_u * z
        local = np.stack([cos_swing * cos_y, a * cos_y - e * sin_y, cos_swing * sin_y, e * cos_y + a * sin_y])
        turned = self._turned
        local[:, turned] = np.einsum("jki,kjb->ijb", self._rest, local[:, turned])
        rotation = _matrices(self._world(local))
        position, slide_axes = self._positions(rotation, q)
        rotation = rotation[:, :, :count]
        # axes of turning, in the joint's own frame before its twist: R T(-y) Jr(v) e
        sine, cosine = 2.0 * sin_y * cos_y, 1.0 - 2.0 * sin_y * sin_y
        k = (1.0 - u * cos_swing) / (square + _TINY)
        ahead, about, across = 1.0 - k * zz, 1.0 - k * xx, k * xz
        aside, along = across * cosine, across * sine
        by_x = np.stack([ahead * cosine - along, -u * e, ahead * sine + aside])
        by_z = np.stack([aside - about * sine, u * a, along + about * cosine])
        axes = np.empty((3, count, 3, frames))
        axes[:, :, 0] = np.einsum("ijnb,jnb->inb", rotation, by_x)
        axes[:, :, 1] = rotation[:, 1]
        axes[:, :, 2] = np.einsum("ijnb,jnb->inb", rotation, by_z)
        return ManyFrames(rotation, position, axes.reshape(3, 3 * count, frames), slide_axes)

    def _positions(self, rotation: Array, q: Array) -> tuple[Array, Array]:
        """`ManyFrames.position` and `slide_axes`, out of world rotations (3, 3, J + 1, B) and q (n, B)."""
        topology, constants, moving = self.topology, self.constants, self._moving
        parents = rotation[:, self._along].take(topology.parent[moving], 2)
        way = np.einsum("ijnb,nj->inb", parents, constants.translation[moving, self._along])
        slide_axes = np.zeros((3, 0, q.shape[1]))
        if len(topology.sliding):
            carriers = rotation.take(topology.carriers, 2)
            slides = constants.along.reshape(-1, topology.count, 3)[:, topology.sliding].transpose(1, 2, 0)
            slid = slides.dot(q[topology.slid])
            way[:, np.searchsorted(moving, topology.sliding)] += np.einsum("ijnb,njb->inb", carriers, slid)
            own = _IDENTITY[None] if constants.rest is None else constants.rest.take(topology.sliding, 0)
            slide_axes = np.einsum("ijnb,njk->inkb", carriers, own).reshape(3, topology.first_turn, -1)
        return np.matmul(self._above, way), slide_axes

    def _world(self, local: Array) -> Array:
        """World quaternions (J + 1, 4, B), the last that of the world, from local ones (4, J, B)."""
        count, frames = local.shape[1:]
        right = np.concatenate([local, -local]).swapaxes(0, 1)[:, RIGHT]  # right[i] @ p = p * local[i]
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
    numbers = quaternions.swapaxes(0, 1)
    first, second = PRODUCTS
    out: Array = _TO_MATRIX.dot((numbers[first] * numbers[second]).reshape(len(first), -1))
    out[::4] += 1.0
    return out.reshape(3, 3, *numbers.shape[1:])
