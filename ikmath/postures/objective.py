# SPDX-License-Identifier: GPL-3.0-or-later
"""The posture objective: chooses, among all poses that satisfy the goals, a natural one.

    E(q) = sum_b m_b d_b^T diag(1, 1, 1/2) d_b + sum_j phi_j^T K_j phi_j + tilt + balance

`d_b` is the displacement of a mass point from the posture, `phi_j` the rotation vector by which a joint
deviates from the posture in its parent's frame, and K_j its weight by the kind of joint; hips and knees have
a second weight for what they turn beyond their range. Each bone has two mass points at its middle plus and
minus L / sqrt(12), so that it has the inertia of a slender rod. Of the body's own rotation only the tilt
counts, and its position counts only by the displaced mass; heading and position count too if its joint is
stiff. An arm that hangs and that nothing leads has a tilt of its own, however the trunk leans.

The Gauss-Newton matrix of the first term is the figure's mass matrix.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from math import sqrt
from typing import Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue
from ..model.figure_map import FigureMap, bone_tips, map_skeleton
from ..model.frame_points import FramePoints
from ..model.geometric_stiffness import Curvature, Loads
from ..model.masses import MassPoints, mass_shares, on_carriers, rod_points
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from ..rotation import Array, skew
from .alignment import RigidMotion, carried
from .cost import PostureTerm
from .deviation import Deviations, JointWeights
from .parameters import DEFAULTS, PostureParameters
from .support import BalanceRule, BalanceSupport, choose_support

_ROOT_2: Final = sqrt(2.0)


class Effort(StrEnum):
    """The cost of a motion: by mass and kind of joint, or equal for all joints."""

    NATURAL = "natural"
    EVEN = "even"


class _Direction(NamedTuple):
    """A direction (3,) in the axes of a joint, which is `goal` (3,) in the posture; the difference counts."""

    joint: int
    own: Array
    goal: Array
    weight: float


@dataclass(frozen=True, eq=False)
class _Reference:
    """A posture, prepared for the terms of the objective."""

    points: Array  # (P, 3), world
    deviations: Deviations  # from its local rotations
    directions: tuple[_Direction, ...]  # of the body: tilt, heading; tilt of arms that hang
    slides: Array  # (s,) coordinates of the translations
    support: BalanceSupport  # the rule for its balance


class _Structure:
    """What does not depend on the posture. Points are of masses, both ends of feet, and the body's head."""

    def __init__(
        self,
        skeleton: Skeleton,
        figure: FigureMap,
        figure_pose: Pose,
        tips: Array,
        masses: MassPoints,
        keeps: Array,
        effort: Effort,
        parameters: PostureParameters,
    ) -> None:
        self.skeleton, self.figure, self.tips, self.masses = skeleton, figure, tips, masses
        self.effort, self.parameters = effort, parameters
        self.body = self._turning_body()
        self.joint_weights = JointWeights.of(
            skeleton, figure, figure_pose, self.body, effort == Effort.EVEN, keeps, parameters
        )
        feet = list(figure.feet)
        self.heavy = len(masses.mass) if effort == Effort.NATURAL else 0
        joints = [*masses.joints[: self.heavy].tolist(), *feet, *feet, max(figure.body, 0)]
        ends = masses.offsets[: self.heavy]
        offsets = np.concatenate([ends, np.zeros((len(feet), 3)), tips[feet], np.zeros((1, 3))])
        self.points = FramePoints(skeleton, joints, offsets)
        self.mass = np.zeros(len(joints))
        self.mass[: self.heavy] = masses.mass[: self.heavy]
        self.weighing = FramePoints(skeleton, masses.joints.tolist(), masses.offsets)
        up, lower = figure.up, 1.0 - sqrt(parameters.vertical)
        self.plain = int((np.abs(up) > 1e-12).sum()) == 1  # the vertical is an axis
        level = 1.0 - lower * np.abs(up) if self.plain else np.ones(3)
        self.flat = (np.sqrt(self.mass[: self.heavy])[:, None] / figure.size * level).ravel()
        self.sliding = np.flatnonzero((skeleton.slot < 3) & (skeleton.parents[skeleton.owner] < 0))
        free = 1.0 - skeleton.stiffness[self.sliding]
        each = 1.0 / free - 1.0 if effort == Effort.NATURAL else parameters.even_slide / free
        self.slide_weight = each / figure.size**2
        self.tilt_weight = self.heading_weight = 0.0
        if self.body >= 0 and effort == Effort.NATURAL:
            weight = parameters.weights(figure)[figure.kinds[self.body]] * float(keeps[self.body])
            own = (skeleton.owner == self.body) & skeleton.is_turn
            self.tilt_weight = weight / (1.0 - float(skeleton.stiffness[own].mean()))
            self.heading_weight = self.tilt_weight - weight
            self.aside = figure_pose.rotation[self.body].T @ figure.left

    def _turning_body(self) -> int:
        """The joint whose tilt counts: the body, or the first ancestor with a free rotation; -1 for none."""
        joint, skeleton = self.figure.body, self.skeleton
        while joint >= 0 and not ((skeleton.owner == joint) & skeleton.is_turn).any():
            joint = int(skeleton.parents[joint])
        return joint

    def center_rows(self, support: BalanceSupport) -> Array:
        """(P,) weights of points whose sum is the centre of mass relative to the middle of the feet."""
        shares = self.mass.copy()
        feet = len(self.figure.feet)
        first = len(shares) - 1 - 2 * feet
        chosen = [k for k, joint in enumerate(self.figure.feet) if joint in support.feet]
        for k in chosen:
            shares[[first + k, first + feet + k]] -= 0.5 / len(chosen)
        return shares


class PostureObjective:
    """See the module; implements `PostureCost`. Made by `of`.

    Attributes:
        skeleton: the figure; figure: its map; support: the active balance rule, with a reason.
    """

    def __init__(self, structure: _Structure, reference: _Reference) -> None:
        self._fixed, self._reference = structure, reference
        self.skeleton, self.figure = structure.skeleton, structure.figure
        self.support = reference.support
        self._center = structure.center_rows(reference.support)
        rule = reference.support.rule
        self._balanced = rule == BalanceRule.BALANCE and structure.effort == Effort.NATURAL
        self._hips_kept = rule == BalanceRule.KEEP_HIPS and structure.effort == Effort.NATURAL

    @classmethod
    def of(
        cls,
        skeleton: Skeleton,
        q: npt.ArrayLike,
        *,
        figure: FigureMap | None = None,
        figure_q: npt.ArrayLike | None = None,
        tips: npt.ArrayLike | None = None,
        masses: npt.ArrayLike | MassPoints | None = None,
        keeps: npt.ArrayLike | None = None,
        up: npt.ArrayLike = (0.0, 0.0, 1.0),
        effort: str = Effort.NATURAL,
        parameters: PostureParameters = DEFAULTS,
    ) -> Self:
        """The objective of a posture.

        Args:
            skeleton: the figure; q: (n,) the posture.
            figure: its map, made in the pose `figure_q` (n,), the rest pose by default.
            tips: (J, 3) ends of the bones in their joints' axes, metres, `bone_tips` by default.
            masses: (J,) of the bones, in any unit, or points whose masses sum to 1; by default from kinds and
                lengths.
            keeps: (J,) factors of the weights of the joints' deviations, 1 by default.
            up: (3,) up direction, used without a map.
            effort: "natural" or "even".

        Raises:
            BadShape, BadValue: arrays that do not fit the figure.
        """
        count = len(skeleton)
        ends = bone_tips(skeleton) if tips is None else arguments.shaped(tips, "tips", (count, 3))
        if figure is None:
            figure = map_skeleton(skeleton, figure_q, ends, up)
        if len(figure.kinds) != count:
            raise BadShape("figure", f"a map of {count} joints", (len(figure.kinds),))
        read = Pose.forward(skeleton, skeleton.rest if figure_q is None else figure_q)
        points = mass_shares(figure) if masses is None else masses
        if not isinstance(points, MassPoints):
            mass = arguments.shaped(points, "masses", (count,))
            if (mass < 0).any() or not mass.sum() > 0:
                raise BadValue("masses", "must be zero or more, and above zero for some bone.")
            points = on_carriers(rod_points(ends, mass / mass.sum()), figure, skeleton.parents, read)
        shares = np.ones(count) if keeps is None else arguments.shaped(keeps, "keeps", (count,))
        arguments.word(effort, "effort", [*Effort])
        fixed = _Structure(skeleton, figure, read, ends, points, shares, Effort(effort), parameters)
        return cls(fixed, _reference(fixed, Pose.forward(skeleton, q)))

    def with_reference(self, pose: Pose) -> PostureObjective:
        """A copy with another posture, with its own balance rule."""
        arms = [one.joint for one in self._reference.directions if one.joint != self._fixed.body]
        return type(self)(self._fixed, _reference(self._fixed, pose)).with_hanging_arms(arms, pose)

    def with_hanging_arms(self, shoulders: Iterable[int], pose: Pose) -> PostureObjective:
        """A copy in which arms that nothing leads hang as in a pose, however the trunk leans.

        Args:
            shoulders: the first joints of these limbs; those that cannot turn are left out.
            pose: the posture.

        Raises:
            BadValue: a joint begins no limb.
        """
        fixed, arms = self._fixed, list(shoulders)
        if beside := set(arms).difference(limb.joints[0] for limb in fixed.figure.limbs):
            raise BadValue("shoulders", f"names joint {min(beside)}, which begins no limb.")
        turning = fixed.skeleton.owner[fixed.skeleton.is_turn]
        if fixed.effort == Effort.EVEN:
            turning = turning[:0]
        up, weight = fixed.figure.up, fixed.parameters.hanging
        directions = [one for one in self._reference.directions if one.joint == fixed.body]
        directions += [_direction(pose, arm, up, weight) for arm in arms if arm in turning]
        return type(self)(fixed, replace(self._reference, directions=tuple(directions)))

    def with_support(self, support: BalanceSupport) -> PostureObjective:
        """A copy with another balance rule."""
        return type(self)(self._fixed, replace(self._reference, support=support))

    def carried_by(self, motion: RigidMotion) -> PostureObjective:
        """A copy for the posture moved by a rigid motion."""
        was, fixed = self._reference, self._fixed
        rotation = motion.rotation
        slides = was.slides
        if fixed.slide_weight.any():
            q = np.zeros(fixed.skeleton.n)
            q[fixed.sliding] = was.slides
            slides = carried(fixed.skeleton, q, motion)[fixed.sliding]
        moved = replace(
            was,
            points=motion.places(was.points),
            deviations=was.deviations.turned(rotation),
            directions=tuple(one._replace(goal=rotation @ one.goal) for one in was.directions),
            slides=slides,
            support=replace(was.support, lean=rotation @ was.support.lean),
        )
        return type(self)(fixed, moved)

    # ------------------------------------------------------------------ the terms
    def evaluate(self, pose: Pose) -> PostureTerm:
        fixed, reference = self._fixed, self._reference
        x = pose.points(fixed.points)
        rows = pose.point_jacobian(fixed.points, x).T  # (n, 3 P)
        # residuals and their derivatives: mass points, hips or centre of mass, tilts
        wide = 3 * fixed.heavy
        count = wide + 3 + 3 * len(reference.directions)
        error, slopes = np.zeros(count), np.zeros((fixed.skeleton.n, count))
        error[:wide] = self._displaced((x - reference.points)[: fixed.heavy].reshape(1, -1))[0]
        slopes[:, :wide] = self._displaced(rows[:, :wide])
        push = np.zeros(3)  # residual that keeps hips or centre of mass in place
        if self._hips_kept:
            each = sqrt(fixed.parameters.balance) / fixed.figure.size
            error[wide : wide + 3] = push = each * (x[-1] - reference.points[-1])
            slopes[:, wide : wide + 3] = each * rows[:, -3:]
        elif self._balanced:
            over, way, aside = self._overhang(x)
            if over > 0.0:
                root = sqrt(fixed.parameters.balance)
                error[wide], push = root * over, root * over * way
                ways = root / fixed.figure.size * np.stack([way, aside], 1)
                slopes[:, wide : wide + 2] = rows.dot(np.kron(self._center[:, None], ways))
        for place, one in zip(range(wide + 3, count, 3), reference.directions, strict=True):
            root, way = sqrt(one.weight), pose.rotation[one.joint] @ one.own
            error[place : place + 3] = root * (way - one.goal)
            turned = fixed.skeleton.turn_influence[:, one.joint]
            slopes[turned, place : place + 3] = pose.screws[0][turned].dot(root * skew(way))
        value = float(error.dot(error))
        gradient = slopes.dot(2.0 * error)
        slopes *= _ROOT_2
        hessian = slopes.dot(slopes.T)
        value += reference.deviations.add(pose, gradient, hessian)
        if fixed.slide_weight.any():
            slid = pose.q[fixed.sliding] - reference.slides
            value += float(fixed.slide_weight @ (slid * slid))
            gradient[fixed.sliding] += 2.0 * fixed.slide_weight * slid
            hessian[fixed.sliding, fixed.sliding] += 2.0 * fixed.slide_weight
        return PostureTerm(value, gradient, hessian, partial(self._curvature, pose, x, error[:wide], push))

    def _curvature(self, pose: Pose, x: Array, error: Array, push: Array) -> Curvature:
        """See `PostureTerm`; of points x (P, 3), residuals of masses, and of hips or balance."""
        fixed = self._fixed
        force = np.zeros_like(x)
        force[: fixed.heavy] = 2.0 * self._displaced(error[None])[0].reshape(-1, 3)
        root = 2.0 * sqrt(fixed.parameters.balance) / fixed.figure.size
        if self._hips_kept:
            force[-1] += root * push
        elif self._balanced:
            force += root * self._center[:, None] * push
        found = self._reference.deviations.curvature(pose)
        loads = found.loads.along_with(Loads.on_points(fixed.points.joints, x, force))
        for one in self._reference.directions:
            way = pose.rotation[one.joint] @ one.own
            turning = 2.0 * one.weight * (way - one.goal)
            loads = loads.along_with(
                Loads.of(np.array([one.joint]), second=np.multiply.outer(way, turning)[None])
            )
        return Curvature(loads, found.rest)

    def _displaced(self, ways: Array) -> Array:
        """Displacements (k, 3 P) of the mass points, weighted so that their squares sum to the cost."""
        fixed = self._fixed
        out = ways * fixed.flat
        if not fixed.plain:
            up, lower = fixed.figure.up, 1.0 - sqrt(fixed.parameters.vertical)
            each = out.reshape(len(out), -1, 3)
            each -= lower * (each @ up)[..., None] * up
        return np.asarray(out)

    def _overhang(self, x: Array) -> tuple[float, Array, Array]:
        """How far the centre of mass is beyond its range, figure sizes; (3,) level ways ahead and aside."""
        none, fixed, lean = np.zeros(3), self._fixed, self._reference.support.lean
        way = self._center @ x
        way = way - fixed.figure.up * (way @ fixed.figure.up)
        length = float(lean @ lean)
        share = min(max(float(way @ lean) / length, 0.0), 1.0) if length > 0 else 0.0
        off = way - share * lean
        distance = float(np.sqrt(off @ off))
        over = distance / fixed.figure.size - fixed.parameters.balance_room
        if over <= 0.0:
            return 0.0, none, none
        aside = none
        if share in (0.0, 1.0):  # at an end of the range distances grow aside, too; beside it they do not
            aside = sqrt(over * fixed.figure.size / distance) * np.cross(fixed.figure.up, off / distance)
        return over, off / distance, aside


def _reference(fixed: _Structure, pose: Pose) -> _Reference:
    """Prepare a posture for the terms of the objective."""
    x = pose.points(fixed.points)
    tails = pose.position + np.matmul(pose.rotation, fixed.tips[:, :, None])[:, :, 0]
    center = fixed.masses.mass @ pose.points(fixed.weighing)
    room = fixed.parameters.balance_room * fixed.figure.size
    support = choose_support(fixed.figure, pose.position, tails, center, room)
    body, directions = fixed.body, list[_Direction]()
    if fixed.tilt_weight > 0.0:
        directions.append(_direction(pose, body, fixed.figure.up, fixed.tilt_weight))
    if fixed.heading_weight > 0.0:
        directions.append(_direction(pose, body, pose.rotation[body] @ fixed.aside, fixed.heading_weight))
    slides = pose.q[fixed.sliding].copy()
    return _Reference(x, Deviations.at(fixed.joint_weights, pose), tuple(directions), slides, support)


def _direction(pose: Pose, joint: int, way: Array, weight: float) -> _Direction:
    return _Direction(joint, pose.rotation[joint].T @ way, way, weight)
