# SPDX-License-Identifier: GPL-3.0-or-later
"""Internal points between an effector and its target (Ki & Sheen, section 3).

Solving over internal points, each from the previous one, gives a more natural motion to a far target; pass
them as targets of frames to `solve_track`. The points are the intersections of the straight segment with rays
from the centre (the base of the chain) at equal angles. In the smooth variant the distance from the centre
changes linearly, which gives an arc that an arm can follow easily.

The text says that the segment is "divided equally"; its formula divides the angle at the centre equally. If
start, target and centre are collinear, there is no angle. In the same direction the formula's limit is used.
In opposite directions the segment contains the centre, no direction is preferred, and BadValue is raised.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue
from ..rotation import Array

_NO_ANGLE: Final = 1e-6  # radians; below this, sines cancel and the limit is as exact


def subdivide(
    start: npt.ArrayLike,
    target: npt.ArrayLike,
    count: int,
    *,
    center: npt.ArrayLike = (0.0, 0.0, 0.0),
    smooth: bool = False,
) -> Array:
    """Internal points on the path from start to target, and the target.

    Args:
        start: Y, (*batch, 3) metres.
        target: X, (*batch, 3) metres.
        count: M, number of internal points, 0 or more.
        center: vertex of the angles, (3,) or (*batch, 3): the base of the chain, metres.
        smooth: whether the distance from the center changes linearly (the points with a tilde in the text).

    Returns:
        (M + 1, *batch, 3) metres: frames first, like the targets of a track; the last one is the target.

    Raises:
        BadShape: the points are not 3-vectors.
        BadValue: a negative count; the center on the segment between start and target, or at one of them.
    """
    parts, smooth = arguments.whole(count, "count", least=0) + 1, arguments.switch(smooth, "smooth")
    middle = arguments.coordinates(center, 3, "center")
    x, y = arguments.coordinates(target, 3, "target"), arguments.coordinates(start, 3, "start")
    try:
        np.broadcast_shapes(x.shape, y.shape, middle.shape)
    except ValueError:
        raise BadShape("start", f"the axes of the target, {x.shape}, and of the center", y.shape) from None
    x, y = np.broadcast_arrays(x - middle, y - middle)
    x_length, y_length = np.linalg.norm(x, axis=-1), np.linalg.norm(y, axis=-1)
    angle = np.arctan2(np.linalg.norm(np.cross(x, y), axis=-1), (x * y).sum(-1))
    if ((x_length == 0.0) | (y_length == 0.0) | (angle > np.pi - _NO_ANGLE)).any():
        raise BadValue("center", "must not lie on the line from start to target.")
    step = np.arange(1, parts + 1).reshape(-1, *(1,) * angle.ndim)
    # The law of sines: |Y_i - Y| : |Y_i - X| = |Y| sin(i / (M+1) angle) : |X| sin((M+1-i) / (M+1) angle).
    flat = angle < _NO_ANGLE
    from_start = y_length * np.where(flat, step / parts, np.sin(step * angle / parts))
    to_target = x_length * np.where(flat, 1.0 - step / parts, np.sin((parts - step) * angle / parts))
    share = (from_start / (from_start + to_target))[..., None]
    points = y + share * (x - y)
    if smooth:
        even = (step / parts)[..., None]
        radius = even * x_length[..., None] + (1.0 - even) * y_length[..., None]
        points = points * radius / np.linalg.norm(points, axis=-1, keepdims=True)
    points[-1] = x
    return np.asarray(points + middle)
