# SPDX-License-Identifier: GPL-3.0-or-later
"""What chooses among the poses that serve the effectors: the posture objective of a frame.

`frame_posture` makes it from the plan, the figure as it starts and what the effectors want. Solves, live
figures, bakes and drags use the same; they differ in `Plan.carries`:

    NEVER      the figure stays where it stands, as in a drag;
    UNPLANTED  the posture is carried to where the targets are, unless an effector is where it should be;
    ALWAYS     it is carried, as in the frames of a motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

import ikmath as ik
from ikmath.model.figure_map import Kind
from ikmath.postures.alignment import Correspondence, RigidMotion, align, smoothed
from ikmath.postures.objective import PostureObjective
from ikmath.postures.support import BalanceRule, unsupported

from ...bridge.armature import Flags
from ...bridge.figure_map import facing, joint_map, mass_points
from ...bridge.goals import Wanted
from ...bridge.skeleton import Figure
from .plan import Plan

_IN_PLACE: Final = 1e-3  # of the figure's size: an effector that is off by less is where it should be
_SEVERAL: Final = 3  # places that tell where a figure is, though neither hips nor feet are among them
_FEET: Final = (Kind.ANKLE, Kind.PAW)


@dataclass(frozen=True, kw_only=True, eq=False)
class FramePosture:
    """The posture objective of one frame.

    Attributes:
        figure: at the pose that is the posture; still: the objective of that pose, where it is.
        motion: to where the targets are, None for none; cost: the objective carried along by it.
    """

    figure: Figure
    still: PostureObjective
    motion: RigidMotion | None
    cost: PostureObjective

    @property
    def rule(self) -> BalanceRule:
        """What keeps the figure from falling."""
        return self.cost.support.rule

    def carried(self, motion: RigidMotion | None) -> FramePosture:
        """The same with another motion."""
        cost = self.still if motion is None else self.still.carried_by(motion)
        if self.rule == BalanceRule.NONE:
            cost = cost.with_support(self.cost.support)
        return replace(self, motion=motion, cost=cost)


def frame_posture(
    plan: Plan, figure: Figure, want: Wanted, before: FramePosture | None = None
) -> FramePosture | None:
    """The posture objective of a frame; None where the plan's method or settings have none.

    Args:
        plan: the armature's plan; figure: measured at the pose that the frame starts from.
        want: what its effectors want.
        before: of another frame of the same plan, of which is taken what still holds.
    """
    if plan.bone_map is None:
        return None
    if before is not None and before.figure is figure:
        still = before.still
    else:
        pose = ik.Pose.forward(figure.shown, figure.q)
        still = _objective(plan, figure) if before is None else before.still.with_reference(pose)
    motion = _motion(plan, figure, want, still)
    cost = still if motion is None else still.carried_by(motion)
    reason = _why_unsupported(plan, figure, want, still, motion is not None)
    if reason:
        cost = cost.with_support(unsupported(reason))
    return FramePosture(figure=figure, still=still, motion=motion, cost=cost)


def with_smooth_motions(postures: Sequence[FramePosture]) -> list[FramePosture]:
    """The postures of a clip's frames, their headings averaged over neighbouring frames."""
    if not any(posture.motion for posture in postures):
        return list(postures)
    motions = [posture.motion or RigidMotion(up=posture.still.figure.up) for posture in postures]
    anchors = [posture.figure.heads[max(posture.still.figure.body, 0)] for posture in postures]
    return [
        posture if posture.motion is None else posture.carried(motion)
        for posture, motion in zip(postures, smoothed(motions, anchors), strict=True)
    ]


def _objective(plan: Plan, figure: Figure) -> PostureObjective:
    """The objective of the pose at which a figure was measured."""
    if plan.bone_map is None:
        raise RuntimeError("the plan has no map")
    keeps = [plan.keeps.get(figure.bones.names[number], 1.0) for number in figure.plan.bone.tolist()]
    length = np.linalg.norm(figure.state.matrix[figure.plan.bone, :3, 1], axis=1)
    tips = np.zeros((len(figure.plan.bone), 3))
    tips[:, 1] = length * figure.bones.length[figure.plan.bone] * figure.space.scale
    return PostureObjective.of(
        figure.shown,
        figure.q,
        figure=joint_map(plan.bone_map, figure),
        figure_q=figure.q,
        tips=tips,
        masses=mass_points(plan.bone_map, figure),
        keeps=keeps,
    )


def _joints(figure: Figure, want: Wanted) -> list[int]:
    """(E,) the joints of the effectors."""
    return [figure.skeleton.index(bone) for bone in want.bones]


def _motion(plan: Plan, figure: Figure, want: Wanted, still: PostureObjective) -> RigidMotion | None:
    """The motion of the posture to the targets; None for none."""
    if plan.bone_map is None or plan.carries == "NEVER" or plan.root == "PINNED":
        return None
    joints, kinds, size = _joints(figure, want), still.figure.kinds, still.figure.size
    moves, turns = plain(plan, want)
    pose = ik.Pose.forward(figure.shown, figure.q)
    places, frames = pose.point(want.bones, want.offset), pose.frame(want.bones)
    if moves.sum() < _SEVERAL and not any(
        moves[row] and kinds[joint] in (Kind.ROOT, *_FEET) for row, joint in enumerate(joints)
    ):
        return None
    if any(effector.follows in ("PIN", "MOTION") for effector in plan.effectors):
        return None
    off = np.linalg.norm(places - want.position, axis=-1)
    if plan.carries == "UNPLANTED" and (moves & (off < _IN_PLACE * size)).any():
        return None
    pairs = [
        Correspondence(
            places[row] if moves[row] else None,
            want.position[row] if moves[row] else None,
            frames[row] if turns[row] else None,
            want.rotation[row] if turns[row] else None,
            weight=float(want.weight[row]),
            ahead=kinds[joint] in (Kind.HEAD, *_FEET),
            hips=kinds[joint] == Kind.ROOT,
        )
        for row, joint in enumerate(joints)
        if moves[row] or turns[row]
    ]
    return align(pairs, facing(plan.bone_map, figure), size, still.figure.up)


def _why_unsupported(plan: Plan, figure: Figure, want: Wanted, still: PostureObjective, carried: bool) -> str:
    """Why neither balance nor hips are kept, "" where they are."""
    if plan.root == "PINNED":
        return "The root is pinned."
    moves, _ = plain(plan, want)
    kinds = [still.figure.kinds[joint] for joint in _joints(figure, want)]
    if any(moves[row] and kind == Kind.ROOT for row, kind in enumerate(kinds)):
        return "The hips follow their target."
    if carried and any(moves[row] and kind in _FEET for row, kind in enumerate(kinds)):
        return "The feet follow their targets."
    return ""


def plain(plan: Plan, want: Wanted) -> tuple[Flags, Flags]:
    """(E,) which effectors ask for a place, (E,) for an orientation; neither with a free axis or a slack."""
    flags = np.zeros((2, len(plan.effectors)), dtype=bool)
    for row, effector in enumerate(plan.effectors):
        told, amounts = want.settings[row], want.amounts[row]
        every = (*told.get("axes", ()), *told.get("turn_axes", ()))
        if (
            want.weight[row] > 0.0
            and all(every)
            and not amounts.get("slack")
            and not amounts.get("turn_slack")
        ):
            flags[:, row] = effector.kind.moves, effector.kind.turns
    return flags[0], flags[1]
