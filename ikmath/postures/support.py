# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rule keeps a figure upright: balance over its feet, hips kept in place, or none; with a reason."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..model.figure_map import FigureMap
from ..rotation import Array, across


class BalanceRule(StrEnum):
    """The rules that keep a figure upright."""

    BALANCE = "balance"
    KEEP_HIPS = "keep_hips"
    NONE = "none"


@dataclass(frozen=True, eq=False)
class BalanceSupport:
    """A rule, with information for display.

    Attributes:
        rule: the rule; reason: why it was chosen, as a sentence.
        feet: joints of the feet, whose middle is one end of the support; empty without balance.
        lean: (3,) horizontal vector from the middle of the feet to the posture's centre of mass, metres; the
            support is the segment between both.
        outside: distance of the centre of mass from the support polygon of the feet, metres.
    """

    rule: BalanceRule
    reason: str
    feet: tuple[int, ...]
    lean: Array
    outside: float


def unsupported(reason: str) -> BalanceSupport:
    """No rule, for example in clips in which the feet have targets: runners are not above their feet."""
    return BalanceSupport(BalanceRule.NONE, reason, (), np.zeros(3), 0.0)


def choose_support(
    figure: FigureMap, heads: Array, tails: Array, center: Array, room: float
) -> BalanceSupport:
    """Choose the rule for a posture.

    Args:
        figure: its map; heads, tails: (J, 3) ends of its bones in the posture; center: (3,) centre of mass;
        room: allowed distance of the centre from the feet, metres.
    """
    feet, nothing = figure.feet, np.zeros(3)
    if figure.body < 0 or not figure.limbs:
        return unsupported("The figure has no limbs.")
    if not feet:
        return BalanceSupport(BalanceRule.KEEP_HIPS, "No foot is on the ground.", (), nothing, 0.0)
    points = np.concatenate([heads[list(feet)], tails[list(feet)]])
    level = across(figure.up)
    outside = _outside(points @ level.T, level @ center)
    if outside > room:
        reason = "The weight is not above the feet, so the figure sits, lies or leans."
        return BalanceSupport(BalanceRule.KEEP_HIPS, reason, (), nothing, outside)
    away = center - points.mean(0)
    lean = away - figure.up * (away @ figure.up)
    return BalanceSupport(BalanceRule.BALANCE, "The figure stands on its feet.", feet, lean, outside)


def _outside(points: Array, place: Array) -> float:
    """Distance from a place (2,) to the convex hull of points (P, 2), 0 inside."""
    # outside, the nearest point of a hull is on a segment between two of the points
    a, b = points[:, None], points[None]
    way = b - a
    length = (way * way).sum(-1)
    share = np.clip(((place - a) * way).sum(-1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    nearest = np.sqrt(((a + share[..., None] * way - place) ** 2).sum(-1)).min()
    angles = np.sort(np.arctan2(points[:, 1] - place[1], points[:, 0] - place[0]))
    gaps = np.diff(np.append(angles, angles[0] + 2.0 * np.pi))
    return 0.0 if gaps.max() < np.pi else float(nearest)
