# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a figure may turn from one frame of a motion to the next, and what is seen as a jump."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ..problem import Problem
from ..rotation import Array
from ..skeleton import Skeleton

SMALL_TURN: Final = math.radians(3.3)  # that a coordinate may turn from a frame to the next,
CLOSE: Final = math.radians(2.1)  # among obstacles,
FAST: Final = math.radians(7.0)  # and in a motion that needs more
_JUMP: Final = math.radians(15.0)  # a bone that turns farther is seen to jump,
_SLIGHT: Final = 5e-3  # and not worth an error as small as this, in figure sizes or radians


def jumps(skeleton: Skeleton, start: Array, q: Array) -> bool:
    """Whether a bone turns so far from the start (n,) to q (n,) that it is seen to jump."""
    turned = np.where(skeleton.is_turn, q - start, 0.0) ** 2
    return bool((np.bincount(skeleton.owner, turned) > _JUMP * _JUMP).any())


def is_slight(problem: Problem, squares: Sequence[float]) -> bool:
    """Whether what the effectors are short, squared (E,), is better than a jump."""
    sizes = [problem.length if unit == "m" else 1.0 for unit in problem.units]
    return all(square < (_SLIGHT * size) ** 2 for square, size in zip(squares, sizes, strict=True))
