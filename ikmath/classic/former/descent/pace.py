# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a figure may turn from one frame of a motion to the next, what is a jump, and what is worth one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ....model.skeleton import Skeleton
from ....problem.problem import Problem
from ....rotation import Array

SMALL_TURN: Final = math.radians(3.3)  # that a coordinate may turn from a frame to the next,
CLOSE: Final = math.radians(2.1)  # among obstacles,
FAST: Final = math.radians(7.0)  # and in a motion that needs more
_STRIDE: Final = math.radians(9.0)  # that a bone goes in a frame on a way that would be a jump,
ASIDE: Final = math.radians(2.0)  # and a coordinate beside it
_JUMP: Final = math.radians(15.0)  # a bone that turns farther is seen to jump,
_FAR: Final = math.radians(20.0)  # and one that turns farther than this is worth being late,
_SLIGHT: Final = 5e-3  # and not worth an error as small as this, in figure sizes or radians
_LEAP: Final = 0.05  # figure sizes or radians; a target that goes farther in a frame asks for a jump
_WORTH: Final = 0.1  # share of a level's squared error by which a pose elsewhere must be better
_SAME: Final = 1e-4  # and by which stronger ones may differ


def farthest(skeleton: Skeleton, start: Array, q: Array) -> float:
    """The farthest that a coordinate has turned from start (n,) to q (n,)."""
    return float(np.abs(np.where(skeleton.is_turn, q - start, 0.0)).max())


def is_fast(turned: float, usual: float, *, reached: bool) -> bool:
    """Whether a motion asks for more than usual, so that coordinates may turn farther in what follows.

    Small turns of many joints look better than large ones of few, so they are tried first.

    Args:
        turned: radians, of the coordinate that turned farthest; usual: the bound on them; reached: all goals.
    """
    return turned > usual * (1.0 + _SAME if reached else 1.0 - _SAME)


def jumps(skeleton: Skeleton, start: Array, q: Array) -> bool:
    """Whether a bone turns so far from the start (n,) to q (n,) that it is seen to jump."""
    return _turned(skeleton, start, q) > _JUMP


def is_asked_for(problem: Problem, start: Array, q: Array, wider: Array) -> bool:
    """Whether a jump from the start (n,) to q (n,) is a small one, or what the targets ask for.

    Args:
        wider: (E,) by how much the targets' motion has made the errors of the effectors larger.
    """
    near = _turned(problem.skeleton, start, q) < _FAR
    return near or bool((wider > _LEAP * problem.spans).any())


def _turned(skeleton: Skeleton, start: Array, q: Array) -> float:
    squares = np.where(skeleton.is_turn, q - start, 0.0) ** 2
    return math.sqrt(float(np.bincount(skeleton.owner, squares).max()))


def stride(skeleton: Skeleton, start: Array, q: Array) -> Array:
    """The part of the way from start (n,) to q (n,) that is gone in one frame."""
    share = min(1.0, _STRIDE / max(_turned(skeleton, start, q), _STRIDE))
    return skeleton.region.project(start + share * (q - start))


def is_slight(problem: Problem, errors: Array) -> bool:
    """Whether what the effectors are short, (E,), is better than a jump."""
    return bool((errors < _SLIGHT * problem.spans).all())


def is_worth_it(problem: Problem, new: Sequence[float], old: Sequence[float]) -> bool:
    """Whether a pose elsewhere is worth going to: the first level that is short is so much less there.

    Args:
        problem; new, old: squared errors of each level there and here.
    """
    for a, b, most in zip(new, old, problem.stack.most, strict=True):
        floor = (_SLIGHT * problem.length * most) ** 2
        if a > b * (1.0 + _SAME) + 0.01 * floor:
            return False
        if a < b * (1.0 - _WORTH) - floor:
            return True
    return False
