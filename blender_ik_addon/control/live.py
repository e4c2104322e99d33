# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving by itself: in every frame that is shown or rendered, and whenever a target or a pin moves.

By default a frame is solved from its own pose, so that it is the same however one got there: scrubbing, in
playback, in a render. What is animated has its pose from the animation. What is not would start from the
solve before; therefore the pose that it had before the first one is remembered, and changed by nobody but the
user: values that are not those that were written last are hers.

A render asks from a thread of its own, while the view may ask too; one figure is solved at a time.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np

from .. import compat
from ..bridge.armature import CHANNEL_WIDTHS, Channels, PoseState, read_channels
from ..bridge.pose import write_channels
from ..bridge.skeleton import Figure
from ..properties.access import rig_of
from .frame import Solved, first_figure, make_tasks, solve_task
from .plan import Plan, read_plan
from .reasons import REASONS
from .sample import Sample, take_sample

_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)$')


@dataclass
class _Kept:
    """What is kept of a live armature between frames; plain data and no Blender object.

    Attributes:
        signature: of the settings that plan and figure were made with.
        animated: what of the channels the animation sets, as flags in place of values.
        base: the pose that a frame starts from: of the animation in this frame, of the user elsewhere.
        written: the channels after the last solve.
        last: how that ended; sample: what it started from.
    """

    signature: Any
    plan: Plan
    figure: Figure
    animated: Channels
    base: Channels
    written: Channels | None = None
    last: Solved | None = None
    sample: Sample | None = field(default=None, repr=False)


class LiveFigures:
    """All live armatures."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}
        self._lock = threading.Lock()
        self._thread = 0

    def forget(self) -> None:
        """Begin anew, as after another file was loaded."""
        self._kept.clear()

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
                for armature in live_armatures(scene):
                    self._solve_one(armature, scene, depsgraph, new_frame)
            finally:
                self._thread = 0

    def settings_changed(self, armature: bpy.types.Object) -> None:
        """Read bones and settings of an armature anew next time; the pose before the first solve is kept."""
        kept = self._kept.get(armature.session_uid)
        if kept is not None:
            kept.signature = None

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
            sample = take_sample(kept.plan, armature, depsgraph, scene.frame_current)
            base = kept.base.copy()
            if not rendering:
                _take_edits(kept, base, armature)
            if new_frame:
                _take_animation(kept, base, sample.state)
            if not rendering:
                kept.base = base
            sample = replace(sample, state=_started(kept, base, sample.state))
            if not rendering and _same(kept, sample, armature):
                return
            continuous = rig_of(armature).live_mode == "CONTINUOUS"
            (task,) = make_tasks(kept.plan, kept.figure, [sample])
            kept.last = solve_task(task, kept.last if continuous else None)
            write_channels(armature, kept.last.channels)
            kept.written, kept.sample = read_channels(armature), sample
            message = "" if kept.last.status == "REACHED" else f"Live: {kept.last.message}"
        except REASONS as reason:
            if rendering:
                raise  # Blender prints it and renders on; nothing may be written to the file from there
            message = f"Live: {reason}"
        if not rendering and rig_of(armature).message != message:
            rig_of(armature).message = message

    def _prepare(
        self, armature: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
    ) -> _Kept:
        """Plan and figure, made anew only where the settings have changed."""
        kept = self._kept.get(armature.session_uid)
        signature = _signature(armature)
        if kept is not None and kept.signature == signature:
            return kept
        context: Any = SimpleNamespace(scene=scene, view_layer=depsgraph.view_layer)
        plan = read_plan(armature, context)
        sample = take_sample(plan, armature, depsgraph, scene.frame_current)
        fresh = _Kept(
            signature=signature,
            plan=plan,
            figure=first_figure(plan, armature, sample),
            animated=_animated(armature, plan),
            base=read_channels(armature),
        )
        if kept is not None and len(kept.base.location) == len(fresh.base.location):
            fresh.base, fresh.written = kept.base, kept.written
        self._kept[armature.session_uid] = fresh
        return fresh


def live_armatures(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The armatures of a scene that are to be solved by themselves."""
    return [thing for thing in scene.objects if thing.type == "ARMATURE" and rig_of(thing).live]


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


def _signature(armature: bpy.types.Object) -> Any:
    rig, solver = rig_of(armature), rig_of(armature).solver
    effectors = tuple(
        (e.name, e.bone, e.kind, e.enabled, e.target, e.subtarget, e.follows, e.chain_root, e.settings)
        for e in rig.effectors
    )
    choices = tuple(thing for e in rig.effectors for thing in e.alternative_objects)
    names = ("method", "limits", "root", "max_iterations", "tolerance", "posture")
    return effectors, choices, tuple(getattr(solver, name) for name in names), len(armature.pose.bones)


def _animated(armature: bpy.types.Object, plan: Plan) -> Channels:
    """Flags for all channel components that an action, an NLA strip or a driver sets."""
    count = len(plan.bones.names)
    flags = {name: np.zeros((count, width), dtype=np.float32) for name, width in CHANNEL_WIDTHS.items()}
    for curve in _curves(armature):
        found = _PATH.match(curve.data_path)
        if not found or found[2] not in flags:
            continue
        number = plan.bones.index.get(bpy.utils.unescape_identifier(found[1]))
        if number is not None:
            flags[found[2]][number, curve.array_index] = 1.0
    return Channels(**flags)


def _curves(armature: bpy.types.Object) -> Iterator[Any]:
    data: Any = armature.animation_data
    if data is None:
        return
    bag = compat.find_bag(armature)
    if bag is not None:
        yield from bag.fcurves
    yield from data.drivers
    for track in data.nla_tracks:
        for strip in track.strips:
            yield from compat.strip_curves(strip)


def _take_edits(kept: _Kept, base: Channels, armature: bpy.types.Object) -> None:
    """Let what the user has posed since the last solve be the pose that figures start from."""
    if kept.written is None:
        return
    now = read_channels(armature)
    for name in CHANNEL_WIDTHS:
        value = getattr(now, name)
        edited = value != getattr(kept.written, name)
        getattr(base, name)[edited] = value[edited]


def _take_animation(kept: _Kept, base: Channels, state: PoseState) -> None:
    """In a new frame what is animated stands as the animation says."""
    for name in CHANNEL_WIDTHS:
        animated = getattr(kept.animated, name) != 0
        getattr(base, name)[animated] = getattr(state.channels, name)[animated]


def _started(kept: _Kept, base: Channels, state: PoseState) -> PoseState:
    """The pose that a frame starts from."""
    if all(np.array_equal(getattr(base, name), getattr(state.channels, name)) for name in CHANNEL_WIDTHS):
        return state
    return kept.figure.at(state).posed(base).state


def _same(kept: _Kept, sample: Sample, armature: bpy.types.Object) -> bool:
    """Whether nothing has changed since the last solve, as where another object was moved."""
    before = kept.sample
    if before is None or kept.written is None or before.frame != sample.frame:
        return False
    if kept.plan.surroundings is not None:  # an obstacle may have changed its form
        return False
    pairs = [
        (getattr(before.state.channels, name), getattr(sample.state.channels, name))
        for name in CHANNEL_WIDTHS
    ]
    now = read_channels(armature)
    pairs += [(getattr(kept.written, name), getattr(now, name)) for name in CHANNEL_WIDTHS]
    pairs.append((before.state.matrix, sample.state.matrix))
    return before.asks_the_same(sample) and all(np.array_equal(a, b) for a, b in pairs)
