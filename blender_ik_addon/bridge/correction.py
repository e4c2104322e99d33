# SPDX-License-Identifier: GPL-3.0-or-later
"""Corrected targets for rigid joints, so that bones in a sheared space reach their true targets.

In an inexact figure, points move differently from those in Blender. Solving and measuring again converges if
the shear is small, but slowly or not at all if a squashed chest carries the arms. The relation of both
motions hardly changes between rounds. So it is learnt from the rounds (Broyden's method, 1965, on the
displacements of the targets), and corrects the targets.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from .armature import Array

_LONGEST: Final = 2.0  # maximum length of a correction, as a factor of the remaining distance
_NOTHING: Final = 1e-24  # square metres


class Correction:
    """Learns the relation of the figure's displacements to Blender's, over the rounds of one frame.

    In each round, solve for `targets(now, wanted)`, measure again with `Figure.posed`, and pass the predicted
    and the actual displacement to `learn`.

    Args:
        points: E, the number of effector points.
    """

    def __init__(self, points: int) -> None:
        self._ask = np.eye(3 * points)  # from the wanted displacement to the one to solve for

    def targets(self, now: npt.ArrayLike, wanted: npt.ArrayLike) -> Array:
        """Targets for the solver.

        Args:
            now: (E, 3) actual points; wanted: (E, 3) their targets.

        Returns:
            (E, 3); `wanted` itself in the first round.
        """
        start = np.asarray(now, dtype=float)
        left = (np.asarray(wanted, dtype=float) - start).ravel()
        asked = self._ask @ left
        longest, length = _LONGEST * float(np.sqrt(left @ left)), float(np.sqrt(asked @ asked))
        if length > longest:
            asked *= longest / length
        return start + asked.reshape(start.shape)

    def learn(self, promised: npt.ArrayLike, moved: npt.ArrayLike) -> None:
        """Update with one round.

        Args:
            promised: (E, 3) displacement of the points in the solved figure.
            moved: (E, 3) their actual displacement.
        """
        p, m = (np.asarray(a, dtype=float).ravel() for a in (promised, moved))
        guessed = self._ask @ m
        along = float(p @ guessed)
        if abs(along) > max(_NOTHING, 1e-3 * float(p @ p)):
            self._ask = self._ask + np.outer(p - guessed, p @ self._ask) / along
