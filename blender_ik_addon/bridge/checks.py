# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons why an armature cannot be solved, found before anything is changed."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

import bpy
import numpy as np

from ..properties.refusal import Refused
from .animation import bone_in_path
from .chains import Chain
from .skeleton import Figure
from .space import space_refusals

# Constraints without effect on position and rotation, and those that affect them only at a limit.
_HARMLESS: Final = frozenset({"COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"})
_LIMITING: Final = frozenset({"LIMIT_ROTATION", "LIMIT_LOCATION", "LIMIT_DISTANCE"})
_CHAIN: Final = frozenset({"IK", "SPLINE_IK"})
_ZERO_LENGTH: Final = 5e-6  # Blender 5.0 stores a bone without length with a length of 2e-6


def armature_refusals(armature: bpy.types.Object) -> Iterator[Refused]:
    """Why an armature cannot be solved as it is now: its scale, Edit Mode, or its rest position."""
    name = armature.name
    yield from space_refusals(name, np.array(armature.matrix_world, dtype=float))
    if armature.mode == "EDIT":
        yield Refused(f"Armature '{name}' is in Edit Mode; leave it first.")
    if armature.data.pose_position == "REST":
        yield Refused(f"Armature '{name}' is shown in its rest position; switch it to Pose Position.")


def figure_refusals(
    armature: bpy.types.Object, figure: Figure, chains: Iterable[Chain], holding: Collection[Chain] = ()
) -> Iterator[Refused]:
    """Why the bones of a figure cannot be solved.

    The chains in `holding` belong to effectors that only keep their bones in place; these may be immovable.
    """
    chains, bones = tuple(dict.fromkeys(chains)), figure.bones
    for number in figure.plan.solved_bones.tolist():
        if bones.length[number] <= _ZERO_LENGTH:
            name = bones.names[number]
            yield Refused(f"Bone '{name}' of '{bones.armature}' has no length; make it longer or delete it.")
    yield from _freedom_refusals(figure, [chain for chain in chains if chain not in holding])
    yield from constraint_refusals(armature, figure, chains)
    yield from _driver_refusals(armature, figure)


def _freedom_refusals(figure: Figure, chains: Iterable[Chain]) -> Iterator[Refused]:
    """Effectors whose chains cannot move."""
    bones, free = figure.bones, figure.free_bones
    for name, root in chains:
        way = bones.chain(name, root)
        if not any(number in free for number in way):
            where = "it and all bones above it" if not root else f"the bones from it up to '{root}'"
            yield Refused(
                f"Bone '{name}' of '{bones.armature}' cannot move: {where if len(way) > 1 else 'it'} "
                "cannot turn about any axis; unlock one, for rotation and for IK."
            )


def constraint_refusals(armature: bpy.types.Object, figure: Figure, chains: Iterable[Chain]) -> list[Refused]:
    """Constraints that override the result of solved bones in the present frame.

    First those on an effector's own bone, then those that a shorter chain would avoid.
    """
    bones, free = figure.bones, figure.free_bones
    overriding = list(_meddling(armature, frozenset(figure.solved), limiting=False))
    overridden = frozenset(name for _, _, hit in overriding for name in hit)
    own, shorter = set[str](), dict[str, tuple[str, str]]()
    for name, root in chains:
        way = bones.chain(name, root)
        reached = next((i for i, number in enumerate(way) if bones.names[number] in overridden), 0)
        if any(number in free for number in way[:reached]):
            shorter.setdefault(bones.names[way[reached]], (bones.names[way[reached - 1]], name))
        elif name in overridden:
            own.add(name)
    found: list[tuple[int, Refused]] = []
    for bone, constraint, hit in overriding:
        more = f" and {len(hit) - 3} more" if hit[3:] else ""
        moved = "it" if hit == [bone.name] else ", ".join(f"'{name}'" for name in hit[:3]) + more
        end = next((shorter[name] for name in hit if name in shorter), None)
        cure = f", or choose '{end[0]}' as the chain root of '{end[1]}'" if end else ""
        sentence = (
            f"{_whose(bone, constraint)} moves {moved} and would override the result; disable it{cure}."
        )
        found.append((0 if own & {*hit} else 1 if end else 2, Refused(sentence)))
    return [refusal for _, refusal in sorted(found, key=lambda each: each[0])]


def limiting_constraint(armature: bpy.types.Object, solved: frozenset[str]) -> str:
    """The constraint that changes the solved bones most in the shown pose, as a sentence; "" if none can."""

    def change(each: tuple[bpy.types.PoseBone, bpy.types.Constraint, list[str]]) -> float:
        bone = each[0]
        local = armature.convert_space(
            pose_bone=bone, matrix=bone.matrix, from_space="POSE", to_space="LOCAL"
        )
        return float(np.abs(np.array(local) - np.array(bone.matrix_basis)).max())

    found = max(_meddling(armature, solved, limiting=True), key=change, default=None)
    if found is None:
        return ""
    turns = found[1].type == "LIMIT_ROTATION"
    cure = "use the bone's IK limits, which the solver keeps" if turns else "disable it, or widen it"
    return f"{_whose(*found[:2])} changes the result after the solve; {cure}."


def _whose(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> str:
    return f"Constraint '{constraint.name}' of bone '{bone.name}'"


def overridden(armature: bpy.types.Object, names: Iterable[str]) -> frozenset[str]:
    """Which of some bones are moved away from their channels' values by constraints."""
    found = _meddling(armature, frozenset(names), limiting=False)
    return frozenset(name for _, _, hit in found for name in hit)


def _meddling(
    armature: bpy.types.Object, solved: frozenset[str], *, limiting: bool
) -> Iterator[tuple[bpy.types.PoseBone, bpy.types.Constraint, list[str]]]:
    """Bones with active constraints that move solved bones, and the names of these.

    With `limiting`, only the constraints that act at a limit, otherwise only the others.
    """
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            if constraint.mute or constraint.influence <= 0.0 or not constraint.is_valid:
                continue
            chain = _constrained_chain(bone, constraint) if constraint.type in _CHAIN else [bone.name]
            hit = [name for name in chain if name in solved]
            if hit and constraint.type not in _HARMLESS and (constraint.type in _LIMITING) == limiting:
                yield bone, constraint, hit


def _constrained_chain(bone: bpy.types.PoseBone, constraint: Any) -> list[str]:
    """Names of the bones that an IK or Spline IK constraint moves."""
    chain = [bone, *bone.parent_recursive]
    if not getattr(constraint, "use_tail", True):
        chain = chain[1:]
    return [each.name for each in (chain[: constraint.chain_count] if constraint.chain_count else chain)]


def _driver_refusals(armature: bpy.types.Object, figure: Figure) -> Iterator[Refused]:
    """Drivers on channels that the result is written to; they would override it."""
    data = armature.animation_data
    if data is None:
        return
    written = set(figure.plan.keyed)
    for curve in data.drivers:
        name, channel = bone_in_path(curve.data_path)
        if curve.mute or channel == "scale":  # a driven length is only not stretched
            continue
        if (name, channel, curve.array_index) in written:
            yield Refused(
                f"Bone '{name}' of '{armature.name}' has a driver on its {channel.replace('_', ' ')}, "
                "which would override the result; remove it or lock the channel."
            )
