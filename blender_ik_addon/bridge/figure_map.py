# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of an armature for the joints of a figure in the pose in which it was measured."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import Final

import numpy as np

from ikmath.model.figure_map import FigureMap
from ikmath.model.masses import MassPoints, gathered

from .armature import Array, Indices
from .bone_map import BoneMap, map_of_some
from .skeleton import Figure
from .space import applied, nearest_rotation, transposed

_ROD: Final = 0.5 / sqrt(3.0)  # share of half a bone; two points there have the inertia of a slender rod

_UNTURNED: Final = 1e-4  # tolerance for the entries of rotation matrices in single precision
_LYING: Final = 0.1  # length of the horizontal part of a direction below which it gives no heading


def joint_map(whole: BoneMap, figure: Figure) -> FigureMap:
    """The map of a figure's joints in its measured pose; figure space, metres."""
    bones, own, scale = figure.bones, figure.plan.bone, figure.space.scale
    found = map_of_some(whole.kinds, own.tolist())
    # a hinge axis is fixed in the bone above it
    above = bones.parents[own]
    now, at_rest = (nearest_rotation(m[above, :3, :3]) for m in (figure.state.matrix, bones.rest))
    turned = now @ transposed(at_rest)
    turned[above < 0] = np.eye(3)
    forward = facing(whole, figure)
    return replace(
        found,
        hinge=applied(turned, found.hinge),
        heads=figure.heads,
        tails=figure.heads + applied(figure.frames, bone_ends(whole, figure)),
        forward=forward,
        left=np.cross(found.up, forward),
        size=scale * found.size,
    )


def bone_ends(whole: BoneMap, figure: Figure) -> Array:
    """(J, 3) ends of the bones in their joints' axes, metres."""
    away = _away(whole, figure, figure.plan.bone)
    return applied(transposed(figure.frames), away) * figure.space.scale


def _away(whole: BoneMap, figure: Figure, which: Indices) -> Array:
    """(K, 3) from heads of bones to their ends in the measured pose; figure space, armature units."""
    return applied(figure.state.matrix[which, :3, :3].astype(float), whole.ends[which])


def limbs_at_rest(whole: BoneMap, figure: Figure) -> bool:
    """Whether all long bones of arms and legs have their rest rotation, for example in a T-pose."""
    long = whole.long_bones
    turned = figure.state.basis[long, :3, :3]
    return bool(long) and bool((np.abs(turned - np.eye(3)) < _UNTURNED).all())


def facing(whole: BoneMap, figure: Figure) -> Array:
    """(3,) horizontal heading of a figure in its measured pose, figure space."""
    found, bones, body = whole.kinds, figure.bones, whole.kinds.body
    joint = np.flatnonzero(figure.plan.bone == body)
    if not joint.size:
        return found.forward
    way = figure.frames[joint[-1]] @ nearest_rotation(bones.rest[body, :3, :3]).T @ found.forward
    way = way - found.up * (way @ found.up)
    length = float(np.linalg.norm(way))
    return np.asarray(way / length if length > _LYING else found.forward)


def mass_points(whole: BoneMap, figure: Figure, hanging: Sequence[int]) -> MassPoints:
    """The masses that a figure's joints carry, including bones that are not joints of it.

    Shares of the whole armature; in a figure with hips they sum to 1. Arms that hang, by their first joints,
    go with the trunk when it turns: they weigh on it at the shoulder, as a pendulum does.
    """
    bones, joints = figure.bones, figure.plan.bone
    own = np.flatnonzero(~figure.skeleton.ancestors[:, hanging].any(1))
    nearest = bones.nearest(joints[own])  # the joint that each bone is or is attached to
    carrier = np.where(nearest >= 0, own[nearest], -1)
    heavy = np.flatnonzero((whole.mass > 0.0) & (carrier >= 0))
    half = 0.5 * _away(whole, figure, heavy)
    middle = figure.state.matrix[heavy, :3, 3].astype(float) + half
    places = np.stack([middle - 2.0 * _ROD * half, middle + 2.0 * _ROD * half], 1) * figure.space.scale
    for arm in hanging:
        places[bones.nearest(joints[[arm]])[heavy] >= 0] = figure.heads[arm]
    on = np.repeat(carrier[heavy], 2)
    away = places.reshape(-1, 3) - figure.heads[on]
    offsets = applied(transposed(figure.frames[on]), away)
    mass = np.repeat(0.5 * whole.mass[heavy], 2)
    body = whole.kinds.body
    total = float(mass.sum())
    if total > 0.0 and (body < 0 or body in joints):
        mass = mass / total
    return gathered(MassPoints(on, offsets, mass))
