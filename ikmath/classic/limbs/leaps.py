# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps that learn from each other: where single joints zigzag, go on along what they have in common.

Turning one joint at a time is slow along a valley that needs several of them at once. After each sweep two
guesses are made from the way that the sweeps have taken. The best of three poses is kept, so that a guess
never does harm:

- on in the direction of the last sweep, farther while that pays (Hooke & Jeeves' pattern move);
- where the sweeps would come to rest if each were the same linear map of the pose, fitted to the last few
  (Anderson's mixing): good near the end, and what makes several effectors on one figure agree.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from .arithmetic import Arithmetic, Number
from .posing import Posing
from .sweeps import sweep

_FARTHEST: Final = 64.0  # stride of a leap, in sweeps
_MEMORY: Final = 8  # sweeps that are remembered
_EVEN: Final = 1e-10  # of the trace, added to the diagonal: sweeps that were all alike add nothing new


def accelerated_sweep(posing: Posing, damping: float = np.inf) -> None:
    """A sweep, and the better of two guesses after it; arguments as of `sweep`."""
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
    """The numbers of a state: those of the turns, and the slides."""
    found: list[Number] = []
    for node, turned, slid in zip(posing.limbs.nodes, *state, strict=True):
        if node.turning is not None:
            found.extend(node.turning.numbers(turned))
        found.extend(slid[free.axis] for free in node.slides)
    return tuple(found)


def _pose(posing: Posing, numbers: tuple[Number, ...]) -> None:
    """Take the pose of such numbers, inside the limits."""
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
    """Where sweeps x -> x + f would rest: the combination of the last ones in which f vanishes best."""
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
    """Shares of the columns whose sum comes nearest to the right side: normal equations, by elimination."""
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
        # rounding may leave nothing, or less, of a column that is a sum of those before it
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
