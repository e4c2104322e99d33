# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of one pose in a fixed, small number of numpy calls, whatever the number of joints.

One pose and a batch of poses (`many_frames`) have different costs. For one pose each numpy call costs more
than its arithmetic. So the joints are the batch, and a tree of depth d needs log2(d) products (pointer
doubling). A test holds both equal to 1e-12.

A swing about the unit vector `n = (x, 0, z) / t` by `t = 2 h` is
`S = I + 2 sin h cos h [n]x + 2 sin^2 h [n]x^2`, and turning coordinate x (or z) turns the joint about
`Jl e_x` (`Jl e_z`) of its rest frame, `Jl = s I + r sin h [n]x + (1 - s) n n^T` the left Jacobian of the
exponential, with `r = sin h / h`, `s = r cos h = sin t / t`. The twist turns about `S e_y`, which is the y
axis of the joint itself.

The frames of joints as their carriers see them are linear in products of the sines and cosines of the turns.
Joints lie innermost there: short inner loops are slow. The factors of products are gathered first: numpy
multiplies arrays of one shape in a third of the time that broadcasting takes.
"""

from typing import Final, NamedTuple

import numpy as np

from ..arrays import Array, Index
from ..rotation import skew
from .topology import Topology

SKEW_ROWS: Final = -skew(np.eye(3)).reshape(3, 9)
"""`p @ SKEW_ROWS` is `-[p]x` row after row, so that `a @ (...) = p x a`."""


class Constants(NamedTuple):
    """The constants of a figure that the kernels need besides its tree's structure."""

    rest: Array | None  # (J + 1, 3, 3), the world's last, joints innermost in memory; None if none is turned
    translation: Array  # (J, 3) at rest, fixed slides in it
    fixed: Array  # (J, 6) turns that are not free
    along: Array  # (s, 3 J) where each of the free slides takes the joints, in their parents' frames
    slides: Array  # (3 S, 6) the screws of the slides of `Topology.sliding` where no carrier is turned
    inputs: Array  # where `Topology.inputs` looks: room for the coordinates, and what does not change


class OneFrame(NamedTuple):
    """Forward kinematics of one pose."""

    rotation: Array  # (J + 1, 3, 3) world rotations, the last is the world itself
    position: Array  # (J, 3) world positions of the joints' frames
    carried: Array  # (J, 4, 3) world axes of the turns x, y, z, and the way from the parent, world
    slides: Array  # (3 S, 6) the screws of the slides x, y, z of the joints of `Topology.sliding`

    def twists(self, topology: Topology) -> Array:
        """(n, 6) the screw of each coordinate, angular velocity w before v, see `pose`."""
        w = self.carried
        v = np.matmul(w, self.position.dot(SKEW_ROWS).reshape(-1, 3, 3))
        numbers: Array = np.concatenate([w.ravel(), v.ravel(), self.slides.ravel()])
        return numbers.take(topology.screws)


def forward_one(topology: Topology, constants: Constants, q: Array) -> OneFrame:
    """One pose, q (n,)."""
    source = constants.inputs.copy()
    source[: len(q)] = q
    local = local_frames(topology.inputs, source)
    if constants.rest is not None:
        local = np.matmul(constants.rest, local)
    rotation = local[:, :, :3]
    for jump in topology.jumps:
        rotation = np.matmul(rotation.take(jump, 0), rotation)
    axes_and_place = local[:-1].swapaxes(1, 2)[:, 3:]
    carried = np.matmul(axes_and_place, rotation.take(topology.parent, 0).swapaxes(1, 2))
    if len(topology.cuts):
        turned = rotation.take(topology.turn_parent, 0).swapaxes(1, 2)
        carried[:, :3] = np.matmul(axes_and_place[:, :3], turned)
    position = topology.above.dot(carried[:, 3])
    slides = constants.slides
    if not topology.on_ground:  # their carriers turn
        carriers, slides = rotation.take(topology.carriers, 0), slides.copy()
        slides[:, 3:] = np.matmul(slides[:, 3:].reshape(-1, 3, 3), carriers.swapaxes(1, 2)).reshape(-1, 3)
    return OneFrame(rotation, position, carried, slides)


# as arrays, which numpy reads sooner than numbers
_TINY: Final = np.array(1e-150)  # keeps the angle of no swing from being exactly zero
_HALVED: Final = np.array(0.5)

# The rows of `local_frames`. Waves: n, sines and cosines of h and of the twist, n sin h, r, and h itself;
_N_X, _N_Z, _SIN, _SIN_Y, _COS, _COS_Y, _SIN_X, _SIN_Z, _RATIO, _HALF = range(10)
# what `Topology.inputs` selects;
_Y, _X, _Z, _SLIDE, _PLACE, _ONE, _PAIRS = 10, 11, 12, 13, 16, 19, 20
# products of two waves, the last of them s;
_SWINGS = (_SIN_X, _SIN_X), (_SIN_X, _SIN_Z), (_SIN_Z, _SIN_Z), (_COS, _SIN_X), (_COS, _SIN_Z)
_AXES = (_N_X, _N_X), (_N_X, _N_Z), (_N_Z, _N_Z), (_RATIO, _SIN_X), (_RATIO, _SIN_Z), (_RATIO, _COS)
_FIRST: Final = np.array(_SWINGS + _AXES).T
_TRIPLES = _PAIRS + len(_SWINGS) + len(_AXES)
# and products of those: one and the swings with the twist, and s with what is square in n.
_SECOND: Final = np.array(
    [(swing, twist) for twist in (_SIN_Y, _COS_Y) for swing in range(_ONE, _PAIRS + len(_SWINGS))]
    + [(_TRIPLES - 1, _PAIRS + len(_SWINGS) + i) for i in range(3)]
).T
_END = _TRIPLES + len(_SECOND[0])


def _feature_map() -> Array:
    """(F, 21): rows from the slides on -> rows of [rotation | axes of turns x, y, z | place]."""
    swing = np.zeros((6, 3, 3))  # S as a linear map of one and the swings
    swing[0] = np.eye(3)
    swing[1, 1, 1] = swing[1, 2, 2] = swing[3, 0, 0] = swing[3, 1, 1] = -2.0
    swing[2, 0, 2] = swing[2, 2, 0] = 2.0
    swing[4, 2, 1], swing[4, 1, 2] = 2.0, -2.0
    swing[5, 1, 0], swing[5, 0, 1] = 2.0, -2.0
    out = np.zeros((_END - _SLIDE, 3, 7))
    places, plain, axes, _, sine, cosine, whole = np.split(out, np.cumsum([6, 6, 5, 1, 6, 6]))
    places[:3, :, 6] = places[3:, :, 6] = np.eye(3)
    plain[:, :, 1] = plain[:, :, 4] = swing[:, :, 1]  # the twist leaves the second column alone
    sine[:, :, 0], sine[:, :, 2] = -swing[:, :, 2], swing[:, :, 0]
    cosine[:, :, 0], cosine[:, :, 2] = swing[:, :, 0], swing[:, :, 2]
    plain[0, 0, 3] = plain[0, 2, 5] = 1.0
    for squares, sign in (axes, 1.0), (whole, -1.0):
        squares[2, 0, 3] = squares[0, 2, 5] = -sign
        squares[1, 2, 3] = squares[1, 0, 5] = sign
    axes[4, 1, 3], axes[3, 1, 5] = 1.0, -1.0
    return out.reshape(-1, 21)


_FEATURES: Final = _feature_map()


def local_frames(inputs: Index, source: Array) -> Array:
    """(K, 3, 7) frames as seen from where the joints rest, the last the world's.

    Each is `[rotation | axes of the turns x, y, z | place]`.

    Args:
        inputs: `Topology.inputs`; source: what these are picked out of.
    """
    rows = np.empty((_END, inputs.shape[1]))
    source.take(inputs, None, rows[_Y:_PAIRS], "clip")  # or numpy would copy once more
    half, x, z = rows[_HALF], rows[_X], rows[_Z]
    np.hypot(x, z, half)
    half += _TINY
    np.divide(rows[_X : _Z + 1], half, rows[_N_X : _N_Z + 1])
    half *= _HALVED
    np.sin(rows[_HALF : _Y + 1], rows[_SIN : _SIN_Y + 1])
    np.cos(rows[_HALF : _Y + 1], rows[_COS : _COS_Y + 1])
    np.multiply(rows[_N_X : _N_Z + 1], rows[_SIN], rows[_SIN_X : _SIN_Z + 1])
    np.divide(rows[_SIN], half, rows[_RATIO])
    first = rows.take(_FIRST, 0)
    np.multiply(first[0], first[1], rows[_PAIRS:_TRIPLES])
    second = rows.take(_SECOND, 0)
    np.multiply(second[0], second[1], rows[_TRIPLES:])
    frames: Array = rows[_SLIDE:].T.dot(_FEATURES)
    return frames.reshape(-1, 3, 7)
