# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds a figure by itself while a bone is dragged, told before the drag begins."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..frame.plan import NOT_SAVED, EffectorPlan
from ..report.reasons import REASONS
from .grip import Grip, plan_with_grip, taken


@dataclass(frozen=True, kw_only=True)
class Hold:
    """A bone that stays where it is without a pin.

    Attributes:
        bone: its name; length: Blender units of the armature.
        local: (3,) the point that stays, in the bone's axes; where all of it does, its tip, as of a pin.
        turns: whether its rotation stays, too.
    """

    bone: str
    length: float
    local: tuple[float, float, float]
    turns: bool


def holding(armature: bpy.types.Object, context: bpy.types.Context, grip: Grip) -> tuple[Hold, ...]:
    """What holds against the hand besides pins and effectors; nothing where nothing can be dragged.

    Args:
        armature: the original object, as it stands.
        context: scene and view layer.
        grip: what is held, or would be.
    """
    try:
        plan, rows = plan_with_grip(armature, context, taken(armature, grip))
    except REASONS:
        return ()  # whoever drags it is told why
    hand = plan.effectors[rows[0]]
    return tuple(
        _hold(one, armature.data.bones[one.bone].length)
        for one in plan.effectors
        if one.index == NOT_SAVED and one.priority < hand.priority
    )


def _hold(held: EffectorPlan, length: float) -> Hold:
    turns = held.kind.turns
    return Hold(bone=held.bone, length=length, local=(0.0, length, 0.0) if turns else held.local, turns=turns)
