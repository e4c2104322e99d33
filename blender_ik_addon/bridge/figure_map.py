# SPDX-License-Identifier: GPL-3.0-or-later
"""Anatomical kind (spine, elbow, ...), mass and other side of an armature's bones and a figure's joints.

Blender finds sides by name prefixes and suffixes. Other tools use other names ("mixamorig:LeftHand", "Bip01 L
Hand"), but their rest poses are symmetric in X.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Final

import bpy
import numpy as np
from mathutils import Matrix

from ikmath.model.figure_map import FigureMap, Kind, map_figure
from ikmath.model.limb_rows import continued
from ikmath.model.masses import MassPoints, gathered, mass_shares

from ..properties.bone import FROM_FIGURE, bone_settings
from .armature import Array, Bones, Indices
from .skeleton import Figure
from .space import applied, nearest_rotation, transposed

_ROD: Final = 0.5 / sqrt(3.0)  # share of half a bone; two points there have the inertia of a slender rod

_UNTURNED: Final = 1e-4  # tolerance for the entries of rotation matrices in single precision
_STUB: Final = 0.05  # share of the distance from the parent's head; shorter end bones have no length
_LYING: Final = 0.1  # length of the horizontal part of a direction below which it gives no heading
_NEAR: Final = 0.1  # tolerance for the mirrored ends of a bone, as a share of its length
_ACROSS: Final = Matrix.Diagonal((-1.0, 1.0, 1.0))


@dataclass(frozen=True, eq=False)
class BoneMap:
    """The map of an armature in the rest pose.

    Attributes:
        kinds: the map, with joints in the order of the bones, armature space and units.
        mass: (B,) shares of the total mass; ends: (B, 3) of the bones in their rest axes, armature units.
    """

    kinds: FigureMap
    mass: Array
    ends: Array

    @property
    def long_bones(self) -> list[int]:
        """Indices of the long bones of arms and legs."""
        return [joint for limb in self.kinds.limbs for joint in limb.joints]


def bone_map(armature: bpy.types.Object, bones: Bones, up: Array) -> BoneMap:
    """The map of an armature: recognised, with the user's corrections.

    Bones of unknown kind have mass only if they deform, unless none deforms.
    """
    deforming = np.array([armature.data.bones[name].use_deform for name in bones.names], dtype=np.bool_)
    # a kind that the user has set also applies to the other side, unless that has its own
    told = {name: kind for name, kind in bone_settings(armature, "kind").items() if kind != FROM_FIGURE}
    told = {other_side(armature.data.bones, name): kind for name, kind in told.items()} | told
    told.pop("", None)
    order, parents = bones.parents_first
    place = np.argsort(order)
    heads = bones.heads[order]
    tails = heads + bones.rest[order, :3, 1] * _lengths(bones, order)[:, None]
    tails = continued(parents, heads, tails)
    kinds = {int(place[bones.index[name]]): Kind(kind) for name, kind in told.items()}
    found = map_figure(parents, heads, tails, up, kinds).selected(place.tolist())
    known = np.array([kind != Kind.OTHER for kind in found.kinds])
    mass = mass_shares(found)
    if deforming.any():
        mass = np.where(known | deforming, mass, 0.0)
    ends = applied(transposed(bones.rest[:, :3, :3]), found.tails - found.heads)
    return BoneMap(found, mass / (float(mass.sum()) or 1.0), ends)


def _lengths(bones: Bones, order: Indices) -> Array:
    """(B,) lengths of the bones in an order. Some file formats have no lengths and leave stubs at the ends.

    A stub gets half the distance from its parent.
    """
    parents, heads = bones.parents, bones.heads
    ends = (parents >= 0) & ~np.isin(np.arange(len(bones)), parents)
    way = np.linalg.norm(heads - heads[parents], axis=1)
    lengths = np.where(ends & (bones.length < _STUB * way), 0.5 * way, bones.length)
    return np.asarray(lengths[order])


def joint_map(whole: BoneMap, figure: Figure) -> FigureMap:
    """The map of a figure's joints in its measured pose; figure space, metres."""
    bones, own, scale = figure.bones, figure.plan.bone, figure.space.scale
    found = whole.kinds.selected(own.tolist())
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


def mass_points(whole: BoneMap, figure: Figure) -> MassPoints:
    """The masses that a figure's joints carry, including bones that are not joints of it.

    Shares of the whole armature; in a figure with hips they sum to 1.
    """
    bones, joints = figure.bones, figure.plan.bone
    carrier = bones.nearest(joints)  # the joint that each bone is or is rigidly attached to
    heavy = np.flatnonzero((whole.mass > 0.0) & (carrier >= 0))
    half = 0.5 * _away(whole, figure, heavy)
    middle = figure.state.matrix[heavy, :3, 3].astype(float) + half
    places = np.stack([middle - 2.0 * _ROD * half, middle + 2.0 * _ROD * half], 1) * figure.space.scale
    on = np.repeat(carrier[heavy], 2)
    away = places.reshape(-1, 3) - figure.heads[on]
    offsets = applied(transposed(figure.frames[on]), away)
    mass = np.repeat(0.5 * whole.mass[heavy], 2)
    body = whole.kinds.body
    total = float(mass.sum())
    if total > 0.0 and (body < 0 or body in joints):
        mass = mass / total
    return gathered(MassPoints(on, offsets, mass))


def other_side(bones: Any, name: str) -> str:
    """Name of the bone on the other side; "" if there is none, for example for bones in the middle."""
    flipped = bpy.utils.flip_name(name)
    if flipped != name or name not in bones:
        return flipped if flipped in bones else ""
    own = bones[name]
    if _off(own, own) <= _NEAR * own.length:
        return ""
    found = {each.name: _off(own, each) for each in bones if each.name != name}
    nearest = min(found, key=lambda each: found[each], default="")
    return nearest if nearest and found[nearest] <= _NEAR * own.length else ""


def mirrored_axes(own: Any, other: Any) -> Matrix:
    """Matrix from a bone's axes to those of its mirror image.

    A reflection at the bone's own YZ plane if the two are not symmetric at rest.
    """
    if _off(own, other) > _NEAR * own.length:
        return _ACROSS
    return other.matrix_local.to_3x3().transposed() @ _ACROSS @ own.matrix_local.to_3x3()


def _off(own: Any, other: Any) -> float:
    """Largest distance of a bone's ends from the mirrored ends of another one, the armature's units."""
    return max(
        (_ACROSS @ own.head_local - other.head_local).length,
        (_ACROSS @ own.tail_local - other.tail_local).length,
    )
