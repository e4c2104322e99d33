# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of obstacles, by name: menus, contract tests and the manual's table read this."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ..mesh import TriangleMesh
from .box import Box
from .capsule import Capsule
from .cylinder import Cylinder
from .half_space import HalfSpace
from .rectangle import Rectangle
from .shape import Shape
from .sphere import Sphere

SHAPES: Final[Mapping[str, type[Shape]]] = MappingProxyType(
    {shape.kind: shape for shape in (Sphere, HalfSpace, Rectangle, Box, Cylinder, Capsule, TriangleMesh)}
)
