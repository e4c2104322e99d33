# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of a figure of which only some joints count, or in the order of its bones."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ikmath.model.figure_map import FigureMap

_LISTS: Final = ("girdle", "joints", "rest", "row", "folds")  # what of a limb lists joints


def map_of_some(figure: FigureMap, joints: Sequence[int]) -> FigureMap:
    """The map of a figure that has only some of the joints, in another order.

    Limbs that lack one of their long bones are left out; `body` and `head` are -1 where they are missing. Of
    the joints, by their numbers in the map, one that is given twice counts where it is given last.
    """
    place = np.full(len(figure.kinds) + 1, -1)
    chosen = np.array(joints, dtype=np.intp)
    place[chosen] = np.arange(len(chosen))

    def now(old: Sequence[int]) -> tuple[int, ...]:
        return tuple(int(place[j]) for j in old if place[j] >= 0)

    kept = [k for k, limb in enumerate(figure.limbs) if len(now(limb.joints)) == len(limb.joints)]
    limbs = tuple(
        replace(
            limb,
            end=int(place[limb.end]),
            twin=kept.index(limb.twin) if limb.twin in kept else order,
            attached=int(place[limb.attached]),
            **dict[str, Any]((name, now(getattr(limb, name))) for name in _LISTS),
        )
        for order, limb in enumerate(figure.limbs[k] for k in kept)
    )
    twin = place[figure.twin[chosen]]
    return replace(
        figure,
        kinds=tuple(figure.kinds[j] for j in chosen.tolist()),
        limbs=limbs,
        feet=now(figure.feet),
        twin=np.where(twin < 0, np.arange(len(chosen)), twin),
        body=int(place[figure.body]),
        head=int(place[figure.head]),
        **{name: getattr(figure, name)[chosen] for name in ("row", "reach", "hinge", "heads", "tails")},
    )
