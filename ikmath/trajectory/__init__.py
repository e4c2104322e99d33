# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion over time: paths of targets, and clips solved frame by frame."""

from .path import subdivide
from .track import solve_track, track

__all__ = ["solve_track", "subdivide", "track"]
