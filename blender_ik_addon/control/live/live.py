# SPDX-License-Identifier: GPL-3.0-or-later
"""Live solving: in every frame that is shown or rendered, and whenever a target or a pin moves.

By default a frame is solved from its own pose (see `start`), so the result is the same in scrubbing, playback
and renders. These results are cached and reused if nothing has changed.

A render solves in its own thread, possibly at the same time as the viewport. A lock lets one of them solve at
a time.
"""

import threading
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, Final

import bpy

from ikmath.collision.mesh_geometry import MeshGeometry

from ...bridge.armature import PoseState
from ...bridge.evaluated import is_kept_up, stands_still, with_parents
from ...bridge.fingerprint import fingerprint, is_restless
from ...properties.access import holds, rig_of
from ...properties.refusal import require
from ...properties.session import own_session
from ...properties.settings import frame_settings, other_settings, settings_untold
from ..frame.plan import Plan, carried_targets, read_plan
from ..frame.root import placed_bones
from ..frame.sample import Sample, take_sample
from ..frame.solve_frame import solve_task
from ..frame.solved import Solved
from ..frame.task import Task, first_figure, make_task, next_task
from ..report import reasons
from .following import Following
from .start import Start
from .status_text import say, tell

_REMEMBERED: Final = 1000  # cached frames per figure; about 12 kB each for 159 bones, 20 more among obstacles


@dataclass
class _Kept:
    """Cached data of a live armature; plain data without Blender objects.

    Attributes:
        settings: the ones that plan and figure were made with; others: further settings, compared only after
            Blender reports a change of the armature (`doubtful`), or in every new frame if some are animated
            (`restless`).
        start: the starting pose of frames.
        common: the pose at which the data shared by all frames were measured.
        task: the last prepared task, at first of any pose.
        asked: a key of the input of the last solve; last: its result. Both are None before the first solve.
        recalled: whether `last` came from the cache.
        found: cached results of frames that start from their own pose, by `asked`; surfaces: of the obstacles
            in these frames.
        constrained: whether constraints move targets; they may be animated.
        told: state shown in the panel.
    """

    settings: Any
    others: Any
    plan: Plan
    start: Start
    task: Task
    common: PoseState
    asked: Any = None
    last: Solved | None = None
    recalled: bool = False
    found: dict[Any, Solved] = field(default_factory=dict, repr=False)
    surfaces: list[MeshGeometry] = field(default_factory=list, repr=False)
    restless: bool = False
    constrained: bool = False
    doubtful: bool = False
    told: Any = None

    def measure(self, common: PoseState) -> None:
        """Measure the data shared by all frames at a pose, unless they were measured there already."""
        if common is not self.common:
            self.task = make_task(self.plan, self.task.figure, replace(self.task.sample, state=common))
            self.common = common

    def tell(self, armature: bpy.types.Object, *, playing: bool) -> None:
        if self.last is None:
            return
        task = None if self.recalled else self.task
        self.told = tell(armature, self.plan, self.last, self.told, task=task, playing=playing)


class LiveFigures:
    """All live armatures, in the order of `following`."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._changes = -1
        self.following = Following()
        self._lock = threading.Lock()
        self._thread = 0

    def forget(self) -> None:
        """Discard all cached data, for example after loading a file or an undo."""
        self._kept.clear()
        self._names.clear()
        self.following.forget()

    @property
    def solving(self) -> bool:
        """Whether this thread is inside a solve, which writes and so triggers handlers."""
        return self._thread == threading.get_ident()

    def solve(self, depsgraph: bpy.types.Depsgraph, *, new_frame: bool = True) -> None:
        """Solve the live armatures of the depsgraph's scene in its frame.

        Does nothing if its own writing triggered the call. In a `new_frame` the animation has just been
        evaluated. Otherwise, animated channels hold the values that were written last.
        """
        if self.solving:
            return
        with self._lock:
            self._thread = threading.get_ident()
            try:
                dragged, baking = own_session().dragged, own_session().baking
                figures = self.armatures(depsgraph)
                if baking:  # before it come those that it depends on; the others are left alone
                    baked = (one for one in depsgraph.scene.objects if one.session_uid == baking)
                    figures = [*baked, *figures]
                waiting: set[int] = set()
                held: list[Exception] = []
                for armature, leaders in self.following.order(figures):
                    if armature.session_uid == baking:
                        break
                    if armature.session_uid == dragged or _is_elsewhere(armature, depsgraph):
                        continue
                    if leaders & waiting:
                        depsgraph.update()  # dependent figures need the new poses
                        waiting.clear()
                    try:
                        anew = self._solve_one(armature, depsgraph, new_frame)
                    except reasons() as reason:
                        held.append(reason)
                        if depsgraph.mode != "RENDER":  # a render must not write to the file
                            say(armature, f"Live: {reason}", playing=new_frame)
                        continue
                    if anew:
                        waiting.add(armature.session_uid)
                if held and depsgraph.mode == "RENDER":
                    raise held[0]  # Blender prints it and continues to render
            finally:
                self._thread = 0

    def armatures(self, depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
        """The armatures of the depsgraph's scene that are live.

        All objects are searched only after one became live, or objects were added or removed, because scenes
        may be large.
        """
        changes, scene = own_session().live_changes, depsgraph.scene
        updated = depsgraph.id_type_updated
        if changes != self._changes or updated("SCENE") or updated("COLLECTION"):
            self._names.clear()
            self._changes = changes
        names = self._names.get(scene.name)
        # lookup by name is fast in a view layer, but linear in a scene, which may have more objects
        layer, objects = depsgraph.view_layer.objects, scene.objects
        found = [
            thing
            for name in names or ()
            if _is_live(thing := layer.get(name)) or _is_live(thing := objects.get(name))
        ]
        if names is None or len(found) < len(names):
            found = [thing for thing in objects if _is_live(thing)]
            self._names[scene.name] = tuple(thing.name for thing in found)
        return found

    def changed(self, armature: bpy.types.Object) -> None:
        """Check at the next solve whether an armature's settings have changed or it only moved."""
        kept = self._kept.get(armature.session_uid)
        if kept is not None:
            kept.doubtful = True

    def tell(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Show the full result of the current frame in the panel, for example after a playback."""
        for armature in self.armatures(depsgraph):
            kept = self._kept.get(armature.session_uid)
            if kept is not None:
                kept.tell(armature, playing=False)

    def _solve_one(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, new_frame: bool) -> bool:
        """Solve one armature, the original; returns whether it got a new pose."""
        shown, rendering = armature.evaluated_get(depsgraph), depsgraph.mode == "RENDER"
        kept = self._prepare(armature, depsgraph, new_frame)
        if kept.constrained and not rendering:  # in a render, the originals are those of another frame
            effectors = rig_of(armature).enabled_effectors
            require(carried_targets(armature, effectors, frozenset(kept.plan.solved)))
        figure = kept.task.figure
        state = kept.start.pose(armature, shown, figure, new_frame=new_frame, rendering=rendering)
        kept.measure(kept.start.common(figure, shown))
        frame, before = depsgraph.scene.frame_current, kept.task.sample
        sample = take_sample(kept.plan, armature, depsgraph, frame, state=state, before=before)
        continuous = rig_of(armature).live_mode == "CONTINUOUS"
        asked = continuous, kept.start.token(sample.state), sample.asked, sample.around
        changed = asked != kept.asked or rendering or not kept.start.intact
        changed = changed or (continuous and new_frame)  # the posture may still be moving
        if changed:
            kept.last = _solved(kept, sample, asked, continuous)
            kept.start.write(armature, kept.last.channels, rendering=rendering)
            kept.asked = asked
        if not rendering:
            kept.tell(armature, playing=new_frame)
        return changed

    def _prepare(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, new_frame: bool) -> _Kept:
        """The cached data, read again only if the sources have changed."""
        kept, rig = self._kept.get(armature.session_uid), rig_of(armature)
        if kept is not None and kept.restless and new_frame:
            kept.doubtful = True
        still = [stands_still(one.target) for one in rig.enabled_effectors if one.target is not None]
        settings = settings_untold(rig), frame_settings(rig), placed_bones(armature), still
        others = None
        if kept is not None and kept.settings == settings:
            if not kept.doubtful:
                return kept
            others = other_settings(rig), fingerprint(armature)
            if others == kept.others and kept.plan.masses is None:  # masses are not among the settings
                kept.doubtful = False
                return kept
        context: Any = SimpleNamespace(scene=depsgraph.scene, view_layer=depsgraph.view_layer)
        plan = read_plan(armature, context, carries="ALWAYS")
        sample = take_sample(plan, armature, depsgraph, depsgraph.scene.frame_current)
        figure = first_figure(plan, armature, sample)
        start = Start(armature, plan.bones)
        if kept is not None:
            start.go_on(kept.start)
        common = start.common(figure, armature.evaluated_get(depsgraph))
        targets = [target for effector in rig.enabled_effectors for target in effector.targets]
        self._kept[armature.session_uid] = _Kept(
            settings=settings,
            others=others or (other_settings(rig), fingerprint(armature)),
            plan=plan,
            start=start,
            task=make_task(plan, figure, replace(sample, state=common)),
            common=common,
            restless=is_restless(armature),
            constrained=any(len(each.constraints) for target in targets for each in with_parents(target)),
        )
        return self._kept[armature.session_uid]


def _solved(kept: _Kept, sample: Sample, asked: Any, continuous: bool) -> Solved:
    """The result of a frame, from the cache or solved."""
    surfaces = [obstacle.geometry for obstacle in sample.obstacles]
    if surfaces != kept.surfaces:  # a surface that was read anew does not come back, but it is large
        kept.found.clear()
        kept.surfaces = surfaces
    kept.recalled = not continuous and asked in kept.found
    if kept.recalled:
        return kept.found[asked]
    kept.task = next_task(kept.task, sample)
    solved = solve_task(kept.task, kept.last if continuous else None, brief=True)
    if not continuous:
        if len(kept.found) >= _REMEMBERED:
            kept.found.pop(next(iter(kept.found)))
        kept.found[asked] = solved
    return solved


def _is_elsewhere(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an armature is absent here on purpose: in another view layer, or not rendered."""
    if depsgraph.mode == "RENDER":
        return not is_kept_up(armature, depsgraph)
    layers = depsgraph.scene.view_layers
    if len(layers) < 2 or holds(depsgraph.view_layer.objects, armature):
        return False
    return any(holds(layer.objects, armature) for layer in layers)


def _is_live(thing: bpy.types.Object | None) -> bool:
    return thing is not None and thing.type == "ARMATURE" and rig_of(thing).live
