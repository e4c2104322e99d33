# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture objective of a frame, which chooses among the poses that reach the targets.

`frame_posture` makes it from the plan, the starting pose of the figure and the targets. Solves, live figures,
bakes and drags all use it. They differ in `Plan.carries`:
 NEVER      the posture stays in place, for drags;
 UNPLANTED  the posture is moved to the targets, unless an effector is already at its target;
 ALWAYS     the same, but only effectors count that are the same in each frame, for motions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

import ikmath as ik
from ikmath.model.figure_map import Kind
from ikmath.postures.alignment import Correspondence, RigidMotion, align, moves_with_body, smoothed
from ikmath.postures.examples import Examples
from ikmath.postures.objective import PostureObjective
from ikmath.postures.parameters import DEFAULTS
from ikmath.postures.stance import stance
from ikmath.postures.support import BalanceRule, unsupported

from ...bridge.armature import Array, Flags
from ...bridge.bone_map import BoneMap, map_of_some
from ...bridge.figure_map import bone_ends, facing, joint_map, limbs_at_rest, mass_points
from ...bridge.goals import Wanted
from ...bridge.skeleton import Figure
from .goals import short_chain
from .plan import Plan, plain

_IN_PLACE: Final = 1e-3  # share of the figure's size; an effector with a smaller error is at its target
_SEVERAL: Final = 3  # number of target positions that determine the figure's place without hips and feet
SMOOTHING: Final = DEFAULTS.smoothing
"""Number of frames before and after over which a heading is averaged."""
_FEET: Final = (Kind.ANKLE, Kind.PAW)


@dataclass(frozen=True, eq=False)
class Learned:
    """The model of example poses for some effectors of a plan: (E,) which of them it moves and turns."""

    examples: Examples
    moves: Flags
    turns: Flags

    @classmethod
    def of(cls, plan: Plan, figure: Figure, want: Wanted, before: Self | None) -> Self | None:
        """The examples for the effectors of a frame; None without hips or without a target position.

        Those `before`, of another frame, are reused if the same effectors have the same kinds of targets.
        """
        if plan.examples is None:
            return None
        moves, turns = plain(plan, want)
        if before is not None and (before.moves == moves).all() and (before.turns == turns).all():
            return before
        if not moves.any():
            return None
        found = map_of_some(plan.bone_map.kinds, figure.plan.bone.tolist())
        if found.body < 0:
            return None
        states = figure.state_of(plan.examples, figure.state.matrix).each()
        poses = np.array([own.q for own in figure.at_each(states, [figure.space] * len(states))])
        rows = np.flatnonzero(moves)
        joints = [figure.skeleton.index(want.bones[row]) for row in rows]
        examples = Examples(
            figure.skeleton,
            replace(found, size=figure.space.scale * found.size),
            poses,
            joints,
            want.offset[rows],
            turns[rows].tolist(),
        )
        return cls(examples, moves, turns)

    def posture(self, figure: Figure, want: Wanted, q: Array, motion: RigidMotion | None) -> Array:
        """The posture (n,) for the targets of a frame that starts from q (n,); motion: see `FramePosture`."""
        own, pose = self.examples, ik.Pose.forward(figure.shown, q)
        body = own.figure.body
        hips, middle = pose.rotation[body], pose.position[body]
        if motion is not None:
            hips, middle = motion.rotation @ hips, motion.places(middle)
        for row in np.flatnonzero(self.moves & self.turns):  # hips with a target are there
            if own.figure.kinds[figure.skeleton.index(want.bones[row])] == Kind.ROOT:
                hips = want.rotation[row]
                middle = want.position[row] - hips @ want.offset[row]
        rows = np.flatnonzero(self.moves)
        return own.posture(own.seen(hips, middle, want.position[rows], want.rotation[rows]), q)


@dataclass(frozen=True, kw_only=True, eq=False)
class FramePosture:
    """The posture objective of one frame.

    Attributes:
        figure: in its starting pose; q: (n,) the posture, which may be another pose.
        still: the objective with the posture in place.
        examples: poses of the character's actions, if the posture is learned from these.
        motion: of the posture to the targets, None for none; cost: the objective moved by it.
    """

    figure: Figure
    q: Array
    still: PostureObjective
    motion: RigidMotion | None
    cost: PostureObjective
    examples: Learned | None = None

    def follows(self, motion: RigidMotion) -> Self:
        """A copy with another motion."""
        cost = self.still.carried_by(motion)
        if self.cost.support.rule == BalanceRule.NONE:
            cost = cost.with_support(self.cost.support)
        return replace(self, motion=motion, cost=cost)


def frame_posture(
    plan: Plan, figure: Figure, want: Wanted, before: FramePosture | None = None
) -> FramePosture | None:
    """The posture objective of a frame that starts from the figure's measured pose.

    Valid parts of that `before`, of another frame of the plan, are reused. None if the method or the settings
    have none.
    """
    if not plan.natural:
        return None
    known = plan.bone_map
    still = _objective(plan, known, figure) if before is None else before.still
    moves, turns = plain(plan, want)
    kinds = [still.figure.kinds[figure.skeleton.index(bone)] for bone in want.bones]
    placed = frozenset(kind for kind, moved in zip(kinds, moves.tolist(), strict=True) if moved)
    follows = _follows(plan, figure, want, still, moves, placed)
    same = before is not None and before.figure is figure and (before.motion is not None) == follows
    if before is not None and same and plan.examples is None:
        q = before.q
    else:
        q = figure.q
        if follows and plan.posture_from == "AUTO" and limbs_at_rest(known, figure):
            q = stance(figure.shown, joint_map(known, figure), figure.q)
        still = still.with_reference(ik.Pose.forward(figure.shown, q))
    motion = _motion(known, figure, want, still, q, (moves, turns), kinds) if follows else None
    examples = Learned.of(plan, figure, want, None if before is None else before.examples)
    if examples is not None:
        q = examples.posture(figure, want, figure.q, motion)
        still = still.with_reference(ik.Pose.forward(figure.shown, q))
        motion = _motion(known, figure, want, still, q, (moves, turns), kinds) if follows else None
    cost = still if motion is None else still.carried_by(motion)
    reason = _why_unsupported(plan, still, placed, follows)
    if reason:
        cost = cost.with_support(unsupported(reason))
    return FramePosture(figure=figure, q=q, still=still, motion=motion, cost=cost, examples=examples)


def leaving(cost: PostureObjective, figure: Figure, q: Array) -> PostureObjective:
    """The cost of leaving coordinates q (n,) of a figure."""
    return cost.with_reference(ik.Pose.forward(figure.shown, q)).with_support(cost.support)


def with_smooth_motion(postures: Sequence[FramePosture | None], row: int) -> FramePosture | None:
    """One of the postures of successive frames, with its heading averaged over all of them.

    Beyond the first and the last frame they are None. Returns None if one of the postures has no motion.
    """
    own, there = postures[row], [posture for posture in postures if posture is not None]
    motions = [posture.motion for posture in there if posture.motion is not None]
    if own is None or len(motions) < len(there):
        return None
    anchor = own.figure.heads[max(own.still.figure.body, 0)]
    return own.follows(smoothed(motions, there.index(own), anchor))


def _objective(plan: Plan, known: BoneMap, figure: Figure) -> PostureObjective:
    """The objective of the pose in which a figure was measured."""
    # short chains have no mass, because no bone outside balances them
    arms = [figure.skeleton.index(name) for name in plan.hanging]
    points = mass_points(known, figure, arms)
    roots = {root for row in range(len(plan.effectors)) if (root := short_chain(plan, row))}
    below = figure.skeleton.ancestors[:, [figure.skeleton.index(root) for root in roots]].any(1)
    made = PostureObjective.of(
        figure.shown,
        figure.q,
        figure=joint_map(known, figure),
        figure_q=figure.q,
        tips=bone_ends(known, figure),
        masses=replace(points, mass=np.where(below[points.joints], 0.0, points.mass)),
        keeps=[plan.keeps.get(figure.bones.names[number], 1.0) for number in figure.plan.bone.tolist()],
    )
    return made.with_hanging_arms(arms, ik.Pose.forward(figure.shown, figure.q)) if arms else made


def _follows(
    plan: Plan, figure: Figure, want: Wanted, still: PostureObjective, moves: Flags, placed: frozenset[Kind]
) -> bool:
    """Whether the posture is moved to the targets; placed: kinds of the joints with a target position."""
    if plan.carries == "NEVER" or plan.root == "PINNED" or plan.resists:
        return False
    if any(effector.follows in ("PIN", "MOTION") for effector in plan.effectors):
        return False
    if moves.sum() < _SEVERAL and placed.isdisjoint((Kind.ROOT, *_FEET)):
        return False
    if plan.carries == "ALWAYS":
        moves = moves & plan.still
    places = ik.Pose.forward(figure.shown, figure.q).point(want.bones, want.offset)
    off = np.linalg.norm(places - want.position, axis=-1)
    return not (moves & (off < _IN_PLACE * still.figure.size)).any()


def _motion(
    known: BoneMap,
    figure: Figure,
    want: Wanted,
    still: PostureObjective,
    q: Array,
    flags: tuple[Flags, Flags],
    kinds: Sequence[Kind],
) -> RigidMotion:
    """The rigid motion of the posture (n,) to the targets; flags: of `plain`, kinds: (E,) of the joints."""
    moves, turns = flags
    pose = ik.Pose.forward(figure.shown, q)
    places, frames = pose.point(want.bones, want.offset), pose.frame(want.bones)
    pairs = [
        Correspondence(
            places[row] if moves[row] else None,
            want.position[row] if moves[row] else None,
            frames[row] if turns[row] else None,
            want.rotation[row] if turns[row] else None,
            want.offset[row],
            weight=float(want.weight[row]),
            ahead=kind in (Kind.HEAD, *_FEET),
            hips=kind == Kind.ROOT,
            with_body=moves_with_body(kind, on_fours=still.figure.on_fours),
        )
        for row, kind in enumerate(kinds)
        if moves[row] or turns[row]
    ]
    return align(pairs, facing(known, figure), still.figure.size, still.figure.up)


def _why_unsupported(plan: Plan, still: PostureObjective, placed: frozenset[Kind], carried: bool) -> str:
    """Why neither the balance nor the hips are kept, "" if one of them is."""
    if still.support.rule in plan.switched_off:
        return "It is switched off."
    if plan.root == "PINNED" or plan.resists:
        return "The root stays."
    if Kind.ROOT in placed:
        return "The hips follow their target."
    if carried and not placed.isdisjoint(_FEET):
        return "The feet follow their targets."
    return ""
