# SPDX-License-Identifier: GPL-3.0-or-later
"""Collects coloured lines, points and labels in arrays; shapes made of lines."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Colour = tuple[float, float, float, float]
Floats = npt.NDArray[np.float32]
_ROUND = 24  # chords of a circle
_COARSE = 12  # for capsules, of which a figure has about a hundred
_RIGHT, _UP = np.eye(3, dtype=np.float32)[[0, 2]]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A drawing in world space.

    Attributes:
        lines: (2 L, 3) ends of lines; line_colours: (2 L, 4).
        points: (P, 3); point_colours: (P, 4).
        labels: position, text, colour.
    """

    lines: Floats
    line_colours: Floats
    points: Floats
    point_colours: Floats
    labels: tuple[tuple[tuple[float, float, float], str, Colour], ...]


class Strokes:
    """Collects the elements of a drawing."""

    def __init__(self) -> None:
        self._lines: list[tuple[Colour, Floats]] = []
        self._points: list[tuple[Colour, Floats]] = []
        self._labels: list[tuple[tuple[float, float, float], str, Colour]] = []

    def segments(self, colour: Colour, ends: npt.ArrayLike) -> None:
        """Add lines between pairs of points (..., 2, 3)."""
        self._lines.append((colour, np.asarray(ends, dtype=np.float32).reshape(-1, 3)))

    def path(self, colour: Colour, places: npt.ArrayLike) -> None:
        """Add lines between successive points (..., S, 3)."""
        way = np.asarray(places, dtype=np.float32)
        self.segments(colour, np.stack([way[..., :-1, :], way[..., 1:, :]], -2))

    def point(self, colour: Colour, places: npt.ArrayLike) -> None:
        """Add points (..., 3)."""
        self._points.append((colour, np.asarray(places, dtype=np.float32).reshape(-1, 3)))

    def label(self, colour: Colour, place: tuple[float, float, float], text: str) -> None:
        self._labels.append((place, text, colour))

    def drawing(self) -> Drawing:
        return Drawing(*_joined(self._lines), *_joined(self._points), tuple(self._labels))


def circles(center: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike, chords: int = _ROUND) -> Floats:
    """(..., S, 3) points along circles, or ellipses, about centers (..., 3) with semi-axes u and v."""
    angle = np.linspace(0.0, 2.0 * np.pi, chords + 1)[:, None]
    center, u, v = (np.asarray(each, dtype=np.float32)[..., None, :] for each in (center, u, v))
    return np.asarray(center + np.cos(angle) * u + np.sin(angle) * v, dtype=np.float32)


def capsules(a: npt.ArrayLike, b: npt.ArrayLike, radius: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Paths (2, L, S, 3) that show capsules with axes from a to b (L, 3): rings at the ends, and outlines."""
    a, b, r = (np.asarray(each, np.float32) for each in (a, b, radius))
    way, r = b - a, r[:, None]
    length = np.linalg.norm(way, axis=1, keepdims=True)
    along = np.where(length > 1e-9, way / np.maximum(length, 1e-9), _UP)
    across = np.cross(along, np.where(np.abs(along[:, 2:]) < 0.9, _UP, _RIGHT))
    across *= r / np.linalg.norm(across, axis=1, keepdims=True)
    sides = np.stack([across, np.cross(along, across)])
    rings = circles(np.stack([a, b]), sides[0], sides[1], _COARSE)
    rims, half = circles(np.zeros(3), sides, r * along, _COARSE), _COARSE // 2
    # around one end, the other one, and back
    way_round = [
        b[:, None] + rims[:, :, : half + 1],
        a[:, None] + rims[:, :, half:],
        b[:, None] + rims[:, :, :1],
    ]
    return rings, np.concatenate(way_round, 2)


def _joined(parts: list[tuple[Colour, Floats]]) -> tuple[Floats, Floats]:
    """Points (N, 3) and their colours (N, 4)."""
    if not parts:
        return np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32)
    places = np.concatenate([places for _, places in parts])
    colours = np.array([colour for colour, _ in parts], dtype=np.float32)
    return places, colours.repeat([len(places) for _, places in parts], 0)
