# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of each frame of a bake: constraints and rotation modes may be animated."""

from __future__ import annotations

import bpy

from ...bridge.checks import limiting_constraint
from ...bridge.fingerprint import animated_settings
from ...bridge.skeleton import Figure
from ...properties.refusal import Refused, require
from ..frame.plan import Plan
from ..frame.task import constraints_at


class Watch:
    """Checks each frame of one bake.

    Args:
        plan: the armature's plan.
        armature: the original object.

    Attributes:
        limiting: for each frame, a sentence on the constraint that may change the result after the solve.
    """

    def __init__(self, plan: Plan, armature: bpy.types.Object) -> None:
        self._plan = plan
        self._constrained = any(len(bone.constraints) for bone in armature.pose.bones)
        animated = animated_settings(armature, "rotation_mode")
        self._switching = tuple(name for name in plan.solved if name in animated)
        self.limiting: dict[int, str] = {}

    def look(self, armature: bpy.types.Object, figure: Figure, frame: int) -> None:
        """Check the current frame of the scene.

        Raises:
            Refused: a constraint overrides the result in this frame, or a bone's rotation mode
                differs from the plan's.
        """
        bones = self._plan.bones
        for name in self._switching:
            mode, planned = armature.pose.bones[name].rotation_mode, bones.rotation_mode[bones.number(name)]
            if mode != planned:
                raise Refused(
                    f"Bone '{name}' of '{armature.name}' has the rotation mode {mode} there, but {planned} in"
                    " the frame in which the bake was started; bake only frames that have the same mode"
                )
        if self._constrained:
            require(constraints_at(self._plan, armature, figure))
            sentence = limiting_constraint(armature, frozenset(figure.solved))
            if sentence:
                self.limiting[frame] = sentence
