# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerated sweeps: extrapolation from previous sweeps, where single joints zigzag.

Rotating one joint at a time is slow if several have to move together. After each sweep, two guesses are made
from previous sweeps. The best of the three poses is kept, so that a guess never makes the result worse:

- a step in the direction of the last sweep, longer as long as that helps (Hooke & Jeeves' pattern move);
- the fixed point of the linear map that fits the last few sweeps (Anderson mixing): it is good near the end,
  and with several effectors on one figure.
"""

from itertools import pairwise
from typing import Any, Final

import numpy as np

from .arithmetic import Arithmetic, Number
from .posing import Posing
from .sweeps import sweep

_FARTHEST: Final = 64.0  # maximum length of a guess, in sweeps
_MEMORY: Final = 8  # number of previous sweeps that are used
_EVEN: Final = 1e-10  # of the trace, added to the diagonal for linearly dependent sweeps


def accelerated_sweep(posing: Posing, damping: float = np.inf) -> None:
    """A sweep, then the better of two guesses; arguments as of `sweep`."""
    m = posing.m
    before = posing.state()
    start = _numbers(posing, before)
    sweep(posing, damping)
    best, best_cost = posing.state(), posing.judge(0.0)[0]
    swept, swept_cost = _numbers(posing, best), best_cost
    moved = tuple(b - a for a, b in zip(start, swept, strict=True))
    posing.memory = (*posing.memory[-_MEMORY + 1 :], (swept, moved))
    share = posing.stride
    guesses = [tuple(b + share * d for b, d in zip(swept, moved, strict=True))]
    if len(posing.memory) > 1:
        guesses.append(_rest_place(m, posing.memory))
    for number, guess in enumerate(guesses):
        _pose(posing, guess)
        cost = posing.judge(0.0)[0]
        if number == 0:
            longer, shorter = m.minimum(2.0 * share, _FARTHEST), m.maximum(0.5 * share, 0.5)
            posing.stride = m.where(cost < swept_cost, longer, shorter)
        better = cost < best_cost
        best, best_cost = posing.prefer(better, posing.state(), best), m.where(better, cost, best_cost)
    posing.restore(best)
    posing.place_all()


def _numbers(posing: Posing, state: Any) -> tuple[Number, ...]:
    """The parameters of a state: those of the rotations, and the translations."""
    found: list[Number] = []
    for node, turned, slid in zip(posing.limbs.nodes, *state, strict=True):
        if node.turning is not None:
            found.extend(node.turning.numbers(turned))
        found.extend(slid[free.axis] for free in node.slides)
    return tuple(found)


def _pose(posing: Posing, numbers: tuple[Number, ...]) -> None:
    """Set the pose from such parameters, inside the limits."""
    m, at = posing.m, 0
    for index, node in enumerate(posing.limbs.nodes):
        if node.turning is not None:
            count = len(node.turning.numbers(posing.turned[index]))
            posing.turned[index] = node.turning.of_numbers(m, numbers[at : at + count])
            at += count
        slides = list(posing.slid[index])
        for free in node.slides:
            slides[free.axis] = m.minimum(m.maximum(numbers[at], free.low), free.high)
            at += 1
        posing.slid[index] = (slides[0], slides[1], slides[2])
    posing.place_all()


def _rest_place(m: Arithmetic, memory: tuple[Any, ...]) -> tuple[Number, ...]:
    """The fixed point of sweeps x -> x + f: the combination of the last ones with the smallest |f|."""
    last_place, last_move = memory[-1]
    steps = [tuple(b - a for a, b in zip(one[1], other[1], strict=True)) for one, other in pairwise(memory)]
    shares = _least_squares(m, steps, last_move)
    place = list(last_place)
    for share, (one, other) in zip(shares, pairwise(memory), strict=True):
        for i, (a, b) in enumerate(zip(one[0], other[0], strict=True)):
            place[i] = place[i] - share * (b - a)
    return tuple(place)


def _least_squares(
    m: Arithmetic, columns: list[tuple[Number, ...]], right: tuple[Number, ...]
) -> list[Number]:
    """Factors of the columns for which their sum is nearest to the right side: normal equations."""
    size = len(columns)
    normal = [[_product(columns[i], columns[j]) for j in range(size)] for i in range(size)]
    wanted = [_product(column, right) for column in columns]
    trace: Number = sum(normal[i][i] for i in range(size))
    for i in range(size):
        normal[i][i] = normal[i][i] + _EVEN * trace + 1e-200
    for i in range(size):
        for j in range(i + 1, size):
            factor = normal[j][i] / normal[i][i]
            for k in range(i + 1, size):
                normal[j][k] = normal[j][k] - factor * normal[i][k]
            wanted[j] = wanted[j] - factor * wanted[i]
        # due to rounding, a column that depends on those before it may have a pivot of zero or less
        for j in range(i + 1, size):
            normal[j][j] = m.maximum(normal[j][j], 1e-3 * _EVEN * trace + 1e-200)
    shares: list[Number] = [0.0] * size
    for i in reversed(range(size)):
        total = wanted[i]
        for k in range(i + 1, size):
            total = total - normal[i][k] * shares[k]
        shares[i] = total / normal[i][i]
    return shares


def _product(a: tuple[Number, ...], b: tuple[Number, ...]) -> Number:
    total: Number = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
