# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of balls as their carriers see them, of all joints of one pose at once.

They are linear in products of the sines and cosines of a joint's turns; see `kinematics` for the formulas.
Joints lie innermost: short inner loops are slow. The factors of products are gathered first: numpy multiplies
arrays of one shape in a third of the time that broadcasting takes. Making a view takes half as long as the
arithmetic on it, so the buffers are kept, with their views.
"""

from __future__ import annotations

from collections import defaultdict
from operator import itemgetter
from typing import ClassVar, Final

import numpy as np

from ..arrays import Index
from ..rotation import Array

# as arrays, which numpy reads sooner than numbers
_TINY: Final = np.array(1e-150)  # keeps the angle of no swing from being exactly zero
_HALVED: Final = np.array(0.5)

# The rows of `Scratch`. Waves: n, sines and cosines of h and of the twist, n sin h, r, and h itself;
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
_USED: Final = itemgetter(_HALF, _X, _Z, _SIN, _N_X, _N_Z)


class Frames:
    """K joints' frames, the last of which is the world's.

    Args:
        every: (K, 3, 7), each `[rotation | axes of the turns x, y, z | place]`.

    Attributes:
        every: as given; rotation: (K, 3, 3) of it; carried: (K - 1, 4, 3) axes and place, without the world.
    """

    def __init__(self, every: Array) -> None:
        self.every, self.rotation = every, every[:, :, :3]
        self.carried = every[:-1].swapaxes(1, 2)[:, 3:]


class Scratch:
    """Room in which the forward kinematics of one pose is worked out.

    It is reused for the next figure with as many joints. Another thread gets its own. No content is kept
    between calls.

    Attributes:
        local: the joints' frames as seen from where they rest, seen: from their carriers;
        jump: (3, 3, K) rotations that were picked out, as `topology.entries` does; jumped: (K, 3, 3) they;
        above: (3, 3, J) and carrying: (J, 3, 3) likewise.
    """

    _spare: ClassVar[defaultdict[int, list[Scratch]]] = defaultdict(list)

    def __init__(self, joints: int) -> None:
        self._joints, count = joints, joints + 1
        rows = self._rows = np.empty((_END, count))
        self._each = tuple(rows)
        self._told, self._angles = rows[_Y:_PAIRS], rows[_HALF : _Y + 1]
        self._sines, self._cosines = rows[_SIN : _SIN_Y + 1], rows[_COS : _COS_Y + 1]
        self._first, self._second = np.empty((*_FIRST.shape, count)), np.empty((*_SECOND.shape, count))
        # by numpy's argument lists: factors, and where their product goes
        self._pairs = *self._first, rows[_PAIRS:_TRIPLES]
        self._triples = *self._second, rows[_TRIPLES:]
        self._features, self._frames = rows[_SLIDE:].T, np.empty((count, 21))
        self.local, self.seen = Frames(self._frames.reshape(count, 3, 7)), Frames(np.empty((count, 3, 7)))
        self.jump, self.above = np.empty((3, 3, count)), np.empty((3, 3, joints))
        self.jumped, self.carrying = self.jump.T, self.above.transpose(2, 0, 1)

    @classmethod
    def taken(cls, joints: int) -> Scratch:
        """Room for a figure of J joints."""
        spare = cls._spare[joints]
        return spare.pop() if spare else cls(joints)

    def give_back(self) -> None:
        """Return it for reuse."""
        self._spare[self._joints].append(self)

    def work_out(self, inputs: Index, source: Array) -> None:
        """The frames `local`.

        Args:
            inputs: `Topology.inputs`; source: what these are picked out of.
        """
        rows, each = self._rows, self._each
        source.take(inputs, None, self._told, "clip")  # or numpy would copy once more
        half, x, z, sine, n_x, n_z = _USED(each)
        np.hypot(x, z, half)
        half += _TINY
        np.divide(x, half, n_x)
        np.divide(z, half, n_z)
        half *= _HALVED
        np.sin(self._angles, self._sines)
        np.cos(self._angles, self._cosines)
        np.multiply(n_x, sine, each[_SIN_X])
        np.multiply(n_z, sine, each[_SIN_Z])
        np.divide(sine, half, each[_RATIO])
        rows.take(_FIRST, 0, self._first, "clip")
        np.multiply(*self._pairs)
        rows.take(_SECOND, 0, self._second, "clip")
        np.multiply(*self._triples)
        self._features.dot(_FEATURES, self._frames)
