# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay shows, as arrays and colours; without the GPU, so that it is tested without one.

A redraw in which nothing has changed, as when the view is turned, is given the drawing of the time before:
what it hangs on is read as plain values and compared. Nothing is kept of Blender's own objects.
"""

from __future__ import annotations

from typing import Any, Final

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ..bridge.armature import fingerprint, pose_matrices
from ..control.body import Capsules, capsules
from ..control.inspection import Critical, Ellipsoid, Inspection, Inspector, Limit
from ..control.mass import stand
from ..control.reasons import REASONS
from ..properties.access import rig_of
from ..properties.kinds import KINDS
from .marks import Mark, Miss, read_marks
from .strokes import Colour, Drawing, Strokes, capsule_paths, circles

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
CHAIN: Final[Colour] = (0.5, 0.6, 1.0, 1.0)
ALONG: Final[Colour] = (0.5, 0.6, 1.0, 0.3)
LIMIT: Final[Colour] = (1.0, 0.45, 0.75, 0.95)
BODY: Final[Colour] = (0.75, 0.75, 0.75, 0.45)
MOBILITY: Final[Colour] = (0.4, 0.95, 0.85, 0.8)
MASS: Final[Colour] = (1.0, 0.95, 0.6, 0.95)
SWITCHES: Final = ("lines", "pins", "limits", "chain", "critical", "balance", "ellipsoid")

_RING: Final = 0.2  # radius of a pin's ring, as a share of its bone's length
_SPEED: Final = 0.15  # radians a second at which the ellipsoid shows metres a second


class Sketch:
    """The drawing of one armature, made anew when something that it shows has changed."""

    def __init__(self) -> None:
        self._inspector = Inspector()
        self._changes = self._rests = 0
        self._signature: Any = None
        self._structure: Any = None
        self._drawing = Strokes().drawing()

    def note(self, depsgraph: bpy.types.Depsgraph | None) -> None:
        """The scene has been evaluated anew; None where nobody knows what of it, as after an undo."""
        self._changes += 1
        if depsgraph is None or any(
            isinstance(update.id, bpy.types.Armature) for update in depsgraph.updates
        ):
            self._rests += 1

    def drawing(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, held: str = "") -> Drawing:
        """What is shown of an armature; the very same object as long as nothing has changed.

        Args:
            armature: the original object; a view is drawn when it is up to date.
            depsgraph: evaluated.
            held: name of the bone that a drag would begin with, "" if none would.
        """
        rig, world = rig_of(armature), armature.matrix_world
        switches = {name: getattr(rig.overlay, name) for name in SWITCHES} | {"body": rig.body.show}
        marks = read_marks(armature)
        stamp = (armature.session_uid, self._changes, depsgraph.scene.frame_current, rig.solver.root)
        if self._structure is None or self._structure[0] != stamp:
            self._structure = (
                stamp,
                (armature.session_uid, self._rests, rig.solver.root, fingerprint(armature)),
            )
        heavy = switches["body"] or switches["critical"] or switches["balance"]
        signature = (
            tuple(switches.values()),
            marks,
            rig.active_effector,
            held,
            np.array(world).tobytes(),
            pose_matrices(armature).tobytes(),
            self._structure[1],
            stamp if heavy else None,  # meshes and capsules are not compared, but looked at again
        )
        if signature != self._signature:
            self._signature = signature
            self._drawing = self._draw(armature, depsgraph, held, switches, marks)
        return self._drawing

    def _draw(
        self,
        armature: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        held: str,
        switches: dict[str, bool],
        marks: tuple[Mark, ...],
    ) -> Drawing:
        strokes, chosen = Strokes(), rig_of(armature).active_effector
        active = next((mark for mark in marks if mark.index == chosen), None)
        if switches["body"] or switches["balance"]:
            parts = capsules(armature)
            if switches["body"]:
                _draw_body(strokes, parts)
            if switches["balance"]:
                _draw_balance(strokes, parts)
        if switches["chain"]:
            _draw_chain(strokes, armature, marks, held, active)
        if switches["limits"] or switches["critical"] or switches["ellipsoid"]:
            seen = self._look(armature, marks, held, depsgraph if switches["critical"] else None)
            if seen is not None and switches["limits"]:
                _draw_limits(strokes, seen.limits())
            if seen is not None and switches["ellipsoid"] and active is not None:
                _draw_ellipsoid(strokes, seen.ellipsoid(active.bone, active.local, active.chain_root))
            if seen is not None and switches["critical"]:
                _draw_critical(strokes, seen.critical())
        for mark in marks:
            _draw_mark(strokes, mark, armature, lines=switches["lines"], pins=switches["pins"])
        return strokes.drawing()

    def _look(
        self,
        armature: bpy.types.Object,
        marks: tuple[Mark, ...],
        held: str,
        depsgraph: bpy.types.Depsgraph | None,
    ) -> Inspection | None:
        chains = [(mark.bone, mark.chain_root) for mark in marks]
        if held:
            chains.append((held, ""))
        try:
            return self._inspector.look(armature, chains, self._structure[1], depsgraph)
        except REASONS:
            return None  # it is no figure now; the panel and any solve say why


def _draw_mark(strokes: Strokes, mark: Mark, armature: bpy.types.Object, *, lines: bool, pins: bool) -> None:
    """An effector: a line to where it should be, in the colour of its error; what a pin holds."""
    matrix = armature.matrix_world @ armature.pose.bones[mark.bone].matrix
    place, wanted, miss = mark.aim(matrix)
    if lines and not (mark.pin and miss is Miss.REACHED):
        strokes.segments(BY_ERROR[miss], [place, wanted])
        strokes.point(BY_ERROR[miss], place)
    if pins and mark.pin:
        colour = PINS.get(mark.kind, PINS["POSITION"])
        strokes.point(colour, mark.target)
        if KINDS[mark.kind].turns:
            turn = Quaternion(mark.turn).to_matrix() * (_RING * mark.length)
            strokes.path(colour, circles(mark.target, turn.col[0], turn.col[2]))


def _draw_chain(
    strokes: Strokes, armature: bpy.types.Object, marks: tuple[Mark, ...], held: str, active: Mark | None
) -> None:
    """The bones that move for the bone in hand or the active effector; those that come along, fainter."""
    world, bones = armature.matrix_world, armature.pose.bones
    if held in bones:
        main = _chain(bones[held], "")
    elif active is not None:
        main = _chain(bones[active.bone], active.chain_root)
    else:
        return
    along: dict[str, Any] = {}
    for mark in marks if held in bones else ():
        along.update(_chain(bones[mark.bone], mark.chain_root))
    for colour, chain in ((ALONG, along), (CHAIN, main)):
        shown = [bone for name, bone in chain.items() if chain is main or name not in main]
        strokes.segments(colour, _moved(world, [end for bone in shown for end in (bone.head, bone.tail)]))


def _chain(bone: bpy.types.PoseBone, root: str) -> dict[str, bpy.types.PoseBone]:
    """A bone and those above it, up to the root if that is among them."""
    chain = {each.name: each for each in (bone, *bone.parent_recursive)}
    if root not in chain:
        return chain
    names = list(chain)
    return {name: chain[name] for name in names[: names.index(root) + 1]}


def _draw_limits(strokes: Strokes, limits: list[Limit]) -> None:
    for limit in limits:
        strokes.path(LIMIT, limit.curve)
        if limit.axis != "xz":
            strokes.segments(LIMIT, [[limit.head, limit.curve[0]], [limit.head, limit.curve[-1]]])
        strokes.segments(LIMIT, [limit.head, limit.place])
        strokes.point(LIMIT, limit.place)


def _draw_ellipsoid(strokes: Strokes, ellipsoid: Ellipsoid | None) -> None:
    if ellipsoid is None:
        return
    u, v, w = ellipsoid.axes * _SPEED
    strokes.path(MOBILITY, circles([ellipsoid.center] * 3, [u, v, w], [v, w, u]))
    strokes.segments(MOBILITY, [[ellipsoid.center - axis, ellipsoid.center + axis] for axis in (u, v, w)])


def _draw_critical(strokes: Strokes, critical: Critical | None) -> None:
    """Shortest ways to what is near, red inside of it, and how long they are."""
    if critical is None:
        return
    rows = zip(
        critical.point,
        critical.other,
        critical.clearance.tolist(),
        critical.margin.tolist(),
        critical.names,
        strict=True,
    )
    for point, other, clearance, margin, name in rows:
        miss = Miss.FAR if clearance < 0.0 else Miss.SHORT if clearance < margin else Miss.REACHED
        strokes.segments(BY_ERROR[miss], [point, other])
        strokes.point(BY_ERROR[miss], [point, other])
        strokes.label(BY_ERROR[miss], 0.5 * (point + other), f"{_length(clearance)} {name}")


def _draw_body(strokes: Strokes, parts: Capsules) -> None:
    for paths in capsule_paths(parts.a, parts.b, parts.radius):
        strokes.path(BODY, paths)


def _draw_balance(strokes: Strokes, parts: Capsules) -> None:
    """The centre of mass, plumb over the ground; the area of support, red when it is beside it."""
    found = stand(parts)
    if found is None:
        return
    foot = np.array([*found.center[:2], found.floor])
    corners = np.column_stack([found.support, np.full(len(found.support), found.floor)])
    colour = BY_ERROR[Miss.REACHED if found.steady else Miss.FAR]
    strokes.path(colour, np.concatenate([corners, corners[:1]]))
    strokes.segments(MASS, [found.center, foot])
    strokes.point(MASS, found.center)
    strokes.point(colour, foot)


def _length(metres: float) -> str:
    return f"{metres * 1e3:.1f} mm" if abs(metres) < 1.0 else f"{metres:.2f} m"


def _moved(matrix: Matrix, places: list[Vector]) -> np.ndarray:
    """Places of armature space in the world, (N, 3)."""
    world = np.array(matrix)
    return np.array(places).reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
