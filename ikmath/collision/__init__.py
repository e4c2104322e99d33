# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles and the figure's own body: shapes, signed distances, and the critical points between them."""

from collections.abc import Mapping
from typing import Final

from ..registries import Registry
from .avoidance import AVOIDANCE as AVOIDANCE
from .avoidance import Avoidance as Avoidance
from .body import Body as Body
from .body import Link as Link
from .body_fit import Skin as Skin
from .body_fit import fit_links as fit_links
from .closest_pairs import ClosestPairs as ClosestPairs
from .mesh import MODES as MODES
from .mesh import TriangleMesh as TriangleMesh
from .scene import Scene as Scene
from .scene import critical_points as critical_points
from .self_pairs import self_pairs as self_pairs
from .shapes.box import Box as Box
from .shapes.capsule import Capsule as Capsule
from .shapes.cylinder import Cylinder as Cylinder
from .shapes.half_space import HalfSpace as HalfSpace
from .shapes.rectangle import Rectangle as Rectangle
from .shapes.shape import Shape as Shape
from .shapes.sphere import Sphere as Sphere

SHAPES: Final[Mapping[str, type[Shape]]] = Registry(
    {shape.kind: shape for shape in (Sphere, HalfSpace, Rectangle, Box, Cylinder, Capsule, TriangleMesh)}
)
"""The kinds of obstacles, by name: menus, contract tests and the manual's table read this."""
