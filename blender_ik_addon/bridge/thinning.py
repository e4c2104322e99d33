# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaving out keys that the curve does without: what is left stays within a tolerance of what was there.

Keys are put back where the curve, as Blender itself evaluates it between the keys that are left, is farthest
from the values, one in each gap at a time, until it is near enough everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import bpy
import numpy as np

from .. import compat
from .action import Curve
from .curves import SAME_FRAME, Keys, read_curve, write_curve


def thin(armature_object: bpy.types.Object, curves: Iterable[Curve], tolerance: float) -> int:
    """Thin F-curves that have just been written.

    Args:
        armature_object: the original object.
        curves: what was written: a key on every frame.
        tolerance: how far a curve may be from its values at their frames, in its own unit.

    Returns:
        How many keys are left of them.
    """
    bag = compat.find_bag(armature_object)
    count = 0
    for curve in curves:
        target = bag.fcurves.find(curve.path, index=curve.index) if bag is not None else None
        if target is not None:
            count += _thin(target, curve, tolerance)
    return count


def _thin(target: bpy.types.FCurve, curve: Curve, tolerance: float) -> int:
    whole: Keys = read_curve(target)
    rows = np.flatnonzero(
        (whole.frames > curve.frames[0] - SAME_FRAME) & (whole.frames < curve.frames[-1] + SAME_FRAME)
    )
    kept = np.ones(len(whole), dtype=bool)
    kept[rows[1:-1]] = False
    while True:
        write_curve(target, whole.chosen(kept))
        away = np.abs([target.evaluate(frame) for frame in curve.frames] - curve.values)
        if away.max() <= tolerance:
            break
        ends = np.flatnonzero(kept[rows])
        worst = [a + 1 + int(away[a + 1 : b].argmax()) for a, b in pairwise(ends.tolist()) if b > a + 1]
        more = [row for row in worst if away[row] > tolerance]
        if not more:
            break
        kept[rows[more]] = True
    return int(kept[rows].sum())
