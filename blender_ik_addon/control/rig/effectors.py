# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds and removes effectors and their targets: changes data only, without context or selection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
from mathutils import Matrix, Vector

from ikmath.model.figure_map import Kind as BoneKind

from ...bridge.bone_map import bone_map
from ...bridge.item_animation import free_name, remove_or_switch_off
from ...properties.access import MADE_HERE, rig_of
from ...properties.check import SAME_PLACE
from ...properties.effector import ArticulateEffector
from ...properties.kinds import KINDS, Kind
from ...properties.refusal import Refused
from ...properties.saved import forget_message
from ..report.reasons import reasons
from .target_empties import collection_for, create_target, first_target, is_only_ours, new_empty, posed


@dataclass(frozen=True, kw_only=True)
class NewEffector:
    """A new effector; see `properties.effector` for the fields.

    Attributes:
        target: name of an object, or "" for a new Empty at the effector's point.
        alternatives: name of a collection, or "" for a new one with two Empties; only for kinds with
            alternatives.
        pinned: whether it keeps its present place without a target.
        as_posed: whether it keeps the present relation of its bone and the second bone.
        settings: further properties of the effector, by name.
    """

    bone: str
    kind: str = "POSITION"
    target: str = ""
    subtarget: str = ""
    alternatives: str = ""
    name: str = ""
    pinned: bool = False
    as_posed: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """One of the settings, or the default of the property."""
        described: Any = ArticulateEffector.bl_rna.properties[name]
        return self.settings.get(name, described.default)


def add_effectors(
    armature: bpy.types.Object, news: Sequence[NewEffector], depsgraph: bpy.types.Depsgraph
) -> list[ArticulateEffector]:
    """Add effectors, each with a new Empty unless a target is named; adds none if one is refused."""
    targets = [check_new(armature, new) for new in news]
    rig = rig_of(armature)
    count, active = len(rig.effectors), rig.active_effector
    try:
        for new, target in zip(news, targets, strict=True):
            _add(armature, new, target, depsgraph)
    except reasons():
        remove_effectors(armature, range(count, len(rig.effectors)), delete_targets=True)
        rig.active_effector = active
        raise
    rig.active_effector = len(rig.effectors) - 1
    return list(rig.effectors[-len(news) :])  # only now, because a collection moves its items when it grows


def _add(
    armature: bpy.types.Object,
    new: NewEffector,
    target: bpy.types.Object | None,
    depsgraph: bpy.types.Depsgraph,
) -> None:
    effectors = rig_of(armature).effectors
    wanted = new.name or new.bone
    name = free_name(effectors, wanted, f"{wanted} {KINDS[new.kind].label}")
    effector = effectors.add()
    effector.name, effector.bone, effector.kind = name, new.bone, new.kind
    for setting, value in new.settings.items():
        setattr(effector, setting, value)
    if "aim" in effector.kind_info.asks and "axis" not in new.settings:
        effector.axis = _axis_of_sight(armature, new.bone)
    if new.as_posed:
        keep_as_posed(effector, depsgraph)
    if "alternatives" in effector.kind_info.options:
        collection = bpy.data.collections.get(new.alternatives) if new.alternatives else None
        effector.alternatives = collection or _new_alternatives(effector, depsgraph)
    if new.pinned:
        hold(effector, depsgraph)
    elif target is not None:
        effector.target, effector.subtarget = target, new.subtarget
    elif effector.follows == "MISSING":
        create_target(effector, depsgraph)


def nearest_axis(way: Any) -> str:
    """The axis, such as "X" or "-X", nearest to a direction (3,)."""
    most = max(range(3), key=lambda index: abs(way[index]))
    return ("-" if way[most] < 0.0 else "") + "XYZ"[most]


def _axis_of_sight(armature: bpy.types.Object, bone: str) -> str:
    """The axis that a bone points at something: the front of a head, the length of other bones."""
    whole = bone_map(armature)
    number = whole.bones.number(bone)
    if whole.kinds.kinds[number] != BoneKind.HEAD:
        return "Y"
    return nearest_axis(whole.bones.rest[number, :3, :3].T @ whole.kinds.forward)


def keep_as_posed(effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> None:
    """Set an effector with a second bone to the present relation of its two bones."""
    if "second_bone" not in effector.kind_info.options:
        raise Refused(
            f"Effector '{effector.name}' is of the kind {effector.kind_info.label}, which does not join two"
            " bones"
        )
    shown, pose_bone, matrix = posed(effector, depsgraph)
    second = shown.pose.bones.get(effector.second_bone)
    if second is None:
        raise Refused(f"Effector '{effector.name}' has no second bone: choose one first")
    place, other = matrix @ effector.point_in_bone(pose_bone.bone), shown.matrix_world @ second.matrix
    if "distance" in effector.kind_info.options:
        effector.distance = (place - other @ effector.second_in_bone(second.bone)).length
        return
    if not other.determinant():
        raise Refused(f"Bone '{second.name}' is scaled to zero; give it a scale")
    effector.second_point = "HEAD"
    effector.second_offset = other.inverted() @ place
    effector.second_rotation = other.to_quaternion().inverted() @ matrix.to_quaternion()


def _new_alternatives(effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> bpy.types.Collection:
    """A collection of two Empties: one at the effector's point, one beside it."""
    armature: Any = effector.id_data
    _, pose_bone, matrix = posed(effector, depsgraph)
    collection = bpy.data.collections.new(f"Targets {effector.name}")
    collection[MADE_HERE] = True
    collection_for(armature, depsgraph).children.link(collection)
    here, length = matrix @ effector.point_in_bone(pose_bone.bone), pose_bone.length * matrix.median_scale
    for aside in (0.0, 0.5):
        place = Matrix.Translation(here + Vector((aside * length, 0.0, 0.0)))
        new_empty(effector, place, length, collection)
    return collection


def hold(effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> None:
    """Pin an effector at its present place and clear its target."""
    _, pose_bone, matrix = posed(effector, depsgraph)
    effector.target, effector.subtarget = None, ""
    effector.pinned = True
    # The update of `pinned` reads the original, which is only as recent as the last redraw.
    effector.pin_location = matrix @ first_target(effector, pose_bone)
    if effector.kind != "PLANE":  # which that update has made level
        effector.pin_rotation = matrix.to_quaternion()


def remove_effectors(
    armature: bpy.types.Object, indices: Sequence[int], *, delete_targets: bool = False
) -> tuple[int, str]:
    """Remove effectors, and optionally the Empties made for them that nothing else uses.

    Returns the number of removed effectors, and a sentence, see `remove_or_switch_off`.
    """
    rig = rig_of(armature)
    count = len(rig.effectors)
    going = [rig.effectors[index] for index in indices]
    targets = [target for effector in going for target in effector.targets]
    collections = [effector.alternatives for effector in going]
    off = remove_or_switch_off(rig, "effectors", indices, "Effector")
    forget_message(armature)
    for target in dict.fromkeys(targets) if delete_targets else ():
        if is_only_ours(target):
            bpy.data.objects.remove(target)
    for collection in dict.fromkeys(collections) if delete_targets else ():
        if collection is not None and collection.get(MADE_HERE) and not collection.all_objects:
            bpy.data.collections.remove(collection)
    return count - len(rig.effectors), off


def check_new(armature: bpy.types.Object, new: NewEffector) -> bpy.types.Object | None:
    """Refuse a new effector before anything is changed; returns its named target."""
    kind = KINDS[new.kind]
    _check_bones(armature, new, kind)
    here = new.bone, new.kind, new.value("point")
    for other in rig_of(armature).effectors if not kind.repeats else ():
        if (other.bone, other.kind, other.point) == here and other.offset.length < SAME_PLACE:
            off = "" if other.enabled else ", switched off"
            raise Refused(
                f"Bone '{new.bone}' has an effector of the kind {kind.label} already: '{other.name}'{off};"
                " change that one, choose another kind, or deselect the bone"
            )
    if new.alternatives and new.alternatives not in bpy.data.collections:
        raise Refused(f"There is no collection '{new.alternatives}' for the targets of bone '{new.bone}'")
    if not new.target:
        return None
    if "target" not in kind.options:
        raise Refused(
            f"An effector of the kind {kind.label} has no target, but '{new.target}' was given for bone"
            f" '{new.bone}'"
        )
    target = bpy.data.objects.get(new.target)
    if target is None:
        raise Refused(f"There is no object '{new.target}' to use as the target of bone '{new.bone}'")
    if target is armature and not new.subtarget:
        raise Refused(f"Armature '{armature.name}' cannot be the target of its own bone '{new.bone}'")
    if new.subtarget and (target.type != "ARMATURE" or new.subtarget not in target.data.bones):
        raise Refused(f"Object '{new.target}' has no bone '{new.subtarget}' to use as the target")
    return target


def _check_bones(armature: bpy.types.Object, new: NewEffector, kind: Kind) -> None:
    bones, root, second = armature.data.bones, new.value("chain_root"), new.value("second_bone")
    for role, name in (("bone", new.bone), ("chain root", root), ("second bone", second)):
        if name not in bones and (name or role == "bone"):
            raise Refused(f"Armature '{armature.name}' has no bone '{name}' to use as the effector's {role}")
    if root and root not in {new.bone, *(b.name for b in bones[new.bone].parent_recursive)}:
        raise Refused(f"Chain root '{root}' is not an ancestor of bone '{new.bone}'")
    if "loop" in kind.asks and not second:
        raise Refused(
            f"A loop needs a second bone to join bone '{new.bone}' to: select two bones, the second one"
            " active, or give second_bone"
        )
    if second == new.bone:
        raise Refused(f"Bone '{new.bone}' cannot be its own second bone: name another one")
