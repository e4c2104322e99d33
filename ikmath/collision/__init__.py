# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles and the figure's own body: shapes, signed distances, and the critical points between them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .avoidance import AVOIDANCE, Avoidance, VelocityDamper
from .body import Body, Link
from .body_fit import FitOptions, Skin, fit_links
from .closest_pairs import ClosestPairs
from .mesh import MODES, TriangleMesh
from .narrow_phase import Nearest
from .scene import Scene, critical_points
from .self_pairs import self_pairs
from .shapes.box import Box
from .shapes.capsule import Capsule
from .shapes.cylinder import Cylinder
from .shapes.half_space import HalfSpace
from .shapes.rectangle import Rectangle
from .shapes.shape import Shape
from .shapes.sphere import Sphere

SHAPES: Final[Mapping[str, type[Shape]]] = MappingProxyType(
    {shape.kind: shape for shape in (Sphere, HalfSpace, Rectangle, Box, Cylinder, Capsule, TriangleMesh)}
)
"""The kinds of obstacles, by name: menus, contract tests and the manual's table read this."""

__all__ = [
    "AVOIDANCE",
    "Avoidance",
    "MODES",
    "SHAPES",
    "Body",
    "Box",
    "Capsule",
    "Cylinder",
    "FitOptions",
    "HalfSpace",
    "Link",
    "Nearest",
    "ClosestPairs",
    "Rectangle",
    "Scene",
    "Shape",
    "Skin",
    "Sphere",
    "TriangleMesh",
    "VelocityDamper",
    "critical_points",
    "fit_links",
    "self_pairs",
]
