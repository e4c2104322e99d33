# SPDX-License-Identifier: GPL-3.0-or-later
"""What every goal is: an error that should vanish, with its derivative.

The residual row is the common currency of all solving methods: a least-squares method, a null-space method, a
nonlinear program and a quadratic program all use rows. `error` is where the figure is less where it should
be, so that `jacobian` is its derivative by `q` exactly, and a Newton step solves `jacobian @ dq = -error`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Index, Mask
from ..errors import BadShape, BadValue
from ..model.frame_points import FramePoints
from ..model.pose import Pose
from ..model.residual import Residual, violated
from ..model.skeleton import Skeleton
from ..rotation import Array, matrix_from_quaternion, quaternion_from_matrix

Names = str | Sequence[str]
Frame = int | Index
SPACES: Final = ("world", "target", "bone")
HEAVIEST: Final = 1e12
"""The largest weight that is taken: what is beside it is already less than rounding."""
LIGHTEST: Final = 1e-100
"""The smallest that counts: below, products of weights vanish, and so does the goal."""
ONE_WAY: Final = 1e-7
"""Share of a second derivative below which its twin, by the same coordinates in other order, is rounding."""


class Goal:
    """One kind of goal, for one or several effectors of a figure at once.

    Attributes:
        kind: the kind's name; unit: "m", "rad" or "" of the error;
        rows: rows an effector has in the residual; effectors: number of effectors, E;
        weight: (E,) weights of the squared errors; priority: 0 is the strongest level;
        labels: (E,) a name for each effector, for messages; its joint's unless a name is given;
        whole: whether `evaluate` gives the whole derivative; a goal that may not use some coordinates leaves
            them out, although they change its error.
        targets: names of the attributes that may change from frame to frame, with the axes of one frame's;
        one_sided: whether the goal is an inequality, of which `evaluate` gives the violated part; such goals
            also have `inequality`.
    """

    kind: str = ""
    unit: str = "m"
    rows: int = 3
    one_sided: bool = False
    whole: bool = True
    targets: ClassVar[Mapping[str, int]] = {}

    weight: Array
    priority: int
    labels: tuple[str, ...] = ()

    def _begin(self, labels: Sequence[str], weight: npt.ArrayLike, priority: int, name: str | None) -> None:
        self.labels = tuple(labels)
        if name is not None:
            arguments.text(name, f"name of {self.describe()}")
            self.labels = (name,) if len(labels) == 1 else tuple(f"{name} {label}" for label in labels)
        what = self.describe()
        given = arguments.shaped(weight, f"weight of {what}", (), (len(self.labels),))
        if given.min(initial=0.0) < 0 or given.max(initial=0.0) > HEAVIEST:
            raise BadValue(f"weight of {what}", f"must be zero or more, at most {HEAVIEST:g}.")
        self.weight = np.broadcast_to(np.where(given < LIGHTEST, 0.0, given), (len(self.labels),)).copy()
        self.priority = arguments.whole(priority, f"priority of {what}", least=0)

    @property
    def effectors(self) -> int:
        """Number of effectors."""
        return len(self.labels)

    def describe(self) -> str:
        """A name for messages."""
        return f"{self.kind} goal {', '.join(self.labels)}"

    def __repr__(self) -> str:
        return f"<{self.describe()}>"

    # ------------------------------------------------------------------ what a kind must define
    def evaluate(self, pose: Pose) -> Residual:
        """Error and Jacobian at a pose: (*batch, E * rows) and (*batch, E * rows, n).

        By default those of `inequality`: of a one-sided goal the violated part.
        """
        rows = self.inequality(pose)
        return violated(rows) if self.one_sided else rows

    def moved(self, skeleton: Skeleton) -> Mask:
        """(n, E) which coordinates can change which effector's error, in any pose; too many do no harm."""
        return np.ones((skeleton.n, self.effectors), dtype=bool)

    def curvature(self, pose: Pose, pull: Array, step: Array) -> Array:
        """(n, n) second derivative of the errors, each multiplied by its pull and added up.

        By differences of the Jacobian, in one batch of poses; of a one-sided goal on both of its sides.

        Args:
            pose: a single one; pull: (E * rows,); step: (n,) of the coordinates, in differences.
        """
        n = pose.skeleton.n
        if not pull.any():
            return np.zeros((n, n))
        shifted = Pose.trusted(pose.skeleton, pose.q + np.concatenate([np.diag(step), np.zeros((1, n))]))
        rows = self.inequality(shifted) if self.one_sided else self.evaluate(shifted)
        gradient = np.matmul(pull, rows.jacobian)
        found = (gradient[:n] - gradient[n]) / step[:, None]
        # a goal that may not use a coordinate has no slope along it, and so no curvature
        one, other = np.abs(found), np.abs(found.T)
        both = np.minimum(one, other) > ONE_WAY * np.maximum(one, other)
        return np.where(both, 0.5 * (found + found.T), 0.0)

    def inequality(self, pose: Pose) -> Residual:
        """Rows of a one-sided goal in full: an error of zero or more is the allowed side."""
        raise BadValue(self.describe(), "has no rows; implement evaluate or inequality.")

    def errors(self, pose: Pose) -> Array:
        """(*batch, E) size of each effector's error, in the goal's unit."""
        return self.sizes(self.evaluate(pose).error)

    def sizes(self, error: Array) -> Array:
        """(*batch, E * rows) -> (*batch, E) lengths."""
        split = error.reshape(*error.shape[:-1], self.effectors, error.shape[-1] // self.effectors)
        return np.asarray(np.sqrt((split * split).sum(-1)))

    def batches(self) -> Sequence[tuple[int, ...]]:
        """The leading axes of whatever may change from frame to frame."""
        targets = ((getattr(self, name), axes) for name, axes in self.targets.items())
        return [np.shape(value)[: np.ndim(value) - axes] for value, axes in targets if value is not None]

    @property
    def frames(self) -> int | None:
        """Number of frames of the targets, None if they do not change.

        Raises:
            BadValue: targets with several axes of frames, or with different numbers of them.
        """
        changing = {axes for axes in self.batches() if axes}
        if not changing:
            return None
        if len(changing) > 1 or len(axes := next(iter(changing))) > 1:
            found = " and ".join(map(str, sorted(changing)))
            raise BadValue(
                self.describe(), f"has targets with leading axes {found}; give one axis of frames."
            )
        return axes[0]

    def check_frames(self, pose: Pose) -> None:
        """Raise BadValue if it is no pose, or BadShape if the targets have frames that it has not."""
        arguments.of_kind(pose, Pose, "pose")
        for axes in self.batches():
            if axes and axes != pose.batch[-len(axes) :]:
                wanted = f"(..., {axes[-1]}) poses, or ask goal.at(frame)"
                raise BadShape(f"batch of poses for {self.describe()}", wanted, pose.batch)

    def at(self, frame: Frame) -> Self:
        """The goal with the targets of one frame, or of several as the batch."""
        count = self.frames
        if count is None:
            return self
        number = arguments.frames(frame, count, f"frame of {self.describe()}")
        values = ((name, getattr(self, name), axes) for name, axes in self.targets.items())
        return self.with_targets(**{n: np.asarray(v)[number] for n, v, axes in values if np.ndim(v) > axes})

    def with_targets(self, **targets: Any) -> Self:
        """The goal with other targets, named as its attributes and shaped like them; nothing is checked."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **targets)
        return other

    def with_choices(self, pose: Pose, before: Goal | None = None) -> Self:
        """The goal that keeps the choice made at a pose, as far as possible.

        Args:
            pose: of the frame before; before: the same goal with the targets of that frame.
        """
        return self

    def check(self, skeleton: Skeleton) -> None:
        """Raise if the goal does not fit the skeleton, by default if its rows do not, in one pose or many."""
        if not self.labels:
            raise BadValue(f"Goal {type(self).__name__}", "has no effectors; call self._begin to name them.")
        arguments.word(self.unit, f"unit of {self.describe()}", ("m", "rad", ""))
        goal, rows = self.at(0) if self.frames else self, self.effectors * self.rows
        for batch, where in (((), ""), ((4,), " in 4 poses")):
            pose = Pose.trusted(skeleton, np.tile(skeleton.rest, (*batch, 1)))
            what = f"result of evaluate of {self.describe()}{where}"
            found = arguments.of_kind(goal.evaluate(pose), Residual, what)
            for part, shape in ((found.error, (rows,)), (found.jacobian, (rows, skeleton.n))):
                arguments.shaped(arguments.of_kind(part, np.ndarray, what), what, (*batch, *shape))

    def bind_as(self, before: Goal) -> None:
        """Take over what another goal has worked out about a skeleton, if it holds on to the same points."""

    def is_like(self, other: Goal) -> bool:
        """Whether another goal differs in nothing but its targets."""
        return self is other or (
            type(self) is type(other)
            and self.frames is None
            and (self.labels, self.rows, self.unit, self.priority, self.one_sided)
            == (other.labels, other.rows, other.unit, other.priority, other.one_sided)
            and np.array_equal(self.weight, other.weight)
            and self.holds_as(other)
        )

    def holds_as(self, other: Goal) -> bool:
        """Whether another goal holds on to the same points, where it holds on to points at all."""
        return True


class Effectors(Goal):
    """A goal whose effectors hold on to points of joints: what most kinds share.

    Targets are arrays with the shape of one target at the end, an axis for the effectors before it (left out
    when the goal was made for one joint by its name), and any batch axes in front.
    """

    joints: tuple[str, ...]
    single: bool
    _bound: tuple[object, FramePoints | None]

    def _hold(self, joint: Names, offset: npt.ArrayLike) -> None:
        self.single = isinstance(joint, str)
        self.joints = names(joint, f"joint of {self.kind} goal")
        self.offset = self._each(offset, f"offset of {self.kind} goal")
        self._bound = (None, None)

    def _target(self, value: npt.ArrayLike, shape: tuple[int, ...], what: str = "target") -> Array:
        """Checked copy of a target with shape (*batch, E, *shape)."""
        array = arguments.numbers(value, f"{what} of {self.describe()}")
        tail = shape if self.single else (self.effectors, *shape)
        if array.ndim < len(tail) or array.shape[array.ndim - len(tail) :] != tail:
            raise BadShape(f"{what} of {self.describe()}", f"(..., {', '.join(map(str, tail))})", array.shape)
        if self.single:
            array = array.reshape(*array.shape[: array.ndim - len(shape)], 1, *shape)
        return array

    def _rotation(self, value: npt.ArrayLike, what: str = "target") -> Array:
        """Checked rotations (*batch, E, 3, 3); those in single precision are made exact."""
        array = self._target(value, (3, 3), what)
        crooked = np.abs(array @ array.swapaxes(-1, -2) - np.eye(3)).max(initial=0.0)
        if crooked > 1e-4 or (np.linalg.det(array) < 0).any():
            raise BadValue(
                f"{what} of {self.describe()}", "is not a rotation matrix; remove scale and shear from it."
            )
        return array if crooked < 1e-12 else matrix_from_quaternion(quaternion_from_matrix(array))

    def _each(self, value: npt.ArrayLike, what: str) -> Array:
        """Checked (E, 3) constants of the effectors, given for each or once for all."""
        count = len(self.joints)
        return np.broadcast_to(arguments.shaped(value, what, (3,), (count, 3)), (count, 3)).copy()

    def _shared(self, value: npt.ArrayLike, what: str, shape: tuple[int, ...] = (3,)) -> Array:
        """Checked targets (*batch, E, *shape); effectors may share one, *shape or (*batch, 1, *shape)."""
        array = arguments.numbers(value, f"{what} of {self.describe()}")
        axes = array.ndim - len(shape) - 1
        if not self.single and (array.shape == shape or array.shape[max(axes, 0) :] == (1, *shape)):
            array = np.broadcast_to(array, (*array.shape[: max(axes, 0)], self.effectors, *shape))
        return self._target(array, shape, what)

    def points(self, skeleton: Skeleton) -> FramePoints:
        """The effectors' points, bound to the skeleton (once for all skeletons of that structure)."""
        topology, points = self._bound  # both at once: another thread may use another figure
        if points is None or topology is not skeleton.topology:
            points = FramePoints(skeleton, self.joints, self.offset)
            self._bound = skeleton.topology, points
        return points

    def points_at(self, pose: Pose) -> FramePoints:
        """The same, bound to the skeleton of a pose.

        Raises:
            BadShape: targets with frames that the pose has not.
        """
        self.check_frames(pose)
        return self.points(pose.skeleton)

    def check(self, skeleton: Skeleton) -> None:
        self.points(skeleton)

    def bind_as(self, before: Goal) -> None:
        if isinstance(before, Effectors) and self.holds_as(before):
            self._bound = before._bound

    def holds_as(self, other: Goal) -> bool:
        if not isinstance(other, Effectors) or self.joints != other.joints:
            return False
        return self.offset is other.offset or np.array_equal(self.offset, other.offset)


class Masked(Effectors):
    """A goal of which only some axes may count, and that costs nothing within a slack.

    Attributes:
        mask: which of the three axes of `space` count, None for all; slack: metres or radians;
        frame: the axes of the space "target", if given;
        own_rows: whether a subclass has an `evaluate` of its own; its name is then its kind, unless given.
    """

    mask: list[int] | None
    space: str
    slack: float
    frame: Array | None
    own_rows: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        if "evaluate" in vars(cls) and Masked not in cls.__bases__:
            cls.own_rows, cls.kind = True, vars(cls).get("kind", cls.__name__)

    def _count(self, axes: str, space: str, slack: float, frame: npt.ArrayLike | None) -> None:
        what = self.describe()
        if not arguments.letters(axes, f"axes of {what}"):
            raise BadValue(f"axes of {what}", "must not be empty; give at least one of 'xyz'.")
        self.mask = None if len(axes) == 3 else ["xyz".index(letter) for letter in sorted(axes)]
        self.rows = len(axes)
        self.space = arguments.word(space, f"space of {what}", SPACES)
        self.slack = arguments.number(slack, f"slack of {what}", least=0)
        self.frame = None if frame is None else self._rotation(frame, "frame")
        if frame is not None and space != "target":
            raise BadValue(f"frame of {what}", f'has no meaning in space {space!r}; give space="target".')

    @property
    def plain(self) -> bool:
        """Whether every axis counts, without slack: solves evaluate such goals together."""
        return self.mask is None and not self.slack and not self.own_rows

    def holds_as(self, other: Goal) -> bool:
        return super().holds_as(other) and isinstance(other, Masked) and self.plain == other.plain


def names(value: Names, what: str) -> tuple[str, ...]:
    """A joint's name, or several names, as a tuple of at least one."""
    found = (value,) if isinstance(value, str) else arguments.several(value, str, what)
    if not found:
        raise BadValue(what, "is empty; name at least one joint.")
    return found


class Pairs(Effectors):
    """Goals of E pairs of points, which are held as 2 E: all the first ones, then all the second ones."""

    def _hold_pairs(self, a: Names, offset_a: npt.ArrayLike, b: Names, offset_b: npt.ArrayLike) -> None:
        self._hold(b, offset_b)
        second, second_offset = self.joints, self.offset
        self._hold(a, offset_a)
        if len(second) != len(self.joints):
            raise BadShape(f"joint_b of {self.kind} goal", "one name a joint", (len(second),))
        self.offset = np.concatenate([self.offset, second_offset])
        self.labels = tuple(f"{x} to {y}" for x, y in zip(self.joints, second, strict=True))
        self.joints += second

    def _ways(self, pose: Pose) -> tuple[Array, Array]:
        """(*batch, E, 3) from the second points to the first, world, metres; (*batch, 3 E, n) derivative."""
        points = self.points_at(pose)
        x = pose.points(points)
        jacobian = pose.point_jacobian(points, x)
        half = points.count // 2
        slopes = jacobian[..., : 3 * half, :] - jacobian[..., 3 * half :, :]
        return x[..., :half, :] - x[..., half:, :], slopes
