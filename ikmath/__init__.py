# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of articulated figures: the classical texts' methods, and a default without tuning.

Needs numpy only. Data flows one way: `Skeleton` -> `Pose` -> goals -> `Problem` -> `solve` -> `Solution`.
Metres and radians; every array may have leading batch axes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from .collision import (
    AVOIDANCE,
    SHAPES,
    Body,
    Box,
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
    Pole,
    Position,
    Posture,
    Residual,
)
from .limits import LIMITS
from .model.frame_points import FramePoints
from .model.joint import Joint, Mimic, hinge, slider
from .model.pose import Pose
from .model.skeleton import Skeleton
from .problem.problem import Problem, Solution, Status
from .solvers import DEFAULT, METHODS, GoalRequirement, Requirements, Solver, solve
from .trajectory import solve_track, track

if TYPE_CHECKING:
    from .classic.internal_points import subdivide
    from .classic.linalg.damped import condition_number, residual_bounds
    from .classic.svd.svd import SVD
    from .examples import elephant, figures
    from .model.urdf import from_urdf

__version__ = "0.2.0"

_LAZY: Final = {
    "SVD": ".classic.svd.svd",
    "condition_number": ".classic.linalg.damped",
    "residual_bounds": ".classic.linalg.damped",
    "elephant": ".examples.elephant",
    "figures": ".examples.figures",
    "from_urdf": ".model.urdf",
    "subdivide": ".classic.internal_points",
}
"""Public names that are imported when first used: name -> module. A module is listed under its own name."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_LAZY[name], __name__)
    return module if _LAZY[name].endswith(f".{name}") else getattr(module, name)


__all__ = [
    "AVOIDANCE",
    "SHAPES",
    "Body",
    "Box",
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
    "Mimic",
    "SVD",
    "Aim",
    "AnyOf",
    "Balance",
    "BadShape",
    "BadValue",
    "Requirements",
    "Distance",
    "Goal",
    "IkError",
    "Joint",
    "Loop",
    "NotSupported",
    "Orientation",
    "Plane",
    "Pole",
    "FramePoints",
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
    "GoalRequirement",
    "elephant",
    "figures",
    "from_urdf",
    "hinge",
    "residual_bounds",
    "slider",
    "solve",
    "solve_track",
    "subdivide",
    "track",
]
