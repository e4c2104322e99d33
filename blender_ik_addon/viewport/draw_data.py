# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay shows, as arrays and colours; without the GPU, so that it is tested without one.

A redraw in which nothing has changed, as when the view is turned, is given the drawing of the time before. So
is one after something else has changed: what the drawing hangs on is read as plain values and compared.
Nothing is kept of Blender's own objects.
"""

from __future__ import annotations

from typing import Any, Final

import bpy
import numpy as np
from mathutils import Matrix

from ..bridge.armature import pose_matrices
from ..bridge.fingerprint import settings_in_pose
from ..control.balance import Stand, stand
from ..control.body import capsules
from ..control.inspection import Inspector
from ..control.reasons import REASONS
from ..properties.access import rig_of
from . import parts
from .marks import Mark, read_marks
from .strokes import Drawing, Strokes

SWITCHES: Final = ("lines", "pins", "limits", "chain", "critical", "balance", "ellipsoid")


class Sketch:
    """The drawing of one armature, made anew when something that it shows has changed."""

    def __init__(self) -> None:
        self._inspector = Inspector()
        self._changes = self._rests = 0
        self._asked: Any = None
        self._signature: Any = None
        self._structure: Any = None
        self._drawing = Strokes().drawing()

    def note(self, depsgraph: bpy.types.Depsgraph | None) -> None:
        """The scene has been evaluated anew; None where nobody knows what of it, as after an undo."""
        self._changes += 1
        # After Edit Mode the rest pose may be another one. In a render, of another thread, nobody edits.
        if depsgraph is None or (depsgraph.mode == "VIEWPORT" and bpy.context.mode == "EDIT_ARMATURE"):
            self._rests += 1

    def drawing(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, held: str = "") -> Drawing:
        """What is shown of an armature; the very same object as long as nothing has changed.

        Args:
            armature: the original object; a view is drawn when it is up to date.
            depsgraph: evaluated.
            held: name of the bone that a drag would begin with, "" if none would.
        """
        rig = rig_of(armature)
        shown = {name for name in SWITCHES if getattr(rig.overlay, name)}
        if rig.body.show:
            shown.add("body")
        stamp = (armature.session_uid, self._changes, depsgraph.scene.frame_current, rig.solver.root)
        asked = stamp, shown, held, rig.active_effector
        if asked == self._asked:
            return self._drawing
        self._asked = asked
        marks = read_marks(armature)
        structure = armature.session_uid, self._rests, rig.solver.root, settings_in_pose(armature)
        # Meshes, capsules and masses are not compared, but looked at again.
        heavy = shown & {"body", "critical", "balance"} or any(map(_balances, marks))
        signature = (
            asked[1:],
            marks,
            np.array(armature.matrix_world).tobytes(),
            pose_matrices(armature).tobytes(),
            structure,
            stamp if heavy else None,
        )
        if signature != self._signature:
            self._signature, self._structure = signature, structure
            self._drawing = self._draw(armature, depsgraph, held, shown, marks)
        return self._drawing

    def _draw(
        self,
        armature: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        held: str,
        shown: set[str],
        marks: tuple[Mark, ...],
    ) -> Drawing:
        strokes, chosen = Strokes(), rig_of(armature).active_effector
        active = next((mark for mark in marks if mark.index == chosen), None)
        if "body" in shown:
            parts.draw_body(strokes, capsules(armature))
        if "chain" in shown:
            parts.draw_chain(strokes, armature, marks, held, active)
        self._draw_figure(strokes, armature, depsgraph, held, shown, marks, active)
        standing = None
        if "balance" in shown or ("lines" in shown and any(map(_balances, marks))):
            standing = self._stand(armature, depsgraph, marks)
        if standing is not None and "balance" in shown:
            parts.draw_stand(strokes, standing)

        def matrix_of(bone: str) -> Matrix:
            return armature.matrix_world @ armature.pose.bones[bone].matrix

        for mark in marks:
            if not _balances(mark):
                parts.draw_mark(strokes, mark, matrix_of, lines="lines" in shown, pins="pins" in shown)
            elif standing is not None and "lines" in shown:
                parts.draw_balance(strokes, mark, standing)
        return strokes.drawing()

    def _draw_figure(
        self,
        strokes: Strokes,
        armature: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        held: str,
        shown: set[str],
        marks: tuple[Mark, ...],
        active: Mark | None,
    ) -> None:
        """What has to be worked out: limits, manipulability, critical points."""
        chains = [chain for mark in marks for chain in mark.chains] + ([(held, "")] if held else [])
        try:
            if "limits" in shown:
                parts.draw_limits(strokes, self._inspector.limits(armature, chains, self._structure))
            if not shown & {"critical", "ellipsoid"}:
                return
            around = depsgraph if "critical" in shown else None
            seen = self._inspector.look(armature, chains, self._structure, around)
        except REASONS:
            return  # it is no figure now; the panel and any solve say why
        if seen is not None and active is not None and "ellipsoid" in shown:
            parts.draw_ellipsoid(strokes, seen.ellipsoid(active.bone, active.local, active.chain_root))
        if seen is not None:
            parts.draw_critical(strokes, seen.critical())

    def _stand(
        self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, marks: tuple[Mark, ...]
    ) -> Stand | None:
        """How the figure stands on what is planted, or else on what of it is lowest."""
        planted = [(mark.target, mark.told["footprint"]) for mark in marks if mark.told.get("planted")]
        try:
            return stand(armature, depsgraph, self._inspector.bones(armature, self._structure), planted)
        except REASONS:
            return None  # nothing of it weighs anything


def _balances(mark: Mark) -> bool:
    return "balance" in mark.kind_info.asks
