# SPDX-License-Identifier: GPL-3.0-or-later
"""The contents of the overlay as arrays and colours, without the GPU, so that they can be tested.

If nothing relevant has changed, for example when the view is rotated, the previous drawing is reused. For
this, everything that the drawing depends on is read as plain values and compared. No Blender objects are
kept.
"""

from contextlib import suppress
from operator import attrgetter
from typing import Any, Final

import bpy
from mathutils import Matrix

from ..bridge.evaluated import UNKNOWN, Changes
from ..bridge.fingerprint import freedom
from ..bridge.memo import Memo
from ..control.collision.nearness import Critical
from ..control.drag.grip import Grip, holding
from ..control.drag.mirrored import other_hand
from ..control.frame.plan import EffectorPlan
from ..control.frame.root import placed_bones
from ..control.inspect.inspection import Inspector, Subject
from ..control.report import reasons
from ..properties.access import rig_of
from ..properties.session import own_session
from . import parts
from .marks import Mark, read_marks
from .parts import Chains, draw_guide, read_guide
from .strokes import Drawing, Strokes

SWITCHES: Final = ("lines", "pins", "limits", "chain", "critical", "balance", "ellipsoid")
_switches: Final = attrgetter(*SWITCHES)


class Sketch:
    """The drawing of one armature, which is made again only after a change."""

    def __init__(self) -> None:
        self._inspector = Inspector()
        self._count = self._rests = 0
        self._asked: Any = None
        self._signature: Any = None
        self._structure: Any = None
        self._chains = Memo[Chains]()
        self._holds: tuple[Any, Any, tuple[EffectorPlan, ...]] | None = None
        self._seen: Any = None
        self._unsure = False
        self._drawing = Strokes().drawing()

    def note(self, depsgraph: bpy.types.Depsgraph | None) -> None:
        """Note an update of the scene; None if the changes are unknown, for example after an undo."""
        self._count += 1
        around = self._inspector.neighbourhood
        if around.changes != UNKNOWN:  # otherwise the changes are not needed
            around.changes = around.changes.then(Changes.of(depsgraph))
        # Edit Mode can change the rest pose. Renders run in another thread, without edits.
        if depsgraph is None or (depsgraph.mode == "VIEWPORT" and bpy.context.mode == "EDIT_ARMATURE"):
            self._rests += 1

    def drawing(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, held: str = "") -> Drawing:
        """The present drawing of an armature; the same object as long as nothing has changed.

        `held` is the name of the bone that a drag would take or has taken, "" for none.
        """
        rig = rig_of(armature)
        shown = {name for name, on in zip(SWITCHES, _switches(rig.overlay), strict=True) if on}
        if rig.body.show:
            shown.add("body")
        stamp = (armature.session_uid, self._count, depsgraph.scene.frame_current, rig.solver.root)
        session = own_session()
        dragged, guide = session.dragged == armature.session_uid, None
        grip = Grip(bone=held, other=other_hand(armature, held))
        if dragged:
            guide = read_guide(session)
            grip = Grip(bone=session.grip or held, levels=session.levels, other=session.other)
        asked = stamp, shown, grip, rig.active_effector, rig.solver.hold, guide
        if asked == self._asked and not self._unsure:
            return self._drawing
        self._asked = asked
        marks = read_marks(armature, in_hand=grip.bones if dragged else ())
        settings = self._settings(armature)
        root = rig.solver.root, placed_bones(armature)
        structure = armature.session_uid, self._rests, root, settings
        if structure != self._structure:  # otherwise the same object, which compares quickly
            self._structure = structure
        subject = Subject(armature, depsgraph.scene.frame_current, self._structure)
        thick = shown & {"body", "balance"} or any(mark.balances for mark in marks)
        holds = self._holding(subject, grip, dragged=dragged)
        subject.chains = [chain for mark in marks for chain in mark.chains]
        subject.chains += [(bone, "") for bone in (*(hold.bone for hold in holds), *grip.bones) if bone]
        near: tuple[Critical, ...] = ()
        if "critical" not in shown:
            self._inspector.neighbourhood.changes = UNKNOWN
        else:
            with suppress(*reasons()):  # the figure is invalid; the panel and any solve give the reason
                near = self._inspector.critical(subject, depsgraph)
        signature = (
            asked[1:],
            marks,
            holds,
            subject.told,
            self._structure,
            self._inspector.flesh(subject) if thick else None,
            near,  # the same object as long as nothing near has changed
        )
        if signature != self._signature:
            self._signature = signature
            strokes = Strokes()
            if guide is not None:
                draw_guide(strokes, guide)
            parts.draw_critical(strokes, near)
            active = next((mark for mark in marks if mark.number == rig.active_effector), None)
            self._draw_figure(strokes, subject, shown, active, grip.bone)
            self._draw_effectors(strokes, subject, shown, marks, holds)
            self._drawing = strokes.drawing()
        return self._drawing

    def _holding(self, subject: Subject, grip: Grip, *, dragged: bool) -> tuple[EffectorPlan, ...]:
        """The bones that would stay in place in a drag of the bone under the mouse.

        Finding them takes as long as ten redraws. So while the pose changes, for example in playback, the
        previous result is shown. It is updated in the first redraw after the pose has come to rest.
        """
        armature, pose, before = subject.armature, subject.told, self._holds
        self._unsure = False
        if not grip.bone or rig_of(armature).solver.hold != "FEET":
            self._holds = None
            return ()
        asked = armature.session_uid, grip, dragged, subject.structure
        rests, self._seen = pose == self._seen, pose
        if before is None or before[0] != asked or (rests and not dragged and before[1] != pose):
            before = self._holds = asked, pose, holding(armature, bpy.context, grip)
        self._unsure = not dragged and before[1] != pose
        return before[2]

    def _settings(self, armature: bpy.types.Object) -> Any:
        """A key of everything except the pose that a figure depends on; constant during a drag."""
        uid, before = armature.session_uid, self._structure
        if before is not None and before[0] == uid == own_session().dragged:
            return before[-1]
        return freedom(armature)

    def _draw_figure(
        self,
        strokes: Strokes,
        subject: Subject,
        shown: set[str],
        active: Mark | None,
        held: str,
    ) -> None:
        """Draw capsules, chains, joint limits and manipulability.

        `active` is the active effector, `held` the name of the dragged bone.
        """
        with suppress(*reasons()):  # the figure is invalid; the panel and any solve give the reason
            if "body" in shown:
                parts.draw_body(strokes, self._inspector.capsules(subject))
            if "chain" in shown:
                asked = self._structure, held, active.chains if active else [], subject.chains
                chains = self._chains.get(asked, lambda: Chains(self._inspector.bones(subject), *asked[1:]))
                chains.draw(strokes, subject.bones)
            if "limits" in shown:
                parts.draw_limits(strokes, self._inspector.limits(subject))
            if active is not None and "ellipsoid" in shown:
                point = active.bone, active.local
                parts.draw_ellipsoid(strokes, self._inspector.ellipsoid(subject, point, active.chain_root))

    def _draw_effectors(
        self,
        strokes: Strokes,
        subject: Subject,
        shown: set[str],
        marks: tuple[Mark, ...],
        holds: tuple[EffectorPlan, ...],
    ) -> None:
        """Draw the balance, the bones that stay, and the effectors."""
        stand = None
        if "balance" in shown or ("lines" in shown and any(mark.balances for mark in marks)):
            planted = [(mark.target, mark.told["footprint"]) for mark in marks if mark.told.get("planted")]
            with suppress(*reasons()):
                stand = self._inspector.stand(subject, planted)
        if stand is not None and "balance" in shown:
            parts.draw_stand(strokes, stand)

        world, bones = subject.armature.matrix_world.copy(), subject.armature.pose.bones

        def matrix_of(bone: str) -> Matrix:
            return world @ bones[bone].matrix

        present = [hold for hold in holds if hold.bone in bones]  # what a drag holds may get another name
        for hold in present if "pins" in shown else ():
            parts.draw_hold(strokes, hold, bones[hold.bone].bone.length, matrix_of(hold.bone))
        for mark in marks:
            if not mark.balances:
                parts.draw_mark(strokes, mark, matrix_of, lines="lines" in shown, pins="pins" in shown)
            elif stand is not None and "lines" in shown:
                parts.draw_balance(strokes, mark, stand)
