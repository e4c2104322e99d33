# SPDX-License-Identifier: GPL-3.0-or-later
"""Critical points of a single query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..model.pose import Pose
from .body import Body
from .closest_pairs import ClosestPairs
from .scene import Scene
from .shapes.shape import Shape


def critical_points(
    pose: Pose,
    body: Body,
    obstacles: Sequence[Shape] = (),
    self_pairs: npt.ArrayLike = (),
    detect: float = np.inf,
) -> ClosestPairs:
    """Critical points of a pose. For repeated queries make a `Scene` and keep it.

    Args:
        pose: one pose or a batch.
        body: links of the figure.
        obstacles: shapes.
        self_pairs: (P, 2) pairs of links.
        detect: metres of clearance up to which pairs are listed; all pairs by default.
    """
    arguments.number(detect, "detect", endless=True)
    skeleton = arguments.of_kind(pose, Pose, "pose").skeleton
    return Scene(skeleton, body, obstacles, self_pairs).near(pose, detect)
