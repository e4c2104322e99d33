# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding and removing effectors and their targets: data only, no context and no selection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Matrix

from ..properties.access import rig_of
from ..properties.check import SAME_PLACE
from ..properties.effector import ArticulateEffector
from ..properties.kinds import KINDS
from ..properties.refusal import Refused

# Custom property that marks Empties made by the add-on, so that no other object is ever deleted.
MADE_HERE = "articulate_target"
_COPIED = (
    "bone",
    "kind",
    "point",
    "subtarget",
    "weight",
    "priority",
    "chain_root",
    "axis",
    "one_sided",
)


@dataclass(frozen=True, kw_only=True)
class NewEffector:
    """What an effector is to be; see `properties.effector` for the meaning of the fields.

    Attributes:
        target: name of an object, or "" for a new Empty at the effector's own place.
        pinned: it stays where it is now and has no target.
    """

    bone: str
    kind: str = "POSITION"
    target: str = ""
    subtarget: str = ""
    name: str = ""
    point: str = "TIP"
    weight: float = 1.0
    priority: int = 0
    chain_root: str = ""
    axis: str = "Y"
    one_sided: bool = False
    pinned: bool = False


@dataclass(frozen=True, kw_only=True)
class TargetLook:
    """How a new target is drawn.

    Attributes:
        display: a display type of Empties, for kinds that only move the bone.
        size: share of the bone's length.
    """

    display: str = "SPHERE"
    size: float = 0.4


def add_effectors(
    armature: bpy.types.Object, news: Sequence[NewEffector], depsgraph: bpy.types.Depsgraph, look: TargetLook
) -> list[ArticulateEffector]:
    """Add effectors, each with an Empty as its target unless one is named: all of them or, if refused, none.

    Args:
        armature: the original armature object.
        news: what to add.
        depsgraph: evaluated; tells where the bones are now.
        look: how a new Empty is drawn.

    Raises:
        Refused: unknown bone, kind, target or chain root, or an effector that is there already.
    """
    targets = [_check(armature, new) for new in news]
    rig = rig_of(armature)
    for new, target in zip(news, targets, strict=True):
        name = _free_name(rig.effectors, new)
        effector = rig.effectors.add()
        effector.name = name
        for field in _COPIED:
            setattr(effector, field, getattr(new, field))
        if new.pinned:
            hold(armature, effector, depsgraph)
        else:
            effector.target = target or create_target(armature, effector, depsgraph, look)
    rig.active_effector = len(rig.effectors) - 1
    # A collection moves its items when it grows: hand out references only now.
    return list(rig.effectors[-len(news) :])


def hold(armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> None:
    """Pin an effector where it is now; a target that it had is let go.

    Raises:
        Refused: the effector's bone does not exist.
    """
    pose_bone, matrix = _posed(armature, effector, depsgraph)
    effector.target, effector.subtarget = None, ""
    effector.pinned = True
    # Setting it looks at the original, which knows of the last redraw only.
    effector.pin_location = matrix @ effector.first_target(pose_bone.bone)
    effector.pin_rotation = matrix.to_quaternion()


def create_target(
    armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph, look: TargetLook
) -> bpy.types.Object:
    """An Empty where the effector is now, without parent, in the armature's collection, as its target.

    Raises:
        Refused: the effector's bone does not exist.
    """
    pose_bone, matrix = _posed(armature, effector, depsgraph)
    turns = effector.kind_info.turns
    empty = bpy.data.objects.new(f"Target {effector.name}", None)
    display: Any = effector.kind_info.target or look.display
    empty.empty_display_type = display
    empty.empty_display_size = max(pose_bone.length * matrix.median_scale * look.size, 1e-4)
    empty.rotation_mode = "QUATERNION"
    place = Matrix.Translation(matrix @ effector.first_target(pose_bone.bone))
    empty.matrix_world = place @ matrix.to_quaternion().to_matrix().to_4x4() if turns else place
    empty[MADE_HERE] = True
    _collection_for(armature, depsgraph).objects.link(empty)
    effector.target, effector.subtarget = empty, ""
    return empty


def remove_effector(armature: bpy.types.Object, name: str, *, delete_target: bool = False) -> None:
    """Remove one effector, and on request the Empty that was made for it if nothing else uses it.

    Raises:
        Refused: there is no effector of that name.
    """
    rig = rig_of(armature)
    index = rig.effectors.find(name)
    if index < 0:
        known = ", ".join(f"'{effector.name}'" for effector in rig.effectors) or "none"
        raise Refused(f"Armature '{armature.name}' has no effector '{name}'; it has: {known}")
    target = rig.effectors[index].target
    rig.effectors.remove(index)
    rig.active_effector = max(0, min(rig.active_effector, len(rig.effectors) - 1))
    if delete_target and target is not None and _only_ours(target):
        bpy.data.objects.remove(target)


def clear(armature: bpy.types.Object, *, delete_targets: bool = False) -> int:
    """Remove all effectors and the last report; solver and bake settings stay.

    Returns:
        How many effectors there were.
    """
    names = [effector.name for effector in rig_of(armature).effectors]
    for name in names:
        remove_effector(armature, name, delete_target=delete_targets)
    rig_of(armature).report_json = ""
    rig_of(armature).message = ""
    return len(names)


def _posed(
    armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph
) -> tuple[bpy.types.PoseBone, Matrix]:
    """An effector's bone, evaluated, and where that is in the world.

    Raises:
        Refused: it does not exist.
    """
    shown = armature.evaluated_get(depsgraph)
    pose_bone = shown.pose.bones.get(effector.bone)
    if pose_bone is None:
        raise Refused(
            f"Effector '{effector.name}': the armature '{armature.name}' has no bone '{effector.bone}'",
            effector.name,
        )
    return pose_bone, shown.matrix_world @ pose_bone.matrix


def _check(armature: bpy.types.Object, new: NewEffector) -> bpy.types.Object | None:
    """Everything that can be wrong, before anything is made; returns the target that is named."""
    if armature.library is not None:
        raise Refused(
            f"Armature '{armature.name}' is linked from another file: make a library override of it first"
        )
    bones = armature.data.bones
    for role, name in (("bone", new.bone), ("chain root", new.chain_root)):
        if name not in bones and (name or role == "bone"):
            raise Refused(
                f"Armature '{armature.name}' has no bone '{name}' that could be the effector's {role}"
            )
    if new.chain_root and new.chain_root not in {
        new.bone,
        *(b.name for b in bones[new.bone].parent_recursive),
    }:
        raise Refused(f"Chain root '{new.chain_root}' is not an ancestor of bone '{new.bone}'")
    if new.kind not in KINDS:
        raise Refused(f"There is no kind of effector '{new.kind}'; use one of: {', '.join(KINDS)}")
    for other in rig_of(armature).effectors if KINDS[new.kind].asks != ("plane",) else ():
        if (other.bone, other.kind, other.point) == (
            new.bone,
            new.kind,
            new.point,
        ) and other.offset.length < SAME_PLACE:
            label = KINDS[new.kind].label
            raise Refused(
                f"Bone '{new.bone}' has an effector of the kind {label} already: '{other.name}'", other.name
            )
    if not new.target:
        return None
    target = bpy.data.objects.get(new.target)
    if target is None:
        raise Refused(f"There is no object '{new.target}' that could be the target of bone '{new.bone}'")
    if target is armature and not new.subtarget:
        raise Refused(f"Armature '{armature.name}' cannot be the target of its own bone '{new.bone}'")
    if new.subtarget and (target.type != "ARMATURE" or new.subtarget not in target.data.bones):
        raise Refused(f"Object '{new.target}' has no bone '{new.subtarget}' that could be the target")
    return target


def _free_name(others: Iterable[ArticulateEffector], new: NewEffector) -> str:
    """The bone's name where it is free, else with the kind, else with a number."""
    taken = {effector.name for effector in others}
    wanted = new.name or new.bone
    candidates = [wanted, f"{wanted} {KINDS[new.kind].label}"]
    candidates += [f"{candidates[-1]}.{number:03d}" for number in range(1, len(taken) + 2)]
    return next(name for name in candidates if name not in taken)


def _collection_for(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Collection:
    scene = bpy.data.scenes[depsgraph.scene.name]
    inside = {scene.collection, *scene.collection.children_recursive}
    editable = (
        c
        for c in armature.users_collection
        if c in inside and c.library is None and c.override_library is None
    )
    return next(editable, scene.collection)


def _only_ours(target: bpy.types.Object) -> bool:
    """Whether an Empty was made by the add-on and no other effector follows it."""
    followers = (
        effector.target
        for candidate in bpy.data.objects
        if candidate.type == "ARMATURE"
        for effector in rig_of(candidate).effectors
    )
    return bool(target.get(MADE_HERE)) and target.library is None and target not in set(followers)
