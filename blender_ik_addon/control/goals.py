# SPDX-License-Identifier: GPL-3.0-or-later
"""From the effectors of a frame to ikmath's goals.

Effectors that ask for the same (a place, an orientation), with one priority and one chain, become one goal
object, so that a figure with twelve effectors costs a few numpy calls and not twelve times as many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

import ikmath as ik
from ikmath.goals import Goal

from ..bridge.armature import Array, Flags, Indices
from ..bridge.goals import target_goals
from ..bridge.skeleton import Figure
from .chain_goal import WithinChain
from .fading import faded
from .plan import EffectorPlan, Plan
from .sample import Sample

_SAME_POINT = 1e-6  # relative; a point of a bone is measured in single precision, so it trembles by that much


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Where the effectors of a frame should be; E effectors in the order of the plan, figure space.

    Attributes:
        bones: (E,) names of the joints.
        offset: (E, 3) the point in the joint's frame, metres.
        axis: (E, 3) what aims, in the joint's frame.
        weight: (E,), with the influence in it; 0 where an effector is off.
        position: (*frames, E, 3) metres; rotation: (*frames, E, 3, 3).
    """

    bones: tuple[str, ...]
    offset: Array
    axis: Array
    weight: Array
    position: Array
    rotation: Array


@dataclass(frozen=True)
class Part:
    """One goal object and the rows of the plan's effectors that it holds."""

    goal: Goal
    rows: Indices


def wanted(plan: Plan, figure: Figure, sample: Sample) -> Wanted:
    """Targets of a frame, drawn back to the animated pose where the influence is below 1.

    Args:
        plan: the armature's plan.
        figure: measured at the pose that the frame starts from.
        sample: the frame.
    """
    bones = tuple(effector.bone for effector in plan.effectors)
    offset, axis = points(plan, figure), np.array([effector.axis for effector in plan.effectors])
    target = target_goals(sample.space, sample.targets)
    position, turned = target.position, target.rotation
    if (sample.influence < 1.0).any():
        # A target that is drawn back lets an animated influence fade in and out without a jump.
        start = ik.Pose.forward(figure.skeleton, figure.q)
        point, frame = start.point(bones, offset), start.frame(bones)
        position, turned = faded(plan.effectors, sample.influence, (position, turned), (point, frame))
    weight = sample.weight * sample.influence
    return Wanted(bones=bones, offset=offset, axis=axis, weight=weight, position=position, rotation=turned)


def stacked(wants: Sequence[Wanted]) -> Wanted | None:
    """Several frames' targets as one, with an axis for the frames; None where more than they change."""
    first = wants[0]
    tolerance = _SAME_POINT * max(float(np.abs(first.offset).max()), 1e-3)
    for want in wants[1:]:
        if (want.weight != first.weight).any() or np.abs(want.offset - first.offset).max() > tolerance:
            return None
    return replace(
        first,
        position=np.array([want.position for want in wants]),
        rotation=np.array([want.rotation for want in wants]),
    )


def make_parts(plan: Plan, figure: Figure, want: Wanted) -> list[Part]:
    """The goals of one frame, or of several if the targets have an axis for them, strongest first.

    Args:
        plan: the armature's plan.
        figure: the figure that is solved, at any of its frames.
        want: the targets.
    """
    groups: dict[tuple[int, str, str], list[int]] = {}
    for row, effector in enumerate(plan.effectors):
        if want.weight[row] > 0.0:
            for what in _asks(effector):
                groups.setdefault((effector.priority, what, _short_chain(plan, row)), []).append(row)
    parts = []
    for priority, what, chain in sorted(groups):
        rows = np.array(groups[priority, what, chain], dtype=np.intp)
        goal = _MAKERS[what](want, rows, priority)
        parts.append(Part(WithinChain(goal, _movable(figure, chain)) if chain else goal, rows))
    return parts


def _position(want: Wanted, rows: Indices, priority: int) -> Goal:
    names = [want.bones[row] for row in rows]
    return ik.Position(names, want.position[..., rows, :], want.offset[rows], want.weight[rows], priority)


def _orientation(want: Wanted, rows: Indices, priority: int) -> Goal:
    names = [want.bones[row] for row in rows]
    return ik.Orientation(names, want.rotation[..., rows, :, :], want.weight[rows], priority)


def _aim(want: Wanted, rows: Indices, priority: int) -> Goal:
    names = [want.bones[row] for row in rows]
    place, weight = want.position[..., rows, :], want.weight[rows]
    return ik.Aim(names, place, want.offset[rows], want.axis[rows], weight, priority)


def _plane(want: Wanted, rows: Indices, priority: int, *, one_sided: bool = False) -> Goal:
    names = [want.bones[row] for row in rows]
    place, normal = want.position[..., rows, :], want.rotation[..., 2][..., rows, :]
    return ik.Plane(names, place, normal, want.offset[rows], want.weight[rows], priority, one_sided=one_sided)


# What a kind of effector may ask for, see `properties.kinds` and `_asks`.
_MAKERS: dict[str, Callable[[Wanted, Indices, int], Goal]] = {
    "position": _position,
    "orientation": _orientation,
    "aim": _aim,
    "plane": _plane,
    "floor": partial(_plane, one_sided=True),
}


def _asks(effector: EffectorPlan) -> tuple[str, ...]:
    """What goals an effector takes; a plane with a free side is a goal of its own kind."""
    asks = effector.kind.asks
    return tuple("floor" if ask == "plane" and effector.one_sided else ask for ask in asks)


def points(plan: Plan, figure: Figure) -> Array:
    """(E, 3) the effectors' points in their joints' frames, metres, with the present scale of the bones."""
    joints = [figure.skeleton.index(effector.bone) for effector in plan.effectors]
    numbers = [plan.bones.index[effector.bone] for effector in plan.effectors]
    local = np.array([effector.local for effector in plan.effectors])
    place = figure.state.matrix[numbers, :3, :3].astype(float) @ local[:, :, None]
    found: Array = (np.swapaxes(figure.frames[joints], -1, -2) @ place)[:, :, 0] * figure.space.scale
    return found


def _short_chain(plan: Plan, row: int) -> str:
    """The chain root of an effector if something that is solved lies above it, else ""."""
    effector = plan.effectors[row]
    if not effector.chain_root:
        return ""
    above = plan.bones.ancestors(effector.chain_root)[1:]
    return effector.chain_root if any(plan.bones.names[number] in plan.solved for number in above) else ""


def _movable(figure: Figure, chain_root: str) -> Flags:
    """(n,) which coordinates belong to the chain root or to what hangs from it."""
    skeleton = figure.skeleton
    below: Flags = skeleton.ancestors[skeleton.owner, skeleton.index(chain_root)]
    return below
