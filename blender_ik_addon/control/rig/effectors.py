# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding and removing effectors and their targets: data only, no context and no selection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...bridge.armature import pose_matrices, read_bones
from ...bridge.limbs import side_of_bend
from ...properties.access import MADE_HERE, rig_of
from ...properties.check import SAME_PLACE, library_refusal
from ...properties.effector import ArticulateEffector
from ...properties.kinds import KINDS, Kind
from ...properties.measures import metre
from ...properties.options import forget_message
from ...properties.refusal import Refused
from ..frame.masses import Weights, read_masses
from ..report.reasons import REASONS
from ..rig.removal import remove_or_switch_off


@dataclass(frozen=True, kw_only=True)
class NewEffector:
    """What an effector is to be; see `properties.effector` for the meaning of the fields.

    Attributes:
        target: name of an object, or "" for a new Empty at the effector's own place.
        alternatives: name of a collection, or "" for a new one with two Empties, where the kind has such.
        pinned: it stays where it is now and has no target.
        as_posed: it keeps what its bone and the second bone are to each other now.
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
        """One of the settings, or what the property is by default."""
        described: Any = ArticulateEffector.bl_rna.properties[name]
        return self.settings.get(name, described.default)


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
    targets = [check_new(armature, new) for new in news]
    rig = rig_of(armature)
    count, active = len(rig.effectors), rig.active_effector
    try:
        for new, target in zip(news, targets, strict=True):
            _add(armature, new, target, depsgraph, look)
    except REASONS:
        remove_effectors(armature, range(count, len(rig.effectors)), delete_targets=True)
        rig.active_effector = active
        raise
    rig.active_effector = len(rig.effectors) - 1
    return list(rig.effectors[-len(news) :])  # only now: a collection moves its items when it grows


def _add(
    armature: bpy.types.Object,
    new: NewEffector,
    target: bpy.types.Object | None,
    depsgraph: bpy.types.Depsgraph,
    look: TargetLook,
) -> None:
    effectors = rig_of(armature).effectors
    name, effector = _free_name(effectors, new), effectors.add()
    effector.name, effector.bone, effector.kind = name, new.bone, new.kind
    for setting, value in new.settings.items():
        setattr(effector, setting, value)
    if new.as_posed:
        keep_as_posed(armature, effector, depsgraph)
    if "alternatives" in effector.kind_info.options:
        collection = bpy.data.collections.get(new.alternatives) if new.alternatives else None
        effector.alternatives = collection or _new_alternatives(armature, effector, depsgraph, look)
    if new.pinned:
        hold(armature, effector, depsgraph)
    elif target is not None:
        effector.target, effector.subtarget = target, new.subtarget
    elif effector.follows == "MISSING":
        create_target(armature, effector, depsgraph, look)


def keep_as_posed(
    armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph
) -> None:
    """Let an effector with a second bone ask for what its two bones are to each other now.

    Raises:
        Refused: one of the bones does not exist, the second has no size, or the kind of effector has none.
    """
    if "second_bone" not in effector.kind_info.options:
        raise Refused(
            f"Effector '{effector.name}' is of the kind {effector.kind_info.label}, which joins no two bones",
            effector.name,
        )
    pose_bone, matrix = _posed(armature, effector, depsgraph)
    shown = armature.evaluated_get(depsgraph)
    second = shown.pose.bones.get(effector.second_bone)
    if second is None:
        raise Refused(f"Effector '{effector.name}' has no second bone: choose one first", effector.name)
    place, other = matrix @ effector.point_in_bone(pose_bone.bone), shown.matrix_world @ second.matrix
    if "distance" in effector.kind_info.options:
        effector.distance = (place - other @ effector.second_in_bone(second.bone)).length
        return
    if not other.determinant():
        raise Refused(f"Bone '{second.name}' is scaled to zero; give it a scale", effector.name)
    effector.second_point = "HEAD"
    effector.second_offset = other.inverted() @ place
    effector.second_rotation = other.to_quaternion().inverted() @ matrix.to_quaternion()


def _new_alternatives(
    armature: bpy.types.Object,
    effector: ArticulateEffector,
    depsgraph: bpy.types.Depsgraph,
    look: TargetLook,
) -> bpy.types.Collection:
    """A collection of two Empties: one where the effector is now, one beside it."""
    pose_bone, matrix = _posed(armature, effector, depsgraph)
    collection = bpy.data.collections.new(f"Targets {effector.name}")
    collection[MADE_HERE] = True
    _collection_for(armature, depsgraph).children.link(collection)
    here, length = matrix @ effector.point_in_bone(pose_bone.bone), pose_bone.length * matrix.median_scale
    for aside in (0.0, 0.5):
        place = Matrix.Translation(here + Vector((aside * length, 0.0, 0.0)))
        _new_empty(effector, look.display, length * look.size, place, collection)
    return collection


def hold(armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> None:
    """Pin an effector where it is now; a target that it had is let go.

    Raises:
        Refused: the effector's bone does not exist.
    """
    pose_bone, matrix = _posed(armature, effector, depsgraph)
    effector.target, effector.subtarget = None, ""
    effector.pinned = True
    # Setting it looks at the original, which knows of the last redraw only.
    effector.pin_location = matrix @ _first_target(effector, pose_bone)
    effector.pin_rotation = matrix.to_quaternion()


def _center_of_mass(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Vector:
    """Where it is now, world."""
    bones, shown = read_bones(armature), armature.evaluated_get(depsgraph)
    matrix = np.array(shown.matrix_world) @ pose_matrices(shown)
    masses = read_masses(armature, bones, metre(depsgraph.scene))
    return Vector(Weights.of(masses, bones).center(matrix).tolist())


def _first_target(effector: ArticulateEffector, pose_bone: bpy.types.PoseBone, scale: float = 1.0) -> Vector:
    """See `ArticulateEffector.first_target`."""
    if "pole" not in effector.kind_info.asks:
        return effector.first_target(pose_bone, scale)
    armature: Any = effector.id_data
    return effector.first_target(pose_bone, scale, side_of_bend(read_bones(armature), effector.bone))


def create_target(
    armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph, look: TargetLook
) -> bpy.types.Object:
    """An Empty where the effector is now, without parent, in the armature's collection, as its target.

    Raises:
        Refused: the effector's bone does not exist.
    """
    pose_bone, matrix = _posed(armature, effector, depsgraph)
    scale = matrix.median_scale
    if "balance" in effector.kind_info.asks:
        target: Any = _center_of_mass(armature, depsgraph)
    else:
        target = matrix @ _first_target(effector, pose_bone, scale)
    place = Matrix.Translation(target)
    if effector.kind_info.turns:
        place = place @ matrix.to_quaternion().to_matrix().to_4x4()
    display, size = effector.kind_info.target or look.display, pose_bone.length * scale * look.size
    empty = _new_empty(effector, display, size, place, _collection_for(armature, depsgraph))
    effector.target, effector.subtarget = empty, ""
    return empty


def _new_empty(
    effector: ArticulateEffector,
    display: Any,
    size: float,
    place: Matrix,
    collection: bpy.types.Collection,
) -> bpy.types.Object:
    empty = bpy.data.objects.new(f"Target {effector.name}", None)
    empty.empty_display_type = display
    empty.empty_display_size = max(size, 1e-4)
    empty.rotation_mode = "QUATERNION"
    empty.matrix_world = place
    empty[MADE_HERE] = effector.id_data.name
    collection.objects.link(empty)
    return empty


def remove_effectors(
    armature: bpy.types.Object, indices: Sequence[int], *, delete_targets: bool = False
) -> list[str]:
    """Remove effectors, and on request the Empties that were made for them if nothing else uses those.

    Args:
        armature: the original object.
        indices: of the effectors on the list.
        delete_targets: whether to delete their Empties.

    Returns:
        Names of the effectors that come from a library and were switched off instead.

    Raises:
        Refused: all of them come from a library and are switched off already.
    """
    rig = rig_of(armature)
    going = [rig.effectors[index] for index in indices]
    targets = [target for effector in going for target in (effector.target, *effector.alternative_objects)]
    collections = [effector.alternatives for effector in going]
    off = remove_or_switch_off(armature, rig.effectors, indices, "Effector")
    rig.active_effector = max(0, min(rig.active_effector, len(rig.effectors) - 1))
    forget_message(armature)
    if not delete_targets:
        return off
    for target in dict.fromkeys(targets):
        if target is not None and _only_ours(target):
            bpy.data.objects.remove(target)
    for collection in dict.fromkeys(collections):
        if collection is not None and collection.get(MADE_HERE) and not collection.all_objects:
            bpy.data.collections.remove(collection)
    return off


def clear(armature: bpy.types.Object, *, delete_targets: bool = False) -> tuple[int, list[str]]:
    """Remove all effectors and the last report; solver and bake settings stay.

    Returns:
        How many effectors were removed, and the names of those that come from a library and were switched
        off instead.

    Raises:
        Refused: all of them come from a library and are switched off already.
    """
    rig = rig_of(armature)
    count = len(rig.effectors)
    off = remove_effectors(armature, range(count), delete_targets=delete_targets)
    rig.report_json = ""
    return count - len(rig.effectors), off


def _posed(
    armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph
) -> tuple[bpy.types.PoseBone, Matrix]:
    """An effector's bone, evaluated, and where that is in the world.

    Raises:
        Refused: it does not exist, or its armature is being edited and the pose is that of before.
    """
    if armature.mode == "EDIT":
        raise Refused(f"Armature '{armature.name}' is in Edit Mode, where bones have no pose: leave it first")
    shown = armature.evaluated_get(depsgraph)
    pose_bone = shown.pose.bones.get(effector.bone)
    if pose_bone is None:
        raise Refused(
            f"Effector '{effector.name}': the armature '{armature.name}' has no bone '{effector.bone}'",
            effector.name,
        )
    return pose_bone, shown.matrix_world @ pose_bone.matrix


def check_new(armature: bpy.types.Object, new: NewEffector) -> bpy.types.Object | None:
    """Everything that can be wrong, before anything is made; returns the target that is named.

    Raises:
        Refused: see `add_effectors`.
    """
    foreign = library_refusal(armature)
    if foreign is not None:
        raise foreign
    if new.kind not in KINDS:
        raise Refused(f"There is no kind of effector '{new.kind}'; use one of: {', '.join(KINDS)}")
    kind = KINDS[new.kind]
    _check_bones(armature, new, kind)
    here = new.bone, new.kind, new.value("point")
    for other in rig_of(armature).effectors if not kind.repeats else ():
        if (other.bone, other.kind, other.point) == here and other.offset.length < SAME_PLACE:
            off = "" if other.enabled else ", switched off"
            raise Refused(
                f"Bone '{new.bone}' has an effector of the kind {kind.label} already: '{other.name}'{off};"
                " change that one, take another kind, or leave the bone out",
                other.name,
            )
    if new.alternatives and new.alternatives not in bpy.data.collections:
        raise Refused(
            f"There is no collection '{new.alternatives}' that could hold the targets of bone '{new.bone}'"
        )
    if not new.target:
        return None
    if "target" not in kind.options:
        raise Refused(
            f"An effector of the kind {kind.label} follows no target, but '{new.target}' was named for bone"
            f" '{new.bone}'"
        )
    target = bpy.data.objects.get(new.target)
    if target is None:
        raise Refused(f"There is no object '{new.target}' that could be the target of bone '{new.bone}'")
    if target is armature and not new.subtarget:
        raise Refused(f"Armature '{armature.name}' cannot be the target of its own bone '{new.bone}'")
    if new.subtarget and (target.type != "ARMATURE" or new.subtarget not in target.data.bones):
        raise Refused(f"Object '{new.target}' has no bone '{new.subtarget}' that could be the target")
    return target


def _check_bones(armature: bpy.types.Object, new: NewEffector, kind: Kind) -> None:
    bones, root, second = armature.data.bones, new.value("chain_root"), new.value("second_bone")
    for role, name in (("bone", new.bone), ("chain root", root), ("second bone", second)):
        if name not in bones and (name or role == "bone"):
            raise Refused(
                f"Armature '{armature.name}' has no bone '{name}' that could be the effector's {role}"
            )
    if root and root not in {new.bone, *(b.name for b in bones[new.bone].parent_recursive)}:
        raise Refused(f"Chain root '{root}' is not an ancestor of bone '{new.bone}'")
    if "loop" in kind.asks and not second:
        raise Refused(
            f"A loop joins bone '{new.bone}' to a second one, but none was named: select two bones, the"
            " second one active, or give second_bone"
        )
    if second == new.bone:
        raise Refused(f"Bone '{new.bone}' cannot be its own second bone: name another one")


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
    followed = {
        thing
        for candidate in bpy.data.objects
        if candidate.type == "ARMATURE"
        for effector in rig_of(candidate).effectors
        for thing in (effector.target, *effector.alternative_objects)
    }
    return bool(target.get(MADE_HERE)) and target.library is None and target not in followed
