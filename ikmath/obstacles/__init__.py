# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles and the figure's own body: shapes, signed distances, and the critical points between them."""

from __future__ import annotations

from .body import Body, Link
from .capsule import Capsule
from .critical import critical_points
from .cylinder import Cylinder
from .ellipsoids import Ellipsoids, collide, collide_by_slices
from .fit import FitOptions, Skin, fit_links
from .half_space import HalfSpace
from .mesh import MODES, TriangleMesh
from .proximity import Proximity
from .rectangle import Rectangle
from .registry import SHAPES
from .scene import Scene
from .self_pairs import self_pairs
from .shape import Nearest, SegmentNearest, Shape
from .sphere import Sphere

__all__ = [
    "MODES",
    "SHAPES",
    "Body",
    "Capsule",
    "Cylinder",
    "Ellipsoids",
    "FitOptions",
    "HalfSpace",
    "Link",
    "Nearest",
    "Proximity",
    "Rectangle",
    "Scene",
    "SegmentNearest",
    "Shape",
    "Skin",
    "Sphere",
    "TriangleMesh",
    "collide",
    "collide_by_slices",
    "critical_points",
    "fit_links",
    "self_pairs",
]
