# SPDX-License-Identifier: GPL-3.0-or-later
"""The bones that would stay in place automatically during a drag, for display before it begins."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..frame.plan import NOT_SAVED, EffectorPlan
from ..report.reasons import REASONS
from .grip import Grip, plan_with_grip, taken


@dataclass(frozen=True, kw_only=True)
class Hold:
    """A bone that stays in place without a pin.

    Attributes:
        bone: its name; length: Blender units of the armature.
        local: (3,) the point that stays, in the bone's axes; the tip if the whole bone stays.
        turns: whether its rotation also stays.
    """

    bone: str
    length: float
    local: tuple[float, float, float]
    turns: bool


def holding(armature: bpy.types.Object, context: bpy.types.Context, grip: Grip) -> tuple[Hold, ...]:
    """The bones held automatically against a drag; empty if the drag would be refused.

    Args:
        armature: the original object.
        context: scene and view layer.
        grip: what is or would be dragged.
    """
    try:
        plan, rows = plan_with_grip(armature, context, taken(armature, grip))
    except REASONS:
        return ()  # the drag itself reports the reason
    hand = plan.effectors[rows[0]]
    return tuple(
        _hold(one, armature.data.bones[one.bone].length)
        for one in plan.effectors
        if one.index == NOT_SAVED and one.priority < hand.priority
    )


def _hold(held: EffectorPlan, length: float) -> Hold:
    turns = held.kind.turns
    return Hold(bone=held.bone, length=length, local=(0.0, length, 0.0) if turns else held.local, turns=turns)
