# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts the effectors of a frame to goals of `ikmath`.

Effectors of the same kind, priority and chain become one goal object, so that many effectors need few numpy
calls. Kinds in `bridge.goals.ALONE` get one goal per effector.

If an influence is below 1, the target is blended with the pose that the frame starts from. Unlike a smaller
weight, this lets an animated influence fade in and out without a jump.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Final, Self

import numpy as np

import ikmath as ik
from ikmath import rotation
from ikmath.goals import Goal, Residual
from ikmath.model.pose import Pose
from ikmath.model.skeleton import Skeleton

from ...bridge.armature import Array, Flags, Indices
from ...bridge.goals import ALONE, MANY, EffectorRow, Wanted
from ...bridge.skeleton import Figure
from ...bridge.space import Target, target_goals
from .plan import EffectorPlan, Plan
from .sample import Sample

_NOWHERE = Target(np.zeros((0, 3)), np.zeros((0, 3, 3)))
_NO_LINE: Final = 1e-12  # metres; a limb whose ends are closer has no direction


class WithinChain(Goal):
    """Restricts the Jacobian of another goal to some coordinates.

    The bones above the chain still carry the effector when other goals move them, but not for this goal.

    Args:
        goal: any goal.
        keep: (n,) whether the goal may use each coordinate.
    """

    whole = False

    def __init__(self, goal: Goal, keep: Flags) -> None:
        self.goal, self.keep = goal, keep
        self.weight, self.priority, self.labels = goal.weight, goal.priority, goal.labels
        self.kind, self.unit, self.rows = goal.kind, goal.unit, goal.rows

    def evaluate(self, pose: Pose) -> Residual:
        """The goal's error; its Jacobian is zero outside the chain."""
        error, jacobian = self.goal.evaluate(pose)
        return Residual(error, np.where(self.keep, jacobian, 0.0))

    def moved(self, skeleton: Skeleton) -> Flags:
        """The coordinates that move the inner goal, inside its chain or not."""
        return self.goal.moved(skeleton)

    def sizes(self, error: Array) -> Array:
        return self.goal.sizes(error)

    def check(self, skeleton: Skeleton) -> None:
        self.goal.check(skeleton)

    def bind_as(self, before: Goal) -> None:
        if isinstance(before, WithinChain):
            self.goal.bind_as(before.goal)

    def with_targets(self, **targets: Array) -> Self:
        return type(self)(self.goal.with_targets(**targets), self.keep)

    def with_choices(self, pose: Pose, before: Goal | None = None) -> Self:
        earlier = before.goal if isinstance(before, WithinChain) else None
        return type(self)(self.goal.with_choices(pose, earlier), self.keep)


@dataclass(frozen=True)
class Part:
    """One goal object, with its rows in the plan's effectors, and its kind."""

    goal: Goal
    rows: Indices
    ask: str


def wanted(plan: Plan, figure: Figure, sample: Sample) -> Wanted:
    """Targets of a frame, blended with the figure's measured pose where the influence is below 1."""
    bones = tuple(effector.bone for effector in plan.effectors)
    offset, axis = points(plan, figure), np.array([effector.axis for effector in plan.effectors])
    target = target_goals(sample.space, sample.targets)
    position, turned = target.position, target.rotation
    start = ik.Pose.forward(figure.shown, figure.q)
    if sample.fading or plan.keeping.any():
        point, frame = start.point(bones, offset), start.frame(bones)
        keeping = plan.keeping[:, None]
        position, turned = np.where(keeping, point, position), np.where(keeping[:, None], frame, turned)
        position, turned = _faded(plan.effectors, sample.influence, (position, turned), (point, frame), start)
    return Wanted(
        bones=bones,
        offset=offset,
        axis=axis,
        weight=sample.weight * sample.influence,
        influence=sample.influence,
        priority=sample.priority,
        position=position,
        rotation=turned,
        world=sample.space.rotation_in(np.eye(3)),
        settings=tuple(effector.settings for effector in plan.effectors),
        amounts=sample.amounts,
        alternatives=tuple(
            target_goals(sample.space, each) if len(each) else _NOWHERE for each in sample.alternatives
        ),
        start=start,
        masses=plan.masses,
    )


def wanted_still(plan: Plan, before: Wanted, then: Sample, sample: Sample) -> Wanted | None:
    """The targets of a figure that has not changed since another frame (its targets `before`, and `then`).

    None if more than the targets has changed.
    """
    if plan.looks_at_start or sample.numbers != then.numbers or sample.fading:
        return None
    if sample.targets[:, :3, :3].tobytes() == then.targets[:, :3, :3].tobytes():
        return replace(before, position=sample.space.point_in(sample.targets[:, :3, 3]))
    target = target_goals(sample.space, sample.targets)
    return replace(before, position=target.position, rotation=target.rotation)


def aimed(parts: Sequence[Part], want: Wanted) -> list[Part]:
    """The same goals with other targets and nothing else changed; must not include goals of `ALONE`."""
    return [
        Part(part.goal.with_targets(**MANY[part.ask].targets(want, part.rows)), part.rows, part.ask)
        for part in parts
    ]


def make_parts(plan: Plan, figure: Figure, want: Wanted) -> list[Part]:
    """The goals of one frame, strongest first."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row, effector in enumerate(plan.effectors):
        if want.weight[row] > 0.0:
            for ask in effector.kind.asks:
                shared: tuple[Any, ...] = (row,)  # it cannot share a goal object
                if ask in MANY:
                    told = {**want.amounts[row], **want.settings[row]}
                    shared = tuple(told.get(name) for name in MANY[ask].shares)
                key = (int(want.priority[row]), ask, short_chain(plan, row), shared)
                groups.setdefault(key, []).append(row)
    parts = []
    for key in sorted(groups, key=lambda key: (*key[:3], repr(key[3]))):
        priority, ask, chain, _ = key
        rows = np.array(groups[key], dtype=np.intp)
        goal: Goal | None
        if ask in MANY:
            goal = MANY[ask].make(want, rows, priority)
        else:
            goal = ALONE[ask](EffectorRow(want, int(rows[0]), figure))
        if goal is None:
            continue
        goal.labels = tuple(plan.effectors[row].name for row in rows)
        if chain:
            skeleton = figure.skeleton
            goal = WithinChain(goal, skeleton.ancestors[skeleton.owner, skeleton.index(chain)])
        parts.append(Part(goal, rows, ask))
    return parts


def effector_errors(count: int, parts: Sequence[Part], errors: Array) -> tuple[Array, Array]:
    """Sort the errors of the goals by effector: (E,) metres and (E,) radians, NaN without a goal."""
    far, turned, rest = [nan] * count, [nan] * count, iter(errors.tolist())
    for part in parts:
        for row in part.rows.tolist():
            (far if part.goal.unit == "m" else turned)[row] = next(rest)
    return np.array(far), np.array(turned)


def points(plan: Plan, figure: Figure) -> Array:
    """(E, 3) the effectors' points in their joints' frames, metres, with the present scale of the bones."""
    return np.array([figure.offset(effector.bone, effector.local) for effector in plan.effectors])


def reached(plan: Plan, figure: Figure, q: Array, row: int) -> Array:
    """(4, 4) world transform of an effector's point at coordinates (n,), with its bone's rotation."""
    bone, pose = plan.effectors[row].bone, ik.Pose.forward(figure.skeleton, q)
    return figure.space.frame_out(pose.frame(bone), pose.point(bone, points(plan, figure)[row]))


def short_chain(plan: Plan, row: int) -> str:
    """The chain root of an effector if a solved bone is above it, else ""."""
    effector = plan.effectors[row]
    if not effector.chain_root:
        return ""
    above = plan.bones.ancestors(effector.chain_root)[1:]
    return effector.chain_root if any(plan.bones.names[number] in plan.solved for number in above) else ""


def _faded(
    effectors: Sequence[EffectorPlan],
    influence: Array,
    target: tuple[Array, Array],
    start: tuple[Array, Array],
    pose: ik.Pose,
) -> tuple[Array, Array]:
    """Blend the targets with the points and bones of a starting pose, by the influence (E,).

    Targets, starts and results are positions (E, 3) and rotations (E, 3, 3), figure space.
    """
    (place, turn), (point, frame) = target, start
    share = influence[:, None]
    drawn = point + share * (place - point)
    turned = rotation.exp(share * rotation.log(turn @ np.swapaxes(frame, -1, -2))) @ frame
    for row, effector in enumerate(effectors):
        if effector.alone:
            drawn[row], turned[row] = place[row], turn[row]  # `bridge.goals` handles the influence
        elif "aim" in effector.kind.asks:
            # A nearer point on the same line would not weaken an aim.
            drawn[row] = (
                _between(frame[row] @ effector.axis, place[row] - point[row], influence[row]) + point[row]
            )
        elif "pole" in effector.kind.asks:
            drawn[row] = _pole_between(effector, pose, place[row], point[row], influence[row])
        elif "plane" in effector.kind.asks:
            turned[row] = turn[row]
            if effector.settings["one_sided"] and turn[row, :, 2] @ (point[row] - place[row]) > 0.0:
                drawn[row] = place[row]  # a floor does not rise to a point above it
    return drawn, turned


def _between(axis: Array, way: Array, share: float) -> Array:
    """(3,) with the length of `way`, rotated from the axis towards it by a share of the angle."""
    length = float(np.sqrt(way @ way))
    if length == 0.0:
        return way
    turn: Array = rotation.log(rotation.shortest(axis, way / length))
    return length * (rotation.exp(share * turn) @ axis)


def _pole_between(effector: EffectorPlan, pose: ik.Pose, pole: Array, end: Array, share: float) -> Array:
    """(3,) the pole, rotated about the limb's line by a share of the angle from the joint's present side."""
    middle, root = pose.point(effector.bone), pose.point(str(effector.settings["root"]))
    line = (end - root) / max(float(np.sqrt((end - root) @ (end - root))), _NO_LINE)
    bend, way = middle - root, pole - root
    across, along = line @ np.cross(bend, way), bend @ way - (line @ bend) * (line @ way)
    back = (share - 1.0) * float(np.arctan2(across, along))
    return np.asarray(root + rotation.exp(back * line) @ way)
