# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of effector, in one table: menus, icons, targets and goals are made from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind of effector.

    Attributes:
        name: identifier, saved in the file.
        label: what the menus show.
        description: the tooltip, for someone who does not know inverse kinematics.
        icon: name of a Blender icon.
        number: what the file stores; never reused for another kind.
        moves: the kind asks for a place, so its error has metres.
        turns: the kind asks for an orientation, so its error has an angle.
    """

    name: str
    label: str
    description: str
    icon: str
    number: int
    moves: bool = False
    turns: bool = False


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("POSITION", "Position", "Bring the bone's tip to the target", "EMPTY_AXIS", 0, moves=True),
        Kind(
            "ORIENTATION",
            "Orientation",
            "Turn the bone as the target is turned",
            "ORIENTATION_GIMBAL",
            1,
            turns=True,
        ),
        Kind(
            "POSE",
            "Pose",
            "Bring the bone's tip to the target and turn the bone as it is turned",
            "OUTLINER_OB_ARMATURE",
            2,
            moves=True,
            turns=True,
        ),
    )
}


def kind_items() -> tuple[tuple[str, str, str, str, int], ...]:
    """The table as the items of an enum property."""
    return tuple((k.name, k.label, k.description, k.icon, k.number) for k in KINDS.values())
