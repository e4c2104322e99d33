# SPDX-License-Identifier: GPL-3.0-or-later
"""Ge's scene: an elephant between a table and a tree, whose trunk is a row of ball joints."""

from .figure import LENGTH, Bone, Elephant
from .scene import ElephantScene
from .skin import eyes, hide, leaves, tusks

__all__ = ["LENGTH", "Bone", "Elephant", "ElephantScene", "eyes", "hide", "leaves", "tusks"]
