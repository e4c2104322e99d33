# SPDX-License-Identifier: GPL-3.0-or-later
"""What to ask of a figure of rigid joints so that bones in a sheared space end where they are wanted.

A figure that is not exact answers a step of its targets with another step in Blender. Solving and measuring
again converges where little is sheared, slowly or not at all where a squashed chest carries the arms. The
relation of the two steps hardly changes from round to round, so it is learnt from the rounds themselves
(Broyden's method, 1965, on the displacements of the targets) and what is asked is corrected by it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from .armature import Array

_LONGEST: Final = 2.0  # times the distance that is left; a wilder guess is cut to that
_NOTHING: Final = 1e-24  # square metres


class Correction:
    """Learns, over the rounds of one frame, how Blender answers what is asked of the figure.

    Per round: solve for `targets(now, wanted)`, measure again with `Figure.posed`, tell by `learn` what the
    figure promised and what came of it.

    Args:
        points: E, the number of effector points.
    """

    def __init__(self, points: int) -> None:
        self._ask = np.eye(3 * points)  # displacement to ask for -> from the displacement that is wanted

    def targets(self, now: npt.ArrayLike, wanted: npt.ArrayLike) -> Array:
        """Targets to give to the solver.

        Args:
            now: (E, 3) where the points truly are; wanted: (E, 3) where they are to be.

        Returns:
            (E, 3); in the first round what is wanted itself.
        """
        start = np.asarray(now, dtype=float)
        left = (np.asarray(wanted, dtype=float) - start).ravel()
        asked = self._ask @ left
        longest, length = _LONGEST * float(np.sqrt(left @ left)), float(np.sqrt(asked @ asked))
        if length > longest:
            asked *= longest / length
        return start + asked.reshape(start.shape)

    def learn(self, promised: npt.ArrayLike, moved: npt.ArrayLike) -> None:
        """Take in one round.

        Args:
            promised: (E, 3) displacement of the points by the figure that was solved.
            moved: (E, 3) their true displacement.
        """
        p, m = (np.asarray(a, dtype=float).ravel() for a in (promised, moved))
        guessed = self._ask @ m
        along = float(p @ guessed)
        if abs(along) > max(_NOTHING, 1e-3 * float(p @ p)):
            self._ask = self._ask + np.outer(p - guessed, p @ self._ask) / along
