# SPDX-License-Identifier: GPL-3.0-or-later
"""What one frame holds before it is solved: the pose, the armature's place, the targets, all evaluated."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ikmath.obstacles import Shape

from ..bridge.armature import Array, PoseState, read_state
from ..bridge.goals import world_matrix
from ..bridge.space import Space, read_space
from ..properties.access import rig_of
from ..properties.effector import ArticulateEffector
from ..properties.refusal import Refused
from .plan import EffectorPlan, Plan
from .surroundings import look_around


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One frame; E effectors in the order of the plan.

    Attributes:
        frame: number of the frame.
        state: the pose as it is animated, with all bones.
        space: where the armature is.
        targets: (E, 4, 4) world matrices of the targets.
        weight: (E,); influence: (E,) in [0, 1].
        obstacles: where they are in this frame, figure space; ignored: why others are not among them.
    """

    frame: int
    state: PoseState
    space: Space
    targets: Array
    weight: Array
    influence: Array
    obstacles: tuple[Shape, ...] = ()
    ignored: tuple[str, ...] = ()


def take_sample(plan: Plan, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, frame: int) -> Sample:
    """Read the frame that the dependency graph is at.

    Args:
        plan: the armature's plan.
        armature: the original object.
        depsgraph: evaluated, at that frame.
        frame: its number, for messages.

    Raises:
        Refused: an effector is gone; FigureFault: a transform is not finite or the armature scaled unevenly.
    """
    evaluated = armature.evaluated_get(depsgraph)
    # Settings are read from the original: Blender copies animated values back to it, while the evaluated copy
    # learns of an effector that was just added only when something tags the armature. In a render nothing is
    # copied back, and the copy is a new one.
    settings = evaluated if depsgraph.mode == "RENDER" else armature
    effectors = [_find(settings, effector) for effector in plan.effectors]
    space = read_space(evaluated)
    obstacles, ignored = look_around(plan.surroundings, armature, space, depsgraph)
    return Sample(
        frame=frame,
        state=read_state(evaluated, plan.bones),
        space=space,
        targets=np.array([_target_matrix(effector, depsgraph) for effector in effectors]).reshape(-1, 4, 4),
        weight=np.array([effector.weight for effector in effectors], dtype=float),
        influence=np.array([effector.influence for effector in effectors], dtype=float),
        obstacles=obstacles,
        ignored=ignored,
    )


def _find(armature: bpy.types.Object, plan: EffectorPlan) -> ArticulateEffector:
    effectors = rig_of(armature).effectors
    if plan.index < len(effectors) and effectors[plan.index].name == plan.name:
        return effectors[plan.index]
    raise Refused(f"Effector '{plan.name}' of armature '{armature.name}' was removed meanwhile", plan.name)


def _target_matrix(effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> Array:
    if effector.target is not None:
        return world_matrix(effector.target, depsgraph, effector.subtarget)
    if effector.pinned:
        rotation = Quaternion(effector.pin_rotation).to_matrix().to_4x4()
        return np.array(Matrix.Translation(effector.pin_location) @ rotation, dtype=float)
    raise Refused(f"Effector '{effector.name}' lost its target meanwhile", effector.name)
