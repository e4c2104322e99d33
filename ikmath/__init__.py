# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics of articulated figures: the classical texts' methods, and a default without tuning.

Needs numpy only. Data flows one way: `Skeleton` -> `Pose` -> goals -> `Problem` -> `solve` -> `Solution`.
Metres and radians; every array may have leading batch axes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from .collision import AVOIDANCE as AVOIDANCE
from .collision import SHAPES as SHAPES
from .collision import Body as Body
from .collision import Box as Box
from .collision import Capsule as Capsule
from .collision import Cylinder as Cylinder
from .collision import HalfSpace as HalfSpace
from .collision import Link as Link
from .collision import Rectangle as Rectangle
from .collision import Sphere as Sphere
from .collision import TriangleMesh as TriangleMesh
from .collision import critical_points as critical_points
from .collision import self_pairs as self_pairs
from .errors import BadShape as BadShape
from .errors import BadValue as BadValue
from .errors import IkError as IkError
from .errors import NotSupported as NotSupported
from .errors import UnknownName as UnknownName
from .goals import GOALS as GOALS
from .goals import Aim as Aim
from .goals import AnyOf as AnyOf
from .goals import Balance as Balance
from .goals import Distance as Distance
from .goals import Goal as Goal
from .goals import Loop as Loop
from .goals import Orientation as Orientation
from .goals import Plane as Plane
from .goals import Pole as Pole
from .goals import Position as Position
from .goals import Posture as Posture
from .goals import Residual as Residual
from .limits import LIMITS as LIMITS
from .model.frame_points import FramePoints as FramePoints
from .model.joint import Joint as Joint
from .model.joint import Mimic as Mimic
from .model.joint import hinge as hinge
from .model.joint import slider as slider
from .model.pose import Pose as Pose
from .model.skeleton import Skeleton as Skeleton
from .problem.problem import Problem as Problem
from .problem.problem import Solution as Solution
from .problem.problem import Status as Status
from .solvers.api import DEFAULT as DEFAULT
from .solvers.api import METHODS as METHODS
from .solvers.api import Solver as Solver
from .solvers.api import solve as solve
from .solvers.method import GoalRequirement as GoalRequirement
from .solvers.method import Requirements as Requirements
from .trajectory.track import solve_track as solve_track
from .trajectory.track import track as track

if TYPE_CHECKING:
    from .classic.internal_points import subdivide as subdivide
    from .classic.linalg.damped import condition_number as condition_number
    from .classic.linalg.damped import residual_bounds as residual_bounds
    from .classic.svd.svd import SVD as SVD
    from .examples import elephant as elephant
    from .examples import figures as figures
    from .model.urdf import from_urdf as from_urdf

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


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
