# SPDX-License-Identifier: GPL-3.0-or-later
"""Two points at a distance, within it or outside it: a staff between two hands, a leash, a personal space."""

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array
from ..errors import BadValue
from ..model.pose import Pose
from ..model.residual import Residual, blocks, readiest
from .base import Names, Pairs

Mode = Literal["at", "inside", "outside"]
MODES: Final = ("at", "inside", "outside")
_SAME: Final = 1e-12  # metres; nearer than this two points have no direction to each other


class Distance(Pairs):
    """The distance of a point of the figure from another one, or from a place of the world, is limited.

    Args:
        joint_a: a joint's name, or several names.
        offset_a: (3,) or (E, 3) the point in the joint's own frame, metres.
        to: the other joint's name (as many names), or a place of the world: (*batch, 3) for one name,
            (*batch, E, 3) for several.
        offset_b: (3,) or (E, 3) the point in the other joint's frame; not for a place of the world.
        distance: metres, more than zero (for two points in one place take `Loop`); a number, or (*batch,) for
            one name, (*batch, E) for several.
        weight, priority, name: see `Goal`.
        mode: "at" that distance, "inside" it or "outside" it.
    """

    kind: str = "Distance"
    targets: ClassVar[Mapping[str, int]] = {"distance": 1, "place": 2}
    rows: int = 1

    def __init__(
        self,
        joint_a: Names,
        offset_a: npt.ArrayLike,
        to: Names | npt.ArrayLike,
        offset_b: npt.ArrayLike = (0.0, 0.0, 0.0),
        distance: npt.ArrayLike = 1.0,
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        mode: Mode = "at",
        name: str | None = None,
    ) -> None:
        self.place: Array | None = None
        if _are_names(to):
            self._hold_pairs(joint_a, offset_a, to, offset_b)  # type: ignore[arg-type]
        else:
            self._hold(joint_a, offset_a)
            self.labels = self.joints
        self._begin(self.labels, weight, priority, name)
        if not _are_names(to):
            self.place, what = self._target(to, (3,), "to"), f"offset_b of {self.describe()}"
            if arguments.numbers(offset_b, what).any():
                raise BadValue(what, "is for a second joint, but `to` is a place; move the place instead.")
        self.mode = arguments.word(mode, f"mode of {self.describe()}", MODES)
        self.one_sided = mode != "at"
        self.distance = self._shared(distance, "distance", ())
        if not (self.distance > 0).all():
            raise BadValue(f"distance of {self.describe()}", "must be above zero.")

    def inequality(self, pose: Pose) -> Residual:
        """How much longer (or for "inside" shorter) the way is than the distance."""
        way, jacobian = self._ways(pose)
        length = np.sqrt((way * way).sum(-1))
        same = length < _SAME
        unit = way / np.where(same, 1.0, length)[..., None]
        slopes = jacobian.reshape(*same.shape, 3, pose.skeleton.n)
        for index in zip(*np.nonzero(same), strict=True):  # in one place: the way they part most readily
            unit[index] = readiest(slopes[index])
        error, rows = length - self.distance, blocks(unit[..., None, :], jacobian)
        return Residual(-error, -rows) if self.mode == "inside" else Residual(error, rows)

    def _ways(self, pose: Pose) -> tuple[Array, Array]:
        if self.place is None:
            return super()._ways(pose)
        points = self.points_at(pose)
        x = pose.points(points)
        return x - self.place, pose.point_jacobian(points, x)


def _are_names(to: object) -> bool:
    """Whether a joint or several are meant, rather than a place."""
    if isinstance(to, str):
        return True
    return isinstance(to, list | tuple) and len(to) > 0 and all(isinstance(name, str) for name in to)
