# SPDX-License-Identifier: GPL-3.0-or-later
"""One frame before the solve: the pose, the armature's transform and the targets, all evaluated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ikmath.collision import TriangleMesh

from ...bridge.armature import Array, Indices, PoseState, read_state
from ...bridge.evaluated import kept_up
from ...bridge.space import Space, space_of, target_matrices, transform
from ...properties.effector import ArticulateEffector
from ...properties.refusal import Refused
from ..collision.surroundings import look_around
from .plan import NOT_SAVED, EffectorPlan, Plan, find_effector

_NONE: Final = np.empty((0, 4, 4))
_NOWHERE: Final = np.eye(4)


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """One frame; E effectors in the order of the plan.

    Attributes:
        frame: number of the frame.
        state: the animated pose of all bones.
        space: of the armature; world: (4, 4) its matrix.
        targets: (E, 4, 4) world matrices of the targets; the identity without a target.
        weight: (E,); influence: (E,) in [0, 1]; priority: (E,). All may be animated.
        amounts: (E,) further settings that are read in every frame, by name.
        alternatives: for each effector, (K, 4, 4) world matrices of its alternative targets.
        obstacles: in this frame, figure space; ignored: sentences on obstacles that do not count.
    """

    frame: int
    state: PoseState
    space: Space
    targets: Array
    weight: Array
    influence: Array
    priority: Indices
    amounts: tuple[Mapping[str, float], ...]
    alternatives: tuple[Array, ...]
    world: Array
    obstacles: tuple[TriangleMesh, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def fading(self) -> bool:
        return bool((self.influence < 1.0).any())

    @cached_property
    def numbers(self) -> Any:
        """Everything about the effectors except the targets, as plain values for comparison."""
        arrays = self.weight, self.influence, self.priority, *self.alternatives
        return *(tuple(each.items()) for each in self.amounts), *(array.tobytes() for array in arrays)

    @cached_property
    def asked(self) -> Any:
        """The same with the targets and the armature's place."""
        return self.numbers, self.world.tobytes(), self.targets.tobytes()

    @cached_property
    def around(self) -> Any:
        """The obstacles, their transforms, and those that do not count, for comparison with another frame."""
        shapes = [
            (
                *(one.name, one.margin, one.mode, one.geometry),
                *(one.rotation.tobytes(), one.translation.tobytes()),
            )
            for one in self.obstacles
        ]
        return *shapes, *self.ignored


def take_sample(
    plan: Plan,
    armature: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    frame: int,
    *,
    state: PoseState | None = None,
    before: Sample | None = None,
) -> Sample:
    """Read the frame of the depsgraph.

    The state is the pose that the frame starts from, if known. Unchanged parts of a sample `before` are
    reused.
    """
    evaluated = kept_up(armature, depsgraph, "Armature")
    # Settings are read from the original, because Blender copies animated values back to it. The evaluated
    # copy does not get a new effector until the armature is tagged. In a render nothing is copied back, but
    # the copy is new.
    settings = evaluated if depsgraph.mode == "RENDER" else armature
    effectors = _find(settings, plan.effectors)
    pairs = list(zip(plan.effectors, effectors, strict=True))
    world = np.array(evaluated.matrix_world, dtype=float)
    if before is not None and before.world.tobytes() == world.tobytes():
        space = before.space
    else:
        space = space_of(armature.name, world)
    then = None if before is None else before.state
    targets = [_target(own, each, depsgraph) for own, each in pairs]
    obstacles, ignored = look_around(plan.surroundings, armature, space, depsgraph)
    return Sample(
        frame=frame,
        state=read_state(evaluated, plan.bones, then) if state is None else state,
        space=space,
        targets=target_matrices(targets, lambda row: (effectors[row].target or effectors[row]).name),
        weight=np.array([effector.weight for effector in effectors], dtype=float),
        influence=np.array([effector.influence for effector in effectors], dtype=float),
        priority=np.array([effector.priority for effector in effectors], dtype=np.intp),
        amounts=tuple({name: float(getattr(each, name)) for name in own.amounts} for own, each in pairs),
        alternatives=tuple(_alternatives(own, each, depsgraph) for own, each in pairs),
        world=world,
        obstacles=obstacles,
        ignored=ignored,
    )


def _find(armature: bpy.types.Object, plans: Sequence[EffectorPlan]) -> list[Any]:
    """The effectors on the rig; the plans themselves of those that are not on it."""
    found = []
    for plan in plans:
        effector: Any = plan if plan.index == NOT_SAVED else find_effector(armature, plan)
        if effector is None:
            raise Refused(f"Effector '{plan.name}' of armature '{armature.name}' was removed meanwhile")
        found.append(effector)
    return found


def _target(plan: EffectorPlan, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> Any:
    """The target of an effector, see `transform`."""
    if plan.follows == "TARGET":
        target = effector.target
        if target is None:
            raise Refused(f"Effector '{plan.name}' lost its target meanwhile")
        return transform(target, depsgraph, effector.subtarget)
    if plan.follows == "PIN" and plan.index != NOT_SAVED:  # one that is not on the rig is placed by the drag
        rotation = Quaternion(effector.pin_rotation).to_matrix().to_4x4()
        return Matrix.Translation(effector.pin_location) @ rotation
    return _NOWHERE


def _alternatives(plan: EffectorPlan, effector: ArticulateEffector, depsgraph: bpy.types.Depsgraph) -> Array:
    if not plan.alternatives:
        return _NONE
    things = effector.alternative_objects
    if len(things) != len(plan.alternatives):
        raise Refused(
            f"Effector '{plan.name}': the objects in collection '{effector.alternatives.name}' have changed"
            " meanwhile"
        )
    return target_matrices([transform(thing, depsgraph) for thing in things], lambda row: things[row].name)
