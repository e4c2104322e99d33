# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones take part in a solve: the chains of the effectors, and bones needed between and beside them."""

from collections.abc import Iterable, Sequence
from typing import Final

import bpy
import numpy as np

from ikmath.arrays import Array
from ikmath.model.figure_map import Kind

from ..properties.refusal import Refused
from .armature import Bones, Indices
from .bone_map import BoneMap
from .feet import carrier, feet

_HANGS: Final = 0.7  # cosine of the angle from straight down up to which an arm hangs
Chain = tuple[str, str]
"""A bone, and the topmost bone that may move for it; "" for no limit."""


def chain_bones(bones: Bones, chains: Iterable[Chain]) -> tuple[str, ...]:
    """Names of all bones on the chains, each once, parents first."""
    order, _ = bones.parents_first
    chosen = np.zeros(len(bones), dtype=bool)
    for name, root in chains:
        if root and bones.number(root) not in bones.ancestors(name):
            raise Refused(
                f"Chain root '{root}' is not '{name}' or a bone above it in armature '{bones.armature}'; "
                "choose one of its parents or leave it empty."
            )
        chosen[list(bones.chain(name, root))] = True
    return tuple(bones.names[number] for number in order[chosen[order]].tolist())


def moving_along(
    armature: bpy.types.Object, whole: BoneMap, chains: Sequence[Chain], root: str
) -> list[Chain]:
    """The chains of limbs that a body moves along with the bones of others; not those with constraints.

    A limb of which an upper bone moves goes on to its hand or foot, as a shin hangs from a raised knee. A leg
    moves with the hips, so that the foot stays nearly where it is. But where only legs are pulled and the
    root is PINNED, nothing takes the hips away from above the others.
    """
    bones = whole.bones
    pulled = [frozenset(bones.ancestors(name)) for name, above in chains if not above]
    moving = frozenset[int]().union(*pulled)
    standing = frozenset[int]().union(*(bones.ancestors(foot) for foot in feet(whole)))
    legs = [limb for limb in whole.kinds.limbs if limb.joints[0] in standing]
    of_legs = {joint for limb in legs for joint in limb.joints}
    carried = root == "FREE" or not all(own & of_legs for own in pulled)
    found = list[Chain]()
    for limb in whole.kinds.limbs:
        own = [*limb.joints, *([limb.end] if limb.end >= 0 else [])]
        names = [bones.names[number] for number in own]
        goes_on = not moving.isdisjoint(limb.joints)
        stands = carried and limb in legs and limb.attached in moving
        free = not any(armature.pose.bones[name].constraints for name in names)
        if (goes_on or stands) and own[-1] not in moving and free:
            found.append((names[-1], ""))
    return found


def hanging_arms(
    armature: bpy.types.Object, whole: BoneMap, chains: Sequence[Chain], up: Array
) -> list[tuple[str, str]]:
    """Upper arms and forearms that hang down in the present pose and are on no chain, but on a moving trunk.

    They swing as it leans. up: (3,) in armature space. Those with constraints stay.
    """
    bones = whole.bones
    on_chains = frozenset[int]().union(*(bones.ancestors(name) for name, _ in chains))
    moving = frozenset[int]().union(*(bones.ancestors(name) for name, above in chains if not above))
    found = []
    for limb in () if whole.kinds.on_fours else whole.kinds.limbs:
        shoulder = limb.joints[0]
        upper, fore = (armature.pose.bones[bones.names[joint]] for joint in limb.joints)
        way = np.array(fore.tail - upper.head)
        hangs = -float(way @ up) > _HANGS * float(np.linalg.norm(way) * np.linalg.norm(up))
        free = shoulder not in on_chains and not upper.constraints and not fore.constraints
        if whole.kinds.kinds[shoulder] == Kind.SHOULDER and hangs and free and limb.attached in moving:
            found.append((upper.name, fore.name))
    return found


def moving_bones(whole: BoneMap, chains: Sequence[Chain], root: str) -> tuple[str, ...]:
    """The same as `chain_bones`, without bones that stay as they are.

    These are parts of the hips at which no chain ends, and bones on the ground while a FREE root moves hips.
    """
    bones, solved = whole.bones, chain_bones(whole.bones, chains)
    ends = {name for chain in chains for name in chain}
    still = {bones.names[number] for number in whole.parts_of_hips} - ends
    top = carrier(whole) if root == "FREE" else -1
    if top >= 0 and all(top in bones.ancestors(name) for name, _ in chains):
        ground = {bones.names[number] for number in bones.ancestors(top)[1:]}
        still |= ground if not ground & {above for _, above in chains} else set()
    return tuple(name for name in solved if name not in still)


def figure_bones(bones: Bones, solved: Indices, carried: Indices) -> Indices:
    """Indices of the bones that become joints, parents first.

    These are the solved bones, unsolved ones between two of them, and those between a solved and a carried
    bone.
    """
    below = np.zeros(len(bones), dtype=bool)  # at or above one of these
    below[solved] = below[carried] = True
    for level in reversed(bones.levels[1:]):
        np.logical_or.at(below, bones.parents[level], below[level])
    joints = below & (bones.nearest(solved) >= 0)
    joints[carried] = True
    order, _ = bones.parents_first
    return order[joints[order]]
