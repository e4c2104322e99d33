# SPDX-License-Identifier: GPL-3.0-or-later
"""The Empties that effectors follow: placement, display, and cleanup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...bridge.armature import pose_matrices, read_bones
from ...bridge.limbs import side_of_bend
from ...bridge.space import upward
from ...preferences import own_preferences
from ...properties.access import MADE_HERE, rig_of
from ...properties.bone_names import all_armatures
from ...properties.effector import ArticulateEffector
from ...properties.measures import metre
from ...properties.refusal import Refused
from ..frame.masses import read_masses


@dataclass(frozen=True, kw_only=True)
class TargetLook:
    """Display of a new target.

    Attributes:
        display: a display type of Empties, for kinds that only move the bone.
        size: share of the bone's length.
    """

    display: str = "SPHERE"
    size: float = 0.4

    @classmethod
    def of(cls, context: bpy.types.Context) -> TargetLook:
        """As the user's preferences say; the defaults without preferences."""
        found = own_preferences(context)
        return cls() if found is None else cls(display=found.target_display, size=found.target_size)


def first_target(effector: ArticulateEffector, pose_bone: bpy.types.PoseBone, scale: float = 1.0) -> Vector:
    """See `ArticulateEffector.first_target`."""
    if "pole" not in effector.kind_info.asks:
        return effector.first_target(pose_bone, scale)
    armature: Any = effector.id_data
    side = side_of_bend(read_bones(armature), effector.bone, upward(armature))
    return effector.first_target(pose_bone, scale, side)


def create_target(
    armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph, look: TargetLook
) -> bpy.types.Object:
    """Create an unparented Empty at the effector's point and make it the target."""
    pose_bone, matrix = posed(armature, effector, depsgraph)
    scale = matrix.median_scale
    if "balance" in effector.kind_info.asks:
        shown = armature.evaluated_get(depsgraph)
        masses = read_masses(armature, read_bones(armature), metre(depsgraph.scene))
        center = masses.center(np.array(shown.matrix_world) @ pose_matrices(shown))
        target: Any = Vector(center.tolist())
    else:
        target = matrix @ first_target(effector, pose_bone, scale)
    place = Matrix.Translation(target)
    if effector.kind_info.turns:
        place = place @ matrix.to_quaternion().to_matrix().to_4x4()
    display, size = effector.kind_info.target or look.display, pose_bone.length * scale * look.size
    empty = new_empty(effector, display, size, place, collection_for(armature, depsgraph))
    effector.target, effector.subtarget = empty, ""
    return empty


def new_empty(
    effector: ArticulateEffector,
    display: Any,
    size: float,
    place: Matrix,
    collection: bpy.types.Collection,
) -> bpy.types.Object:
    """Create an Empty at a transform (4, 4), world, marked as made for an effector."""
    empty = bpy.data.objects.new(f"Target {effector.name}", None)
    empty.empty_display_type = display
    empty.empty_display_size = max(size, 1e-4)
    empty.rotation_mode = "QUATERNION"
    empty.matrix_world = place
    empty[MADE_HERE] = effector.id_data.name
    collection.objects.link(empty)
    return empty


def posed(
    armature: bpy.types.Object, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph
) -> tuple[bpy.types.PoseBone, Matrix]:
    """An effector's evaluated bone and its world matrix.

    Raises:
        Refused: the bone does not exist, or the armature is in Edit Mode and its pose is outdated.
    """
    if armature.mode == "EDIT":
        raise Refused(f"Armature '{armature.name}' is in Edit Mode: leave it first")
    shown = armature.evaluated_get(depsgraph)
    pose_bone = shown.pose.bones.get(effector.bone)
    if pose_bone is None:
        raise Refused(
            f"Effector '{effector.name}': the armature '{armature.name}' has no bone '{effector.bone}'"
        )
    return pose_bone, shown.matrix_world @ pose_bone.matrix


def collection_for(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Collection:
    """The armature's own collection in the scene, or the scene collection."""
    scene = bpy.data.scenes[depsgraph.scene.name]
    inside = {scene.collection, *scene.collection.children_recursive}
    editable = (
        c
        for c in armature.users_collection
        if c in inside and c.library is None and c.override_library is None
    )
    return next(editable, scene.collection)


def is_only_ours(target: bpy.types.Object) -> bool:
    """Whether the add-on made an Empty and no other effector uses it."""
    followed = {
        thing
        for armature in all_armatures()
        for effector in rig_of(armature).effectors
        for thing in effector.targets
    }
    return bool(target.get(MADE_HERE)) and target.library is None and target not in followed
