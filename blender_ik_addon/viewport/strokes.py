# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines, points and words with their colours, collected into one array each; shapes made of lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Colour = tuple[float, float, float, float]
Floats = npt.NDArray[np.float32]
_ROUND = 24  # chords of a circle
_COARSE = 12  # the same for capsules, of which a figure has a hundred


@dataclass(frozen=True, eq=False)
class Drawing:
    """What is drawn; world coordinates.

    Attributes:
        lines: (2 L, 3) ends of lines; line_colours: (2 L, 4).
        points: (P, 3); point_colours: (P, 4).
        labels: where, what, in which colour.
    """

    lines: Floats
    line_colours: Floats
    points: Floats
    point_colours: Floats
    labels: tuple[tuple[tuple[float, float, float], str, Colour], ...]


class Strokes:
    """Collects what is drawn."""

    def __init__(self) -> None:
        self._lines: list[tuple[Colour, Floats]] = []
        self._points: list[tuple[Colour, Floats]] = []
        self._labels: list[tuple[tuple[float, float, float], str, Colour]] = []

    def segments(self, colour: Colour, ends: npt.ArrayLike) -> None:
        """Lines, each between two of the places (..., 2, 3)."""
        self._lines.append((colour, np.asarray(ends, dtype=np.float32).reshape(-1, 3)))

    def path(self, colour: Colour, places: npt.ArrayLike) -> None:
        """Lines from each of the places (..., S, 3) to the next one."""
        way = np.asarray(places, dtype=np.float32)
        self.segments(colour, np.stack([way[..., :-1, :], way[..., 1:, :]], -2))

    def point(self, colour: Colour, places: npt.ArrayLike) -> None:
        """Points (..., 3)."""
        self._points.append((colour, np.asarray(places, dtype=np.float32).reshape(-1, 3)))

    def label(self, colour: Colour, place: npt.ArrayLike, text: str) -> None:
        """A word at a place (3,)."""
        x, y, z = np.asarray(place, dtype=float).tolist()
        self._labels.append(((x, y, z), text, colour))

    def drawing(self) -> Drawing:
        """All of it."""
        return Drawing(*_joined(self._lines), *_joined(self._points), tuple(self._labels))


def circles(
    center: npt.ArrayLike, u: npt.ArrayLike, v: npt.ArrayLike, share: float = 1.0, chords: int = _ROUND
) -> Floats:
    """Circles, or ellipses, about centers (..., 3) with semi-axes u and v (..., 3), or a first share of them.

    Returns:
        (..., S, 3) places along each; for `path`.
    """
    angle = np.linspace(0.0, 2.0 * np.pi * share, round(chords * share) + 1)[:, None]
    center, u, v = (np.asarray(each, dtype=np.float32)[..., None, :] for each in (center, u, v))
    return np.asarray(center + np.cos(angle) * u + np.sin(angle) * v, dtype=np.float32)


def capsule_paths(a: npt.ArrayLike, b: npt.ArrayLike, radius: npt.ArrayLike) -> list[Floats]:
    """Capsules with axes from a to b (L, 3) as wires: a ring at each end, and two outlines all round.

    Returns:
        Arrays (L, S, 3) for `path`.
    """
    a, b, r = np.asarray(a, float), np.asarray(b, float), np.asarray(radius, float)[:, None]
    way = b - a
    length = np.sqrt((way * way).sum(1, keepdims=True))
    along = np.where(length > 1e-12, way / np.maximum(length, 1e-12), [0.0, 0.0, 1.0])
    helper = np.where(np.abs(along[:, 2:]) < 0.9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    u = np.cross(along, helper)
    u /= np.sqrt((u * u).sum(1, keepdims=True))
    v = np.cross(along, u)
    rings = [circles(end, r * u, r * v, chords=_COARSE) for end in (a, b)]
    outlines = []
    for side in (r * u, r * v):
        caps = ((b, side, r * along), (a, -side, -r * along))
        halves = [circles(*cap, share=0.5, chords=_COARSE) for cap in caps]
        outlines.append(np.concatenate([*halves, (b + side)[:, None]], 1).astype(np.float32))
    return [*rings, *outlines]


def _joined(parts: list[tuple[Colour, Floats]]) -> tuple[Floats, Floats]:
    """Places (N, 3) and their colours (N, 4)."""
    if not parts:
        return np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32)
    places = np.concatenate([places for _, places in parts])
    colours = np.array([colour for colour, _ in parts], dtype=np.float32)
    return places, colours.repeat([len(places) for _, places in parts], 0)
