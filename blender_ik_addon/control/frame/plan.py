# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a solve that do not change from frame to frame, as plain data.

They are read once from the properties. So a bake over many events keeps no Blender object and is not affected
by edits in between.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final

import bpy
import numpy as np

import ikmath as ik

from ...bridge.animation import action_poses, is_moved, other_actions
from ...bridge.armature import Bones, Channels, Flags, read_bones
from ...bridge.bone_map import BoneMap, bone_map
from ...bridge.chains import Chain, hanging_arms, moving_along, moving_bones
from ...bridge.checks import armature_refusals
from ...bridge.evaluated import absences, carrying_bone, stands_still
from ...bridge.goals import ALONE, Masses, Wanted
from ...bridge.space import upward, upward_in_the_middle
from ...bridge.stretching import Stretch, find_stretch
from ...properties.access import by_session_id, holds, rig_of
from ...properties.bone import bone_settings
from ...properties.check import refusals
from ...properties.effector import ArticulateEffector
from ...properties.kinds import AMOUNTS, Kind
from ...properties.measures import metre
from ...properties.refusal import Refused, require
from ...properties.solver import LEARNED
from ..collision.body import read_masses
from ..collision.surroundings import Surroundings, read_surroundings
from .root import RESISTANCE, Placed, Root, root_now

_FINE: Final = 1e-4  # largest tolerance, as a share of the figure's size
_MANY: Final = 200  # bones; more are solved fast and without the objective of poses, whose matrices are dense
NOT_SAVED: Final = -1
"""Index of a temporary effector that is not on the rig, for the duration of a drag."""


@dataclass(frozen=True, kw_only=True)
class EffectorPlan:
    """One enabled effector.

    Attributes:
        index: in `rig.effectors`, or `NOT_SAVED`.
        name: used to detect that the list has changed.
        follows: kind of target, see `ArticulateEffector.follows`; target: its name.
        priority: when the plan was read; it may be animated.
        local: (3,) the point of the bone, in the bone's axes and the armature's units.
        axis: (3,) aiming direction, in the bone's axes.
        settings: other settings of its kind, see `ArticulateEffector.settings`. Also `second_local`, the
            point of the second bone in its axes, or `root`, the parent of a pole's bone.
        alternatives: names of the alternative target objects.
        holds: whether it only keeps its bone in place during a drag; then the bone may be immovable.
        still: whether nothing moves its target from frame to frame.
    """

    index: int = NOT_SAVED
    name: str
    bone: str
    kind: Kind
    priority: int
    chain_root: str = ""
    local: tuple[float, float, float]
    follows: str = ""
    target: str = ""
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    settings: Mapping[str, Any] = field(default_factory=dict)
    alternatives: tuple[str, ...] = ()
    holds: bool = False
    still: bool = False

    # of one that is not on the rig; else these are read in every frame
    weight: ClassVar[float] = 1.0
    influence: ClassVar[float] = 1.0

    @cached_property
    def amounts(self) -> tuple[str, ...]:
        """Options of its kind that are read in every frame; none if it is not on the rig."""
        return tuple(name for name in self.kind.options if name in AMOUNTS and self.index != NOT_SAVED)

    @property
    def alone(self) -> bool:
        """Whether it needs a goal of its own, see `bridge.goals`."""
        return any(ask in ALONE for ask in self.kind.asks)

    @property
    def stretch(self) -> float:
        """The largest stretch of its limb, as a share of the length."""
        return float(self.settings.get("stretch", 0.0))

    @property
    def second(self) -> str:
        """Name of its second bone, "" if it has none."""
        return str(self.settings.get("second_bone", ""))

    def chains(self, bones: Bones) -> list[Chain]:
        """The chains of its bones."""
        found = [(self.bone, self.chain_root)]
        if self.second and (
            not self.chain_root or bones.number(self.chain_root) in bones.ancestors(self.second)
        ):
            found.append((self.second, self.chain_root))
        return found


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One armature with its effectors and settings.

    Attributes:
        armature: name of the object, for messages; uid: its session id, to find it again.
        solved: names of the bones that may move.
        tolerance: metres and radians; finer than the setting on small figures.
        metre: metres per Blender unit, for messages; other lengths that are called metres are Blender units.
        root_stiffness: (6,) of a free root's translations and rotations, see `bridge.skeleton.read_figure`.
        parameters: the method's own options, by name.
        keeps: posture strength by bone, only values below 1.
        stretches: the bones that effectors may lengthen.
        hanging: upper arms that hang free, see `hanging_arms`.
        animated: whether the figure has a motion of its own, see `is_moved`.
        masses: of the figure, if an effector is of the kind Balance.
        bone_map: anatomical kinds of the bones; natural: whether the method takes a posture objective.
        resists: see `Root`.
        carries: when the posture is moved to the targets, see `posture`.
        switched_off: rules of `BalanceRule` that do not apply.
        posture_from: see `ArticulateSolver.posture_from`; examples: poses of the actions that it uses.
        surroundings: obstacle settings; None without obstacles and self-collision.
    """

    armature: str
    uid: int
    bones: Bones
    solved: tuple[str, ...]
    effectors: tuple[EffectorPlan, ...]
    method: str
    limits: str
    root: str
    root_stiffness: tuple[float, ...]
    max_iterations: int
    tolerance: float
    posture: float
    bone_map: BoneMap = field(compare=False, repr=False)
    natural: bool
    parameters: tuple[tuple[str, Any], ...] = ()
    surroundings: Surroundings | None = None
    masses: Masses | None = None
    resists: bool = False
    carries: str = "NEVER"
    switched_off: frozenset[str] = frozenset()
    posture_from: str = "AUTO"
    examples: Channels | None = field(default=None, compare=False, repr=False)
    metre: float = 1.0
    keeps: Mapping[str, float] = field(default_factory=dict)
    stretches: tuple[Stretch, ...] = ()
    hanging: tuple[str, ...] = ()
    animated: bool = False

    @cached_property
    def looks_at_start(self) -> bool:
        """Whether an effector depends on the pose at the start of a frame."""
        return any(effector.alone for effector in self.effectors) or bool(self.keeping.any())

    @cached_property
    def keeping(self) -> Flags:
        """(E,) which effectors keep their bones' own animation."""
        return np.array([effector.follows == "MOTION" for effector in self.effectors], dtype=bool)

    @cached_property
    def still(self) -> Flags:
        """(E,) which effectors are the same in each frame."""
        return np.array([effector.still and not self.animated for effector in self.effectors], dtype=bool)

    @cached_property
    def chooses(self) -> bool:
        """Whether an effector has alternatives; then a frame prefers the choice of the previous frame."""
        return any(effector.alternatives for effector in self.effectors)

    @property
    def points(self) -> list[tuple[str, tuple[float, float, float]]]:
        """The bones of the effectors, each with the effector's point in the bone's axes."""
        return [(effector.bone, effector.local) for effector in self.effectors]

    @property
    def chains(self) -> list[Chain]:
        """The effectors' bones and chain roots, weakest first.

        So in a drag, faults of the dragged bone are reported before those of the bones that stay.
        """
        weakest_first = sorted(self.effectors, key=lambda effector: -effector.priority)
        return [(effector.bone, effector.chain_root) for effector in weakest_first]

    def solver(self, *, brief: bool = False, most: int | None = None, **more: Any) -> ik.Solver:
        """The solver with the plan's options and more ones; `most` is an upper bound of the iterations."""
        if brief := brief or len(self.solved) > _MANY:
            more.pop("accuracy", None)  # which brief sets
        asked = brief, most, tuple(more.items())
        if asked not in self._solvers:
            limits = [limit for limit in (self.max_iterations, most) if limit]
            told = {"max_iterations": min(limits)} if limits else {}
            options = {"tolerance": self.tolerance, **dict(self.parameters), **told, **more}
            self._solvers[asked] = ik.Solver(self.method, brief=brief, **options)
        return self._solvers[asked]

    @cached_property
    def _solvers(self) -> dict[Any, ik.Solver]:
        return {}

    @property
    def carried(self) -> list[str]:
        """Bones that the figure needs as joints, solved or not."""
        links = self.surroundings.links["bone"].tolist() if self.surroundings else ()
        others = [
            effector.settings.get(name) for effector in self.effectors for name in ("second_bone", "root")
        ]
        return [*links, *filter(None, others), *(self.masses.names if self.masses else ())]


def read_plan(
    armature: bpy.types.Object,
    context: bpy.types.Context,
    *,
    extra: Sequence[EffectorPlan] = (),
    root: str = "",
    instead: str = "",
    carries: str = "NEVER",
    mirrored: bool = False,
) -> Plan:
    """Check an armature's settings and collect them; refused if they cannot be solved.

    Args:
        armature, context: the view layer must contain the armature.
        extra: effectors that are not on the rig; they come last. With these the rig may have none of its own.
        root: replaces the solver's setting.
        instead: replaces the chosen method.
        carries: see `Plan`.
        mirrored: whether the result must be symmetric.
    """
    if not holds(context.view_layer.objects, armature):
        raise Refused(
            f"Armature '{armature.name}' is not in view layer '{context.view_layer.name}':"
            " switch its collection on"
        )
    require(absences(armature))
    require(refusals(armature, context.scene, needs_effectors=not extra))
    require(armature_refusals(armature))
    rig, solver = rig_of(armature), rig_of(armature).solver
    bones, unit = read_bones(armature), metre(context.scene)
    enabled = [(index, effector) for index, effector in enumerate(rig.effectors) if effector.enabled]
    effectors = (*(_effector_plan(armature, index, effector) for index, effector in enabled), *extra)
    method = instead or solver.method
    more = [Placed(one.bone, one.chain_root) for one in extra if one.kind.places]
    up = upward_in_the_middle(armature) if mirrored else upward(armature)
    whole = bone_map(armature, bones, up)
    asked = Root(root) if root else root_now(armature, whole, more)
    natural, animated = solver.chooses_naturally(method), is_moved(armature)
    asking = ((row, one.bone, one.chain_root, one.stretch) for row, one in enumerate(effectors))
    stretches = tuple(filter(None, (find_stretch(bones, *one, whole.long_bones) for one in asking)))
    chains = [chain for one in effectors for chain in one.chains(bones)]
    hanging: list[tuple[str, str]] = []
    if natural:
        chains += moving_along(armature, whole, chains, asked.setting)
        if carries != "ALWAYS" or not animated:  # in clips arms keep their own motion
            hanging = hanging_arms(armature, whole, chains, up)
        chains += [(fore, upper) for upper, fore in hanging]
    solved = moving_bones(whole, chains, asked.setting)
    natural = natural and len(solved) <= _MANY
    require(carried_targets(armature, rig.enabled_effectors, frozenset(solved)))
    return Plan(
        armature=armature.name,
        uid=armature.session_uid,
        bones=bones,
        solved=solved,
        effectors=effectors,
        method=method,
        limits=solver.limits,
        root=asked.setting,
        resists=asked.resists,
        root_stiffness=RESISTANCE
        if asked.resists
        else (*solver.root_location_stiffness, *solver.root_rotation_stiffness),
        max_iterations=solver.max_iterations,
        tolerance=min(solver.tolerance, _FINE * bones.extent * armature.matrix_world.median_scale),
        posture=solver.posture,
        parameters=tuple(solver.parameters.options(method).items()),
        surroundings=read_surroundings(armature, bones, solved, instead),
        bone_map=whole,
        natural=natural,
        carries=carries,
        switched_off=frozenset(rule for rule in ("balance", "keep_hips") if not getattr(solver, rule)),
        posture_from=solver.posture_from,
        examples=_examples(armature, bones) if natural else None,
        metre=unit,
        stretches=stretches,
        hanging=tuple(upper for upper, _ in hanging),
        animated=animated,
        keeps={name: share for name, share in bone_settings(armature, "posture").items() if share < 1.0},
        masses=read_masses(armature, bones, unit)
        if any("balance" in e.kind.asks for e in effectors)
        else None,
    )


def _examples(armature: bpy.types.Object, bones: Bones) -> Channels | None:
    """The poses of the actions that the posture is learned from; None if it is not learned."""
    solver = rig_of(armature).solver
    if solver.posture_from not in LEARNED:
        return None
    assets, words = solver.posture_from == "LIBRARY", solver.posture_actions
    found = action_poses(other_actions(armature, words, assets=assets), bones)
    if found is None:
        which = f" with '{words}' in its name" if words.strip() else ""
        kind = "pose asset" if assets else "other action"
        raise Refused(
            f"Posture is {LEARNED[solver.posture_from]}, but no {kind}{which} poses armature"
            f" '{armature.name}': choose another Posture, or append {kind}s of the character"
        )
    return found


def plain(plan: Plan, want: Wanted) -> tuple[Flags, Flags]:
    """(E,) effectors with a target position, (E,) with an orientation; without free axes or tolerances."""
    flags = np.zeros((2, len(plan.effectors)), dtype=bool)
    for row, effector in enumerate(plan.effectors):
        told, amounts = want.settings[row], want.amounts[row]
        every_axis = all((*told.get("axes", ()), *told.get("turn_axes", ())))
        exactly = not (amounts.get("slack") or amounts.get("turn_slack"))
        if want.weight[row] > 0.0 and every_axis and exactly:
            flags[:, row] = effector.kind.moves, effector.kind.turns
    return flags[0], flags[1]


def carried_targets(
    armature: bpy.types.Object, effectors: Iterable[ArticulateEffector], solved: frozenset[str]
) -> Iterator[Refused]:
    """Effectors that count in this frame, whose targets depend on solved bones; these would move away."""
    for effector in (each for each in effectors if each.weight * each.influence > 0.0):
        followed = [(effector.target, effector.subtarget)] if effector.follows == "TARGET" else []
        for target, subtarget in (*followed, *((thing, "") for thing in effector.alternative_objects)):
            if bone := carrying_bone(target, subtarget, armature, solved):
                yield Refused(
                    f"Effector '{effector.name}': its target '{target.name}' is attached to bone '{bone}',"
                    " which this solve moves; choose a target that the solve does not move"
                )


def find_armature(plan: Plan) -> bpy.types.Object:
    """The armature of a plan, looked up again; refused if it was deleted."""
    # in this order: a view layer looks up by name, the file searches linearly
    for objects in (bpy.context.view_layer.objects, bpy.data.objects):
        named = objects.get(plan.armature)
        if named is not None and named.session_uid == plan.uid:
            return named
    found: Any = by_session_id(bpy.data.objects, plan.uid)
    if found is None:
        raise Refused(f"Armature '{plan.armature}' was deleted meanwhile")
    return found


def find_effector(armature: bpy.types.Object, plan: EffectorPlan) -> ArticulateEffector | None:
    """The effector of a plan, None if the list has changed since it was read."""
    every, index = rig_of(armature).effectors, plan.index
    return every[index] if index < len(every) and every[index].name == plan.name else None


def _effector_plan(armature: bpy.types.Object, index: int, effector: ArticulateEffector) -> EffectorPlan:
    bones, settings = armature.data.bones, effector.settings
    if settings.get("second_bone"):
        settings["second_local"] = tuple(effector.second_in_bone(bones[effector.second_bone]))
    if "pole" in effector.kind_info.asks:
        settings["root"] = bones[effector.bone].parent.name
    return EffectorPlan(
        index=index,
        name=effector.name,
        bone=effector.bone,
        kind=effector.kind_info,
        follows=effector.follows,
        target=effector.target.name if effector.follows == "TARGET" else "",
        priority=effector.priority,
        chain_root=effector.chain_root,
        local=tuple(effector.point_in_bone(bones[effector.bone])),
        axis=effector.direction,
        settings=settings,
        alternatives=tuple(thing.name for thing in effector.alternative_objects),
        still=effector.follows == "TARGET" and stands_still(effector.target),
    )
