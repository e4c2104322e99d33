# SPDX-License-Identifier: GPL-3.0-or-later
"""Anatomical kind (spine, elbow, ...), mass and other side of an armature's bones.

Blender finds sides by name prefixes and suffixes. Other tools use other names ("mixamorig:LeftHand", "Bip01 L
Hand"), but their rest poses are symmetric in X.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import bpy
import numpy as np
from mathutils import Matrix

from ikmath.model.figure_map import FigureMap, Kind, map_figure
from ikmath.model.limb_rows import continued
from ikmath.model.masses import mass_shares

from ..properties.bone import FROM_FIGURE, bone_settings
from .armature import Array, Bones, Flags, Indices, read_bones
from .space import applied, transposed, upward

_STUB: Final = 0.05  # share of the distance from the parent's head; shorter end bones have no length
_FAR: Final = 3.0  # of that distance: a foot that is a root is no farther from its leg's last bone
_NEAR: Final = 0.1  # tolerance for the mirrored ends of a bone, as a share of its length
_LISTS: Final = ("girdle", "joints", "rest", "row", "folds")  # what of a limb lists joints
_ACROSS: Final = Matrix.Diagonal((-1.0, 1.0, 1.0))


@dataclass(frozen=True, eq=False)
class BoneMap:
    """The map of an armature in the rest pose.

    Attributes:
        bones: of the armature.
        kinds: the map, with joints in the order of the bones, armature space and units.
        mass: (B,) shares of the total mass; ends: (B, 3) of the bones in their rest axes, armature units.
        rooted: the last bone of a leg -> its foot, where that is no child of it but a root.
    """

    bones: Bones
    kinds: FigureMap
    mass: Array
    ends: Array
    rooted: Mapping[int, int]

    @property
    def long_bones(self) -> list[int]:
        """Indices of the long bones of arms and legs."""
        return [joint for limb in self.kinds.limbs for joint in limb.joints]

    @property
    def parts_of_hips(self) -> set[int]:
        """The bones between the hips and the thighs of a figure on two legs: halves of one pelvis."""
        kinds, bones = self.kinds, self.bones
        legs = [limb for limb in kinds.limbs if limb.foot in kinds.feet and len(kinds.feet) == 2]
        above = {number for leg in legs for number in bones.ancestors(leg.joints[0])[1:]}
        return {number for number in above if kinds.kinds[number] == Kind.CLAVICLE}

    def legs_of(self, bone: int) -> list[tuple[int, int]]:
        """First bone and foot of each leg that hangs from a bone; parts of hips that turn are first."""
        kinds, found, rigid = self.kinds, [], self.parts_of_hips
        spine = self.bones.ancestors(kinds.head) if kinds.head >= 0 else kinds.of_kind(Kind.SPINE)
        for limb in kinds.limbs:
            way = self.bones.ancestors(limb.joints[0])
            if limb.foot in kinds.feet and bone in way[1:]:
                hips = [number for number in way[1 : way.index(bone)] if number not in rigid]
                if not set(hips) & set(spine):
                    found.append(([limb.joints[0], *hips][-1], limb.foot))
        return found


def bone_map(armature: bpy.types.Object, bones: Bones | None = None, up: Array | None = None) -> BoneMap:
    """The map of an armature: recognised, with the user's corrections.

    Bones of unknown kind have mass only if they deform, unless none deforms. The bones are read if they are
    not given, and by default `up` is that of the world.
    """
    bones, up = bones or read_bones(armature), upward(armature) if up is None else up
    deforming = np.array([armature.data.bones[name].use_deform for name in bones.names], dtype=np.bool_)
    # a kind that the user has set also applies to the other side, unless that has its own
    told = {name: kind for name, kind in bone_settings(armature, "kind").items() if kind != FROM_FIGURE}
    told = {other_side(armature.data.bones, name): kind for name, kind in told.items()} | told
    told.pop("", None)
    order, parents = bones.parents_first
    place = np.argsort(order)
    heads = bones.heads[order]
    lengths, stubs = _lengths(bones)
    tails = continued(parents, heads, heads + (bones.rest[:, :3, 1] * lengths[:, None])[order])
    legs, feet = _legs_to_feet(bones, stubs)
    tails[place[legs]] = bones.heads[feet]
    kinds = {int(place[bones.index[name]]): Kind(kind) for name, kind in told.items()}
    found = map_of_some(map_figure(parents, heads, tails, up, kinds), place.tolist())
    known = np.array([kind != Kind.OTHER for kind in found.kinds])
    mass = mass_shares(found)
    if deforming.any():
        mass = np.where(known | deforming, mass, 0.0)
    ends = applied(transposed(bones.rest[:, :3, :3]), found.tails - found.heads)
    rooted = dict(zip(legs.tolist(), feet.tolist(), strict=True))
    return BoneMap(bones, found, mass / (float(mass.sum()) or 1.0), ends, rooted)


def map_of_some(figure: FigureMap, joints: Sequence[int]) -> FigureMap:
    """The map of a figure that has only some of the joints, in another order.

    Limbs that lack one of their long bones are left out; `body` and `head` are -1 where they are missing. Of
    the joints, by their numbers in the map, one that is given twice counts where it is given last.
    """
    place = np.full(len(figure.kinds) + 1, -1)
    chosen = np.array(joints, dtype=np.intp)
    place[chosen] = np.arange(len(chosen))

    def now(old: Sequence[int]) -> tuple[int, ...]:
        return tuple(int(place[j]) for j in old if place[j] >= 0)

    kept = [k for k, limb in enumerate(figure.limbs) if len(now(limb.joints)) == len(limb.joints)]
    limbs = tuple(
        replace(
            limb,
            end=int(place[limb.end]),
            twin=kept.index(limb.twin) if limb.twin in kept else order,
            attached=int(place[limb.attached]),
            **dict[str, Any]((name, now(getattr(limb, name))) for name in _LISTS),
        )
        for order, limb in enumerate(figure.limbs[k] for k in kept)
    )
    twin = place[figure.twin[chosen]]
    return replace(
        figure,
        kinds=tuple(figure.kinds[j] for j in chosen.tolist()),
        limbs=limbs,
        feet=now(figure.feet),
        twin=np.where(twin < 0, np.arange(len(chosen)), twin),
        body=int(place[figure.body]),
        head=int(place[figure.head]),
        **{name: getattr(figure, name)[chosen] for name in ("row", "reach", "hinge", "heads", "tails")},
    )


def _lengths(bones: Bones) -> tuple[Array, Flags]:
    """(B,) lengths, and which bones are stubs, with which formats end that have no lengths.

    A stub gets half the distance from its parent.
    """
    parents, heads = bones.parents, bones.heads
    ends = (parents >= 0) & ~np.isin(np.arange(len(bones)), parents)
    way = np.linalg.norm(heads - heads[parents], axis=1)
    stubs = ends & (bones.length < _STUB * way)
    return np.where(stubs, 0.5 * way, bones.length), stubs


def _legs_to_feet(bones: Bones, stubs: Flags) -> tuple[Indices, Indices]:
    """Last bones of legs, and the feet where they end that are no children of theirs but roots.

    Exported rigs have such feet where IK controls moved them. Leg and foot are the nearest to one another.
    """
    roots = np.flatnonzero(bones.parents < 0)
    tree = bones.nearest(roots)
    figure = int(np.bincount(tree).argmax())
    legs, feet = np.flatnonzero(stubs & (tree == figure)), np.delete(roots, figure)
    if not len(legs) or not len(feet):
        return legs[:0], feet[:0]
    apart = np.linalg.norm(bones.heads[legs][:, None] - bones.heads[feet][None], axis=2)
    foot, leg = apart.argmin(1), apart.argmin(0)
    way = np.linalg.norm(bones.heads[legs] - bones.heads[bones.parents[legs]], axis=1)
    met = (leg[foot] == np.arange(len(legs))) & (apart.min(1) <= _FAR * way)
    return legs[met], feet[foot[met]]


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
