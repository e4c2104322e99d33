# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds, removes and mirrors effectors with their targets: changes data only, without context or selection.

A pin is an effector that keeps its bone in place without a target.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
from mathutils import Matrix, Quaternion, Vector

from ikmath.model.figure_map import Kind as BoneKind

from ...bridge.bone_map import bone_map, mirrored_axes, other_side
from ...bridge.item_animation import free_name, remove_or_switch_off
from ...properties.access import MADE_HERE, rig_of
from ...properties.check import SAME_PLACE
from ...properties.effector import ArticulateEffector, why_not_moved
from ...properties.kinds import AMOUNTS, KINDS, Kind
from ...properties.refusal import Refused
from ...properties.saved import forget_message
from ..report import reasons
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


def is_pin(effector: ArticulateEffector) -> bool:
    """Whether an effector keeps its bone in place, or keeps its motion, without a target."""
    return effector.follows in ("PIN", "MOTION")


def pin(
    armature: bpy.types.Object,
    bones: Sequence[str],
    kind: str,
    depsgraph: bpy.types.Depsgraph,
    *,
    motion: bool,
) -> None:
    """Pin bones at their present place, or with `motion` to their own animation.

    An existing pin is moved there and gets this kind: POSITION, ORIENTATION or POSE (both). If one bone is
    refused, nothing is pinned.
    """
    effectors = rig_of(armature).effectors
    there = [effector for effector in effectors if is_pin(effector) and effector.bone in bones]
    for effector in there:
        if reason := why_not_moved(effector, depsgraph.scene.frame_current_final):
            raise Refused(reason)
    held = {effector.bone for effector in there}
    news = [NewEffector(bone=bone, kind=kind, pinned=True) for bone in bones if bone not in held]
    again = [effector.name for effector in there]
    add_effectors(armature, news, depsgraph)
    for name in again:
        hold(effectors[name], depsgraph)
        effectors[name].kind, effectors[name].enabled = kind, True
    for effector in effectors:
        if is_pin(effector) and effector.bone in bones:
            effector.keeps_motion = motion


def unpin(armature: bpy.types.Object, bones: Sequence[str] | None = None) -> tuple[int, str]:
    """Remove the pins of some bones, or all pins, see `remove_effectors`; the pose is unchanged."""
    pins = [(index, each) for index, each in enumerate(rig_of(armature).effectors) if is_pin(each)]
    return remove_effectors(armature, [index for index, each in pins if bones is None or each.bone in bones])


def mirror(armature: bpy.types.Object, bones: Sequence[str], depsgraph: bpy.types.Depsgraph) -> int:
    """Copy the effectors of some bones to the bones on the other side, at their present places; how many.

    Sides are found by name (.L and .R, _left, ...), else by the rest pose. Existing effectors of the other
    side are kept. Refused if no effector can be mirrored.
    """
    rig = rig_of(armature)
    all_bones: Any = armature.data.bones
    own = [effector for effector in rig.effectors if effector.bone in bones]
    taken = {(effector.bone, effector.kind, effector.point) for effector in rig.effectors}
    news = []
    for effector in own:
        other = other_side(all_bones, effector.bone)
        joins = effector.settings.get("second_bone") == other  # both sides: it is its own mirror image
        if not other or joins or (other, effector.kind, effector.point) in taken:
            continue
        settings = _mirrored(effector, all_bones, other)
        news.append(NewEffector(bone=other, kind=effector.kind, pinned=is_pin(effector), settings=settings))
    if not own:
        raise Refused(f"The chosen bones of armature '{armature.name}' have no effectors or pins to mirror")
    if not news:
        raise Refused(
            "There is nothing to mirror: no bones of the other side were found by name (.L, .R) or position,"
            " or they have the same effectors already"
        )
    add_effectors(armature, news, depsgraph)
    return len(news)


def _mirrored(effector: ArticulateEffector, bones: Any, other: str) -> dict[str, Any]:
    """The settings of an effector for the bone on the other side."""
    own = [name for name in effector.kind_info.options if name in (*AMOUNTS, "keeps_motion")]
    common = {name: getattr(effector, name) for name in ("weight", "priority", "chain_root", *own)}
    settings = {**common, **effector.settings}
    second = settings.get("second_bone", "")
    for name in ("chain_root", "second_bone"):
        if flipped := other_side(bones, settings.get(name, "")):
            settings[name] = flipped
    axes = mirrored_axes(bones[effector.bone], bones[other])
    if "offset" in settings:
        settings["offset"] = (axes @ Vector(settings["offset"])).to_tuple()
    if "axis" in settings:
        settings["axis"] = nearest_axis(axes @ Vector(effector.direction))
    if second in bones:
        seconds = mirrored_axes(bones[second], bones[settings["second_bone"]])
        settings["second_offset"] = (seconds @ Vector(settings["second_offset"])).to_tuple()
        if "second_rotation" in settings:
            own_turn = Quaternion(settings["second_rotation"]).to_matrix()
            turned = (seconds @ own_turn @ axes.transposed()).to_quaternion()
            settings["second_rotation"] = turned.w, turned.x, turned.y, turned.z
    return settings
