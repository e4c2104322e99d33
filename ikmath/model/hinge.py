# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that turn about any axis, or slide along any axis, in the frame of a link.

A `Joint` turns about its own x, y and z. A hinge about another axis is therefore two joints in one place. The
first carries the coordinate: its local y is the axis. The second has no coordinate and turns the frame back,
so that its own frame is `Translation(translation) @ Rotation(rotation) @ Rotation(axis, angle)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadValue
from ..rotation import Array
from .joint import Joint


def hinge(
    name: str,
    parent: str | None = None,
    axis: npt.ArrayLike = (0.0, 0.0, 1.0),
    *,
    motion: str | None = None,
    translation: npt.ArrayLike = (0.0, 0.0, 0.0),
    rotation: npt.ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    **options: Any,
) -> tuple[Joint, Joint]:
    """A link that turns about any axis.

    Args:
        name: of the link, for goals and children; its frame is turned about the axis and not otherwise.
        parent: name of the parent, None for a root.
        axis: (3,) direction in the link's own frame, of any length.
        motion: name of the joint that has the coordinate, `MOTION.turn_y`; "NAME hinge" if not given.
        translation, rotation: the link's rest frame in its parent, as for `Joint`.
        **options: of the coordinate: `lower`, `upper`, `stiffness`, `max_speed`, as for `Joint`.

    Returns:
        The joint with the coordinate and the link, for `Skeleton([..., *hinge(...), ...])`.

    Raises:
        BadValue, BadShape: an axis without length, or a matrix that is not a rotation.
    """
    frame, rest = _axes("hinge", name, axis, rotation)
    motion = f"{name} hinge" if motion is None else motion
    moving = Joint(motion, parent, rest @ frame, translation, turns="y", **options)
    return moving, Joint(name, motion, frame.T, turns="")


def slider(
    name: str,
    parent: str | None = None,
    axis: npt.ArrayLike = (0.0, 0.0, 1.0),
    *,
    motion: str | None = None,
    translation: npt.ArrayLike = (0.0, 0.0, 0.0),
    rotation: npt.ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    **options: Any,
) -> tuple[Joint, Joint]:
    """A link that slides along any axis; see `hinge`. Its coordinate is `MOTION.slide_y`, metres."""
    frame, rest = _axes("slider", name, axis, rotation)
    motion = f"{name} slider" if motion is None else motion
    moving = Joint(motion, parent, rest @ frame, translation, turns="", slides="y", **options)
    return moving, Joint(name, motion, frame.T, turns="")


def _axes(kind: str, name: str, axis: npt.ArrayLike, rotation: npt.ArrayLike) -> tuple[Array, Array]:
    """A rotation whose y is the axis, and the rest rotation, (3, 3) each, checked."""
    arguments.text(name, f"name of a {kind}")
    what = f"{kind} {name!r}"
    return axes_with_y(axis, f"axis of {what}"), arguments.shaped(rotation, f"rotation of {what}", (3, 3))


def axes_with_y(axis: npt.ArrayLike, what: str) -> Array:
    """A rotation (3, 3) whose y axis is the direction (3,).

    Raises:
        BadValue: a direction without length; `what` names it.
    """
    given = arguments.shaped(axis, what, (3,))
    length = float(np.sqrt(given @ given))
    if length < 1e-9:
        raise BadValue(what, "has no length; give a direction.")
    y = given / length
    aside = np.eye(3)[int(np.argmin(np.abs(y)))]
    x = aside - y * (y @ aside)
    x /= np.sqrt(x @ x)
    return np.stack([x, y, np.cross(x, y)], axis=1)
