# SPDX-License-Identifier: GPL-3.0-or-later
"""From the effectors of one frame to ikmath's goals, and from a solved pose to the effectors' errors.

Effectors of one part (place or orientation), one priority and one chain become one goal object, so that a
figure with twelve effectors costs a few numpy calls and not twelve times as many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ikmath as ik
from ikmath import rotation
from ikmath.goals import Goal

from ..bridge.armature import Array, Flags, Indices
from ..bridge.goals import target_goals
from ..bridge.skeleton import Figure
from .chain_goal import WithinChain
from .plan import Plan
from .sample import Sample


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Where the effectors of one frame should be; E effectors in the order of the plan, figure space.

    Attributes:
        bones: (E,) names of the joints.
        offset: (E, 3) the point in the joint's frame, metres.
        position: (E, 3) metres; rotation: (E, 3, 3).
        weight: (E,), with the influence in it; 0 where an effector is off.
        moves, turns: (E,) which part each effector asks for.
    """

    bones: tuple[str, ...]
    offset: Array
    position: Array
    rotation: Array
    weight: Array
    moves: Flags
    turns: Flags


def wanted(plan: Plan, figure: Figure, sample: Sample) -> Wanted:
    """Targets of a frame, in figure space, drawn back to the animated pose where the influence is below 1.

    Args:
        plan: the armature's plan.
        figure: read at the pose that the frame starts from.
        sample: the frame.

    Raises:
        FigureFault: a target's transform is not finite.
    """
    bones = tuple(effector.bone for effector in plan.effectors)
    offset = np.array([figure.offset(effector.bone, effector.local) for effector in plan.effectors])
    target = target_goals(sample.space, sample.targets)
    position, turned = target.position, target.rotation
    if (sample.influence < 1.0).any():
        # A target that is drawn back makes an influence that fades in and out without a jump.
        start = ik.Pose.forward(figure.skeleton, figure.q)
        point, frame = start.point(bones, offset), start.frame(bones)
        share = sample.influence[:, None]
        position = point + share * (position - point)
        turned = rotation.exp(share * rotation.log(turned @ np.swapaxes(frame, -1, -2))) @ frame
    return Wanted(
        bones=bones,
        offset=offset,
        position=position,
        rotation=turned,
        weight=sample.weight * sample.influence,
        moves=np.array([effector.kind.moves for effector in plan.effectors]),
        turns=np.array([effector.kind.turns for effector in plan.effectors]),
    )


def make_goals(plan: Plan, figure: Figure, want: Wanted) -> list[Goal]:
    """The goals of one frame, strongest first.

    Args:
        plan: the armature's plan.
        figure: the figure that is solved.
        want: the targets.
    """
    goals: list[Goal] = []
    for (priority, chain), rows in _groups(plan, want).items():
        keep = _movable(figure, chain) if chain else None
        place, turn = rows[want.moves[rows]], rows[want.turns[rows]]
        own: list[Goal] = []
        if place.size:
            names = [want.bones[row] for row in place]
            own.append(
                ik.Position(names, want.position[place], want.offset[place], want.weight[place], priority)
            )
        if turn.size:
            names = [want.bones[row] for row in turn]
            own.append(ik.Orientation(names, want.rotation[turn], want.weight[turn], priority))
        goals += own if keep is None else [WithinChain(goal, keep) for goal in own]
    return goals


def errors(figure: Figure, q: Array, want: Wanted) -> tuple[Array, Array]:
    """How far each effector is from where it should be.

    Returns:
        (E,) metres and (E,) radians; NaN where the effector does not ask for it or is off.
    """
    pose = ik.Pose.forward(figure.skeleton, q)
    distance = np.linalg.norm(pose.point(want.bones, want.offset) - want.position, axis=-1)
    angle = rotation.angle(pose.frame(want.bones) @ np.swapaxes(want.rotation, -1, -2))
    on = want.weight > 0.0
    return np.where(want.moves & on, distance, np.nan), np.where(want.turns & on, angle, np.nan)


def _groups(plan: Plan, want: Wanted) -> dict[tuple[int, str], Indices]:
    """Rows of the effectors that are on, by priority and chain root, strongest first."""
    rows: dict[tuple[int, str], list[int]] = {}
    for row, effector in enumerate(plan.effectors):
        if want.weight[row] > 0.0:
            # Only a chain that is shorter than what is solved above its bone needs to be kept apart.
            rows.setdefault((effector.priority, _short_chain(plan, row)), []).append(row)
    return {key: np.array(rows[key], dtype=np.intp) for key in sorted(rows)}


def _short_chain(plan: Plan, row: int) -> str:
    effector = plan.effectors[row]
    if not effector.chain_root:
        return ""
    above = plan.bones.ancestors(effector.chain_root)[1:]
    return effector.chain_root if any(plan.bones.names[number] in plan.solved for number in above) else ""


def _movable(figure: Figure, chain_root: str) -> Flags:
    """(n,) which coordinates belong to the chain root or to what hangs from it."""
    skeleton = figure.skeleton
    top = skeleton.index(chain_root)
    below: Flags = skeleton.ancestors[skeleton.owner, top]
    return below
