# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that bend towards a place: knees and elbows with a pole.

The line from the limb's root to its end leaves the middle joint one freedom, the angle about that line. The
error is this angle t, from the pole to the middle joint. A straight limb bends to no side, so the error fades
where the joint or the pole is nearly on the line: `e = t h^2 / (h^2 + l^2)`, with h the product of the sines
of both ways with the line.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape
from ..model.pose import Pose
from ..model.residual import Residual, blocks, with_slack
from .base import Effectors, Names, names

_HERE: Final = 1e-9  # metres; two places nearer to each other than this have no direction
_STRAIGHT: Final = 0.01  # product of sines at which half of the error is left: a bend of about 1 degree


class Pole(Effectors):
    """The middle joint of each limb should be on the target's side of the line from root to end.

    A straight limb counts as met, since it bends to no side.

    Args:
        joint: the middle joint's name (knee, elbow), or several names.
        target: (*batch, 3) for one name, (*batch, E, 3) for several; the poles, world, metres. Several may
            share one, (3,) or (*batch, 1, 3).
        root: the joint at which the limb begins (hip, shoulder), or as many names.
        offset: (3,) or (E, 3) where the limb ends, in the middle joint's own frame, metres.
        weight, priority, name: see `Goal`.
        slack: angle about the line within which the goal costs nothing, radians.
    """

    kind: str = "Pole"
    targets: ClassVar[Mapping[str, int]] = {"target": 2}
    unit: str = "rad"
    rows: int = 1

    def __init__(
        self,
        joint: Names,
        target: npt.ArrayLike,
        root: Names,
        offset: npt.ArrayLike,
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        slack: float = 0.0,
        name: str | None = None,
    ) -> None:
        self._hold(joint, offset)
        self._begin(self.joints, weight, priority, name)
        self.target = self._shared(target, "target")
        self.slack = arguments.number(slack, f"slack of {self.describe()}", least=0)
        roots = names(root, f"root of {self.describe()}")
        if len(roots) != self.effectors:
            raise BadShape(f"root of {self.describe()}", "one name a joint", (len(roots),))
        # held as 3 E points: ends, middles, roots
        self.joints = (*self.joints, *self.joints, *roots)
        self.offset = np.concatenate([self.offset, np.zeros((2 * self.effectors, 3))])

    def evaluate(self, pose: Pose) -> Residual:
        points, count = self.points_at(pose), self.effectors
        x = pose.points(points)
        end, middle, root = (x[..., k * count : (k + 1) * count, :] for k in range(3))
        ways = np.stack(np.broadcast_arrays(end - root, middle - root, self.target - root))
        lengths = np.sqrt((ways * ways).sum(-1, keepdims=True))
        nowhere = (lengths < _HERE).any(0)
        lengths = np.maximum(lengths, _HERE)
        line, to_middle, to_pole = units = ways / lengths
        along_middle = (line * to_middle).sum(-1, keepdims=True)
        along_pole = (line * to_pole).sum(-1, keepdims=True)
        cosine = (to_pole * to_middle).sum(-1, keepdims=True) - along_pole * along_middle
        across = np.cross(to_pole, to_middle)
        sine = (line * across).sum(-1, keepdims=True)
        angle, square = np.arctan2(sine, cosine), cosine**2 + sine**2
        least = _STRAIGHT**2
        error = np.where(nowhere, 0.0, angle * square / (square + least))[..., 0]
        fading = 2.0 * least * angle / (square + least)
        by_cosine = (fading * cosine - sine) / (square + least)
        by_sine = (fading * sine + cosine) / (square + least)
        slopes = np.stack(
            [
                by_sine * across - by_cosine * (along_middle * to_pole + along_pole * to_middle),
                by_cosine * (to_pole - along_pole * line) + by_sine * np.cross(line, to_pole),
                by_cosine * (to_middle - along_middle * line) + by_sine * np.cross(to_middle, line),
            ]
        )
        slopes -= units * (units * slopes).sum(-1, keepdims=True)  # directions keep their length
        slopes = np.where(nowhere, 0.0, slopes / lengths)
        factors = np.concatenate([slopes[0], slopes[1], -slopes.sum(0)], -2)[..., None, :]
        rows = blocks(factors, pose.point_jacobian(points, x))
        jacobian = rows[..., :count, :] + rows[..., count : 2 * count, :] + rows[..., 2 * count :, :]
        return with_slack(error, jacobian, self.slack, count)
