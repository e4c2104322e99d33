# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves or turns a target or a pin in world space, and restores it exactly on cancel."""

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Quaternion, Vector

from ...bridge.armature import Array
from ...properties.access import by_session_id, rig_of
from ...properties.check import library_refusal
from ...properties.effector import ArticulateEffector, why_not_moved
from ...properties.refusal import Refused
from ..bake.autokey import auto_key_object, auto_key_pin

_CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle")


class TargetInHand:
    """A target or pin while it is being moved from a `place` (3,), world; keeps no Blender object."""

    def __init__(self, armature: bpy.types.Object, effector: str) -> None:
        """Begin to move the target object or the pin of an effector; refused if it has none to move."""
        self._armature, self._effector = armature.session_uid, effector
        found, target = self._find()
        self._turn, place = held_place(found)
        self.place: Array = np.array(place)
        owner, names = (target, _CHANNELS) if target else (found, ("pin_location", "pin_rotation"))
        self._before: dict[str, Any] = {name: tuple(getattr(owner, name)) for name in names}
        if target is not None:
            # From world space to the object's location axes. The object's matrix is outdated until the next
            # redraw, so all motion is relative to the start.
            above = target.matrix_world @ target.matrix_basis.inverted_safe()
            self._into = above.to_3x3().inverted_safe()

    @property
    def orientation(self) -> Array:
        """(3, 3) world, the rotation at the start."""
        return np.array(self._turn.to_matrix())

    def move_to(self, place: npt.ArrayLike) -> None:
        """Move it to a position (3,) in world space; its rotation is unchanged."""
        found, target = self._find()
        if target is None:
            found.pin_location = np.asarray(place, dtype=float).tolist()
            return
        step = self._into @ Vector((np.asarray(place, dtype=float) - self.place).tolist())
        for axis in range(3):
            if not target.lock_location[axis]:
                target.location[axis] = self._before["location"][axis] + step[axis]

    def turn_by(self, turn: npt.ArrayLike) -> None:
        """Rotate it from its start rotation; (3,) rotation vector, world. Its position is unchanged."""
        found, target = self._find()
        vector = Vector(np.asarray(turn, dtype=float).tolist())
        turned = Quaternion(vector.normalized(), vector.length) @ self._turn
        if target is None:
            found.pin_rotation = turned
            return
        here, scale, size = target.location.copy(), target.scale.copy(), target.matrix_world.to_scale()
        target.matrix_world = Matrix.LocRotScale(self.place.tolist(), turned, size)
        target.location, target.scale = here, scale

    def cancel(self) -> None:
        found, target = self._find()
        for name, value in self._before.items():
            setattr(target or found, name, value)

    def finish(self, context: bpy.types.Context, *, turned: bool) -> None:
        """Keep the result and insert keys as the scene's auto-keying does; if that fails, restore it."""
        found, target = self._find()
        if target is None:
            auto_key_pin(found, context)
            return
        try:
            auto_key_object(target, "rotation" if turned else "location", context)
        except Refused:
            self.cancel()
            raise

    def _find(self) -> tuple[ArticulateEffector, Any]:
        """Look up the effector and its target again; refused if it was deleted or can no longer be moved."""
        armature = by_session_id(bpy.data.objects, self._armature)
        if armature is None:
            raise Refused("The armature was deleted meanwhile")
        effector = rig_of(armature).effectors.get(self._effector)
        if effector is None:
            raise Refused(f"Armature '{armature.name}' has no effector '{self._effector}'")
        if reason := why_not_held(effector):
            raise Refused(reason)
        return effector, effector.target


def why_not_held(effector: ArticulateEffector) -> str:
    """Why the target or pin of an effector cannot be moved, as a sentence; "" if it can."""
    armature: Any = effector.id_data
    if effector.follows not in ("TARGET", "PIN"):
        return f"Effector '{effector.name}' has no target and no pin that could be moved"
    if effector.follows == "PIN":
        foreign = library_refusal(armature)
        frame = bpy.context.scene.frame_current_final
        return why_not_moved(effector, frame) if foreign is None else str(foreign)
    if effector.subtarget:
        return f"Effector '{effector.name}' follows bone '{effector.subtarget}': move that bone"
    if effector.target.library is not None:
        return f"Target '{effector.target.name}' is linked from another file and cannot be moved"
    return ""


def held_place(effector: ArticulateEffector) -> tuple[Quaternion, Vector] | None:
    """World rotation and position of the target or pin of an effector; None if its target bone is missing."""
    target: Any = effector.target
    if target is None:
        armature: Any = effector.id_data
        bone, place = armature.pose.bones.get(effector.bone), Vector(effector.pin_location)
        if bone is not None and effector.kind_info.only_turns:  # such a pin is at its bone
            place = armature.matrix_world @ bone.matrix @ effector.point_in_bone(bone.bone)
        return Quaternion(effector.pin_rotation), place
    matrix = target.matrix_world
    if effector.subtarget:
        bone = target.pose.bones.get(effector.subtarget) if target.pose else None
        if bone is None:
            return None
        matrix = matrix @ bone.matrix
    return matrix.to_quaternion(), matrix.translation.copy()
