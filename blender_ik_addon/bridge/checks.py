# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons why an armature cannot be solved, as one sentence each, found before anything is changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

import bpy
import numpy as np

from .armature import Bones
from .faults import Fault
from .skeleton import Figure
from .space import space_faults

# Constraints without effect on position and rotation, and those that affect them only at a limit.
_HARMLESS: Final = frozenset({"COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"})
_LIMITING: Final = frozenset({"LIMIT_ROTATION", "LIMIT_LOCATION", "LIMIT_DISTANCE"})
_CHAIN: Final = frozenset({"IK", "SPLINE_IK"})
_ZERO_LENGTH: Final = 5e-6  # Blender 5.0 stores a bone without length with a length of 2e-6
_DRIVEN: Final = re.compile(
    r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(location|rotation_quaternion|rotation_euler|rotation_axis_angle)$'
)


def armature_faults(armature_object: bpy.types.Object | None) -> tuple[Fault, ...]:
    """Faults of an object as an armature to solve, read from the original object.

    Returns:
        All faults, the most important first: not an armature, linked, uneven scale, no bones, rest position.
    """
    if armature_object is None:
        return (Fault("", "There is no armature; select one."),)
    name = armature_object.name
    if armature_object.type != "ARMATURE":
        return (Fault(name, f"'{name}' is not an armature; choose an armature object."),)
    faults: list[Fault] = []
    override = armature_object.override_library
    if armature_object.library is not None:
        faults.append(
            Fault(
                name,
                f"Armature '{name}' is linked from another file and cannot be posed; "
                "make a library override of it.",
            )
        )
    elif override is not None and override.is_system_override:
        faults.append(
            Fault(name, f"The library override of armature '{name}' is not editable; make it editable.")
        )
    faults += space_faults(name, np.array(armature_object.matrix_world, dtype=float))
    if not armature_object.data.bones:
        faults.append(Fault(name, f"Armature '{name}' has no bones; add some."))
    if armature_object.mode == "EDIT":
        faults.append(Fault(name, f"Armature '{name}' is in Edit Mode; leave it first."))
    if armature_object.data.pose_position == "REST":
        faults.append(
            Fault(name, f"Armature '{name}' is shown in its rest position; switch it to Pose Position.")
        )
    return tuple(faults)


def figure_faults(
    armature_object: bpy.types.Object,
    figure: Figure,
    chains: Iterable[tuple[str, str]],
    holding: Collection[tuple[str, str]] = (),
) -> tuple[Fault, ...]:
    """Faults of the bones to solve.

    Args:
        armature_object: the original object.
        figure: made from its bones.
        chains: pairs of an effector's bone and its chain root ("" for the top), as for `chains.chain_bones`.
        holding: those of effectors that only keep their bones in place; these may be immovable.
    """
    solved, chains = frozenset(figure.solved), tuple(dict.fromkeys(chains))
    free = frozenset(figure.plan.bone[figure.skeleton.owner].tolist())
    return (
        *_length_faults(figure),
        *_freedom_faults(figure.bones, [chain for chain in chains if chain not in holding], free),
        *constraint_faults(armature_object, figure.bones, solved, chains, free),
        *driver_faults(armature_object, figure),
    )


def _length_faults(figure: Figure) -> Iterator[Fault]:
    bones = figure.bones
    for number in figure.plan.solved_bones.tolist():
        if bones.length[number] <= _ZERO_LENGTH:
            name = bones.names[number]
            yield Fault(
                name, f"Bone '{name}' of '{bones.armature}' has no length; make it longer or delete it."
            )


def _freedom_faults(
    bones: Bones, chains: Iterable[tuple[str, str]], free: Collection[int]
) -> Iterator[Fault]:
    """Effectors whose chains cannot move."""
    for name, root in chains:
        way = bones.chain(name, root)
        if not any(number in free for number in way):
            where = "it and all bones above it" if not root else f"the bones from it up to '{root}'"
            yield Fault(
                name,
                f"Bone '{name}' of '{bones.armature}' cannot move: {where if len(way) > 1 else 'it'} "
                "cannot turn about any axis; unlock one, for rotation and for IK.",
            )


def constraint_faults(
    armature_object: bpy.types.Object,
    bones: Bones,
    solved: frozenset[str],
    chains: Iterable[tuple[str, str]] = (),
    free: Collection[int] = (),
) -> list[Fault]:
    """Constraints that override or may change the result in the present frame.

    Args:
        armature_object: the original object.
        bones: its bones.
        solved: names of the solved bones.
        chains: as for `figure_faults`, to suggest shorter ones.
        free: indices of the bones that can move.

    Returns:
        First those on an effector's own bone, then those that a shorter chain would avoid.
    """
    meddling = list(_meddling(armature_object, solved))
    overridden = frozenset(
        name for _, constraint, hit in meddling if constraint.type not in _LIMITING for name in hit
    )
    own, shorter = set[str](), dict[str, tuple[str, str]]()
    for name, root in chains:
        way = bones.chain(name, root)
        reached = next((i for i, number in enumerate(way) if bones.names[number] in overridden), 0)
        if any(number in free for number in way[:reached]):
            shorter.setdefault(bones.names[way[reached]], (bones.names[way[reached - 1]], name))
        elif name in overridden:
            own.add(name)
    found: list[tuple[int, Fault]] = []
    for bone, constraint, hit in meddling:
        whose = f"Constraint '{constraint.name}' of bone '{bone.name}'"
        if constraint.type in _LIMITING:
            would = "changes the result after the solve; use the bone's IK limits, which the solver keeps."
            found.append((2, Fault(bone.name, f"{whose} {would}", blocking=False)))
            continue
        moved = "it" if hit == [bone.name] else ", ".join(f"'{name}'" for name in hit[:3])
        end = next((shorter[name] for name in hit if name in shorter), None)
        cure = f", or choose '{end[0]}' as the chain root of '{end[1]}'" if end else ""
        sentence = f"{whose} moves {moved} and would override the result; disable it{cure}."
        found.append((0 if own & {*hit} else 1 if end else 2, Fault(bone.name, sentence)))
    return [fault for _, fault in sorted(found, key=lambda each: each[0])]


def overridden(armature_object: bpy.types.Object, names: Iterable[str]) -> frozenset[str]:
    """Which of some bones are moved away from their channels' values by constraints."""
    meddling = _meddling(armature_object, frozenset(names))
    return frozenset(name for _, one, hit in meddling if one.type not in _LIMITING for name in hit)


def _meddling(
    armature_object: bpy.types.Object, solved: frozenset[str]
) -> Iterator[tuple[bpy.types.PoseBone, bpy.types.Constraint, list[str]]]:
    """Bones with active constraints that move solved bones, and the names of these."""
    for bone in armature_object.pose.bones:
        for constraint in bone.constraints:
            if constraint.mute or constraint.influence <= 0.0 or not constraint.is_valid:
                continue
            chain = _constrained_chain(bone, constraint) if constraint.type in _CHAIN else [bone.name]
            hit = [name for name in chain if name in solved]
            if hit and constraint.type not in _HARMLESS:
                yield bone, constraint, hit


def _constrained_chain(bone: bpy.types.PoseBone, constraint: Any) -> list[str]:
    """Names of the bones that an IK or Spline IK constraint moves."""
    chain = [bone, *bone.parent_recursive]
    if not getattr(constraint, "use_tail", True):
        chain = chain[1:]
    return [each.name for each in (chain[: constraint.chain_count] if constraint.chain_count else chain)]


def driver_faults(armature_object: bpy.types.Object, figure: Figure) -> Iterator[Fault]:
    """Drivers on channels that the result is written to; they would override it."""
    data = armature_object.animation_data
    if data is None:
        return
    written = set(figure.keyed)
    for curve in data.drivers:
        found = _DRIVEN.match(curve.data_path)
        if not found or curve.mute:
            continue
        name, channel = bpy.utils.unescape_identifier(found[1]), found[2]
        if (name, channel, curve.array_index) in written:
            yield Fault(
                name,
                f"Bone '{name}' of '{armature_object.name}' has a driver on its {channel.replace('_', ' ')}, "
                "which would override the result; remove it or lock the channel.",
            )
