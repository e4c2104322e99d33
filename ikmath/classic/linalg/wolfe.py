# SPDX-License-Identifier: GPL-3.0-or-later
"""A line search for the strong Wolfe conditions.

Nocedal & Wright, "Numerical Optimization", algorithms 3.5 and 3.6, with a maximum step, which bounds require:
a step that ends there need not be flat.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Array

DECREASE = 1e-3
"""Share of the decrease predicted by the slope that a step must achieve."""
FLATNESS = 0.9
"""Share of the initial slope that may remain at the end of the step."""
_TRIALS = 30


class LineStep(NamedTuple):
    """The end of the search; length 0 if nothing better than the start was found."""

    length: float
    value: float
    gradient: Array
    evaluations: int


class _Point(NamedTuple):
    length: float
    value: float
    slope: float
    gradient: Array


def wolfe_search(
    along: Callable[[float], tuple[float, Array]],
    direction: Array,
    value: float,
    slope: float,
    first: float,
    longest: float,
) -> LineStep:
    """Find a step along `direction` that satisfies the strong Wolfe conditions.

    Args:
        along: length -> value and gradient there.
        direction: (n,), downhill.
        value: at length 0.
        slope: directional derivative at length 0, negative.
        first: the length tried first.
        longest: maximum length.

    Returns:
        The step. If no length meets the conditions within the trials, the best one that decreases the value.
    """
    evaluations = 0

    def look(length: float) -> _Point:
        nonlocal evaluations
        evaluations += 1
        found, gradient = along(length)
        if not np.isfinite(found):
            return _Point(length, np.inf, np.inf, gradient)
        return _Point(length, found, float(gradient @ direction), gradient)

    def low_enough(point: _Point) -> bool:
        # Near the minimum, differences of values are rounding errors; there the slope decides (Hager & Zhang
        # 2005).
        rounding = 1e-15 * abs(value)
        return point.value <= value + DECREASE * point.length * slope or (
            point.value <= value + rounding and point.slope <= (2 * DECREASE - 1) * slope
        )

    start = _Point(0.0, value, slope, np.zeros_like(direction))
    before, point = start, look(min(first, longest))
    near: _Point | None = None
    far: _Point | None = None
    while evaluations < _TRIALS:
        if not low_enough(point) or (before.length > 0.0 and point.value >= before.value):
            near, far = before, point
            break
        if abs(point.slope) <= -FLATNESS * slope or (point.length >= longest and point.slope < 0.0):
            return LineStep(point.length, point.value, point.gradient, evaluations)
        if point.slope >= 0.0:
            near, far = point, before
            break
        before, point = point, look(min(4.0 * point.length, longest))
    while near is not None and far is not None and evaluations < _TRIALS:
        point = look(_between(near, far))
        if not low_enough(point) or point.value > near.value:
            far = point
        else:
            if abs(point.slope) <= -FLATNESS * slope:
                return LineStep(point.length, point.value, point.gradient, evaluations)
            if point.slope * (far.length - near.length) >= 0.0:
                far = near
            near = point
        if abs(far.length - near.length) <= 1e-12 * max(abs(near.length), abs(far.length)):
            break
    best = point if near is None or (low_enough(point) and point.value <= near.value) else near
    if best.length > 0.0 and low_enough(best):
        return LineStep(best.length, best.value, best.gradient, evaluations)
    return LineStep(0.0, value, start.gradient, evaluations)


def _between(near: _Point, far: _Point) -> float:
    """Minimum of the cubic through values and slopes, away from both ends; the middle if there is none."""
    width = far.length - near.length
    middle = near.length + 0.5 * width
    if not (np.isfinite(far.value) and np.isfinite(far.slope)):
        return near.length + 0.1 * width
    bend = near.slope + far.slope - 3.0 * (near.value - far.value) / (near.length - far.length)
    radicand = bend * bend - near.slope * far.slope
    if radicand < 0.0:
        return middle
    root = np.copysign(np.sqrt(radicand), width)
    denominator = far.slope - near.slope + 2.0 * root
    if denominator == 0.0:
        return middle
    length = far.length - width * (far.slope + root - bend) / denominator
    share = (length - near.length) / width
    return float(length) if 0.05 <= share <= 0.95 else float(near.length + np.clip(share, 0.1, 0.9) * width)
