# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of articulated figures: every method of the classical texts, and a default that needs no tuning.

Numpy only, knows nothing of Blender. Data flows one way: `Skeleton` -> `Pose` -> goals -> `Problem` -> `solve` ->
`Solution`. Metres and radians; every array may carry leading batch axes.
"""

from .errors import BadShape, BadValue, IkError, NotSupported, UnknownName
from .pose import Pose
from .skeleton import Joint, Skeleton

__version__ = "0.1.0"
