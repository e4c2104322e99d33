# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps an armature from being solved as it stands, one sentence each, before anything is changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import bpy
import numpy as np

from .armature import Bones
from .faults import Fault
from .skeleton import Figure
from .space import space_faults

# Constraints that leave place and direction of their bone alone, and those that change them only sometimes.
_HARMLESS: Final = frozenset({"COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"})
_LIMITING: Final = frozenset({"LIMIT_ROTATION", "LIMIT_LOCATION", "LIMIT_DISTANCE"})
_CHAIN: Final = frozenset({"IK", "SPLINE_IK"})
_ZERO_LENGTH: Final = 5e-6  # Blender 5.0 keeps a bone of no length as one of 2e-6
_DRIVEN: Final = re.compile(
    r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(location|rotation_quaternion|rotation_euler|rotation_axis_angle)$'
)


def armature_faults(armature_object: bpy.types.Object | None) -> tuple[Fault, ...]:
    """What is wrong with an object as an armature to solve; read from the original object.

    Returns:
        All that was found, the weightiest first: no armature, a linked one, an uneven scale, no bones, rest
        position.
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
    armature_object: bpy.types.Object, figure: Figure, chains: Iterable[tuple[str, str]]
) -> tuple[Fault, ...]:
    """What is wrong with the bones that are to be solved.

    Args:
        armature_object: the original object.
        figure: made of its bones.
        chains: pairs of an effector's bone and its chain root ("" for the top), as for `chains.chain_bones`.
    """
    solved = frozenset(figure.solved)
    return (
        *_length_faults(figure),
        *_freedom_faults(figure, chains),
        *constraint_faults(armature_object, figure.bones, solved),
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


def _freedom_faults(figure: Figure, chains: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """Effectors that nothing in their chain can move."""
    skeleton, bones = figure.skeleton, figure.bones
    for name, root in dict.fromkeys(chains):
        way = bones.ancestors(name)
        if root:
            way = way[: way.index(bones.number(root)) + 1]
        if not np.isin(figure.plan.bone[skeleton.owner], way).any():
            where = "it and all bones above it" if not root else f"the bones from it up to '{root}'"
            yield Fault(
                name,
                f"Bone '{name}' of '{bones.armature}' cannot move: {where if len(way) > 1 else 'it'} "
                "can turn about no axis; unlock one, for rotation and for IK.",
            )


def constraint_faults(
    armature_object: bpy.types.Object, bones: Bones, solved: frozenset[str]
) -> Iterator[Fault]:
    """Constraints that would override, or may change, what is solved.

    Args:
        armature_object: the original object.
        bones: its bones.
        solved: names of the bones that are solved.
    """
    for bone in armature_object.pose.bones:
        for constraint in bone.constraints:
            if constraint.mute or constraint.influence <= 0.0 or not constraint.is_valid:
                continue
            if constraint.type in _CHAIN:
                hit = [name for name in _constrained_chain(bone, constraint) if name in solved]
            else:
                hit = [bone.name] if bone.name in solved else []
            if not hit or constraint.type in _HARMLESS:
                continue
            whose = f"Constraint '{constraint.name}' of bone '{bone.name}'"
            moved = "it" if hit == [bone.name] else ", ".join(f"'{name}'" for name in hit[:3])
            if constraint.type in _LIMITING:
                yield Fault(
                    bone.name,
                    f"{whose} changes the result where it acts;"
                    " IK limits of the bone would be kept by the solver.",
                    blocking=False,
                )
            else:
                yield Fault(
                    bone.name,
                    f"{whose} moves {moved} and would override the result; "
                    "disable it, or set the chain root of the effector below it.",
                )


def _constrained_chain(bone: bpy.types.PoseBone, constraint: Any) -> list[str]:
    """Names of the bones that an IK or Spline IK constraint moves."""
    chain = [bone, *bone.parent_recursive]
    if not getattr(constraint, "use_tail", True):
        chain = chain[1:]
    return [each.name for each in (chain[: constraint.chain_count] if constraint.chain_count else chain)]


def driver_faults(armature_object: bpy.types.Object, figure: Figure) -> Iterator[Fault]:
    """Drivers on channels that are to be written: a driven channel takes no other value."""
    data = armature_object.animation_data
    if data is None:
        return
    written = {(bone, channel) for bone, channel, _ in figure.keyed}
    for curve in data.drivers:
        found = _DRIVEN.match(curve.data_path)
        if not found or curve.mute:
            continue
        name, channel = bpy.utils.unescape_identifier(found[1]), found[2]
        if (name, channel) in written:
            yield Fault(
                name,
                f"Bone '{name}' of '{armature_object.name}' has a driver on its {channel.replace('_', ' ')}, "
                "which would override the result; remove it or lock the channel.",
            )
