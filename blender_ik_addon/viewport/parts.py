# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws each part of the overlay; one function per part. Red is used for errors only."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ..bridge.armature import Array, Bones
from ..bridge.chains import Chain
from ..control.collision.body import Capsules
from ..control.collision.nearness import Critical
from ..control.frame.plan import EffectorPlan
from ..control.inspect.inspection import Limit, Stand
from ..properties.measures import in_metres, metre
from ..properties.session import ArticulateSession
from .marks import Mark, Miss, distance_miss
from .strokes import Colour, Strokes, capsules, circles

BY_ERROR: Final[dict[Miss, Colour]] = {
    Miss.REACHED: (0.3, 0.85, 0.35, 0.9),
    Miss.SHORT: (1.0, 0.75, 0.15, 0.95),
    Miss.FAR: (1.0, 0.2, 0.15, 1.0),
}
PINS: Final[dict[str, Colour]] = {
    "POSITION": (0.15, 0.75, 1.0, 1.0),
    "ORIENTATION": (0.75, 0.5, 1.0, 1.0),
    "POSE": (1.0, 1.0, 1.0, 1.0),
}
HOLD: Final[Colour] = (0.85, 0.9, 1.0, 0.5)
CHAIN: Final[Colour] = (0.5, 0.6, 1.0, 1.0)
ALONG: Final[Colour] = (0.5, 0.6, 1.0, 0.3)
LIMIT: Final[Colour] = (1.0, 0.45, 0.75, 0.95)
BODY: Final[Colour] = (0.75, 0.75, 0.75, 0.45)
MOBILITY: Final[Colour] = (0.4, 0.95, 0.85, 0.8)
MASS: Final[Colour] = (1.0, 0.95, 0.6, 0.95)
SNAP: Final[Colour] = (1.0, 1.0, 1.0, 1.0)


_APART: Final = 1e-3  # share of a bone's length; a child's head farther away gets a line to its parent
_RING: Final = 0.2  # radius of a pin's ring, as a share of its bone's length
_SMOOTH: Final = 64  # chords of an ellipse, which may be as large as the figure
_SPEED: Final = 0.15  # radians per second at which the ellipsoid shows metres per second
_REACH: Final = 1e3  # Blender units in both directions, beyond the visible range


class Chains:
    """The bones to draw: main ones, which move for a dragged bone or the active effector, and others.

    `held` is the name of the dragged bone, "" for none. `active` has the chains of the active effector,
    `every` those of all.
    """

    def __init__(self, bones: Bones, held: str, active: Collection[Chain], every: Collection[Chain]) -> None:
        main = {number for chain in active for number in bones.chain(*chain)}
        along = set[int]()
        if held in bones.index:
            main = set(bones.ancestors(held))
            along = {number for chain in every for number in bones.chain(*chain)}
        numbers = [*sorted(along - main), *sorted(main)]
        self._numbers, self._first = np.array(numbers, dtype=np.intp), len(numbers) - len(main)
        self._length = bones.length[self._numbers]
        row = {number: place for place, number in enumerate(numbers)}
        # bones that may not begin at the parent's tip, for example short bones of imported figures
        hung = [
            (row[number], row[parent])
            for number in numbers
            if (parent := int(bones.parents[number])) in row and not bones.connected[number]
        ]
        self._hung, self._above = np.array(hung, dtype=np.intp).reshape(-1, 2).T

    def draw(self, strokes: Strokes, matrix: Array) -> None:
        """Draw lines along the bones (B, 4, 4), world, fainter for the other bones."""
        own = matrix.take(self._numbers, 0)
        heads = own[:, :3, 3]
        ends = np.stack([heads, heads + own[:, :3, 1] * self._length[:, None]], 1)
        self._segments(strokes, ends, self._first)
        heads, above = heads[self._hung], ends[self._above]
        square = ((above - heads[:, None]) ** 2).sum(-1)  # distances of both ends of the parent
        size = ((above[:, 1] - above[:, 0]) ** 2).sum(-1)
        apart = np.flatnonzero(square[:, 1] > _APART**2 * size)
        nearer = np.where(square[apart, :1] < square[apart, 1:], above[apart, 0], above[apart, 1])
        first = int(np.searchsorted(self._hung[apart], self._first))
        self._segments(strokes, np.stack([nearer, heads[apart]], 1), first)

    def _segments(self, strokes: Strokes, ends: Array, first: int) -> None:
        """Draw lines (S, 2, 3), the main ones from the row `first` on."""
        for colour, some in ((ALONG, ends[:first]), (CHAIN, ends[first:])):
            if len(some):
                strokes.segments(colour, some)


def draw_mark(
    strokes: Strokes, mark: Mark, matrix_of: Callable[[str], Matrix], *, lines: bool, pins: bool
) -> None:
    """Draw an effector: a line to its target, coloured by the error, and the symbol of a pin."""
    place, wanted, miss = mark.aim(matrix_of)
    if lines and not (mark.pin and miss is Miss.REACHED):
        colour, ends = BY_ERROR[miss], np.array([*place, *wanted], dtype=np.float32)
        strokes.segments(colour, ends)
        strokes.point(colour, ends[:3])
    if pins and mark.pin:
        colour = PINS.get(mark.kind.name, PINS["POSITION"])
        strokes.point(colour, wanted)
        if mark.kind.turns:
            turn: Any = Quaternion(mark.turn).to_matrix() * (_RING * mark.length)
            strokes.path(colour, circles(wanted, turn.col[0], turn.col[2]))


def draw_hold(strokes: Strokes, hold: EffectorPlan, length: float, matrix: Matrix) -> None:
    """Draw a bone that stays automatically: paler than a pin, with a ring if its rotation also stays.

    The length of the bone is in the armature's units, and its matrix (4, 4) in the world.
    """
    found = matrix @ Vector((0.0, length, 0.0) if hold.kind.turns else hold.local)
    place = found.x, found.y, found.z
    strokes.point(HOLD, place)
    if hold.kind.turns:
        axes: Any = matrix.to_3x3() * (_RING * length)
        strokes.path(HOLD, circles(place, axes.col[0], axes.col[2]))


def draw_limits(strokes: Strokes, limits: list[Limit]) -> None:
    """Draw arcs with their ends, or boundaries of cones, and the bone's position on them."""
    for limit in limits:
        strokes.path(LIMIT, limit.curve)
        if limit.axis != "xz":
            strokes.segments(LIMIT, [[limit.head, limit.curve[0]], [limit.head, limit.curve[-1]]])
        strokes.segments(LIMIT, [limit.head, limit.place])
        strokes.point(LIMIT, limit.place)


def draw_ellipsoid(strokes: Strokes, ellipsoid: tuple[Array, Array] | None) -> None:
    """Draw three ellipses about a center (3,), and the semi-axes (3, 3)."""
    if ellipsoid is None:
        return
    center, (u, v, w) = ellipsoid[0], ellipsoid[1] * _SPEED
    strokes.path(MOBILITY, circles([center] * 3, [u, v, w], [v, w, u], chords=_SMOOTH))
    strokes.segments(MOBILITY, [[center - axis, center + axis] for axis in (u, v, w)])


def draw_critical(strokes: Strokes, critical: Iterable[Critical]) -> None:
    """Draw the shortest lines to obstacles, red inside of them, with their lengths.

    The nearest comes first, because there may be no space for all labels.
    """
    unit = metre(bpy.context.scene)
    for name, clearance, margin, (x, y, z), (u, v, w) in critical:
        colour = BY_ERROR[Miss.FAR if clearance < 0.0 else Miss.SHORT if clearance < margin else Miss.REACHED]
        ends = np.array([x, y, z, u, v, w], dtype=np.float32)
        strokes.segments(colour, ends)
        strokes.point(colour, ends)
        middle = 0.5 * (x + u), 0.5 * (y + v), 0.5 * (z + w)
        strokes.label(colour, middle, f"{in_metres(clearance * unit)} {name}")


def draw_body(strokes: Strokes, parts: Capsules) -> None:
    """Draw the capsules as wires."""
    for paths in capsules(parts["a"], parts["b"], parts["radius"]):
        strokes.path(BODY, paths)


def draw_stand(strokes: Strokes, found: Stand) -> None:
    """Draw the centre of mass above the ground and the support polygon, red if unbalanced."""
    foot = np.array([*found.center[:2], found.floor])
    corners = np.column_stack([found.support, np.full(len(found.support), found.floor)])
    colour = BY_ERROR[Miss.REACHED if found.steady else Miss.FAR]
    strokes.path(colour, np.concatenate([corners, corners[:1]]))
    strokes.segments(MASS, [found.center, foot])
    strokes.point(MASS, found.center)
    strokes.point(colour, foot)


def draw_balance(strokes: Strokes, mark: Mark, found: Stand) -> None:
    """Draw a balance effector: from the centre of mass down to the target's height, and to the target."""
    if mark.told["over"] == "SUPPORT":
        miss, wanted = Miss.REACHED if found.steady else Miss.FAR, np.array([*found.center[:2], found.floor])
    else:
        wanted = np.array(mark.target)
        miss = distance_miss(float(np.linalg.norm(wanted[:2] - found.center[:2])), mark.length)
    plumb = np.array([*found.center[:2], wanted[2]])
    strokes.segments(BY_ERROR[miss], [[found.center, plumb], [plumb, wanted]])
    strokes.point(BY_ERROR[miss], found.center)


Guide = tuple[tuple[tuple[tuple[float, ...], Colour], ...], tuple[float, ...], tuple[float, ...] | None]
"""Of a drag: direction of each axis and its colour, (3,) their common point, (3,) the snap point; world."""


def read_guide(session: ArticulateSession) -> Guide:
    """The guides that the present drag has stored in the session."""
    theme: Any = bpy.context.preferences.themes[0].user_interface
    lines = []
    for letter in session.locked:
        red, green, blue = getattr(theme, f"axis_{letter.lower()}")[:3]
        lines.append((tuple(session.axes)["XYZ".index(letter) :: 3], (red, green, blue, 1.0)))
    snapped = tuple(session.snapped) if session.is_snapped else None
    return tuple(lines), tuple(session.anchor), snapped


def draw_guide(strokes: Strokes, guide: Guide) -> None:
    """Draw a line along each axis, and the snap point."""
    lines, anchor, snapped = guide
    for axis, colour in lines:
        way = _REACH * np.array(axis)
        strokes.segments(colour, [np.array(anchor) - way, np.array(anchor) + way])
    if snapped is not None:
        strokes.point(SNAP, snapped)
