# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of articulated figures: the classical texts' methods, and a default without tuning.

Numpy only, knows nothing of Blender. Data flows one way: `Skeleton` -> `Pose` -> goals -> `Problem` ->
`solve` -> `Solution`. Metres and radians; every array may carry leading batch axes.
"""

from . import elephant, figures
from .avoidance import AVOIDANCE
from .errors import BadShape, BadValue, IkError, NotSupported, UnknownName
from .goals import (
    GOALS,
    Aim,
    AnyOf,
    Balance,
    Distance,
    Goal,
    Loop,
    Orientation,
    Plane,
    Position,
    Posture,
    Residual,
)
from .inertia import inertia_weights
from .joint import Joint
from .limits import LIMITS
from .linalg.damped import condition_number, residual_bounds
from .linalg.svd import SVD
from .obstacles import (
    SHAPES,
    Body,
    Capsule,
    Cylinder,
    HalfSpace,
    Link,
    Rectangle,
    Sphere,
    TriangleMesh,
    critical_points,
    self_pairs,
)
from .points import Points
from .pose import Pose
from .problem import Problem, Solution, Status
from .skeleton import Skeleton
from .solvers import DEFAULT, METHODS, Demand, Solver, Wish, solve
from .trajectory import solve_track, subdivide, track

__version__ = "0.1.0"

__all__ = [
    "AVOIDANCE",
    "SHAPES",
    "Body",
    "Capsule",
    "Cylinder",
    "HalfSpace",
    "Link",
    "Rectangle",
    "Sphere",
    "TriangleMesh",
    "condition_number",
    "critical_points",
    "self_pairs",
    "DEFAULT",
    "GOALS",
    "LIMITS",
    "METHODS",
    "SVD",
    "Aim",
    "AnyOf",
    "Balance",
    "BadShape",
    "BadValue",
    "Demand",
    "Distance",
    "Goal",
    "IkError",
    "Joint",
    "Loop",
    "NotSupported",
    "Orientation",
    "Plane",
    "Points",
    "Pose",
    "Position",
    "Posture",
    "Problem",
    "Residual",
    "Skeleton",
    "Solution",
    "Solver",
    "Status",
    "UnknownName",
    "Wish",
    "elephant",
    "figures",
    "inertia_weights",
    "residual_bounds",
    "solve",
    "solve_track",
    "subdivide",
    "track",
]
