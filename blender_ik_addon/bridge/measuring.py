# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures rest frames and translations of a figure in its poses, for many frames at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .armature import Array, Bones, Floats, PoseState
from .inheritance import parent_transforms
from .joints import Joints
from .space import nearest_rotation


def measure_slides(
    bones: Bones,
    plan: Joints,
    states: Sequence[PoseState],
    every: Array,
    frames: Array,
    own_turn: Array,
    scale: Array,
) -> tuple[Array, Array]:
    """Translations of the joints, and the inverse map to the bones' locations.

    Args:
        bones: the armature; plan: its joints.
        states: F poses; every: (F, B, 4, 4) their matrices.
        frames: (F, J, 3, 3) of the joints, figure space; those of joints that only translate are set here.
        own_turn: (F, J, 3, 3) the joints' own rotations.
        scale: (F, 1, 1) metres per unit of the armature.

    Returns:
        (F, J, 3) metres; (F, k, 3, 3) from the translations of the k sliding joints to their bones'
            `location`.
    """
    slide = np.zeros((*frames.shape[:2], 3))
    if not plan.sliding.size:
        return slide, np.zeros((len(states), 0, 3, 3))
    which, place = plan.bone[plan.sliding], plan.place
    if place is None:
        above = bones.parents[which]
        place = np.array([parent_transforms(bones, which, one[above])[1] for one in every])[..., :3, :3]
    if plan.apart.size:
        frames[:, plan.apart] = nearest_rotation(place[..., plan.apart_rows, :, :])
    axes = frames[:, plan.sliding] @ transposed(own_turn[:, plan.sliding])
    from_location = transposed(axes) @ place * scale[..., None]
    location = np.array([state.channels.location[which] for state in states])
    slide[:, plan.sliding] = applied(from_location, location)
    return slide, np.linalg.inv(from_location)


def rest_frames(
    plan: Joints, frames: Array, heads: Array, own_turn: Array, slide: Array
) -> tuple[Array, Array]:
    """(F, J, 3, 3) rest rotations and (F, J, 3) rest positions in the parents' frames, metres.

    Args:
        plan: the joints.
        frames: (F, J, 3, 3) and heads: (F, J, 3) of the posed joints, figure space.
        own_turn: (F, J, 3, 3) the joints' own rotations; slide: (F, J, 3) their translations.
    """
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
    """The axes that bones reverse by a negative scale along two axes, which is a half turn.

    The rotation channels do not include this half turn. In them the bone turns about axes that point the
    other way.

    Args:
        scale: (..., 3).

    Returns:
        (..., 3) -1 for reversed axes, else 1; None if there are none.
    """
    negative = scale < 0.0
    if not negative.any():
        return None
    return np.where(negative & (negative.sum(-1, keepdims=True) == 2), -1.0, 1.0)


def transposed(frames: Array) -> Array:
    """Transposed matrices (..., 3, 3), the inverse rotations."""
    return frames.swapaxes(-1, -2)


def applied(matrices: Array, vectors: Array) -> Array:
    """Products of (..., 3, 3) and (..., 3)."""
    return np.asarray((matrices @ vectors[..., None])[..., 0])
