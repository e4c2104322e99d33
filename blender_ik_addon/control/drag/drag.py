# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a point of a bone against pins and effectors; takes points and numbers, not events.

The dragged point becomes a temporary effector that is weaker than all others. If that point is pinned, the
pin itself is dragged and stays where it is released. The posture is the pose before the drag. While the mouse
moves, and fully when it rests or is released, the figure relaxes towards this posture as far as its goals
allow. So the result depends neither on the path of the mouse nor on the redraw rate.
"""

import time
from dataclasses import dataclass, replace

import bpy
import numpy as np
import numpy.typing as npt

from ikmath import rotation

from ...bridge.armature import Array, Channels, PoseState, read_channels, write_channels
from ...bridge.checks import limiting_constraint
from ...properties.access import rig_of
from ..bake.autokey import auto_key, auto_key_pin
from ..bake.record import Recording
from ..frame.goals import reached
from ..frame.held_back import shortest
from ..frame.hinging import hinged
from ..frame.plan import NOT_SAVED, Plan, find_armature, find_effector
from ..frame.sample import Sample, take_sample
from ..frame.solve_frame import as_chosen
from ..frame.solved import Solved, as_shown
from ..frame.task import Task, first_figure, make_task, next_task
from ..live.start import Start
from ..report import reasons
from .foot_below import FootBelow
from .grip import Grip, plan_with_grip, taken
from .mirrored import Mirrored
from .solver import DragSolver

__all__ = ("Drag", "Grip", "Moved")


@dataclass(frozen=True, kw_only=True)
class Moved:
    """The result of an update.

    Attributes:
        error: distance from the mouse target, metres, or radians while turning.
        status: name of `ikmath.Status`; message: what limits the figure.
        arrived: whether another update with the same target would not move the figure.
        searches: whether another way to the target is looked for.
    """

    error: float
    status: str
    message: str
    arrived: bool = True
    searches: bool = False


class Drag:
    """One drag, from the grip to `finish` or `cancel`.

    Attributes:
        grip: the present one; set by `change`.
        anchor: (3,) world, the point when this grip was taken.
        orientation: (3, 3) world, the bone's rotation at that time.
        moved: the result of the last update; None before the first.
        recording: the recorded frames, or None.
    """

    grip: Grip
    anchor: Array
    orientation: Array
    _plan: Plan
    _sample: Sample
    _task: Task
    _row: int
    _rows: tuple[int, ...]
    _mirrored: Mirrored | None
    _below: list[FootBelow]
    _solver: DragSolver
    _target: Array
    _limited: bool  # whether constraints may change the pose

    def __init__(
        self,
        armature: bpy.types.Object,
        context: bpy.types.Context,
        grip: Grip,
        *,
        record: bool = False,
        budget: float = np.inf,
    ) -> None:
        """Take the grip; nothing moves yet.

        With `record`, the frames that pass are written as keys at the end of the drag. `budget` is the wall
        time in seconds after which an update ends with its present result.
        """
        self._before, self._frame = read_channels(armature), context.scene.frame_current
        self._present: Channels | None = self._before
        self._budget = budget
        self.recording = Recording() if record else None
        self._last: Solved | None = None
        self._pins: dict[int, Array] = {}  # effector -> (4, 4) of the dragged pins, world
        self._keyed: dict[tuple[str, str, int], None] = {}  # ordered by the time of the first motion
        self.moved: Moved | None = None
        self._hold(armature, context, taken(armature, grip), None)
        self._start = Start(armature, self._plan.bones, as_shown=True)

    @property
    def bones(self) -> tuple[str, ...]:
        """Names of the bones that may move, parents first."""
        return self._plan.solved

    @property
    def root(self) -> str:
        """PINNED or FREE, as resolved for this drag."""
        return self._plan.root

    @property
    def support(self) -> tuple[str, bool]:
        """The rule that keeps the figure upright ("none" without one), and whether it applies now."""
        posture = self._task.posture
        if posture is None:
            return "none", False
        return posture.still.support.rule.value, posture.cost.support.rule == posture.still.support.rule

    @property
    def held(self) -> tuple[str, ...]:
        """Bones that stay in place, pinned or automatically."""
        hand = self._plan.effectors[self._row].priority
        staying = (e for e in self._plan.effectors if e.holds and (e.kind.moves or e.index != NOT_SAVED))
        every = (e.bone for e in staying if e.priority < hand)
        return tuple(dict.fromkeys(every))

    @property
    def depth(self) -> int:
        """Number of bones from the grip to the top of the figure."""
        return len(self._plan.bones.ancestors(self.grip.bone))

    def change(self, context: bpy.types.Context, grip: Grip) -> None:
        """Continue with another grip on the same bone; one that is refused leaves the previous one."""
        armature, state = find_armature(self._plan), self._sample.state
        if grip.turn != self.grip.turn and self._last is not None:
            # The pose so far becomes the posture of the new grip.
            self._come_to_rest()
            self._keep()
            state = self._task.figure.posed(self._last.channels).state
            self._start.rebase(self._last.channels)
        self._hold(armature, context, grip, state)

    def follow(self, context: bpy.types.Context) -> bool:
        """Continue in the current frame of the scene, with its animated values; whether it has changed."""
        frame = context.scene.frame_current
        if frame == self._sample.frame:
            return False
        armature, figure = find_armature(self._plan), self._task.figure
        if self.recording is not None:
            self.recording.require_keepable(armature, context.scene, figure.plan.keyed)
        evaluated = armature.evaluated_get(context.evaluated_depsgraph_get())
        state = self._start.pose(armature, evaluated, figure, new_frame=True, rendering=False)
        if self._mirrored is not None and self._mirrored.began is None:
            state = self._mirrored.start(figure.at(state))
        sample = _read(self._plan, armature, context, state)
        now = figure.at(sample.state, sample.space)
        for row, effector in enumerate(self._plan.effectors):
            if row in self._rows or effector.index in self._pins:
                sample.targets[row] = self._sample.targets[row]
            elif effector.index == NOT_SAVED:  # feet that hold by themselves follow the clip
                sample.targets[row] = reached(self._plan, now, now.q, row)
        self._sample, self._below = sample, FootBelow.of(self._plan, self._rows, now)
        self._task = next_task(self._task, sample)
        if self._task.figure is not figure:
            self._task = make_task(self._plan, hinged(self._task.figure), sample)
        self._present = None
        return True

    def move_to(self, place: npt.ArrayLike) -> Moved:
        """Move the point to a position (3,), world, or as near to it as possible; refused as `Drag`."""
        self._target[:3, 3] = place
        return self._update()

    def turn_to(self, orientation: npt.ArrayLike) -> Moved:
        """Turn the bone to a world rotation (3, 3); requires a grip with `turn`. Refused as `move_to`."""
        self._target[:3, :3] = orientation
        return self._update()

    def turn_by(self, turn: npt.ArrayLike) -> Moved:
        """The same from its rotation at the start of the grip; (3,) rotation vector, world."""
        return self.turn_to(rotation.exp(np.asarray(turn, dtype=float)) @ self.orientation)

    def cancel(self) -> None:
        """Restore every channel exactly; refused if the armature was deleted."""
        armature = find_armature(self._plan)
        write_channels(armature, self._before)
        if self._sample.frame != self._frame:
            armature.update_tag(refresh={"TIME"})  # animated values belong to another frame

    def finish(self, context: bpy.types.Context) -> None:
        """Let the figure come to rest, insert keys, and store the new place of a dragged pin.

        Recorded keys are decimated as those of a bake. If keying is refused, the figure is restored to its
        pose before the drag.
        """
        armature = find_armature(self._plan)
        if self.moved is None:
            return
        self._come_to_rest()
        self._keep()
        rig_of(armature).body.notes = "\n".join(self._sample.ignored)
        try:
            if self.recording is not None and self.recording.moves:
                self.recording.write(armature, self._plan, context.scene, self._before)
            else:
                auto_key(armature, self._keyed, context)
        except reasons():
            self.cancel()
            raise
        for effector in (one for one in self._plan.effectors if one.index in self._pins):
            there, pin = self._pins[effector.index], find_effector(armature, effector)
            if pin is None:
                continue  # a script has changed the list meanwhile
            pin.pin_location = there[:3, 3]
            if pin.kind_info.turns:
                pin.pin_rotation = rotation.quaternion_from_matrix(there[:3, :3])
            auto_key_pin(pin, context)

    def _hold(
        self, armature: bpy.types.Object, context: bpy.types.Context, grip: Grip, state: PoseState | None
    ) -> None:
        """Take a grip on the figure in a pose; None for the first grip, on the present pose."""
        plan, rows = plan_with_grip(armature, context, grip, None if state is None else state.matrix)
        sample = _read(plan, armature, context)
        mirrored = Mirrored.of(armature, grip.bone, grip.other) if grip.other else None
        relative = armature.pose.use_mirror_relative
        if state is None:
            state = sample.state
            if mirrored is not None and not relative:
                state = mirrored.start(first_figure(plan, armature, sample))
        sample = replace(sample, state=state)
        figure = hinged(first_figure(plan, armature, sample))
        for own, effector in enumerate(plan.effectors):
            if effector.index == NOT_SAVED:
                sample.targets[own] = reached(plan, figure, figure.q, own)
            elif effector.index in self._pins:
                sample.targets[own] = self._pins[effector.index]
        self._task = make_task(plan, figure, sample)
        self.grip, self._plan = grip, plan
        self._limited = bool(limiting_constraint(armature, frozenset(plan.solved)))
        self._rows, self._row = rows, rows[0]
        self._sample = sample
        self._below = FootBelow.of(plan, rows, figure)
        self._solver, self._last = DragSolver(plan, rows, self._task.problem.length, self._budget), None
        self._target = reached(plan, figure, figure.q, self._row)
        self.anchor, self.orientation = self._target[:3, 3].copy(), self._target[:3, :3].copy()
        if mirrored is not None and relative:
            one, two = (figure.space.frame_in(reached(plan, figure, figure.q, row)) for row in rows)
            mirrored = replace(mirrored, began=(one, two))
        self._mirrored = mirrored

    def _update(self) -> Moved:
        armature = find_armature(self._plan)
        then = self._task.sample.targets[self._row].copy()
        way = self._target[:3, 3] - then[:3, 3]
        # among obstacles, straight steps may end at an obstacle that a single solve would avoid
        alone = self._task.problem.scene is None
        first, deadline = self._solver.last is None, time.perf_counter() + self._budget
        strides = self._solver.strides(float(np.linalg.norm(way))) if alone else 1
        for share in range(1, strides + 1):
            if 1 < share < strides and time.perf_counter() > deadline:
                continue  # the rest of the way at once
            target = self._target.copy()
            target[:3, 3] -= (1.0 - share / strides) * way
            self._aim(target)
            rests = np.array_equal(then, self._target)
            solved = self._solver.update(self._task, rests=rests, passes=share < strides)
        if first and strides > 1:
            solved = self._solver.settle(self._task)
        return self._show(armature, solved)

    def _aim(self, target: Array) -> None:
        """Set the target (4, 4) of the dragged bone in the task."""
        targets = self._sample.targets.copy()
        targets[self._row] = target
        if self._mirrored is not None:
            targets[self._rows[1]] = self._mirrored.across(target, self._sample.space)
        for foot in self._below:
            targets[foot.row] = foot.target(targets[foot.hand])
        self._task = next_task(self._task, replace(self._sample, targets=targets))

    def _show(self, armature: bpy.types.Object, solved: Solved) -> Moved:
        write_channels(armature, solved.channels, present=self._present)
        self._last, self._present = solved, solved.channels
        self._start.written = solved.channels
        if self.recording is not None:
            self.recording.note(self._sample, solved.channels, self._task.figure.plan.keyed)
        shown = self._as_shown(armature, solved)
        error = float((shown.angle if self.grip.turn else shown.distance)[self._row])
        there = self._solver.is_there(shown)
        status, message = ("REACHED", "") if there else (shown.status, self._message(shown))
        status = "BEST_EFFORT" if status == "STOPPED" else status
        arrived, searches = self._solver.arrived, self._solver.searches
        self.moved = Moved(error=error, status=status, message=message, arrived=arrived, searches=searches)
        return self.moved

    def _as_shown(self, armature: bpy.types.Object, solved: Solved) -> Solved:
        """The solved frame with the errors that Blender shows, if a constraint may change the pose."""
        if not self._limited:
            return solved
        sample = _read(self._plan, armature, bpy.context)
        shown = next_task(self._task, replace(sample, targets=self._task.sample.targets))
        return as_shown(shown, solved, limiting_constraint(armature, frozenset(self._plan.solved)))

    def _message(self, solved: Solved) -> str:
        """Why the bone is not at the mouse or, if it is, which other effector is not at its target."""
        if solved.sentence:
            return solved.sentence
        counts = self._solver.counts
        off = np.fmax(solved.distance[self._row], solved.angle[self._row])  # one of both may be NaN
        if off > self._plan.tolerance:
            counts = np.arange(len(counts)) == self._row
        return shortest(as_chosen(self._task, solved), solved.solution, counts)

    def _come_to_rest(self) -> None:
        """Solve to convergence, except while recording."""
        recorded = self.recording is not None and self.recording.moves
        if self.moved is not None and not self.moved.arrived and not recorded:
            self._show(find_armature(self._plan), self._solver.finish(self._task))

    def _keep(self) -> None:
        """Keep the pose so far, also if the drag continues with another grip."""
        if self._last is None:
            return
        self._keyed |= dict.fromkeys(self._task.figure.plan.keyed)
        for row in self._rows:
            index = self._plan.effectors[row].index
            if index != NOT_SAVED:
                self._pins[index] = reached(self._plan, self._task.figure, self._last.q, row)


def _read(
    plan: Plan, armature: bpy.types.Object, context: bpy.types.Context, state: PoseState | None = None
) -> Sample:
    """The current frame, with the priorities of a plan in which dragged pins are weaker than on the rig."""
    depsgraph, frame = context.evaluated_depsgraph_get(), context.scene.frame_current
    priority = np.array([effector.priority for effector in plan.effectors], dtype=np.intp)
    return replace(take_sample(plan, armature, depsgraph, frame, state=state), priority=priority)
