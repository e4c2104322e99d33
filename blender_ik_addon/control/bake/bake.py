# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking: sample all frames, solve them in order, then write all keys at once.

A `Bake` runs step by step, so that the window stays responsive. The scene changes only while frames are
sampled, and nothing is written before every frame is solved. After an error or Esc the scene, its current
frame, its actions and the pose are unchanged.
"""

import re
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import bpy

from ...bridge.action import key_time, require_keepable, require_writable, to_be_keyed, write_keys
from ...bridge.animation import animation_curves, value_of, values_by_hand
from ...bridge.armature import read_channels, write_channels
from ...bridge.checks import constraint_refusals, limiting_constraint
from ...bridge.skeleton import Figure
from ...compat import bone_selected
from ...properties.access import rig_of
from ...properties.refusal import Refused, require
from ...properties.rig import frame_limits
from ...properties.session import own_session
from ...properties.settings import EACH_FRAME
from ..frame.plan import Plan, carried_targets, find_armature, read_plan
from ..frame.sample import Sample, take_sample
from ..frame.solve_frame import solve_task
from ..frame.solved import Solved, confirmed
from ..frame.task import Task, first_figure, make_task, next_task, smoothed_tasks
from ..report import reasons
from ..report.report import Run, write_report
from .record import frame_curves

_SAMPLING_SHARE = 0.3  # share of the progress bar; sampling is mostly Blender's evaluation
_READ_ONCE: Final = re.compile(
    r"articulate\.(solver|effectors|obstacles)\b.*\.(\w+)$|pose\.bones\[.*\]\.(?:ik_|use_ik_|lock_)\w+$"
)
_ROUNDS = 20  # solves of the first frame, for methods that have not converged before


@dataclass(frozen=True, kw_only=True)
class BakeOptions:
    """Options of a bake, see `ArticulateBake`; both ends of the range are included. Margin in metres."""

    frame_start: int
    frame_end: int
    step: int = 1
    only_selected: bool = False
    use_current_action: bool = False
    clean_curves: bool = False
    decimate: bool = False
    remove_error_margin: float = 0.005

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """The frames to solve: every `step`th one, and the last, up to which old keys are replaced."""
        return *range(self.frame_start, self.frame_end, self.step), self.frame_end


class Bake:
    """One bake of one armature; refused before anything is changed.

    Attributes:
        progress: 0 to 1.
        sampling: whether the bake is changing the scene's frame.
        report: the same as `rig.report`, after the last step.
    """

    def __init__(self, armature: bpy.types.Object, context: bpy.types.Context, options: BakeOptions) -> None:
        if options.frame_start > options.frame_end:
            raise Refused(
                f"The frame range {options.frame_start} to {options.frame_end} is empty: choose a later end"
            )
        first, last = frame_limits()
        if options.frame_start < first or options.frame_end > last:
            raise Refused(
                f"The frame range {options.frame_start} to {options.frame_end} goes beyond {first} to {last},"
                " the frames that Blender has: choose frames among these"
            )
        self.options = options
        self.plan: Plan = read_plan(armature, context, carries="ALWAYS")
        require_writable(armature, new_action=not options.use_current_action)
        self.scene: str = context.scene.name
        self.keyed_bones = frozenset(
            name
            for name in self.plan.solved
            if not options.only_selected or bone_selected(armature.pose.bones[name])
        )
        if not self.keyed_bones:
            raise Refused(
                f"No bone that is solved in '{armature.name}' is selected:"
                " select some or switch Only Selected off"
            )
        self._settings = self._animated_settings(armature)
        self._constrained = any(len(bone.constraints) for bone in armature.pose.bones)
        # by frame, a sentence on the constraint that may change the result after the solve
        self._limiting: dict[int, str] = {}
        self.progress = 0.0
        self.sampling = False
        self.report: dict[str, Any] = {}

    def run(self, context: bpy.types.Context) -> dict[str, Any]:
        """Run all steps and return the report; if a frame is refused, nothing has been changed."""
        session = own_session()
        session.baking = self.plan.uid
        try:
            for _progress in self.steps(context):
                pass
        finally:
            session.baking = 0
        return self.report

    def steps(self, context: bpy.types.Context) -> Generator[float, None, None]:
        """Bake a frame at a time; yields the progress. Closing it early leaves everything unchanged."""
        started = time.perf_counter()
        seen: list[tuple[Figure, Sample]] = []
        for both in self._sample(context):
            seen.append(both)
            self.progress = _SAMPLING_SHARE * len(seen) / len(self.options.frames)
            yield self.progress
        figure, samples = seen[0][0], [sample for _, sample in seen]
        solved: list[Solved] = []
        for task in smoothed_tasks(self._tasks(figure, samples)):
            solved.append(self._solve(task, solved[-1] if solved else None))
            self.progress = _SAMPLING_SHARE + (1.0 - _SAMPLING_SHARE) * len(solved) / len(samples)
            yield self.progress
        self._write(context, figure, samples, solved, started)

    def _sample(self, context: bpy.types.Context) -> Iterator[tuple[Figure, Sample]]:
        """Step through the frames. Yields each sample with the figure of the first frame."""
        give_back, figure, sample = self._now(context), None, None
        self.sampling = True
        try:
            for number in self.options.frames:
                self._same_scene(context)
                context.scene.frame_set(number)
                depsgraph = context.evaluated_depsgraph_get()
                with _stopping(number):
                    armature = find_armature(self.plan)
                    sample = take_sample(self.plan, armature, depsgraph, number, before=sample)
                    figure = figure or first_figure(self.plan, armature, sample)
                    self._check(armature, figure, number)
                if number == self.options.frame_start:  # before the frames are solved, which may take long
                    keyed, new = self._keyed(armature, figure), not self.options.use_current_action
                    require_keepable(armature, keyed, self._span(context.scene), new_action=new)
                yield figure, sample
        finally:
            self.sampling = False
            give_back()

    def _keyed(self, armature: bpy.types.Object, figure: Figure) -> tuple[tuple[str, str, int], ...]:
        return to_be_keyed(armature, (row for row in figure.plan.keyed if row[0] in self.keyed_bones))

    def _span(self, scene: bpy.types.Scene) -> tuple[float, float]:
        return key_time(scene, self.options.frame_start), key_time(scene, self.options.frame_end)

    def _animated_settings(self, armature: bpy.types.Object) -> dict[str, Any]:
        """The present values of animated settings, limits and locks that are read once, by data path."""
        found = map(_READ_ONCE.match, {curve.data_path for curve in animation_curves(armature)})
        return {
            path[0]: value_of(armature, path[0])
            for path in found
            if path
            and path[2] not in EACH_FRAME
            and (path[1] != "obstacles" or self.plan.surroundings is None)  # else read in every frame
        }

    def _check(self, armature: bpy.types.Object, figure: Figure, frame: int) -> None:
        """Check the current frame of the scene, because constraints, settings and modes may be animated."""
        for path, then in self._settings.items():
            now = value_of(armature, path)
            if now == then:
                continue
            holder, _, name = path.rpartition(".")
            owner = armature.path_resolve(holder)
            if name == "enabled" or getattr(owner, "enabled", True):
                label = owner.bl_rna.properties[name].name
                instead = "key Influence instead" if path.startswith("articulate.eff") else "remove its keys"
                raise Refused(
                    f"{label} of '{owner.name or armature.name}' is {now} there, but {then} in the frame in"
                    f" which the bake was started; bake only frames that have the same value, or {instead}"
                )
        bones, effectors = self.plan.bones, rig_of(armature).enabled_effectors
        require(carried_targets(armature, effectors, frozenset(self.plan.solved)))
        for name in self.plan.solved:
            mode, planned = armature.pose.bones[name].rotation_mode, bones.rotation_mode[bones.number(name)]
            if mode != planned:
                raise Refused(
                    f"Bone '{name}' of '{armature.name}' has the rotation mode {mode} there, but {planned} in"
                    " the frame in which the bake was started; bake only frames that have the same mode"
                )
        if self._constrained:
            require(constraint_refusals(armature, figure, self.plan.chains))
            sentence = limiting_constraint(armature, frozenset(figure.solved))
            if sentence:
                self._limiting[frame] = sentence

    def _tasks(self, figure: Figure, samples: list[Sample]) -> Iterator[Task]:
        task = None
        for sample in samples:
            with _stopping(sample.frame):
                task = make_task(self.plan, figure, sample) if task is None else next_task(task, sample)
            yield task

    @staticmethod
    def _solve(task: Task, before: Solved | None) -> Solved:
        with _stopping(task.sample.frame):
            solved = solve_task(task, before)
            for _ in range(_ROUNDS if before is None else 0):
                if solved.rests:
                    break
                solved = solve_task(task, solved)  # otherwise later frames would show the convergence
        return solved

    def _write(
        self,
        context: bpy.types.Context,
        figure: Figure,
        samples: list[Sample],
        solved: list[Solved],
        started: float,
    ) -> None:
        self._same_scene(context)
        armature = find_armature(self.plan)
        keyed = self._keyed(armature, figure)
        options, scene = self.options, context.scene
        frame, subframe = scene.frame_current, scene.frame_subframe
        margin = options.remove_error_margin if options.decimate else None
        curves = frame_curves(self.plan, scene, samples, [s.channels for s in solved], keyed, margin)
        give_others = values_by_hand(but=armature)
        with ExitStack() as undo:
            undo.callback(self._now(context))
            written = write_keys(
                armature,
                curves,
                new_action=not options.use_current_action,
                frame_range=self._span(scene),
                clean=options.clean_curves,
            )
            undo.push(written)
            solved = self._as_shown(context, armature, figure, solved)
            scene.frame_set(frame, subframe=subframe)
            seconds = time.perf_counter() - started
            run = Run(operation="bake", plan=self.plan, figure=figure, solved=solved, seconds=seconds)
            self.report = write_report(armature, run)
            undo.pop_all()
        give_others()
        self.progress = 1.0

    def _as_shown(
        self, context: bpy.types.Context, armature: bpy.types.Object, figure: Figure, solved: list[Solved]
    ) -> list[Solved]:
        """The frames as Blender shows them, if that may differ from the solved pose."""
        shown, left_out = [], [name for name in self.plan.solved if name not in self.keyed_bones]
        unkeyed = ""
        if left_out:
            more = f" and {len(left_out) - 1} more" if left_out[1:] else ""
            unkeyed = f"Bone '{left_out[0]}'{more} also moved but got no keys: only selected bones do."
        for frame in solved:
            sentence = self._limiting.get(frame.frame) or unkeyed
            if not sentence:
                shown.append(frame)
                continue
            context.scene.frame_set(frame.frame)
            depsgraph = context.evaluated_depsgraph_get()
            shown.append(confirmed(self.plan, armature, figure, frame, depsgraph, sentence))
        return shown

    def _now(self, context: bpy.types.Context) -> Callable[[], None]:
        """A function that restores this frame and the unkeyed values, which a change of frame loses."""
        frame, subframe = context.scene.frame_current, context.scene.frame_subframe
        channels, give_others = read_channels(find_armature(self.plan)), values_by_hand()

        def give_back() -> None:
            scene = bpy.data.scenes.get(self.scene)
            if scene is not None:
                scene.frame_set(frame, subframe=subframe)
            give_others()
            write_channels(find_armature(self.plan), channels)

        return give_back

    def _same_scene(self, context: bpy.types.Context) -> None:
        if context.scene.name != self.scene:
            raise Refused(
                f"The scene was changed from '{self.scene}' to '{context.scene.name}' during the bake"
            )


@contextmanager
def _stopping(frame: int) -> Iterator[None]:
    """Name the frame in a refusal."""
    try:
        yield
    except reasons() as reason:
        raise Refused(f"The bake stopped at frame {frame} and changed nothing: {reason}") from reason
