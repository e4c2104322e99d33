# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of a tree in a fixed, small number of numpy calls, whatever the number of joints.

Two kernels, because one pose and a batch of poses have different costs: for one pose each numpy call costs
more than its arithmetic, so there the joints are the batch and a tree of depth d needs log2(d) products
(pointer doubling); for many poses the arithmetic counts, so there the poses lie innermost in memory and each
level of the tree is one product of quaternions. A test holds them equal to 1e-12.

Both work on plain arrays without names. A swing about the unit vector `n = (x, 0, z) / t` by
`t = 2 h` is `S = I + 2 sin h cos h [n]x + 2 sin^2 h [n]x^2`, and turning coordinate x (or z) turns the joint
about `Jl e_x` (`Jl e_z`) of its rest frame, `Jl = s I + r sin h [n]x + (1 - s) n n^T` the left Jacobian of
the exponential, with `r = sin h / h`, `s = r cos h = sin t / t`. The twist turns about `S e_y`, which is the
y axis of the joint itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from ..rotation import Array, multiply_quaternions, quaternion_from_matrix, sine_and_cosine
from .local_frames import local_frames
from .topology import Levels, Span, Topology, span

_TINY: Final = 1e-150  # keeps the angle of no swing from being exactly zero; far below any that matters

SKEW_ROWS: Final = np.zeros((3, 9))  # p @ SKEW_ROWS = -[p]x row after row, so that a @ (...) = p x a
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    SKEW_ROWS[_i, 3 * _j + _k], SKEW_ROWS[_i, 3 * _k + _j] = 1.0, -1.0
_SKEW: Final = np.ascontiguousarray(SKEW_ROWS.reshape(3, 3, 3).T).reshape(9, 3)


class Constants(NamedTuple):
    """The constants of a figure that the kernels need besides its tree's structure.

    Attributes:
        rest: (J + 1, 3, 3), with the world's, joints innermost in memory; None where no rest frame is turned;
        translation: (J, 3) at rest, fixed slides in it; fixed: (J, 6) turns that are not free;
        along: (s, 3 J) where each of the free slides takes the joints, in their parents' frames;
        slides: (3 S, 6) the screws of the slides of `Topology.sliding` where their carriers are not turned;
        inputs: where `Topology.inputs` looks: room for the coordinates, and what does not change.
    """

    rest: Array | None
    translation: Array
    fixed: Array
    along: Array
    slides: Array
    inputs: Array


class OneFrame(NamedTuple):
    """Forward kinematics of one pose.

    Attributes:
        rotation: (J + 1, 3, 3) world rotations, the last is the world itself.
        position: (J, 3) world positions of the joints' frames.
        carried: (J, 4, 3) world axes of the turns x, y, z, and where the joint is as seen from its parent, in
            the world's axes; or (J, 1, 3), the axis of the one turn;
        slides: (3 S, 6) the screws of the slides x, y, z of the joints of `Topology.sliding`, see `twists`.
    """

    rotation: Array
    position: Array
    carried: Array
    slides: Array

    def twists(self, topology: Topology) -> Array:
        """(n, 6) the screw of each coordinate, angular velocity w before v, see `pose`."""
        w, slides = self.carried, self.slides
        moments = _SKEW.dot(self.position.T).reshape(3, 3, topology.count).T
        numbers = np.empty(2 * w.size + slides.size)
        numbers[: w.size] = w.ravel()
        np.matmul(w, moments, out=numbers[w.size : 2 * w.size].reshape(w.shape))
        numbers[2 * w.size :] = slides.ravel()
        return numbers.take(topology.screws if w.shape[1] > 1 else topology.hinge_screws)


class ManyFrames(NamedTuple):
    """The same for B poses, frames innermost.

    Attributes:
        rotation: (3, 3, J, B); position: (3, J, B);
        axes: (3, J, 3, B) of each joint's three turns, or (3, J, 1, B) where joints have one;
        slide_axes: (3, S, 3, B) along which the joints of `Topology.sliding` slide, or None.
    """

    rotation: Array
    position: Array
    axes: Array
    slide_axes: Array | None


def forward_one(topology: Topology, constants: Constants, q: Array) -> OneFrame:
    """One pose, q (n,)."""
    source = constants.inputs.copy()
    source[: len(q)] = q
    local = local_frames(topology.inputs, source)
    if constants.rest is not None:
        local = np.matmul(constants.rest, local)
    rotation = np.matmul(local.take(topology.first_jump, None).T, local[:, :, :3])
    for jump in topology.further_jumps:
        rotation = np.matmul(rotation.take(jump, None).T, rotation)
    above = rotation.take(topology.parent_entries, None).transpose(2, 0, 1)
    axes_and_place = local[:-1].swapaxes(1, 2)[:, 3:]
    carried = np.matmul(axes_and_place, above)
    if topology.cut:
        carried[:, :3] = np.matmul(
            axes_and_place[:, :3], rotation.take(topology.turn_entries).transpose(2, 0, 1)
        )
    position = topology.above.dot(carried[:, 3])
    return OneFrame(rotation, position, carried, slides(topology, constants, rotation))


def slides(topology: Topology, constants: Constants, rotation: Array) -> Array:
    """(3 S, 6) the screws of slides, see `OneFrame`, from rotations (J + 1, 3, 3)."""
    if topology.on_ground:
        return constants.slides
    out = np.zeros_like(constants.slides)
    turned = np.matmul(
        constants.slides[:, 3:].reshape(-1, 3, 3), rotation.take(topology.carriers, 0).swapaxes(1, 2)
    )
    out[:, 3:] = turned.reshape(-1, 3)
    return out


def offsets(topology: Topology, constants: Constants, q: Array) -> Array:
    """(J, 3) where the joints are in their parents' frames, slides in it, for q (n,)."""
    if not len(topology.sliding):
        return constants.translation
    return np.asarray(
        constants.translation + q[topology.slid].dot(constants.along).reshape(topology.count, 3)
    )


_IDENTITY: Final = np.eye(3)


class Balls:
    """The kernel of many poses for figures of any joints, bound to a figure's constants.

    Args:
        topology: the structure; constants: of the figure.
    """

    def __init__(self, topology: Topology, constants: Constants) -> None:
        self.topology, self.constants = topology, constants

    @cached_property
    def _turned(self) -> tuple[Span, Array]:
        """The j joints whose rest is turned, and the rest quaternions as matrices (j, 4, 4), transposed."""
        rest = self.constants.rest
        if rest is None:
            return slice(0, 0), np.zeros((0, 4, 4))
        turned = np.flatnonzero((rest != _IDENTITY).any((1, 2)))
        return span(turned), multiply_quaternions(quaternion_from_matrix(rest[turned])[:, None], np.eye(4))

    def many(self, q: Array) -> ManyFrames:
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
        turned, products = self._turned
        local[:, turned] = np.einsum("jki,kjb->ijb", products, local[:, turned])

        def axes(rotation: Array) -> Array:
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
            return out

        return many_frames(topology, self.constants, chain(topology.levels, local), q, axes)


def many_frames(
    topology: Topology, constants: Constants, quaternions: Array, q: Array, axes: Callable[[Array], Array]
) -> ManyFrames:
    """Poses from the joints' world rotations.

    Args:
        topology, constants: of the figure; quaternions: (J + 1, 4, B), the last is the world; q: (n, B);
        axes: gives `ManyFrames.axes` of rotations (3, 3, J, B).
    """
    rest, translation, along = constants.rest, constants.translation, constants.along
    count = topology.count
    rotation = _matrices(quaternions)
    # of balls made of hinges only one in three is somewhere else than its parent, of bones most along y only
    places = translation.any(1)
    places[topology.sliding] = True
    moving, directions = np.flatnonzero(places), span(np.flatnonzero(translation.any(0)))
    parents = rotation[:, directions].take(topology.parent[moving], 2)
    way = np.einsum("ijnb,nj->inb", parents, translation[moving, directions])
    slide_axes = None
    if len(topology.sliding):
        above = rotation.take(topology.carriers, 2)
        slides = along.reshape(-1, count, 3)[:, topology.sliding].transpose(1, 2, 0)
        slid = slides.dot(q[topology.slid])
        way[:, np.searchsorted(moving, topology.sliding)] += np.einsum("ijnb,njb->inb", above, slid)
        own = np.eye(3)[None] if rest is None else rest.take(topology.sliding, 0)
        slide_axes = np.einsum("ijnb,njk->inkb", above, own)
    position = np.matmul(
        np.ascontiguousarray(topology.above[:, span(moving)]), way
    )  # or BLAS would not take it
    rotation = rotation[:, :, :count]
    return ManyFrames(rotation, position, axes(rotation), slide_axes)


def chain(tree: Levels, local: Array) -> Array:
    """World quaternions (J + 1, 4, B) from local ones (4, J, B), one product a level of the tree."""
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
    for where, parents in tree:
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
