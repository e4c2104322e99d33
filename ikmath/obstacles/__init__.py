# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles and the figure's own body: shapes, signed distances, and the critical points between them."""

from __future__ import annotations

from .capsule import Capsule
from .cylinder import Cylinder
from .half_space import HalfSpace
from .rectangle import Rectangle
from .registry import SHAPES
from .shape import Nearest, SegmentNearest, Shape
from .sphere import Sphere

__all__ = [
    "SHAPES",
    "Capsule",
    "Cylinder",
    "HalfSpace",
    "Nearest",
    "Rectangle",
    "SegmentNearest",
    "Shape",
    "Sphere",
]
