# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hand has of a figure: which bone, and what of the rest holds or comes along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import bpy
import numpy as np

import ikmath as ik

from ..bridge.armature import Bones, read_bones
from ..bridge.checks import overridden
from ..bridge.feet import carrier, feet
from ..properties.access import rig_of
from ..properties.effector import ArticulateEffector
from ..properties.kinds import KINDS, Kind
from ..properties.refusal import Refused
from .plan import NOT_SAVED, EffectorPlan, Plan, read_plan

_BELOW: Final = 2  # priority of a foot below what is in the hand, which has 1
_TINY: Final = 1e-12


@dataclass(frozen=True, kw_only=True)
class Grip:
    """What is held and how.

    Attributes:
        bone: name of the bone.
        along: where on it, from its head (0) to its tip (1).
        turn: the bone is turned about its head, not moved.
        levels: how many bones take part for it, from this one up; 0 is the whole figure.
        root: PINNED, FREE, or "" for the solver's setting.
    """

    bone: str
    along: float = 1.0
    turn: bool = False
    levels: int = 0
    root: str = ""


def plan_with_grip(armature: bpy.types.Object, context: bpy.types.Context, grip: Grip) -> tuple[Plan, int]:
    """The armature's plan with what is dragged as its weakest effector, and the row of that one.

    Where nothing is pinned and the whole figure takes part, its feet are held as the solver's setting says;
    the foot below what is held gives way to the hand. While it stands on its feet, by that or by pins on
    them, the root comes along. Who takes a bone above the one that carries the figure takes all of it along.

    Args:
        armature: the original object.
        context: scene and view layer.
        grip: what is held.

    Raises:
        Refused, FigureFault: it cannot be solved as it is set up; the sentence says why.
    """
    bone = armature.data.bones.get(grip.bone)
    if bone is None:
        raise Refused(f"Armature '{armature.name}' has no bone '{grip.bone}' that could be dragged")
    local = (0.0, 0.0 if grip.turn else bone.length * grip.along, 0.0)
    own = [effector for effector in rig_of(armature).effectors if effector.enabled]
    here = [effector for effector in own if effector.bone == grip.bone]
    follows = next((e for e in here if e.target is not None and _asks(e.kind_info, grip)), None)
    if follows is not None:
        raise Refused(
            f"Bone '{grip.bone}' follows '{follows.target.name}': move that, or switch effector"
            f" '{follows.name}' off to drag the bone",
            follows.name,
        )
    chain = [bone.name, *(parent.name for parent in bone.parent_recursive)]
    top = chain[grip.levels - 1] if 0 < grip.levels < len(chain) else ""
    placed = any(effector.kind_info.moves for effector in here)
    dragged = EffectorPlan(
        index=NOT_SAVED,
        name=grip.bone,
        bone=grip.bone,
        kind=KINDS[("ORIENTATION" if placed else "POSE") if grip.turn else "POSITION"],
        priority=1 + max((effector.priority for effector in own), default=0),
        chain_root=top,
        local=local,
    )
    stands = not top and rig_of(armature).solver.unpinned == "FEET"
    bones = read_bones(armature)
    above = bones.ancestors(bones.names[carrier(bones)])[1:] if carrier(bones) >= 0 else ()
    lifted = stands and bones.number(grip.bone) in above
    held = _feet(armature, bones, grip) if stands and not own and not lifted else []
    carried = held or lifted or (stands and _has_feet_held(bones, own))
    root = grip.root or ("FREE" if carried else "")
    plan = read_plan(armature, context, extra=[*held, dragged], root=root)
    plan = replace(plan, effectors=(*map(_as_held, plan.effectors[:-1]), plan.effectors[-1]))
    if not ik.METHODS[plan.method].priorities:
        plan = replace(plan, method=ik.DEFAULT)  # pins are to hold, which takes priorities
    pin = next(
        (
            row
            for row, other in enumerate(plan.effectors[:-1])
            if other.bone == grip.bone and not other.target and _asks(other.kind, grip)
        ),
        None,
    )
    if pin is None:
        return plan, len(plan.effectors) - 1
    # The pin itself is dragged: it lets go of its place, and gives way to the others.
    loose = replace(plan.effectors[pin], priority=dragged.priority, holds=False)
    return replace(plan, effectors=(*plan.effectors[:pin], loose, *plan.effectors[pin + 1 : -1])), pin


def handed_on(armature: bpy.types.Object, grip: Grip) -> Grip:
    """The same point on the bone above, where a constraint leads the one in the hand.

    So are bones that help the skin: they lie on the limb, and who takes hold of one means the limb.

    Args:
        armature: the original object.
        grip: what is held.
    """
    bone = armature.pose.bones.get(grip.bone)
    if bone is None or bone.parent is None:
        return grip
    above = bone.parent
    if overridden(armature, [bone.name, above.name]) != {bone.name}:
        return grip
    way, point = above.tail - above.head, bone.head.lerp(bone.tail, grip.along)
    along = (point - above.head).dot(way) / max(way.length_squared, _TINY)
    return replace(grip, bone=above.name, along=min(max(along, 0.0), 1.0))


def _feet(armature: bpy.types.Object, bones: Bones, grip: Grip) -> list[EffectorPlan]:
    """The feet as effectors that hold them where they are, but for one that is itself in the hand.

    Who takes a leg between hip and foot may lift it, and the foot follows as far as it has to.
    """
    above, number = bones.ancestors(grip.bone), bones.number(grip.bone)
    held = [name for name in feet(bones) if bones.number(name) not in above and _is_free(armature, name)]
    below = [name for name in held if number in bones.ancestors(name)]
    own = below[0] if len(below) == 1 < len(held) else ""
    return [
        EffectorPlan(
            index=NOT_SAVED,
            name=name,
            bone=name,
            kind=KINDS["POSE"],
            priority=_BELOW if name == own else 0,
            chain_root=_leg(bones, name, held) if name == own else "",
            local=(0.0, 0.0, 0.0),
        )
        for name in held
    ]


def _as_held(effector: EffectorPlan) -> EffectorPlan:
    """What holds against the hand, marked as such if it is only to stay where it is."""
    return replace(effector, holds=effector.follows == "PIN" or effector.index == NOT_SAVED)


def _leg(bones: Bones, foot: str, feet_held: Sequence[str]) -> str:
    """The topmost bone that moves this foot and no other one: for a foot that gives way no body moves."""
    others = {number for name in feet_held if name != foot for number in bones.ancestors(name)}
    return bones.names[[number for number in bones.ancestors(foot) if number not in others][-1]]


def _has_feet_held(bones: Bones, own: Sequence[ArticulateEffector]) -> bool:
    """Whether effectors hold a foot in its place, at the ankle, or by something below it."""
    ends = {bones.number(name) for name in feet(bones)}
    ankles = {int(bones.parents[number]) for number in ends} - set(np.flatnonzero(bones.parents < 0).tolist())
    return any(
        effector.kind_info.moves
        and effector.bone in bones.index
        and (ends & set(bones.ancestors(effector.bone)) or bones.index[effector.bone] in ankles)
        for effector in own
    )


def _is_free(armature: bpy.types.Object, name: str) -> bool:
    """Whether no constraint moves a bone or those above it: who drags an arm need not know of it."""
    bone = armature.pose.bones[name]
    return all(one.mute for above in (bone, *bone.parent_recursive) for one in above.constraints)


def _asks(kind: Kind, grip: Grip) -> bool:
    """Whether a kind of effector asks for what the hand changes."""
    return kind.turns if grip.turn else kind.moves
