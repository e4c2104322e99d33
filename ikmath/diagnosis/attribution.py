# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what holds an effector back, by removing candidates one at a time.

Derivatives alone mislead: a goal that a turn would disturb may be restored by other joints. So each
candidate, another goal or a joint at its limit, is removed, and a few steps are taken from the present pose.
If the effector then comes clearly nearer, this candidate holds it back.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from ..arrays import Array, Mask
from ..linalg.hierarchical_qp import Constraints, Level, hierarchical_qp
from ..model.pose import Pose
from ..problem.problem import Problem
from ..threads import OneThread

_STEPS: Final = 12  # taken without a candidate
_STRIDE: Final = 0.3  # radians, or shares of the figure's size, of a coordinate in a step
_NEARER: Final = 0.9  # share of its error that an effector has left at most, if the candidate was the cause
_GAIN: Final = 1e-3  # share of the squared errors that is worth another step
_PACE: Final = 3.0  # multiple of a step's gain that the steps to come may be expected to make
_CAREFUL: Final = 30.0  # how a refused step raises the damping
_DAMPING: Final = 1e-4  # of squared scaled errors of 1
_LEAST: Final = 1e-10
_AT: Final = 0.999  # measure of a swing region from which its boundary counts
_ALONE: Final = 6  # likeliest goals, and joints, that are removed by themselves; further ones only together
_MANY: Final = 6  # candidates above which no smallest subset is searched


@dataclass(frozen=True)
class Causes:
    """What holds an effector back; empty if no cause was found."""

    goals: tuple[int, ...] = ()  # effectors that stand against it
    joints: tuple[int, ...] = ()  # at their limits
    method: bool = False  # whether only the method does, as it does not use joints that would bring it nearer


@OneThread()
def causes_of(problem: Problem, pose: Pose, effector: int, *, limited: bool = False) -> Causes:
    """What holds an effector back, as few causes as possible.

    Args:
        problem: of one frame; pose: where the solve ended; effector: one that is short there;
        limited: whether a limit of the solve may have held it, the cause if nothing else has to give way.
    """
    search = _Search(problem, pose, effector)
    if limited and search.pulled and search.guilty(Causes()):
        return Causes(method=True)
    goals, joints = search.suspects()
    pulling = [Causes((goal,)) for goal in goals[:_ALONE]]
    holding = [Causes((), (joint,)) for joint in joints[:_ALONE]]
    for suspects in pulling + holding if search.pulled else holding + pulling:
        if search.guilty(suspects):
            return suspects
    for many in (Causes(goals), Causes((), joints), Causes(goals, joints)):
        if len(many.goals) + len(many.joints) > 1 and search.guilty(many):
            return search.fewest(many)
    same = Causes(tuple(search.others(same=True)))
    if same.goals and search.guilty(same):
        return same
    return Causes(method=search.pulled and search.guilty(Causes()))


class _Search:
    """The candidates of one effector.

    Attributes:
        rows: of each effector, its slice of all rows.
        pulled: whether the effector's own step fits inside the limits, so that goals are more likely causes
            than joints.
    """

    def __init__(self, problem: Problem, pose: Pose, effector: int) -> None:
        self.problem, self.pose, self.effector = problem, pose, effector
        self.coupling = problem.skeleton.coupling
        stack, self.joint_limits = problem.stack, problem.skeleton.joint_limits
        self.rows = [slice(*ends) for ends in pairwise([*stack.starts.tolist(), stack.rows])]
        self.error, self.jacobian = stack.evaluate(problem.tasks, pose)
        own = self.rows[effector]
        uphill: Array = self.error[own] @ self.jacobian[own]
        self.uphill = uphill if self.coupling is None else self.coupling.fold(uphill)
        self.short = float(np.linalg.norm(self.error[own]))
        self.limited = self.joint_limits.at_limit(pose.q)
        scale = problem.length if problem.units[effector] == "m" else 1.0
        self.least = 1e-2 * self.short * scale
        self.pulled = float(np.linalg.norm(self.uphill[~self.limited])) > self.least

    def others(self, *, same: bool) -> list[int]:
        """Effectors that are no weaker, of another name; or of the same, as the orientation of a position."""
        names, own, stack = self.problem.effectors, self.effector, self.problem.stack
        level, scale = stack.level[stack.starts], stack.scale[stack.starts]
        found = [e for e, name in enumerate(names) if (name == names[own]) == same and e != own]
        return [e for e in found if level[e] <= level[own] and scale[e] > 0]

    def suspects(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Effectors that are no weaker, and joints at limits that oppose the step; the likeliest first."""
        problem, stack = self.problem, self.problem.stack
        free = np.where(self.limited, 0.0, self.uphill)
        others = self.others(same=False)
        against = {
            e: float(np.linalg.norm((self.jacobian[self.rows[e]] @ free) * stack.scale[self.rows[e]]))
            for e in others
        }
        owner = problem.skeleton.owner
        pull = np.where(self.limited, np.abs(self.uphill), 0.0)
        by_joint = np.bincount(owner, pull, minlength=len(problem.skeleton))
        joints = [int(j) for j in np.argsort(-by_joint, kind="stable") if by_joint[j] > self.least]
        return tuple(sorted(others, key=lambda e: -against[e])), tuple(joints)

    def guilty(self, suspects: Causes) -> bool:
        """Whether the effector comes clearly nearer without them."""
        names = {self.problem.effectors[e] for e in suspects.goals}
        lifted = np.array([name in names for name in self.problem.effectors])
        lifted[self.effector] = False
        loose = np.isin(self.problem.skeleton.owner, suspects.joints)
        if self.coupling is not None:  # followers stay within the limits of their leaders
            loose[self.coupling.followers] = True
        try:
            return self._nearest(lifted, loose) < _NEARER * self.short
        except np.linalg.LinAlgError:  # the numbers are too far apart to show that these are the cause
            return False

    def fewest(self, suspects: Causes) -> Causes:
        """The smallest subset of several causes that together hold it back."""
        if len(suspects.goals) + len(suspects.joints) > _MANY:
            return suspects
        for goal in reversed(suspects.goals):
            fewer = Causes(tuple(g for g in suspects.goals if g != goal), suspects.joints)
            suspects = fewer if self.guilty(fewer) else suspects
        for joint in reversed(suspects.joints):
            fewer = Causes(suspects.goals, tuple(j for j in suspects.joints if j != joint))
            suspects = fewer if self.guilty(fewer) else suspects
        return suspects

    def _nearest(self, lifted: Mask, loose: Mask) -> float:
        """The effector's error after some steps, without effectors (E,) and limits of coordinates (n,)."""
        problem, stack, region = self.problem, self.problem.stack, self.joint_limits
        metric, own = stack.metric, self.rows[self.effector]
        asks = ~lifted[stack.effector]
        pose, raw, jacobian = self.pose, self.error, self.jacobian
        scale = np.where(asks & (stack.place <= stack.place[own.start]), stack.scale, 0.0)
        cost, factor = sum(stack.costs(raw * scale)), 1.0
        for left_over in reversed(range(_STEPS)):
            scaled, columns = raw * stack.scale, jacobian * stack.scale[:, None] * metric
            levels = []
            for place in range(len(stack.levels)):
                some = asks & (stack.place == place)
                damping = (_DAMPING * float(scaled[some] @ scaled[some]) + _LEAST) * factor
                levels.append(Level(columns[some], -scaled[some], damping))
            bounds = self._bounds(pose, lifted, loose)
            dq = hierarchical_qp(levels, bounds).z * metric
            stride = float(np.abs(dq / stack.metric).max(initial=0.0))
            q = pose.q + dq * min(1.0, _STRIDE / max(stride, 1e-300))
            trial = Pose.trusted(problem.skeleton, np.where(loose, q, region.project(q)))
            error, slopes = stack.evaluate(problem.tasks, trial)
            left = sum(stack.costs(error * scale))
            if left < cost:
                here, there = float(np.linalg.norm(raw[own])), float(np.linalg.norm(error[own]))
                done = left > cost * (1.0 - _GAIN)
                pose, raw, jacobian, cost = trial, error, slopes, left
                # even at a multiple of this pace it would not get there in the steps that are left
                slow = there - _PACE * left_over * max(here - there, 0.0) > _NEARER * self.short
                if done or slow or there < _NEARER * self.short:
                    break
            factor = 1.0 if pose is trial else factor * _CAREFUL
        return float(np.linalg.norm(raw[own]))

    def _bounds(self, pose: Pose, lifted: Mask, loose: Mask) -> Constraints:
        """Limits of a step's coordinates, swing regions, one-sided goals and obstacles; see `_nearest`."""
        problem, metric, region = self.problem, self.problem.stack.metric, self.joint_limits
        near_by = region.near_boundary(pose.q, _AT).items()
        edges = [(pair, edge) for pair, edge in near_by if not loose[region.pairs[pair, 0]]]
        rows = [region.normals(edges, -1.0)]
        least = [np.array([min(-edge.room, 0.0) for _, edge in edges])]
        first = 0
        for goal in problem.tasks:
            own = slice(first, first + goal.effectors)
            first += goal.effectors
            if goal.one_sided:
                error, jacobian = goal.inequality(pose)
                asked = ~np.repeat(lifted[own], len(error) // goal.effectors)
                rows.append(jacobian[asked] / problem.length)
                least.append(np.minimum(-error[asked] / problem.length, 0.0))
        if problem.scene is not None:
            near = problem.scene.near(pose, problem.detection_distance)
            rows.append(near.jacobian(pose) / problem.length)
            least.append(np.minimum((problem.margin - near.room) / problem.length, 0.0))
        lower = np.where(loose, -np.inf, np.minimum(region.low - pose.q, 0.0))
        upper = np.where(loose, np.inf, np.maximum(region.high - pose.q, 0.0))
        lower = np.concatenate([lower, *least])
        upper = np.concatenate([upper, np.full(len(lower) - len(upper), np.inf)])
        equal = None if self.coupling is None else self.coupling.equations(pose.q, metric)
        return Constraints(metric, lower, upper, np.concatenate(rows) * metric, equal)
