# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving by itself: in every frame that is shown or rendered, and whenever a target or a pin moves.

By default a frame is solved from its own pose (see `start`), so that it is the same however one got there:
scrubbing, in playback, in a render. What such a frame came to is remembered: where nothing has changed it
need not be solved again, as in a loop that is played, or where one scrubs to and fro.

A render asks from a thread of its own, while the view may ask too; one figure is solved at a time.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final

import bpy

from ..bridge.fingerprint import fingerprint
from ..properties.access import rig_of
from ..properties.settings import other_settings, quick_settings
from .frame import Solved, Task, first_figure, make_tasks, next_task, solve_task
from .plan import Plan, read_plan
from .reasons import REASONS
from .sample import Sample, take_sample
from .start import Start

_REMEMBERED: Final = 1000  # frames of one figure; a dozen kilobytes each for one of 159 bones
_NUMBERS: Final = re.compile(r"[\d.]+")


@dataclass
class _Kept:
    """What is kept of a live armature between frames; plain data and no Blender object.

    Attributes:
        settings: that plan and figure were made with; others: further ones, which are looked at only when
            Blender says that the armature has changed, as by then `doubtful` tells.
        start: what frames start from.
        task: the last one that was made ready, at first of any pose.
        asked: what the last solve was asked; last: what it came to; None before the first.
        found: what frames came to that start from their own pose, by what was asked.
    """

    settings: Any
    others: Any
    plan: Plan
    start: Start
    task: Task
    asked: Any = None
    last: Solved | None = None
    found: dict[Any, Solved] = field(default_factory=dict, repr=False)
    doubtful: bool = False


class LiveFigures:
    """All live armatures."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._changes = -1
        self._lock = threading.Lock()
        self._thread = 0

    def forget(self) -> None:
        """Begin anew, as after another file was loaded or something was undone."""
        self._kept.clear()
        self._names.clear()

    def solve(
        self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *, new_frame: bool = True
    ) -> None:
        """Solve the live armatures of a scene in the frame that the dependency graph is at.

        Called while it solves already, by what it writes, it does nothing.

        Args:
            scene: original; depsgraph: evaluated.
            new_frame: whether the animation has just been evaluated. If not, animated channels hold what was
                written last.
        """
        if self._thread == threading.get_ident():
            return
        with self._lock:
            self._thread = threading.get_ident()
            try:
                dragged = _session().dragged
                for armature in self.armatures(scene, depsgraph):
                    if armature.session_uid != dragged:
                        self._solve_one(armature, scene, depsgraph, new_frame)
            finally:
                self._thread = 0

    def armatures(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
        """The armatures of a scene that are to be solved by themselves.

        All objects are gone through only after one became live, or objects came or went: scenes may be large.
        """
        changes = _session().live_changes
        if changes != self._changes or any(
            depsgraph.id_type_updated(kind) for kind in ("SCENE", "COLLECTION")
        ):
            self._names.clear()
            self._changes = changes
        names = self._names.get(scene.name)
        found = [scene.objects.get(name) for name in names or ()]
        if names is None or any(thing is None or not _is_live(thing) for thing in found):
            found = [thing for thing in scene.objects if _is_live(thing)]
            self._names[scene.name] = tuple(thing.name for thing in found)
        return [thing for thing in found if thing is not None]

    def changed(self, armature: bpy.types.Object) -> None:
        """Look next time whether what was read of an armature still holds: it may just have moved."""
        kept = self._kept.get(armature.session_uid)
        if kept is not None:
            kept.doubtful = True

    def _solve_one(
        self,
        armature: bpy.types.Object,
        scene: bpy.types.Scene,
        depsgraph: bpy.types.Depsgraph,
        new_frame: bool,
    ) -> None:
        rendering = depsgraph.mode == "RENDER"
        try:
            kept = self._prepare(armature, scene, depsgraph)
            state = kept.start.pose(
                armature,
                armature.evaluated_get(depsgraph),
                kept.task.figure,
                new_frame=new_frame,
                rendering=rendering,
            )
            sample = take_sample(
                kept.plan, armature, depsgraph, scene.frame_current, state=state, before=kept.task.sample
            )
            continuous = rig_of(armature).live_mode == "CONTINUOUS"
            asked = _asked(kept, sample, continuous)
            if asked is None or asked != kept.asked or rendering or not kept.start.intact:
                kept.last = _solved(kept, sample, asked, continuous)
                kept.start.write(armature, kept.last.channels, rendering=rendering)
                kept.asked = asked
            elif continuous and new_frame:  # the posture may go on settling
                kept.last = _solved(kept, sample, asked, continuous)
                kept.start.write(armature, kept.last.channels, rendering=rendering)
            message = _message(kept.last)
        except REASONS as reason:
            if rendering:
                raise  # Blender prints it and renders on; nothing may be written to the file from there
            message = f"Live: {reason}"
        if not rendering:
            _say(armature, message, new_frame)

    def _prepare(
        self, armature: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
    ) -> _Kept:
        """What is kept, read anew only where what it was read from has changed."""
        kept, rig = self._kept.get(armature.session_uid), rig_of(armature)
        settings, others = quick_settings(rig), None
        if kept is not None and kept.settings == settings:
            if not kept.doubtful:
                return kept
            others = other_settings(rig), fingerprint(armature)
            if others == kept.others and kept.plan.masses is None:  # the bones' masses are not among them
                kept.doubtful = False
                return kept
        context: Any = SimpleNamespace(scene=scene, view_layer=depsgraph.view_layer)
        plan = read_plan(armature, context)
        sample = take_sample(plan, armature, depsgraph, scene.frame_current)
        figure = first_figure(plan, armature, sample)
        start = Start(armature, plan.bones)
        if kept is not None:
            start.go_on(kept.start)
        self._kept[armature.session_uid] = _Kept(
            settings=settings,
            others=others or (other_settings(rig), fingerprint(armature)),
            plan=plan,
            start=start,
            task=make_tasks(plan, figure, [sample])[0],
        )
        return self._kept[armature.session_uid]


def _asked(kept: _Kept, sample: Sample, continuous: bool) -> Any:
    """All that the answer depends on, as plain values; None if that cannot be told, as among obstacles."""
    if kept.plan.surroundings is not None:
        return None
    return continuous, kept.start.token(sample.state), sample.asked


def _solved(kept: _Kept, sample: Sample, asked: Any, continuous: bool) -> Solved:
    """What a frame comes to: as it was found before, else solved."""
    if not continuous and asked in kept.found:
        return kept.found[asked]
    kept.task = next_task(kept.task, sample)
    solved = solve_task(kept.task, kept.last if continuous else None, brief=True)
    if not continuous and asked is not None:
        if len(kept.found) >= _REMEMBERED:
            kept.found.pop(next(iter(kept.found)))
        kept.found[asked] = solved
    return solved


def _message(solved: Solved | None) -> str:
    return "" if solved is None or solved.status == "REACHED" else f"Live: {solved.message}"


def _say(armature: bpy.types.Object, message: str, new_frame: bool) -> None:
    """Show a message. In playback not every new number: to set a property has the whole window redrawn."""
    shown = rig_of(armature).message
    if message != shown and not (new_frame and _NUMBERS.sub("", message) == _NUMBERS.sub("", shown)):
        rig_of(armature).message = message


def _session() -> Any:
    # `bpy.context` is not for the thread of a render.
    manager: Any = bpy.data.window_managers[0]
    return manager.articulate


def _is_live(thing: bpy.types.Object) -> bool:
    return thing.type == "ARMATURE" and rig_of(thing).live


def watched(armature: bpy.types.Object) -> set[bpy.types.ID]:
    """What a live armature looks at besides itself: targets, obstacles, and what they hang from."""
    rig = rig_of(armature)
    things = [effector.target for effector in rig.enabled_effectors]
    things += [thing for effector in rig.enabled_effectors for thing in effector.alternative_objects]
    for obstacle in rig.obstacles:
        if obstacle.enabled:
            things += [obstacle.object, *(obstacle.collection.all_objects if obstacle.collection else ())]
    found: set[bpy.types.ID] = set()
    for thing in things:
        while thing is not None and thing not in found:
            found.add(thing)
            thing = thing.parent
    return found
