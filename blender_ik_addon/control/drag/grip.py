# SPDX-License-Identifier: GPL-3.0-or-later
"""The grip of a drag: the dragged bone, and which other bones stay or follow; also before it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import bpy
import numpy as np
from numpy.linalg import norm

from ...bridge.armature import Array, Bones, Matrices, pose_matrices
from ...bridge.bone_map import BoneMap, bone_map
from ...bridge.checks import overridden
from ...bridge.feet import Footing, Sole, carrier, footing
from ...properties.access import rig_of
from ...properties.effector import ArticulateEffector, why_not_moved
from ...properties.kinds import KINDS, Kind
from ...properties.refusal import Refused
from ..frame.plan import NOT_SAVED, EffectorPlan, Plan, read_plan
from ..report import reasons
from .mirrored import Mirrored, other_hand

# priorities relative to that of the dragged bone
_BODY: Final = 1  # of the bone that carries the dragged leg
BELOW: Final = 2
"""Of the foot below the dragged bone, for which the body does not move."""
_SOLE: Final = replace(KINDS["POSE"], asks=("position", "sole"))
_NEAR: Final = 0.2  # share of the legs' length, of points near the middle of the hip joints
_ABOVE: Final = 0.05  # the same of points that are no longer beside it but above it
_AT_JOINT: Final = 0.1  # share of a thigh's length next to the hip joint
_TINY: Final = 1e-12
METHOD: Final = "hierarchical"
"""The method of all drags, whatever the rig's is: pins need priorities."""


@dataclass(frozen=True, kw_only=True)
class Grip:
    """What is dragged, and how.

    Attributes:
        bone: name of the bone.
        along: position on the bone, from its head (0) to its tip (1).
        turn: turn the bone about its head instead of moving it.
        levels: number of bones that may move, from this one up; 0 for the whole figure.
        root: PINNED, FREE, or "" for the solver's setting.
        switched: names of the rules "balance" and "keep_hips" that are toggled relative to the solver's
            settings.
        other: name of the bone on the other side that follows mirrored, "" for none.
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
        """The dragged bone, and the one that follows mirrored."""
        return (self.bone, self.other) if self.other else (self.bone,)


def plan_with_grip(
    armature: bpy.types.Object, context: bpy.types.Context, grip: Grip, pose: Matrices | None = None
) -> tuple[Plan, tuple[int, ...]]:
    """The armature's plan with the dragged bones as its weakest effectors, and their rows, see `Grip.bones`.

    If the whole figure may move, the feet that it stands on stay in place, depending on the solver's setting.
    Feet with their own effectors are excepted. The foot below the dragged bone yields to the drag. The root
    moves if the feet hold the figure, or if a leg or the root itself is dragged. Dragging a bone above the
    one that carries the figure moves the whole figure. `pose` (B, 4, 4) is that at the start of the drag,
    armature space; None for the present one.
    """
    if grip.bone not in armature.data.bones:
        raise Refused(f"Armature '{armature.name}' has no bone '{grip.bone}' to drag")
    whole, own = bone_map(armature), rig_of(armature).enabled_effectors
    grip = _on_hips(armature, whole, grip, own)
    follows = _leader(own, grip, grip.bone)
    if follows is not None:
        raise Refused(
            f"Bone '{grip.bone}' follows '{follows.target.name}': move that, or switch effector"
            f" '{follows.name}' off to drag the bone"
        )
    concerned = [effector for effector in own if effector.bone in grip.bones]
    for effector in (each for each in concerned if _asks(each.kind_info, grip)):
        if reason := why_not_moved(effector, context.scene.frame_current_final):
            raise Refused(reason)
    dragged = [_dragged(armature, whole, grip, name, own) for name in grip.bones]
    of_all = not any(one.chain_root for one in dragged)
    held, root = _holding(armature, context, whole, grip, own, pose) if of_all else ((), "")
    root = grip.root or root
    extra, mirrored = [*held, *dragged], bool(grip.other)
    plan = read_plan(armature, context, extra=extra, root=root, instead=METHOD, mirrored=mirrored)
    effectors, rows = [], []
    for one in plan.effectors[: -len(dragged)]:
        only_holds = one.follows in ("PIN", "MOTION") or one.index == NOT_SAVED
        effectors.append(replace(one, holds=only_holds))
    added = len(effectors)
    for one in dragged:
        own_pins = (one.bone == other.bone and not other.target for other in effectors[:added])
        pins = [row for row, own_pin in enumerate(own_pins) if own_pin and _asks(effectors[row].kind, grip)]
        if pins:
            # The pin itself is dragged, so it follows the mouse and yields to the others.
            pin = effectors[pins[0]]
            effectors[pins[0]] = replace(pin, follows="PIN", priority=one.priority, holds=one.holds)
            rows.append(pins[0])
        else:
            rows.append(len(effectors))
            effectors.append(one)
    first = min(effector.priority for effector in effectors)
    if first < 0:
        effectors = [replace(effector, priority=effector.priority - first) for effector in effectors]
    # a figure without other effectors, dragged by its root, keeps its pose
    carries = "ALWAYS" if root == "FREE" and len(effectors) == len(rows) else plan.carries
    off = plan.switched_off ^ grip.switched
    # in a drag all bones keep their present length
    own_plan = replace(plan, effectors=tuple(effectors), carries=carries, switched_off=off, stretches=())
    return own_plan, tuple(rows)


def holding(armature: bpy.types.Object, context: bpy.types.Context, grip: Grip) -> tuple[EffectorPlan, ...]:
    """The effectors that hold bones automatically against a drag; empty if the drag would be refused."""
    try:
        plan, rows = plan_with_grip(armature, context, taken(armature, grip))
    except reasons():
        return ()  # the drag itself reports the reason
    hand = plan.effectors[rows[0]]
    temporary = (one for one in plan.effectors if one.index == NOT_SAVED and one.kind.moves)
    return tuple(one for one in temporary if one.priority < hand.priority)


def _dragged(
    armature: bpy.types.Object, whole: BoneMap, grip: Grip, name: str, own: Sequence[ArticulateEffector]
) -> EffectorPlan:
    """The effector of a dragged bone, weaker than the rig's own. A mirrored bone may be locked."""
    bone = armature.data.bones[name]
    chain = [name, *(parent.name for parent in bone.parent_recursive)]
    placed = any(effector.kind_info.moves for effector in own if effector.bone == name)
    return EffectorPlan(
        name=name,
        bone=name,
        kind=KINDS[("ORIENTATION" if placed else "POSE") if grip.turn else "POSITION"],
        priority=_strength(own),
        chain_root=chain[grip.levels - 1] if 0 < grip.levels < len(chain) else "",
        local=(0.0, 0.0, 0.0) if grip.turn else _point(whole, name, grip.along),
        holds=name != grip.bone,
    )


def _point(whole: BoneMap, name: str, along: float) -> tuple[float, float, float]:
    """The dragged point of a bone, in its axes: of hips that are taken at their joints the middle of these.

    If a target is beyond the reach of straight legs, a point beside or below the joints would come a little
    nearer when the hips turn over. Points above the joints are nearest when the figure is upright.
    """
    heads, number = whole.bones.heads, whole.bones.index[name]
    rest, point = whole.bones.rest[number], np.array([0.0, whole.bones.length[number] * along, 0.0])
    legs = whole.legs_of(number)
    if legs:
        first, feet = np.array(legs).T
        middle = (heads[first].mean(0) - rest[:3, 3]) @ rest[:3, :3]
        leg = (heads[first] - heads[feet]).mean(0)
        above = (point - middle) @ (rest[:3, :3].T @ leg)
        if norm(point - middle) < _NEAR * norm(leg) and above < _ABOVE * (leg @ leg):
            point = middle
    return _local(point)


def _on_hips(
    armature: bpy.types.Object, whole: BoneMap, grip: Grip, own: Sequence[ArticulateEffector]
) -> Grip:
    """The grip on the hips, if a leg is taken at its hip joint, and nothing places one of both.

    About this joint a leg has hardly any lever: a little way of the mouse would turn it far.
    """
    number, feet = whole.bones.number(grip.bone), whole.kinds.feet
    foot = next((limb.foot for limb in whole.kinds.limbs if limb.joints[0] == number), -1)
    if foot not in feet or grip.along > _AT_JOINT or grip.turn or grip.levels or grip.other:
        return grip
    body = _body(whole.bones, foot, feet)
    if body < 0:
        return grip
    hips = whole.bones.names[body]
    placed = any(effector.kind_info.moves for effector in own if effector.bone in (grip.bone, hips))
    return grip if placed else _moved_to(armature, grip, hips)


def _moved_to(armature: bpy.types.Object, grip: Grip, name: str) -> Grip:
    """The grip on another bone, at the point nearest to its own."""
    bone, other = armature.pose.bones[grip.bone], armature.pose.bones[name]
    way, point = other.tail - other.head, bone.head.lerp(bone.tail, grip.along)
    along = (point - other.head).dot(way) / max(way.length_squared, _TINY)
    return replace(grip, bone=name, along=min(max(along, 0.0), 1.0))


def _leader(own: Sequence[ArticulateEffector], grip: Grip, name: str) -> ArticulateEffector | None:
    """The effector whose target already determines what the drag would change; None if there is none."""
    here = (effector for effector in own if effector.bone == name and effector.target is not None)
    return next((effector for effector in here if _asks(effector.kind_info, grip)), None)


def taken(armature: bpy.types.Object, grip: Grip) -> Grip:
    """The grip that is actually used, with the bone that follows in *X-Axis Mirror*.

    A limb on the other side is left alone if it follows a target, is constrained, or is locked.
    """
    grip = handed_on(armature, grip)
    other = other_hand(armature, grip.bone)
    if not other:
        return replace(grip, other="")
    own = rig_of(armature).enabled_effectors
    limb = [bone for _, bone, _ in Mirrored.of(armature, grip.bone, other).limb]
    led = _leader(own, grip, other) is not None or overridden(armature, limb)
    locked = not any(_turns(armature.pose.bones[name]) for name in limb)
    return replace(grip, other="" if led or locked else other)


def handed_on(armature: bpy.types.Object, grip: Grip) -> Grip:
    """The same point on the parent bone, if a constraint drives the bone.

    Helper bones for the skin are driven like that. They lie along the limb, and dragging one is meant to drag
    the limb.
    """
    bone = armature.pose.bones.get(grip.bone)
    if bone is None or bone.parent is None:
        return grip
    above = bone.parent
    if overridden(armature, [bone.name, above.name]) != {bone.name}:
        return grip
    return _moved_to(armature, grip, above.name)


def _holding(
    armature: bpy.types.Object,
    context: bpy.types.Context,
    whole: BoneMap,
    grip: Grip,
    own: Sequence[ArticulateEffector],
    pose: Matrices | None,
) -> tuple[list[EffectorPlan], str]:
    """The additional effectors that hold the figure, and the root setting; "" for the rig's own.

    If Root is Automatic and feet are held, the drag decides about the root.
    """
    if rig_of(armature).solver.hold != "FEET":
        return [], ""
    bones = whole.bones
    evaluated = armature.evaluated_get(context.evaluated_depsgraph_get())
    on = footing(whole, pose_matrices(evaluated) if pose is None else pose)
    top = carrier(whole)
    number = bones.number(grip.bone)  # a bone in the middle has no other side
    lifted = top >= 0 and number in bones.ancestors(top)[1:]
    held = [] if lifted else _feet(armature, whole, on, grip, own)
    held += _joined(whole, grip, own)
    carried = (on.upright and held) or any(_is_placed(bones, foot, own) for foot in on.feet)
    in_hand = lifted or number == top or bones.parents[number] < 0
    follows = any(one.priority == _strength(own) + _BODY for one in held)  # the body, a dragged leg
    if carried or in_hand or follows:
        return held, "FREE"
    return held, "PINNED" if rig_of(armature).solver.root == "AUTO" else ""


def _feet(
    armature: bpy.types.Object, whole: BoneMap, on: Footing, grip: Grip, own: Sequence[ArticulateEffector]
) -> list[EffectorPlan]:
    """The feet as effectors that hold them in place, except those that have effectors or are dragged.

    Dragging a leg may lift its foot: the foot follows as far as necessary. The bone that carries the leg
    stays in place as long as the leg can reach.
    """
    bones, above = whole.bones, _in_hand(whole, grip)
    # a constrained foot would refuse the drag
    moved = {bone.name for bone in armature.pose.bones if not all(each.mute for each in bone.constraints)}
    driven = {foot for foot in on.feet if moved & {bones.names[one] for one in bones.ancestors(foot)}}
    free = [foot for foot in on.feet if foot not in above and foot not in driven]
    held = [foot for foot in free if not _is_placed(bones, foot, own)]
    lifted = []
    for name in grip.bones:
        below = [foot for foot in held if bones.number(name) in bones.ancestors(foot)]
        lifted += below if len(below) == 1 < len(free) else []
    turned = {bones.index.get(effector.bone) for effector in own}
    hand = _strength(own)
    plans = []
    for foot in held:
        flat = foot in on.flat and foot not in turned
        sole = Sole.of(whole, foot) if flat and foot not in lifted else None
        if sole is not None:
            toes = [toe for toe in sole.toes if toe not in turned and bones.names[toe] not in moved]
            plans += _standing(bones, foot, sole, toes, _above_all(own))
        else:
            strength = hand + BELOW if foot in lifted else _above_all(own)
            plans.append(_held(bones, foot, strength, None if flat else whole.ends[foot]))
    leg = next((foot for foot in (*lifted, *on.feet) if foot in lifted or foot in above), -1)
    body = _body(bones, leg, free) if leg >= 0 else -1
    return plans if body < 0 else [*plans, _held(bones, body, hand + _BODY)]


def _joined(whole: BoneMap, grip: Grip, own: Sequence[ArticulateEffector]) -> list[EffectorPlan]:
    """Loops between legs and feet that are roots of their own, where one of them is in the hand."""
    bones, above, found = whole.bones, _in_hand(whole, grip), []
    for leg, foot in whole.rooted.items():
        if leg in above:
            held = _held(bones, leg, _above_all(own), whole.ends[leg])
            joins = {"second_bone": bones.names[foot], "second_local": (0.0, 0.0, 0.0), "rigid": False}
            found.append(replace(held, kind=KINDS["LOOP"], settings=joins))
    return found


def _in_hand(whole: BoneMap, grip: Grip) -> set[int]:
    """The dragged bones with their ancestors, and the legs of feet among them that are roots of their own."""
    above = {number for name in grip.bones for number in whole.bones.ancestors(name)}
    return above | {leg for leg, foot in whole.rooted.items() if foot in above}


def _local(place: Array) -> tuple[float, float, float]:
    return float(place[0]), float(place[1]), float(place[2])


def _above_all(own: Sequence[ArticulateEffector]) -> int:
    """Priority above the rig's own effectors, whose targets out of reach would otherwise lift the feet."""
    return min((effector.priority for effector in own), default=1) - 1


def _strength(own: Sequence[ArticulateEffector]) -> int:
    """Priority of the dragged bones: weaker than all effectors of the rig."""
    return 1 + max((effector.priority for effector in own), default=0)


def _held(bones: Bones, number: int, priority: int, tip: Array | None = None) -> EffectorPlan:
    """An effector that keeps a bone in place, or only its tip (3,), in its axes."""
    name = bones.names[number]
    return EffectorPlan(
        name=name,
        bone=name,
        kind=KINDS["POSE" if tip is None else "POSITION"],
        priority=priority,
        local=(0.0, 0.0, 0.0) if tip is None else _local(tip),
    )


def _standing(bones: Bones, foot: int, sole: Sole, toes: Sequence[int], priority: int) -> list[EffectorPlan]:
    """Effectors that keep a foot on the ground, and some toes flat if its heel rises."""
    turns = {"hinge": sole.hinge, "side": sole.side}
    ball = replace(_held(bones, foot, priority, sole.ball), kind=_SOLE, settings=turns)
    return [ball, *(replace(_held(bones, toe, priority), kind=KINDS["ORIENTATION"]) for toe in toes)]


def _body(bones: Bones, foot: int, feet_held: Sequence[int]) -> int:
    """The bone that carries a leg: the first ancestor of its foot that also carries another foot."""
    others = {number for one in feet_held if one != foot for number in bones.ancestors(one)}
    return next((number for number in bones.ancestors(foot) if number in others), -1)


def _is_placed(bones: Bones, foot: int, own: Sequence[ArticulateEffector]) -> bool:
    """Whether an effector of the rig places a foot, itself or through its ankle or a bone below it."""
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


def _turns(bone: bpy.types.PoseBone) -> bool:
    """Whether a bone can rotate about some axis."""
    locked = bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z
    rotation: Any = bone.lock_rotation
    return not all(one or other for one, other in zip(rotation, locked, strict=True))


def _asks(kind: Kind, grip: Grip) -> bool:
    """Whether a kind of effector determines what the drag changes."""
    return kind.turns if grip.turn else kind.moves
