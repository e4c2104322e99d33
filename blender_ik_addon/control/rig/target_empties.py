# SPDX-License-Identifier: GPL-3.0-or-later
"""The Empties that effectors follow: placement, display, and cleanup."""

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...bridge.armature import pose_matrices, read_bones
from ...bridge.bone_map import bone_map
from ...bridge.limbs import side_of_bend
from ...preferences import own_preferences
from ...properties.access import MADE_HERE, rig_of
from ...properties.bone_names import all_armatures
from ...properties.effector import ArticulateEffector
from ...properties.measures import metre
from ...properties.refusal import Refused
from ..collision.body import read_masses


def first_target(effector: ArticulateEffector, pose_bone: bpy.types.PoseBone, scale: float = 1.0) -> Vector:
    """See `ArticulateEffector.first_target`."""
    if "pole" not in effector.kind_info.asks:
        return effector.first_target(pose_bone, scale)
    armature: Any = effector.id_data
    whole = bone_map(armature)
    return effector.first_target(pose_bone, scale, side_of_bend(whole.bones, whole.kinds, effector.bone))


def create_target(effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> None:
    """Create an unparented Empty at the effector's point and make it the target."""
    armature: Any = effector.id_data
    shown, pose_bone, matrix = posed(effector, depsgraph)
    scale = matrix.median_scale
    if "balance" in effector.kind_info.asks:
        masses = read_masses(armature, read_bones(armature), metre(depsgraph.scene))
        center = masses.center(np.array(shown.matrix_world) @ pose_matrices(shown))
        target: Any = Vector(center.tolist())
    else:
        target = matrix @ first_target(effector, pose_bone, scale)
    place = Matrix.Translation(target)
    if effector.kind_info.turns:
        place = place @ matrix.to_quaternion().to_matrix().to_4x4()
    collection = collection_for(armature, depsgraph)
    effector.target = new_empty(effector, place, pose_bone.length * scale, collection)
    effector.subtarget = ""


def new_empty(
    effector: ArticulateEffector, place: Matrix, length: float, collection: bpy.types.Collection
) -> bpy.types.Object:
    """Create an Empty at a transform (4, 4), world, marked as made for an effector.

    Its shape and its size, as a share of the bone's length in the world, are those of the preferences.
    """
    found = own_preferences(bpy.context)
    display, size = ("SPHERE", 0.4) if found is None else (found.target_display, found.target_size)
    empty: Any = bpy.data.objects.new(f"Target {effector.name}", None)
    empty.empty_display_type = effector.kind_info.target or display
    empty.empty_display_size = max(size * length, 1e-4)
    empty.rotation_mode = "QUATERNION"
    empty.matrix_world = place
    empty[MADE_HERE] = effector.id_data.name
    collection.objects.link(empty)
    return empty


def posed(
    effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph
) -> tuple[bpy.types.Object, bpy.types.PoseBone, Matrix]:
    """An effector's evaluated armature and bone, and the world matrix of the bone."""
    armature: Any = effector.id_data
    if armature.mode == "EDIT":
        raise Refused(f"Armature '{armature.name}' is in Edit Mode: leave it first")
    shown = armature.evaluated_get(depsgraph)
    pose_bone = shown.pose.bones.get(effector.bone)
    if pose_bone is None:
        raise Refused(
            f"Effector '{effector.name}': the armature '{armature.name}' has no bone '{effector.bone}'"
        )
    return shown, pose_bone, shown.matrix_world @ pose_bone.matrix


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
    """Whether the add-on made an Empty, and nothing uses it: no effector, child, constraint or driver."""
    followed = {
        thing
        for armature in all_armatures()
        for effector in rig_of(armature).effectors
        for thing in effector.targets
    }
    if not target.get(MADE_HERE) or target.library is not None or target in followed:
        return False
    users = bpy.data.user_map(subset=[target])[target]
    return all(isinstance(user, (bpy.types.Collection, bpy.types.Scene)) for user in users)
