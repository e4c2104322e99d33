# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a figure: their bones, their free coordinates, and their frames, measured in poses.

Bones and coordinates are constant over an animation. Many poses are measured at once.
"""

from collections.abc import Collection, Sequence
from itertools import compress

import numpy as np

import ikmath as ik

from .armature import AXES, Array, Bones, Flags, Floats, Indices, PoseState
from .inheritance import parent_transforms
from .limbs import Limb, LimbJoints
from .rotation_channels import RotationChannels, channel_of, writable
from .space import applied, nearest_rotation, transposed

# Minimum cosine between a bend and its correct axis; sine of a bend that is too small to be wrong.
_DRAWN = -0.1, np.sin(np.radians(5.0))
_STRAIGHT = 0.94, np.sin(np.radians(1.0))  # a limb that is straight at rest may also bend sideways


class Joints:
    """J joints, parents first. Arrays are over joints unless stated otherwise.

    Args:
        bones: the armature; also an attribute.
        members: indices of the bones that become joints, parents first; solved: of those that are solved.
        root_stiffness, stretching, limbs: see `read_figure`; the root is pinned without a stiffness.
        flipped: (B, 3) -1 for axes that point the other way in joints, see `half_turns`.

    Attributes:
        names: those of the bones; a joint that only translates has its own name.
        bone: (J,) index of the bone in the armature.
        parents: (J,) parent joint, -1 for the topmost; top: (k,) the topmost joints.
        turning: (J,) whether the bone is solved, with its rotation in the coordinates.
        turns: (J, 3) free rotations; slides: (J, 3) free translations.
        reset: (J, 3) axes with an IK lock, which are set to zero.
        kept: (J, 3) axes locked by single components of `lock_rotation`; exact only if their values are zero.
        resets, keeps: whether there are such axes; crosses: whether a bone has locked components that are not
            axes of its joint.
        rigid: (k,) joints that are not turning; apart_turning: (k,) joints that do not inherit rotation.
        sliding: (k,) joints with translations; apart: those of them that only translate; apart_rows: their
            rows in `sliding`.
        sensitive: (k,) joints that inherit their parents' shear; sensitive_parents: (k,) the parent bones.
        solved_joints: (k,) joints that are turning; solved_bones: (k,) their bones.
        moving: bones of all joints.
        writer: writes the rotations of `solved_joints` into channels.
        keyed: (bone, channel, index) of each component that `Figure.channels` may change and a bake must key.
        limbs: arms and legs with a known bend direction; None if there are none.
        skeleton: for ikmath, with all rest frames at the origin.
    """

    def __init__(
        self,
        bones: Bones,
        members: Indices,
        solved: Indices,
        *,
        root_stiffness: Array | None,
        flipped: Array | None,
        stretching: Collection[int],
        limbs: Sequence[Limb],
    ) -> None:
        self.bones = bones
        slidable = np.zeros((len(bones), 3), dtype=bool)  # axes along which bones can be moved
        stiffness = np.concatenate([np.zeros((len(bones), 3)), bones.ik_stiffness], -1)
        if root_stiffness is not None:
            topmost, slidable_root = root_slides(bones, solved)
            stiffness[topmost] = np.maximum(stiffness[topmost], root_stiffness)
            slidable[topmost] = slidable_root
        self.names, b, self.parents, only_slides, joint_of = _rows(bones, members, slidable)
        self.bone, self.moving = b, members
        self.top = np.flatnonzero(self.parents < 0)
        under_slider = (self.parents >= 0) & only_slides[self.parents]
        inherits = bones.inherit_rotation[b] | (bones.parents[b] < 0) | only_slides
        locked = bones.lock_rotation[b]
        self.turning = np.isin(b, solved) & ~only_slides
        self.turns = ~bones.lock_ik[b] & ~locked & self.turning[:, None]
        self.slides = slidable[b] & ~under_slider[:, None]
        self.reset = bones.lock_ik[b] & ~locked & self.turning[:, None]
        self.kept, crossing = _component_locks(bones, b, self.turns, self.turns | self.reset)
        self.resets, self.keeps = bool(self.reset.any()), bool(self.kept.any())
        self.crosses = bool(crossing.any())
        self.rigid, self.apart_turning = np.flatnonzero(~self.turning), np.flatnonzero(~inherits)
        self.sliding, self.apart = np.flatnonzero(self.slides.any(-1)), np.flatnonzero(only_slides)
        self.apart_rows = np.flatnonzero(only_slides[self.sliding])
        takes_shear = np.isin(bones.inherit_scale[b], ("FULL", "FIX_SHEAR"))
        self.sensitive = np.flatnonzero(self.turning & takes_shear & (bones.parents[b] >= 0))
        self.sensitive_parents = bones.parents[b[self.sensitive]]
        self.solved_joints = np.flatnonzero(self.turning)
        self.solved_bones = b[self.solved_joints]
        self.writer = RotationChannels(bones, self.solved_bones)
        self.keyed = _keyed(bones, self.solved_bones, slidable, stretching)
        free = np.concatenate([self.slides, self.turns], -1)
        self.limbs = _limb_joints(self, limbs, joint_of, free)
        backward = np.zeros_like(locked) if flipped is None else flipped[b] < 0.0
        lower, upper = _limits(bones, b, backward)
        self.skeleton = ik.Skeleton(
            ik.Joint(
                name,
                None if parent < 0 else self.names[parent],
                turns="".join(compress(AXES, self.turns[j])),
                slides="".join(compress(AXES, self.slides[j])),
                lower=lower[j][free[j]],
                upper=upper[j][free[j]],
                stiffness=stiffness[b[j]][free[j]],
                inherit_rotation=bool(inherits[j]),
            )
            for j, (name, parent) in enumerate(zip(self.names, self.parents.tolist(), strict=True))
        )


def _limits(bones: Bones, b: Indices, backward: Flags) -> tuple[Array, Array]:
    """Lower and upper limits (J, 6) of the coordinates of bones, free or not; translations have none.

    `backward` (J, 3) are the axes that point the other way.
    """
    limited, unlimited = bones.use_ik_limit[b], np.full((len(b), 3), np.inf)
    lower = np.where(limited, bones.ik_min[b], -np.inf)
    upper = np.where(limited, bones.ik_max[b], np.inf)
    return (
        np.concatenate([-unlimited, np.where(backward, -upper, lower)], -1),
        np.concatenate([unlimited, np.where(backward, -lower, upper)], -1),
    )


def root_slides(bones: Bones, solved: Indices) -> tuple[list[int], Flags]:
    """The k topmost solved bones, and (k, 3) the axes along which they could be moved."""
    above = np.append(bones.nearest(solved), -1)[bones.parents[solved]]
    topmost = solved[above < 0].tolist()
    return topmost, ~bones.lock_location[topmost] & ~bones.connected[topmost][:, None]


def _rows(
    bones: Bones, members: Indices, slidable: Flags
) -> tuple[tuple[str, ...], Indices, Indices, Flags, dict[int, int]]:
    """Joints for bones, parents first: `names`, `bone`, `parents`, which only translate, and joint by bone.

    A bone that moves along other axes than it turns about gets a separate joint for its translation.
    """
    odd_axes = ~bones.local_location | (~bones.inherit_rotation & (bones.parents >= 0))
    rows: list[tuple[str, int, int, bool]] = []
    joint_of: dict[int, int] = {}
    for number in members.tolist():
        name, above = bones.names[number], joint_of.get(int(bones.parents[number]), -1)
        if slidable[number].any() and odd_axes[number]:
            own = f"{name} location"
            while own in bones.index:
                own += "'"
            rows.append((own, number, above, True))
            above = len(rows) - 1
        joint_of[number] = len(rows)
        rows.append((name, number, above, False))
    names, bone, parents, only_slides = zip(*rows, strict=True)
    as_numbers = np.array(bone, dtype=np.intp), np.array(parents, dtype=np.intp)
    return names, *as_numbers, np.array(only_slides), joint_of


def _limb_joints(
    plan: Joints, found: Sequence[Limb], joint_of: dict[int, int], free: Flags
) -> LimbJoints | None:
    """The limbs among the joints, see `LimbJoints`; `free` (J, 6) are the coordinates of all joints."""
    number = np.cumsum(free.ravel()).reshape(free.shape) - 1  # index of each coordinate, if it is free
    rows = []
    for limb in found:
        upper, lower = joint_of.get(limb.upper, -1), joint_of.get(limb.lower, -1)
        end = joint_of.get(limb.end, -1)
        if min(upper, lower) < 0 or not plan.turns[[upper, lower]].all():
            continue
        if np.isin([upper, lower, end], plan.apart_turning).any():
            continue
        if plan.parents[lower] != upper or (end >= 0 and plan.parents[end] != lower):
            continue
        back = plan.bones.offset[limb.lower, :3, :3].T
        bounds = _DRAWN if limb.drawn else _STRAIGHT
        told = back @ limb.first, limb.second, back @ limb.axis
        twists = number[[upper, lower], 4]
        rows.append((upper, lower, end, number[lower, 3:], twists, *told, limb.stands, *bounds))
    return LimbJoints(*(np.array(column) for column in zip(*rows, strict=True))) if rows else None


def _component_locks(bones: Bones, b: Indices, turns: Flags, written: Flags) -> tuple[Flags, Flags]:
    """Axes with single `lock_rotation` flags, and whether the locked component is another coordinate.

    `turns` (k, 3) are the free axes, `written` also those that are set to zero.

    If the locked components are zero, a hinge is the same in every rotation mode except axis and angle. A
    swing about one axis with twist equals an Euler order with Y before the other axis. A swing without twist
    is a quaternion without y.
    """
    kept = np.zeros((len(b), 3), dtype=bool)
    crossing = np.zeros(len(b), dtype=bool)
    for j, number in enumerate(b.tolist()):
        mode, free = str(bones.rotation_mode[number]), turns[j]
        may_write = writable(bones, b[j : j + 1], mode)[0]
        if may_write.all() or not written[j].any():
            continue
        kept[j] = bones.lock_rotation[number]
        if mode == "AXIS_ANGLE" or (mode == "QUATERNION" and not may_write[0]):
            crossing[j] = True
        elif free.sum() == 2 and mode == "QUATERNION":
            crossing[j] = free[1]
        elif free.sum() == 2:
            crossing[j] = not free[1] or mode.index("Y") > mode.index("X" if free[0] else "Z")
    return kept, crossing


def _keyed(
    bones: Bones, solved: Indices, slidable: Flags, stretching: Collection[int]
) -> tuple[tuple[str, str, int], ...]:
    keys: list[tuple[str, str, int]] = []
    for number in solved.tolist():
        name, mode = bones.names[number], str(bones.rotation_mode[number])
        keys += [(name, "location", int(i)) for i in np.flatnonzero(slidable[number])]
        free = writable(bones, np.array([number]), mode)[0]
        keys += [(name, channel_of(mode), int(i)) for i in np.flatnonzero(free)]
        if number in stretching:
            keys.append((name, "scale", 1))
    return tuple(keys)


def measure_slides(
    plan: Joints, states: Sequence[PoseState], every: Array, frames: Array, own_turn: Array, scale: Array
) -> tuple[Array, Array]:
    """Translations of the joints, and the inverse map to the bones' locations.

    Args:
        plan: of the figure.
        states, every: F poses and their matrices (F, B, 4, 4).
        frames: (F, J, 3, 3) of the joints, figure space; those of joints that only translate are set here.
        own_turn: (F, J, 3, 3) the joints' own rotations.
        scale: (F, 1, 1) metres per unit of the armature.

    Returns:
        (F, J, 3) metres; (F, k, 3, 3) from those of the k sliding joints to their bones' `location`.
    """
    slide = np.zeros((*frames.shape[:2], 3))
    if not plan.sliding.size:
        return slide, np.zeros((len(states), 0, 3, 3))
    which = plan.bone[plan.sliding]
    above = plan.bones.parents[which]
    place = parent_transforms(plan.bones, which, every[:, above])[1][..., :3, :3]
    if plan.apart.size:
        frames[:, plan.apart] = nearest_rotation(place[..., plan.apart_rows, :, :])
    axes = frames[:, plan.sliding] @ transposed(own_turn[:, plan.sliding])
    from_location = transposed(axes) @ place * scale[..., None]
    location = np.array([state.channels["location"][which] for state in states])
    slide[:, plan.sliding] = applied(from_location, location)
    return slide, np.linalg.inv(from_location)


def rest_frames(
    plan: Joints, frames: Array, heads: Array, own_turn: Array, slide: Array
) -> tuple[Array, Array]:
    """(F, J, 3, 3) rest rotations and (F, J, 3) rest positions in the parents' frames, metres."""
    base_frames, base_heads = frames[:, plan.parents], heads[:, plan.parents]
    base_frames[:, plan.top], base_heads[:, plan.top] = np.eye(3), 0.0
    back = transposed(base_frames)
    turned = frames @ transposed(own_turn)
    rotations = back @ turned
    rotations[:, plan.apart_turning] = turned[:, plan.apart_turning]
    places = applied(back, heads - base_heads)
    if plan.sliding.size:
        places[:, plan.sliding] -= applied(rotations[:, plan.sliding], slide[:, plan.sliding])
    return rotations, places


def half_turns(scale: Floats) -> Array | None:
    """(..., 3) -1 for axes that a negative scale along two axes reverses, else 1; None if there are none.

    This is a half turn that the rotation channels do not include. In them the bone turns about axes that
    point the other way.
    """
    negative = scale < 0.0
    if not negative.any():
        return None
    return np.where(negative & (negative.sum(-1, keepdims=True) == 2), -1.0, 1.0)
