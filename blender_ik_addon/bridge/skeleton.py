# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts the bones of an armature to a figure that ikmath can solve, and its coordinates to channels.

A Blender bone may be scaled, sheared or disconnected, or not inherit rotation. The joints of ikmath are rigid
frames. So the figure is measured: rest frames and offsets come from the present pose. In this pose the figure
agrees exactly with Blender, for all inheritance flags and scales. If no solved bone is in a sheared space, it
agrees in every other pose too (`Figure.exact`). Otherwise `Figure.posed` measures again in the solved pose,
and a few rounds of solving and measuring converge to Blender's true pose.

Free coordinates are the rotations about axes without `lock_ik_*` and `lock_rotation`. An axis with
`lock_ik_*` is reset to zero, as in Blender's own inverse kinematics. An axis with `lock_rotation` keeps its
value; this lock has precedence. With a FREE root the topmost solved bones also translate, unless they are
connected or have `lock_location`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import ikmath as ik
from ikmath import rotation

from ..properties.refusal import Refused
from .armature import Array, Bones, Channels, Flags, Indices, PoseState
from .chains import figure_bones
from .inheritance import forward
from .joints import Joints, half_turns, measure_slides, rest_frames
from .limbs import Hinges, Limb, LimbJoints
from .rotation_channels import basis_matrices
from .space import Space, applied, rotation_and_depth, transposed

_NO_TURN: Final = np.eye(3)
_KEPT_ZERO: Final = 1e-6  # radians
# Relative unevenness of scale above which a space counts as sheared. In Blender, rest matrices of bones along
# -Y are uneven by 4e-5; converted Y-up rigs have such legs.
_CONFORMAL: Final = 1e-4


@dataclass(frozen=True)
class Figure:
    """A figure measured at one moment; made by `read_figure`, moved to other frames by `at`.

    Attributes:
        space: of the armature object.
        state: the measured pose.
        plan: bone and coordinates of each joint.
        skeleton: for ikmath, figure space, metres; a joint has the name of its bone.
        q: (n,) coordinates of the measured pose, not clamped to the limits.
        frames: (J, 3, 3) rotations of the joints in this pose; heads: (J, 3) their positions, metres.
        slide_map: (k, 3, 3) from the translations of the sliding joints to `location`.
        measured: (J, 6) all coordinates of this pose; in the skeleton's constants, axes with an IK lock are
            zero instead.
        exact: whether the figure agrees with Blender in every pose, not only in the measured one.
        hinges: of the plan's limbs, if limits keep them from bending the wrong way; else None.
    """

    space: Space
    state: PoseState
    plan: Joints
    skeleton: ik.Skeleton
    q: Array
    frames: Array
    heads: Array
    slide_map: Array
    measured: Array
    exact: bool
    hinges: Hinges | None = None

    @property
    def bones(self) -> Bones:
        return self.plan.bones

    @property
    def solved(self) -> tuple[str, ...]:
        """Names of the bones whose channels are solved, parents first."""
        return tuple(self.bones.names[i] for i in self.plan.solved_bones.tolist())

    @property
    def free_bones(self) -> frozenset[int]:
        """Indices of the bones that can move."""
        return frozenset(self.plan.bone[self.skeleton.owner].tolist())

    @cached_property
    def limbs(self) -> LimbJoints | None:
        """Limbs that no limit keeps from bending the wrong way; None if there are none."""
        limbs = self.plan.limbs
        if limbs is None or self.hinges is None:
            return limbs
        return None if self.hinges.which.all() else limbs.some(~self.hinges.which)

    @cached_property
    def shown(self) -> ik.Skeleton:
        """The skeleton that has the measured pose at `q`, including the axes that a solve sets to zero."""
        return self.skeleton.with_rest(fixed=self.measured) if self.plan.resets else self.skeleton

    @cached_property
    def bends(self) -> Array:
        """(k, 3) the bend axes of its limbs, see `LimbJoints.proper`; empty without limbs."""
        return np.zeros((0, 3)) if self.limbs is None else self.limbs.proper(self.q)

    def at(self, state: PoseState, space: Space | None = None) -> Figure:
        """The same figure in another frame: same coordinates, other constants; refused as `read_figure`."""
        plan, space = self.plan, space or self.space
        changed = plan.resets and self.skeleton.fixed[:, 3:][plan.reset].any()  # by `posed`
        if changed or state is not self.state or space.scale != self.space.scale:
            return self.at_each([state], [space])[0]
        return self if space is self.space else replace(self, space=space)

    def at_each(self, states: Sequence[PoseState], spaces: Sequence[Space]) -> list[Figure]:
        """The same as `at`, for several moments at once, which takes hardly longer than one."""
        moments = list(zip(states, spaces, strict=True))
        return _measure(self.plan, self.skeleton, moments, resets=self.plan.resets)

    def posed(self, channels: Channels) -> Figure:
        """The figure measured in the pose of these channels, by exact forward kinematics.

        Constraints on the figure's bones are ignored; other bones keep their measured pose. The channels come
        from a solve, so axes that are reset are already as near to zero as the locks allow.
        """
        state = self.state_of(channels, self.state.matrix)
        return _measure(self.plan, self.skeleton, [(state, self.space)], resets=False)[0]

    def state_of(
        self, channels: Channels, matrix: npt.NDArray[np.floating[Any]], *, which: Indices | None = None
    ) -> PoseState:
        """The pose of channels, see `posed`; with a leading axis for many poses.

        Args:
            channels: of all bones of the armature.
            matrix: (B, 4, 4) pose matrices, for all other bones.
            which: indices of the bones that are placed by their channels; by default those of the figure.
        """
        count = len(self.bones)
        basis = basis_matrices(self.bones, channels, np.arange(count))
        outside = np.broadcast_to(matrix, basis.shape)
        made = forward(self.bones, basis, outside, self.plan.moving if which is None else which)
        return PoseState(channels, basis, made)

    @cached_property
    def carriers(self) -> Indices:
        """Indices of the bones outside of the figure that carry parts of it."""
        above = self.bones.parents[self.plan.moving]
        return np.setdiff1d(above[above >= 0], self.plan.moving)

    def channels(self, q: npt.ArrayLike, previous: Channels | None = None) -> Channels:
        """Convert coordinates (n,) to channels of the whole armature, in each bone's own rotation mode.

        Those of the solved bones are replaced, except locked components and scale. Quaternions and Euler
        angles are continuous with the channels of the previous frame, by default those of the measured pose.
        """
        plan, skeleton = self.plan, self.skeleton
        before = self.state.channels
        out = before.copy()
        values = skeleton.fixed.copy()
        values.ravel()[skeleton.topology.flat] = q
        turns = rotation.swing_twist_quaternion(values.take(plan.solved_joints, 0)[:, 3:])
        if self._flipped is not None:
            turns[:, 1:] *= self._flipped
        plan.writer.write(turns, before if previous is None else previous, out)
        if plan.sliding.size:
            moved = applied(self.slide_map, values[plan.sliding, :3])
            number = plan.bone[plan.sliding]
            place = out["location"]
            place[number] = np.where(plan.slides[plan.sliding], moved, place[number])
        return out

    @cached_property
    def _flipped(self) -> Array | None:
        """See `half_turns`, for the solved bones."""
        return half_turns(self.state.channels["scale"][self.plan.solved_bones])

    def offset(self, name: str, local: npt.ArrayLike) -> Array:
        """A point (3,) of a bone in its axes, Blender units without scale, in its joint's frame, metres."""
        joint = self.skeleton.index(name)
        pose = self.state.matrix[self.plan.bone[joint], :3, :3].astype(float)
        return self.frames[joint].T @ (pose @ np.asarray(local, dtype=float)) * self.space.scale

    def tip(self, name: str) -> Array:
        """The tail of a bone in its joint's frame; (3,) metres."""
        return self.offset(name, (0.0, self.bones.length[self.bones.number(name)], 0.0))


def read_figure(
    bones: Bones,
    state: PoseState,
    space: Space,
    solved: Iterable[str],
    *,
    root: str = "PINNED",
    root_stiffness: Sequence[float] = (0.0,) * 6,
    carried: Iterable[str] = (),
    stretching: Collection[int] = (),
    limbs: Sequence[Limb] = (),
) -> Figure:
    """Make a figure from bones of an armature.

    Args:
        bones, state, space: of the armature.
        solved: names of the bones whose channels are solved (see `chains.chain_bones`). Unsolved bones
            between them become rigid joints; the parents of the topmost ones keep their present pose.
        root: PINNED, or FREE if the topmost solved bones may also translate.
        root_stiffness: (6,) in [0, 1), of translations x, y, z and rotations x, y, z of a FREE root, in its
            own axes. For rotations, the bone's own stiffness counts if it is larger.
        carried: names of further bones that are needed as rigid joints, for example for collision.
        stretching: indices of the bones whose scale along the bone is also solved.
        limbs: of the armature, if they shall bend correctly.
    """
    numbers = np.array([bones.number(name) for name in dict.fromkeys(solved)], dtype=np.intp)
    if not numbers.size:
        raise Refused(f"Nothing to solve on '{bones.armature}'; add an effector to one of its bones.")
    along = np.array([bones.number(name) for name in carried], dtype=np.intp)
    plan = Joints(
        bones,
        figure_bones(bones, numbers, along),
        numbers,
        root_stiffness=np.array(root_stiffness, dtype=float) if root == "FREE" else None,
        flipped=half_turns(state.channels["scale"]),
        stretching=stretching,
        limbs=limbs,
    )
    return _measure(plan, plan.skeleton, [(state, space)], resets=plan.resets)[0]


def _measure(
    plan: Joints, skeleton: ik.Skeleton, moments: Sequence[tuple[PoseState, Space]], *, resets: bool
) -> list[Figure]:
    """Measure rest frames, constants and coordinates in F poses at once (see the module).

    With `resets`, axes with an IK lock are set to zero.
    """
    states, spaces = [state for state, _ in moments], [space for _, space in moments]
    every = np.array([state.matrix for state in states], dtype=float)
    pose, basis = every[:, plan.bone], np.array([state.basis[plan.bone, :3, :3] for state in states])
    both, depth = rotation_and_depth(np.concatenate([pose[..., :3, :3], basis], 1))
    count = len(plan.bone)
    frames, own_turn = both[:, :count], both[:, count:]
    if not ((depth > 0) & (depth < np.inf)).all() or not np.isfinite(pose[..., :3, 3]).all():
        raise _unsound(plan, pose, depth)
    flipped = half_turns(np.array([state.channels["scale"][plan.bone] for state in states]))
    if flipped is not None:
        own_turn *= flipped[..., None]
    own_turn[:, plan.rigid] = _NO_TURN
    scale = np.array([space.scale for space in spaces])[:, None, None]
    heads = pose[..., :3, 3] * scale

    slide, slide_map = measure_slides(plan, states, every, frames, own_turn, scale)
    fixed = np.concatenate([slide, rotation.swing_twist_turns(own_turn)], -1)
    rest_rotation, rest_translation = rest_frames(plan, frames, heads, own_turn, slide)
    measured, q = fixed.copy(), fixed[:, skeleton.owner, skeleton.slot]
    if resets:
        fixed[..., 3:][:, plan.reset] = 0.0
    exact = _are_exact(plan, every, fixed)
    return [
        Figure(
            space=spaces[row],
            state=state,
            plan=plan,
            skeleton=skeleton.with_rest(rest_rotation[row], rest_translation[row], fixed[row]),
            q=q[row],
            frames=frames[row],
            heads=heads[row],
            slide_map=slide_map[row],
            measured=measured[row],
            exact=bool(exact[row]),
        )
        for row, state in enumerate(states)
    ]


def _are_exact(plan: Joints, matrix: Array, fixed: Array) -> Flags:
    """(F,) whether rigid joints describe the bones in every pose.

    They do if no solved bone turns in a sheared space, and if locks of rotation channels are also locks of
    coordinates.
    """
    exact = np.full(len(matrix), not plan.crosses)
    if plan.keeps:
        exact &= (np.abs(fixed[..., 3:][:, plan.kept]) <= _KEPT_ZERO).all(-1)
    if plan.sensitive.size:
        parent = matrix[:, plan.sensitive_parents, :3, :3]
        gram = transposed(parent) @ parent
        size = gram[..., 1, 1, None, None]
        exact &= (np.abs(gram - size * _NO_TURN) <= 2 * _CONFORMAL * size).all((1, 2, 3))
    return exact


def _unsound(plan: Joints, pose: Array, depth: Array) -> Refused:
    """The error for the first bone whose pose or basis matrix is not finite, flat or mirrored.

    The poses are (F, J, 4, 4); depth (F, 2 J) is of these and of the basis matrices.
    """
    count, bones = len(plan.bone), plan.bones
    finite = np.isfinite(pose).all((-1, -2))
    sound = (depth > 0) & (depth < np.inf)
    frame, row = divmod(int(np.argmin(sound[:, :count] & sound[:, count:] & finite)), count)
    name = bones.names[plan.bone[row]]
    finite, depth = finite[frame], depth[frame]
    if not finite[row] or np.isinf(depth[[row, row + count]]).any():
        reason = "has a transform with infinite or undefined values; clear it."
    elif (depth[[row, row + count]] < 0).any():
        reason = "is mirrored by a negative scale, on itself or on a bone above it; make the scale positive."
    else:
        reason = "is scaled to zero; give it a scale or take it out of the chain."
    return Refused(f"Bone '{name}' of '{bones.armature}' {reason}")
