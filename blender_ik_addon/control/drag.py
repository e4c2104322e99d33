# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a point of a bone while pins and effectors hold: points and numbers in, a pose out, no event.

What is dragged is an effector for as long as the drag lasts, weaker than all others: they hold, and the point
goes as near as they let it. A pin on that very point is dragged itself and stays where it is left. The pose
before the drag is the posture that the figure keeps to all the while, so that the way of the mouse leaves no
traces in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import bpy
import numpy as np
import numpy.typing as npt

import ikmath as ik
from ikmath import rotation

from ..bridge.armature import Array, PoseState, read_channels
from ..bridge.pose import write_channels
from ..bridge.skeleton import Figure
from ..properties.access import rig_of
from ..properties.kinds import KINDS, Kind
from ..properties.refusal import Refused
from .autokey import auto_key
from .frame import Solved, first_figure, make_tasks, next_task, solve_task
from .goals import points
from .plan import NOT_SAVED, EffectorPlan, Plan, find_armature, read_plan
from .reasons import REASONS
from .sample import take_sample

_STEPS = 8  # solves at most an update: each follows the one before and so turns the joints only so far
_STILL = 0.005  # radians or metres: an update that moves the figure by less has arrived


@dataclass(frozen=True, kw_only=True)
class Grip:
    """What is held and how.

    Attributes:
        bone: name of the bone.
        along: where on it, from its head (0) to its tip (1).
        turn: the bone is turned about its head, not moved.
        levels: how many bones take part for it, from this one up; 0 is the whole figure.
        root: PINNED, FREE, or "" for the solver's setting.
    """

    bone: str
    along: float = 1.0
    turn: bool = False
    levels: int = 0
    root: str = ""


@dataclass(frozen=True, kw_only=True)
class Moved:
    """What an update came to.

    Attributes:
        error: from where the hand wants it, in metres or, while turning, radians.
        status: name of `ikmath.Status`; message: what holds the figure back.
        place: (3,) world, where the point is now.
    """

    error: float
    status: str
    message: str
    place: Array = field(repr=False)


class Drag:
    """One drag, from grip to `finish` or `cancel`.

    Attributes:
        grip: as it is at the moment; `change` changes it.
        anchor: (3,) world, where the point was when this grip was taken.
        orientation: (3, 3) world, how the bone was turned then.
        bones: names of the bones that take part, parents first.
        depth: number of bones from the grip to the top of the figure.
        moved: what the last update came to; None before the first.
    """

    def __init__(self, armature: bpy.types.Object, context: bpy.types.Context, grip: Grip) -> None:
        """Take the grip; nothing moves yet.

        Args:
            armature: the original object.
            context: scene and view layer.
            grip: what is held.

        Raises:
            Refused, IkError: the figure cannot be solved as it is set up; the sentence says why.
        """
        self._before = read_channels(armature)
        self._state: PoseState | None = None
        self._last: Solved | None = None
        self._name, self._uid = armature.name, armature.session_uid
        self.moved: Moved | None = None
        self._hold(armature, context, grip)

    @property
    def bones(self) -> tuple[str, ...]:
        """See the class."""
        return self._plan.solved

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the bones that take part."""
        return self._figure.skeleton.n

    @property
    def root(self) -> str:
        """PINNED or FREE, as it is at the moment."""
        return self._plan.root

    @property
    def depth(self) -> int:
        """See the class."""
        return len(self._plan.bones.ancestors(self.grip.bone))

    def change(self, context: bpy.types.Context, grip: Grip) -> None:
        """Go on with another grip on the same bone; the next update moves the figure.

        Raises:
            Refused, IkError: it cannot be held so; the grip stays as it was.
        """
        armature = find_armature(self._plan)
        state = self._state
        if grip.turn != self.grip.turn and self._last is not None:
            # What the hand has done so far is the posture for what it does now.
            self._state = self._figure.posed(self._last.channels).state
        try:
            self._hold(armature, context, grip)
        except REASONS:
            self._state = state
            raise

    def move_to(self, place: npt.ArrayLike) -> Moved:
        """Bring the point to a place of the world (3,), or as near as the rest of the figure lets it.

        Raises:
            Refused, IkError: it cannot be solved, or the armature is gone.
        """
        self._target[:3, 3] = place
        return self._update()

    def turn_to(self, orientation: npt.ArrayLike) -> Moved:
        """Turn the bone to a rotation of the world (3, 3); the grip must be a turning one.

        Raises:
            Refused, IkError: as for `move_to`.
        """
        self._target[:3, :3] = orientation
        return self._update()

    def turn_by(self, turn: npt.ArrayLike) -> Moved:
        """Turn the bone from how it was when the grip was taken; (3,) axis of the world times angle.

        Raises:
            Refused, IkError: as for `move_to`.
        """
        return self.turn_to(rotation.exp(np.asarray(turn, dtype=float)) @ self.orientation)

    def cancel(self) -> None:
        """Give every channel back exactly.

        Raises:
            Refused: the armature is gone.
        """
        write_channels(find_armature(self._plan), self._before)

    def finish(self, context: bpy.types.Context) -> int:
        """Leave the pose as it is: auto-key it, leave a pin that was dragged where it is.

        Returns:
            How many components were keyed.

        Raises:
            Refused: auto-keying failed; the figure is as it was before the drag.
        """
        armature = find_armature(self._plan)
        if self._last is None:
            return 0
        try:
            count = auto_key(armature, self._figure.keyed, context)
        except RuntimeError as error:
            self.cancel()
            raise Refused(f"Auto-keying '{armature.name}' failed, so nothing was changed: {error}") from error
        if self._plan.effectors[self._row].index != NOT_SAVED:
            self._move_pin(armature)
        return count

    def _hold(self, armature: bpy.types.Object, context: bpy.types.Context, grip: Grip) -> None:
        plan, row = _plan_with_grip(armature, context, grip)
        saved = replace(plan, effectors=tuple(e for e in plan.effectors if e.index != NOT_SAVED))
        depsgraph = context.evaluated_depsgraph_get()
        sample = take_sample(saved, armature, depsgraph, context.scene.frame_current)
        if self._state is None:
            self._state = sample.state
        sample = replace(sample.for_plan(plan), state=self._state)
        figure = first_figure(plan, armature, sample)
        self.grip, self._plan, self._row = grip, plan, row
        (self._task,) = make_tasks(plan, figure, [sample])
        self._sample, self._figure, self._last = sample, self._task.figure, None
        place, frame = self._reached(figure, figure.q)
        self.anchor, self.orientation = place, frame
        self._target = np.eye(4)
        self._target[:3, :3], self._target[:3, 3] = frame, place

    def _update(self) -> Moved:
        armature = find_armature(self._plan)
        targets = self._sample.targets.copy()
        targets[self._row] = self._target
        self._task = task = next_task(self._task, replace(self._sample, targets=targets))
        solved = self._last
        for _ in range(_STEPS):
            q = None if solved is None else solved.q
            solved = solve_task(task, solved, brief=True)
            if solved.status == "REACHED" or (q is not None and np.abs(solved.q - q).max() < _STILL):
                break
        if solved is None:
            raise RuntimeError("nothing was solved")
        write_channels(armature, solved.channels)
        self._last = solved
        error = (solved.angle if self.grip.turn else solved.distance)[self._row]
        place = self._reached(self._figure, solved.q)[0]
        self.moved = Moved(error=float(error), status=solved.status, message=solved.message, place=place)
        return self.moved

    def _reached(self, figure: Figure, q: Array) -> tuple[Array, Array]:
        """(3,) where the point is and (3, 3) how its bone is turned, world, at coordinates."""
        effector = self._plan.effectors[self._row]
        pose = ik.Pose.forward(figure.skeleton, q)
        place = pose.point(effector.bone, points(self._plan, figure)[self._row])
        return figure.space.point_out(place), figure.space.rotation_out(pose.frame(effector.bone))

    def _move_pin(self, armature: bpy.types.Object) -> None:
        effector = self._plan.effectors[self._row]
        if self._last is None:
            return
        place, frame = self._reached(self._figure, self._last.q)
        pin = rig_of(armature).effectors[effector.index]
        pin.pin_location = place
        if effector.kind.turns:
            pin.pin_rotation = rotation.quaternion_from_matrix(frame)


def _plan_with_grip(armature: bpy.types.Object, context: bpy.types.Context, grip: Grip) -> tuple[Plan, int]:
    """The armature's plan with what is dragged as its weakest effector, and the row of that one."""
    bone = armature.data.bones.get(grip.bone)
    if bone is None:
        raise Refused(f"Armature '{armature.name}' has no bone '{grip.bone}' that could be dragged")
    local = (0.0, 0.0 if grip.turn else bone.length * grip.along, 0.0)
    own = [effector for effector in rig_of(armature).effectors if effector.enabled]
    here = [effector for effector in own if effector.bone == grip.bone]
    follows = next((e for e in here if e.target is not None and _asks(e.kind_info, grip)), None)
    if follows is not None:
        raise Refused(
            f"Bone '{grip.bone}' follows '{follows.target.name}': move that, or switch effector"
            f" '{follows.name}' off to drag the bone",
            follows.name,
        )
    chain = [bone.name, *(parent.name for parent in bone.parent_recursive)]
    top = chain[grip.levels - 1] if 0 < grip.levels < len(chain) else ""
    placed = any(effector.kind_info.moves for effector in here)
    dragged = EffectorPlan(
        index=NOT_SAVED,
        name=grip.bone,
        bone=grip.bone,
        kind=KINDS[("ORIENTATION" if placed else "POSE") if grip.turn else "POSITION"],
        target="",
        priority=1 + max((effector.priority for effector in own), default=-1),
        chain_root=top,
        local=local,
    )
    plan = read_plan(armature, context, extra=[dragged], root=grip.root)
    if not ik.METHODS[plan.method].priorities:
        plan = replace(plan, method=ik.DEFAULT)  # pins are to hold, which takes priorities
    pin = next(
        (
            row
            for row, other in enumerate(plan.effectors[:-1])
            if other.bone == grip.bone and not other.target and _asks(other.kind, grip)
        ),
        None,
    )
    if pin is None:
        return plan, len(plan.effectors) - 1
    # The pin itself is dragged: it lets go of its place, and gives way to the others.
    held = replace(plan.effectors[pin], priority=dragged.priority)
    return replace(plan, effectors=(*plan.effectors[:pin], held, *plan.effectors[pin + 1 : -1])), pin


def _asks(kind: Kind, grip: Grip) -> bool:
    """Whether a kind of effector asks for what the hand changes."""
    return kind.turns if grip.turn else kind.moves
