# SPDX-License-Identifier: GPL-3.0-or-later
"""The axis about which two bones bend as at a knee or an elbow, from how they are bent in one pose.

A leg that is nearly straight may be bent from the front alone, but its knee bends to the front.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Array

_CLEAR: Final = float(np.sin(np.radians(20.0)))  # a joint that is bent by more shows how it bends
_LEAST: Final = float(np.sin(np.radians(10.0)))  # any other counts as bent by so much in the usual way
_LINE: Final = float(np.sin(np.radians(0.5)))  # less bend is none


def hinge_axis(first: Array, second: Array, usual: Array) -> Array:
    """(3,) unit vector; zero if it is not known.

    Args:
        first, second: (3,) along the bones; usual: (3,) the axis of a straight limb, zero if not known.
    """
    far = float(np.linalg.norm(first) * np.linalg.norm(second)) or 1.0
    axis = np.cross(first, second) / far  # as long as the sine of the bend
    size = float(np.linalg.norm(usual))
    if np.linalg.norm(axis) < _CLEAR and size > 0.0:
        known = usual / size
        own = float(axis @ known)
        axis = axis + known * ((-1.0 if own < -_LINE else 1.0) * max(abs(own), _LEAST) - own)
    length = float(np.linalg.norm(axis))
    return np.asarray(axis / length if length > 1e-9 else np.zeros(3))
