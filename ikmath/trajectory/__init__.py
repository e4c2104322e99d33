# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion over time: clips solved frame by frame."""

from .track import solve_track, track

__all__ = ["solve_track", "track"]
