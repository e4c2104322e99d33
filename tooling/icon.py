# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the icon of the tool: Blender wants triangles in a format of its own. Run it after a change to it.

python -m tooling.icon
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

FILE = Path(__file__).parents[1] / "blender_ik_addon" / "viewport" / "drag.dat"

Point = tuple[float, float]
Colour = tuple[int, int, int, int]
Triangle = tuple[Point, Point, Point, Colour]

LIGHT: Colour = (238, 238, 238, 255)
SHADE: Colour = (176, 176, 176, 255)
ACCENT: Colour = (80, 160, 255, 255)
SEGMENTS = 14


def triangles() -> list[Triangle]:
    """A bent limb of two bones, and at its end the point that is dragged."""
    foot, knee, hand = (60.0, 28.0), (108.0, 128.0), (186.0, 172.0)
    return [
        *_bone(foot, knee, 24.0),
        *_bone(knee, hand, 20.0),
        *_disc(hand, 34.0, ACCENT),
        *_disc(hand, 14.0, LIGHT),
    ]


def icon() -> bytes:
    """The file: a header, the corners of all triangles, the colours of their corners."""
    shapes = triangles()
    corners = bytes(min(max(round(v), 0), 255) for *points, _ in shapes for point in points for v in point)
    colours = bytes(v for *_, colour in shapes for v in 3 * colour)
    return b"VCO\0" + bytes((255, 255, 0, 0)) + corners + colours


def _bone(head: Point, tail: Point, width: float) -> list[Triangle]:
    """A bone as Blender draws it, lit from one side."""
    (x, y), (u, v) = head, tail
    along, length = (u - x, v - y), math.hypot(u - x, v - y)
    side = (-along[1] / length * width, along[0] / length * width)
    waist = (x + 0.22 * along[0], y + 0.22 * along[1])
    left, right = (waist[0] + side[0], waist[1] + side[1]), (waist[0] - side[0], waist[1] - side[1])
    return [
        (head, waist, left, LIGHT),
        (waist, tail, left, LIGHT),
        (head, right, waist, SHADE),
        (right, tail, waist, SHADE),
    ]


def _disc(centre: Point, radius: float, colour: Colour) -> list[Triangle]:
    x, y = centre
    turns = [2.0 * math.pi * step / SEGMENTS for step in range(SEGMENTS + 1)]
    rim = [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]
    return [(centre, a, b, colour) for a, b in pairwise(rim)]


if __name__ == "__main__":
    FILE.write_bytes(icon())
