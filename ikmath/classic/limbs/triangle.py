# SPDX-License-Identifier: GPL-3.0-or-later
"""The pass of the triangulation method, which other methods can use as a start.

It is separate from the method because methods do not import each other.
"""

from functools import partial
from typing import Final

from .arithmetic import Arithmetic, Number, length, subtract
from .chains import Aim
from .levels import outward, reshape
from .posing import Posing
from .shells import Shells, shells
from .stages import Run

_PASSES: Final = 2  # over limbs with several effectors; a single limb needs one pass


def triangle(
    a: Number, c: Number, aim: Aim, end: int, *, m: Arithmetic, across: bool, shells: Shells | None
) -> Number:
    """Equation 5 as a level: `a c cos(delta) = (a^2 + c^2 - b^2) / 2`, with the stretched rest b.

    If the target is too near for a triangle, a limited limb uses the length of the folded rest as b (section
    3.1.3).
    """
    effector, b, _ = aim.ends[end]
    level = 0.5 * (a * a + c * c - b * b)
    near = (level < -a * c) & (b > a)
    if shells is not None:
        folded, _ = shells[aim.place, effector]
        level = m.where(near, 0.5 * (a * a + c * c - folded * folded), level)
        near = (level < -a * c) & (folded > a)
    return m.where(near, 0.0, level) if across else level


def within_reach(a: Number, c: Number, aim: Aim, end: int, *, posing: Posing) -> Number:
    """Level of a shared joint: unchanged if the branch reaches its target, else just near enough."""
    effector, b, drift = aim.ends[end]
    target = subtract(posing.targets[effector], subtract(drift, aim.place.drift))
    distance = posing.m.minimum(length(posing.m, subtract(target, posing.placed(aim.place))), b)
    return 0.5 * (a * a + c * c - distance * distance)


def triangulate(posing: Posing, across: bool = False, shells: Shells | None = None) -> None:
    """One pass over the limbs; shells: of limited limbs."""
    wanted = partial(triangle, m=posing.m, across=across, shells=shells)
    outward(posing, wanted, partial(within_reach, posing=posing))


def run_passes(run: Run, *, across: bool = False, second: bool = True) -> None:
    """One pass; if limits or branches prevent reaching the target, a second one.

    Args:
        run: the frames; across: whether links are orthogonal to a target that is too near; second: whether a
            limited limb may be bent to the right length and pointed.
    """
    single, limited = len(run.limbs.effectors) == 1, not run.limbs.free
    folded = shells(run.limbs) if single and limited else None
    run.stage(partial(triangulate, across=across, shells=folded), limit=1 if single else _PASSES)
    if single and limited and second:
        run.stage(reshape, limit=1)
