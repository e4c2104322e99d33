# SPDX-License-Identifier: GPL-3.0-or-later
"""The foot below a dragged bone: it stays for the first part of the way, then it follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from numpy.linalg import inv, norm

from ...bridge.armature import Array
from ...bridge.skeleton import Figure
from ..frame.goals import reached
from ..frame.plan import NOT_SAVED, Plan
from .grip import BELOW

# Way of the dragged point for which the foot stays, as a share of its distance from the foot: a metatarsus
# leans by 30 degrees then. If the foot stayed as long as any pose of the leg allows, the leg would twist.
_STAYS: Final = 0.5


@dataclass(frozen=True, eq=False)
class FootBelow:
    """A foot that yields to the drag of a bone above it.

    Attributes:
        row: of the foot's effector; hand: of the dragged bone's.
        start: (4, 4) world, of the foot before the drag; grip: of the dragged point.
    """

    row: int
    hand: int
    start: Array
    grip: Array

    @classmethod
    def of(cls, plan: Plan, rows: Sequence[int], figure: Figure) -> list[Self]:
        """The feet below dragged bones, with the rows of their effectors; the figure is as before it."""
        bones, found = plan.bones, []
        for row, foot in enumerate(plan.effectors):
            if foot.index != NOT_SAVED or foot.priority != plan.effectors[rows[0]].priority + BELOW:
                continue
            above = bones.ancestors(foot.bone)
            hand = next(one for one in rows if bones.number(plan.effectors[one].bone) in above)
            found.append(cls(row, hand, *(reached(plan, figure, figure.q, one) for one in (row, hand))))
        return found

    def target(self, hand: Array) -> Array:
        """(4, 4) of the foot, for that of the dragged point; both world."""
        place = self.start[:3, 3]
        way = (hand @ inv(self.grip) @ self.start)[:3, 3] - place
        stays, far = _STAYS * float(norm(place - self.grip[:3, 3])), float(norm(way))
        target = self.start.copy()
        if far > stays:
            target[:3, 3] += (1.0 - stays / far) * way
        return target
