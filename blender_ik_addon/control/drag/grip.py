# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hand has of a figure: which bone, and what of the rest holds or comes along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import bpy

from ...bridge.armature import Bones, Matrices, pose_matrices, read_bones
from ...bridge.checks import overridden
from ...bridge.feet import Stand, carrier, stand
from ...bridge.space import upward
from ...properties.access import rig_of
from ...properties.effector import ArticulateEffector
from ...properties.kinds import KINDS, Kind
from ...properties.one_place import why_not_moved
from ...properties.refusal import Refused
from ..frame.plan import NOT_SAVED, EffectorPlan, Plan, read_plan
from .mirrored import Mirrored, other_hand

# priorities, counted from that of the hand
_BODY: Final = 1  # of what the leg in the hand hangs from
_BELOW: Final = 2  # of the foot below the hand: no body moves for it
_TINY: Final = 1e-12
METHOD: Final = "hierarchical"
"""The method of all drags, whatever the rig's is: pins are to hold, which takes priorities."""


@dataclass(frozen=True, kw_only=True)
class Grip:
    """What is held and how.

    Attributes:
        bone: name of the bone.
        along: where on it, from its head (0) to its tip (1).
        turn: the bone is turned about its head, not moved.
        levels: how many bones take part for it, from this one up; 0 is the whole figure.
        root: PINNED, FREE, or "" for the solver's setting.
        switched: rules that keep a figure from falling ("balance", "keep_hips"), each switched over from how
            the solver has it.
        other: name of the bone on the other side that comes along mirrored, "" for none.
    """

    bone: str
    along: float = 1.0
    turn: bool = False
    levels: int = 0
    root: str = ""
    switched: frozenset[str] = frozenset()
    other: str = ""

    @property
    def bones(self) -> tuple[str, ...]:
        """The bone in the hand, and the one that comes along."""
        return (self.bone, self.other) if self.other else (self.bone,)


def plan_with_grip(
    armature: bpy.types.Object, context: bpy.types.Context, grip: Grip, pose: Matrices | None = None
) -> tuple[Plan, tuple[int, ...]]:
    """The armature's plan with what is dragged as its weakest effectors, and their rows, as `grip.bones`.

    Where the whole figure takes part, the feet that it stands on hold as the solver's setting says, but for
    those that effectors of the rig place. The foot below what is held gives way to the hand. While the
    figure stands on its feet, by that or by effectors on them, the root comes along, and so it does when it
    is itself in the hand. A drag of a bone above the one that carries the figure moves the whole figure.

    Args:
        armature: the original object.
        context: scene and view layer.
        grip: what is held.
        pose: (B, 4, 4) how the bones stood when it was taken, armature space; None for how they stand now.

    Raises:
        Refused, FigureFault: it cannot be solved as it is set up; the sentence says why.
    """
    if grip.bone not in armature.data.bones:
        raise Refused(f"Armature '{armature.name}' has no bone '{grip.bone}' to drag")
    own = [effector for effector in rig_of(armature).effectors if effector.enabled]
    follows = _leader(own, grip, grip.bone)
    if follows is not None:
        raise Refused(
            f"Bone '{grip.bone}' follows '{follows.target.name}': move that, or switch effector"
            f" '{follows.name}' off to drag the bone",
            follows.name,
        )
    for effector in own:
        reason = (
            why_not_moved(effector, context.scene.frame_current_final) if effector.bone in grip.bones else ""
        )
        if reason and _asks(effector.kind_info, grip):
            raise Refused(reason, effector.name)
    dragged = [_dragged(armature, grip, name, own) for name in grip.bones]
    whole = not any(one.chain_root for one in dragged)
    held, root = _holding(armature, context, grip, own, pose) if whole else ((), "")
    root = grip.root or root
    extra, mirrored = [*held, *dragged], bool(grip.other)
    plan = read_plan(armature, context, extra=extra, root=root, instead=METHOD, mirrored=mirrored)
    effectors, rows = list(map(_as_held, plan.effectors[: -len(dragged)])), []
    added = len(effectors)
    for one in dragged:
        pin = next(
            (
                row
                for row, other in enumerate(effectors[:added])
                if other.bone == one.bone and not other.target and _asks(other.kind, grip)
            ),
            None,
        )
        if pin is None:
            rows.append(len(effectors))
            effectors.append(one)
        else:
            # The pin itself is dragged: it lets go of its place, and gives way to the others.
            rows.append(pin)
            effectors[pin] = replace(effectors[pin], follows="PIN", priority=one.priority, holds=one.holds)
    first = min(effector.priority for effector in effectors)
    if first < 0:
        effectors = [replace(effector, priority=effector.priority - first) for effector in effectors]
    # what holds nowhere and is taken by its root goes along as it is
    carries = "ALWAYS" if root == "FREE" and len(effectors) == len(rows) else plan.carries
    off = plan.switched_off ^ grip.switched
    # in a drag all bones keep the length that they have
    own_plan = replace(plan, effectors=tuple(effectors), carries=carries, switched_off=off, stretches=())
    return own_plan, tuple(rows)


def _dragged(
    armature: bpy.types.Object, grip: Grip, name: str, own: Sequence[ArticulateEffector]
) -> EffectorPlan:
    """A bone in the hand as an effector weaker than the rig's own; what only comes along may be locked."""
    bone = armature.data.bones[name]
    chain = [name, *(parent.name for parent in bone.parent_recursive)]
    placed = any(effector.kind_info.moves for effector in own if effector.bone == name)
    return EffectorPlan(
        index=NOT_SAVED,
        name=name,
        bone=name,
        kind=KINDS[("ORIENTATION" if placed else "POSE") if grip.turn else "POSITION"],
        priority=_strength(own),
        chain_root=chain[grip.levels - 1] if 0 < grip.levels < len(chain) else "",
        local=(0.0, 0.0 if grip.turn else bone.length * grip.along, 0.0),
        holds=name != grip.bone,
    )


def _leader(own: Sequence[ArticulateEffector], grip: Grip, name: str) -> ArticulateEffector | None:
    """The effector whose target says already what the hand would change; None if none does."""
    here = (effector for effector in own if effector.bone == name and effector.target is not None)
    return next((effector for effector in here if _asks(effector.kind_info, grip)), None)


def taken(armature: bpy.types.Object, grip: Grip) -> Grip:
    """What is in the hand of who takes hold so, and with *X-Axis Mirror* what comes along.

    A limb on the other side that follows a target, is led by constraints, or is locked goes on as it is.

    Args:
        armature: the original object.
        grip: what is taken hold of.
    """
    grip = handed_on(armature, grip)
    other = other_hand(armature, grip.bone)
    if not other:
        return replace(grip, other="")
    own = [effector for effector in rig_of(armature).effectors if effector.enabled]
    limb = [bone for _, bone, _ in Mirrored.of(armature, grip.bone, other).limb]
    led = _leader(own, grip, other) is not None or overridden(armature, limb)
    locked = not any(_turns(armature.pose.bones[name]) for name in limb)
    return replace(grip, other="" if led or locked else other)


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


def _holding(
    armature: bpy.types.Object,
    context: bpy.types.Context,
    grip: Grip,
    own: Sequence[ArticulateEffector],
    pose: Matrices | None,
) -> tuple[list[EffectorPlan], str]:
    """What holds besides the effectors that the rig has, and the root; "" for as it is set.

    Where the root is set to Automatic and feet hold, the drag's own rule counts.
    """
    if rig_of(armature).solver.hold != "FEET":
        return [], ""
    bones, up = read_bones(armature), upward(armature)
    evaluated = armature.evaluated_get(context.evaluated_depsgraph_get())
    on = stand(bones, pose_matrices(evaluated) if pose is None else pose, up)
    top = carrier(bones, up)
    number = bones.number(grip.bone)  # a bone in the middle has no other side
    lifted = top >= 0 and number in bones.ancestors(bones.names[top])[1:]
    held = [] if lifted else _feet(armature, bones, on, grip, own)
    carried = (on.upright and held) or any(_is_placed(bones, foot, own) for foot in on.feet)
    in_hand = lifted or number == top or bones.parents[number] < 0
    if carried or in_hand:
        return held, "FREE"
    return held, "PINNED" if rig_of(armature).solver.root == "AUTO" else ""


def _feet(
    armature: bpy.types.Object, bones: Bones, on: Stand, grip: Grip, own: Sequence[ArticulateEffector]
) -> list[EffectorPlan]:
    """The feet as effectors that hold them where they are, but for those that are placed or in the hand.

    Who takes a leg may lift it: the foot follows as far as it has to, but what the leg hangs from stays as
    long as the leg can do it.
    """
    above = {number for name in grip.bones for number in bones.ancestors(name)}
    free = [foot for foot in on.feet if foot not in above and _is_free(armature, bones.names[foot])]
    held = [foot for foot in free if not _is_placed(bones, foot, own)]
    lifted = []
    for name in grip.bones:
        below = [foot for foot in held if bones.number(name) in bones.ancestors(bones.names[foot])]
        lifted += below if len(below) == 1 < len(free) else []
    turned = {bones.index.get(effector.bone) for effector in own}
    hand = _strength(own)
    # stronger than the rig's own, or a target out of reach would lift them
    first = min((effector.priority for effector in own), default=1) - 1
    plans = [
        _held(
            bones,
            foot,
            hand + _BELOW if foot in lifted else first,
            at_tip=foot not in on.flat or foot in turned,
        )
        for foot in held
    ]
    leg = next((foot for foot in (*lifted, *on.feet) if foot in lifted or foot in above), -1)
    body = _body(bones, leg, free) if leg >= 0 else -1
    return plans if body < 0 else [*plans, _held(bones, body, hand + _BODY)]


def _strength(own: Sequence[ArticulateEffector]) -> int:
    """Priority of what is dragged: weaker than all effectors of the rig."""
    return 1 + max((effector.priority for effector in own), default=0)


def _as_held(effector: EffectorPlan) -> EffectorPlan:
    """What holds against the hand, marked as such if it is only to stay where it is."""
    return replace(effector, holds=effector.follows in ("PIN", "MOTION") or effector.index == NOT_SAVED)


def _held(bones: Bones, number: int, priority: int, *, at_tip: bool = False) -> EffectorPlan:
    """A bone that stays as it is, or only with its tip where that is."""
    name = bones.names[number]
    return EffectorPlan(
        index=NOT_SAVED,
        name=name,
        bone=name,
        kind=KINDS["POSITION" if at_tip else "POSE"],
        priority=priority,
        chain_root="",
        local=(0.0, float(bones.length[number]) if at_tip else 0.0, 0.0),
    )


def _body(bones: Bones, foot: int, feet_held: Sequence[int]) -> int:
    """The bone from which a leg hangs: the first one above its foot that moves another foot, too."""
    others = {number for one in feet_held if one != foot for number in bones.ancestors(bones.names[one])}
    return next((number for number in bones.ancestors(bones.names[foot]) if number in others), -1)


def _is_placed(bones: Bones, foot: int, own: Sequence[ArticulateEffector]) -> bool:
    """Whether an effector of the rig places a foot: itself, at the ankle, or by something below it."""
    ankle = int(bones.parents[foot])
    return any(
        effector.kind_info.moves
        and effector.bone in bones.index
        and (
            foot in bones.ancestors(effector.bone)
            or (bones.index[effector.bone] == ankle and bones.parents[ankle] >= 0)
        )
        for effector in own
    )


def _is_free(armature: bpy.types.Object, name: str) -> bool:
    """Whether no constraint moves a bone or those above it: who drags an arm need not know of it."""
    bone = armature.pose.bones[name]
    return all(one.mute for above in (bone, *bone.parent_recursive) for one in above.constraints)


def _turns(bone: bpy.types.PoseBone) -> bool:
    """Whether a bone can turn about some axis."""
    locked = bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z
    rotation: Any = bone.lock_rotation
    return not all(one or other for one, other in zip(rotation, locked, strict=True))


def _asks(kind: Kind, grip: Grip) -> bool:
    """Whether a kind of effector asks for what the hand changes."""
    return kind.turns if grip.turn else kind.moves
